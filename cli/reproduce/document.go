package reproduce

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Section is a paper with its judgements.
type Section struct {
	Paper  *Paper
	Judged []Judgement
	// Others are the judgements of each of the paper's alternatives.
	Others [][]Judgement
	// Picture returns the path of a figure's file, relative to the document.
	Picture func(f Figure) string
}

// Section returns the paper with the judgements of all claims, by the results and by the results of
// its alternatives.
func (p *Paper) Section(r *Results, picture func(f Figure) string) Section {
	s := Section{Paper: p, Judged: p.Judge(r), Picture: picture}
	for _, a := range p.Alternatives {
		s.Others = append(s.Others, p.Judge(a.Change(r)))
	}
	return s
}

// Document returns the sections as Markdown. It begins with a summary of each paper, and lists the
// claims of each verdict but [Holds] before the papers' sections.
func Document(sections []Section) []byte {
	var b bytes.Buffer
	b.WriteString("# Claims of the papers and our results\n\n")
	paragraph(&b, "", `This page compares every number and every statement about shape in the papers
behind the models with our results. The command `+"`jitterfly reproduce all`"+` computes the results,
draws the figures, judges the claims and writes this page, the summary included. A claim that does
not hold is a finding; the page shows it with what else was tried. A claim is *inconclusive* if our
own numbers are too noisy, if the paper leaves gaps, or if its subject is not simulated here. A claim
holds *by construction* if the model or its input makes it true: it shows that the program has the
paper's model, and nothing else.`)
	b.WriteString("\n")
	counts(&b, sections)
	for _, s := range sections {
		s.summary(&b)
	}
	b.WriteString("\n## How claims are judged\n\n")
	paragraph(&b, "", toleranceRule())
	for _, part := range verdicts {
		if part.title == "" {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		listed := false
		for _, s := range sections {
			listed = s.list(&b, part.v) || listed
		}
		if !listed {
			b.WriteString("Nothing.\n")
		}
	}
	for _, s := range sections {
		b.WriteString("\n")
		b.Write(s.Markdown())
	}
	return b.Bytes()
}

// summary writes what the paper claims and, by verdict, the claims that have a short form.
func (s *Section) summary(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## Summary of %s: %s\n\n", s.Paper.ID, s.Paper.Authors)
	paragraph(b, "", s.Paper.About)
	for _, v := range []Verdict{Holds, Constructed, Fails, Inconclusive} {
		var short []string
		for _, j := range s.Judged {
			if j.Verdict == v && j.Short != "" {
				short = append(short, j.short())
			}
		}
		if len(short) == 0 {
			continue
		}
		word := v.String()
		fmt.Fprintf(b, "\n%s:\n\n", strings.ToUpper(word[:1])+word[1:])
		for _, text := range short {
			item(b, text)
		}
	}
}

// short returns the short form of the claim with our answer, and the reason unless it holds.
func (j *Judgement) short() string {
	text := fmt.Sprintf("%s *Ours:* %s.", j.Short, j.Ours)
	if j.disagrees() && j.But != "" {
		text += " " + strings.ReplaceAll(j.But, "{tried}", j.Attempts)
	}
	return text
}

// verdicts are the columns of the summary, and the titles of their lists; "" for none.
var verdicts = []struct {
	v             Verdict
	column, title string
}{
	{Fails, "do not hold", "Claims that do not hold"},
	{Inconclusive, "inconclusive", "Inconclusive claims"},
	{Constructed, "by construction", "Claims that hold by construction"},
	{Holds, "hold", ""},
}

// counts writes the table of papers and verdicts.
func counts(b *bytes.Buffer, sections []Section) {
	titles, rules := []string{"paper", "claims"}, []string{"---", "---"}
	for _, part := range verdicts {
		titles, rules = append(titles, part.column), append(rules, "---")
	}
	row(b, titles...)
	row(b, rules...)
	for _, s := range sections {
		cells := []string{
			fmt.Sprintf("[%s](#paper-%s), %s", s.Paper.ID, s.Paper.ID, s.Paper.Authors),
			fmt.Sprint(len(s.Judged)),
		}
		for _, part := range verdicts {
			cells = append(cells, fmt.Sprint(Count(s.Judged, part.v)))
		}
		row(b, cells...)
	}
}

// list writes the claims of a verdict with their explanations, and reports whether there are
// any.
func (s *Section) list(b *bytes.Buffer, v Verdict) bool {
	for i, j := range s.Judged {
		if j.Verdict != v {
			continue
		}
		text := fmt.Sprintf("**%s, %s.** %s *Published:* %s. *Ours:* %s.",
			s.Paper.ID, j.Where, j.Statement, j.Published, j.Ours)
		if v == Constructed {
			text += " *Given:* " + j.Given
		} else if text += " " + j.Why; s.tried(i) != "" {
			text += " *Tried:* " + s.tried(i)
		}
		item(b, text)
	}
	return Count(s.Judged, v) > 0
}

// Markdown returns the section of the paper.
func (s *Section) Markdown() []byte {
	var b bytes.Buffer
	p := s.Paper
	fmt.Fprintf(&b, "## Paper %s\n\n", p.ID)
	paragraph(&b, "", fmt.Sprintf("%s, *%s*, %s.", p.Authors, p.Title, p.Venue))
	var files []string
	for _, study := range p.Studies {
		if study.Of == "" {
			files = append(files, "`"+p.FileName(study)+"`")
		}
	}
	b.WriteString("\n")
	text := fmt.Sprintf("`jitterfly reproduce %s` runs its studies: %s. They are the files %s of "+
		"`cli/reproduce/studies`", p.ID, p.Cost, strings.Join(files, ", "))
	if len(files) < len(p.Studies) {
		text += ", and some of those again with other values"
	}
	paragraph(&b, "", text+".")
	if len(p.Assumptions) > 0 {
		b.WriteString("\nAssumptions where the paper leaves something open:\n\n")
	}
	for _, a := range p.Assumptions {
		item(&b, a)
	}
	s.alternatives(&b)
	b.WriteString("\n")
	row(&b, "where", "claim", "published", "ours", "holds?")
	row(&b, "---", "---", "---", "---", "---")
	for _, j := range s.Judged {
		claim := j.Statement
		if j.Reading != "" {
			claim += " *Read as:* " + j.Reading
		}
		mark := j.Verdict.String()
		if j.Verdict != Holds {
			mark = "**" + mark + "**"
		}
		row(&b, j.Where, claim, j.Published, j.Ours, mark)
	}
	s.pictures(&b)
	return b.Bytes()
}

// tried returns what else was tried of a claim, and what each gives; "" for nothing. Of
// alternatives that give the same it has the first.
func (s *Section) tried(claim int) string {
	j := s.Judged[claim]
	var all []string
	if j.Attempts != "" {
		all = append(all, j.Attempts)
	}
	seen := map[string]bool{j.Ours: true}
	for i, a := range s.Paper.Alternatives {
		if other := s.Others[i][claim]; !seen[other.Ours] {
			all = append(all, fmt.Sprintf("%s: %s.", a.Name, other.outcome()))
			seen[other.Ours] = true
		}
	}
	return strings.Join(all, " ")
}

// alternatives writes what each alternative gives: the numbers of verdicts, and the claims whose
// verdict it changes or that are marked.
func (s *Section) alternatives(b *bytes.Buffer) {
	if len(s.Others) == 0 {
		return
	}
	b.WriteString("\nOther readings, by which all claims were judged too:\n\n")
	titles, rules := []string{"where", "claim", "as assumed"}, []string{"---", "---", "---"}
	for _, a := range s.Paper.Alternatives {
		item(b, fmt.Sprintf("**%s.** %s", a.Name, a.Says))
		titles, rules = append(titles, a.Name), append(rules, "---")
	}
	b.WriteString("\n")
	row(b, titles...)
	row(b, rules...)
	counts := []string{"all", "of " + fmt.Sprint(len(s.Judged)), tally(s.Judged)}
	for _, others := range s.Others {
		counts = append(counts, tally(others))
	}
	row(b, counts...)
	for i, j := range s.Judged {
		cells, differs := []string{j.Where, j.Statement, j.outcome()}, j.Compared
		for _, others := range s.Others {
			other, cell := others[i], "the same"
			if other.Ours != j.Ours {
				cell = other.outcome()
			}
			cells, differs = append(cells, cell), differs || other.Verdict != j.Verdict
		}
		if differs {
			row(b, cells...)
		}
	}
}

// tally returns the numbers of verdicts as text.
func tally(judged []Judgement) string {
	var parts []string
	for _, part := range verdicts {
		parts = append(parts, fmt.Sprintf("%d %s", Count(judged, part.v), part.column))
	}
	return strings.Join(parts, ", ")
}

// pictures writes the figures as tables: a row of captions over a row of images.
func (s *Section) pictures(b *bytes.Buffer) {
	var rows [][]Figure
	for _, f := range s.Paper.Figures {
		if f.SameRow && len(rows) > 0 {
			rows[len(rows)-1] = append(rows[len(rows)-1], f)
		} else {
			rows = append(rows, []Figure{f})
		}
	}
	for _, figures := range rows {
		b.WriteString("\n")
		var captions, rules, images []string
		for _, f := range figures {
			captions = append(captions, f.Caption)
			rules = append(rules, "---")
			images = append(images, fmt.Sprintf("![%s](%s)", f.Caption, s.Picture(f)))
		}
		row(b, captions...)
		row(b, rules...)
		row(b, images...)
	}
}

// lineWidth is the largest width of a line of prose.
const lineWidth = 100

// item writes a text as an item of a list.
func item(b *bytes.Buffer, text string) { paragraph(b, "- ", text) }

// paragraph writes a text in lines of at most lineWidth columns, the first with a prefix and
// the others indented by as much.
func paragraph(b *bytes.Buffer, prefix, text string) {
	b.WriteString(prefix)
	indent := utf8.RuneCountInString(prefix)
	at := indent
	for i, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+width > lineWidth:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += width
	}
	b.WriteByte('\n')
}

// row writes a row of a table.
func row(b *bytes.Buffer, cells ...string) {
	for _, cell := range cells {
		b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}
