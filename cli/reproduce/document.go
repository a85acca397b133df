package reproduce

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Document returns the sections as Markdown. It begins with the papers and their verdicts, those
// of disagreement first, and lists the claims of each verdict but [Holds].
func Document(sections []Section) []byte {
	var b bytes.Buffer
	b.WriteString("# Claims of the papers and our results\n\n")
	summary(&b, sections)
	b.WriteString("\n")
	paragraph(&b, "", `This page compares every number and every statement about shape in the papers
behind the models with our results. The command `+"`jitterfly reproduce all`"+` computes the results,
draws the figures, judges the claims and writes this page. A claim that does not hold is a finding,
and is shown as one, with what else was tried. "Cannot be told" marks claims that noise in our own
numbers or gaps in the paper keep from being judged, and claims about what is not simulated here.
"By construction" marks claims that are true of the model or of its input, whatever is simulated:
they show that the program has the paper's model, and nothing else.`)
	b.WriteString("\n")
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

// verdicts are the columns of the summary, and the titles of their lists; "" for none.
var verdicts = []struct {
	v             Verdict
	column, title string
}{
	{Fails, "do not hold", "What does not hold"},
	{Unclear, "cannot be told", "What cannot be told"},
	{Constructed, "by construction", "What holds by construction"},
	{Holds, "hold", ""},
}

// summary writes the table of papers and verdicts.
func summary(b *bytes.Buffer, sections []Section) {
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
		b.WriteString("\nWhat the paper leaves open, and what is assumed here:\n\n")
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
