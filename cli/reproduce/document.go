package reproduce

import (
	"bytes"
	"fmt"
	"strings"
)

// A Section is a paper with its judgements, ready to be written.
type Section struct {
	Paper  *Paper
	Judged []Judgement
	// Picture is the path of a figure's file from the document.
	Picture func(f Figure) string
}

// Document writes the sections as Markdown, after a summary and all disagreements.
func Document(sections []Section) []byte {
	var b bytes.Buffer
	b.WriteString(`# The papers' claims, and ours

Every number and every statement of shape in the papers on which this program's models rest, against what the program finds. Studies,
figures, readings and verdicts are computed: ` + "`jitterfly reproduce`" + ` wrote this page, and writes it again. A claim that does not hold is a finding and is shown as
one. "Cannot be told" is for claims that noise in our own numbers or what the paper leaves open keeps from being judged, or that are about what is not simulated here.

`)
	row(&b, "paper", "claims", "hold", "do not hold", "cannot be told")
	row(&b, "---", "---", "---", "---", "---")
	for _, s := range sections {
		count := func(v Verdict) string { return fmt.Sprint(Count(s.Judged, v)) }
		row(&b, fmt.Sprintf("[%s](#paper-%s), %s", s.Paper.ID, s.Paper.ID, s.Paper.Authors), fmt.Sprint(len(s.Judged)), count(Holds), count(Fails), count(Unclear))
	}
	for _, part := range []struct {
		title string
		v     Verdict
	}{{"What does not hold", Fails}, {"What cannot be told", Unclear}} {
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

// list names the claims of a verdict with their explanations, and says whether there are any.
func (s *Section) list(b *bytes.Buffer, v Verdict) bool {
	for _, j := range s.Judged {
		if j.Verdict == v {
			fmt.Fprintf(b, "- **%s, %s.** %s *Published:* %s. *Ours:* %s. %s\n", s.Paper.ID, j.Where, j.Statement, j.Published, j.Ours, j.Why)
		}
	}
	return Count(s.Judged, v) > 0
}

// Markdown is the section of one paper.
func (s *Section) Markdown() []byte {
	var b bytes.Buffer
	p := s.Paper
	fmt.Fprintf(&b, "## Paper %s\n\n%s, *%s*, %s.\n\n", p.ID, p.Authors, p.Title, p.Venue)
	fmt.Fprintf(&b, "`jitterfly reproduce %s` plays its studies: %s. They are the files", p.ID, p.Cost)
	for i, study := range p.Studies {
		comma := ","
		if i == 0 {
			comma = ""
		}
		fmt.Fprintf(&b, "%s `%s`", comma, p.FileName(study))
	}
	b.WriteString(" of `cli/reproduce/studies`.\n")
	if len(p.Assumptions) > 0 {
		b.WriteString("\nWhat the paper leaves open, and what is assumed here:\n\n")
	}
	for _, a := range p.Assumptions {
		fmt.Fprintf(&b, "- %s\n", a)
	}
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

// pictures are rows of figures that stand beside each other, under their captions.
func (s *Section) pictures(b *bytes.Buffer) {
	var rows [][]Figure
	for _, f := range s.Paper.Figures {
		if f.Beside && len(rows) > 0 {
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

// row writes one of a table.
func row(b *bytes.Buffer, cells ...string) {
	for _, cell := range cells {
		b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}
