package reproduce

import (
	"bytes"
	"fmt"
	"strings"
)

// An Alternative is another reading of what a paper leaves open. All claims are judged again by
// the results that it gives.
type Alternative struct {
	Name   string // in a few words
	Says   string // what is read otherwise, and how that is simulated
	Change func(*Results) *Results
}

// A Section is a paper with its judgements.
type Section struct {
	Paper  *Paper
	Judged []Judgement
	// Others are the judgements of each of the paper's alternatives.
	Others [][]Judgement
	// Picture returns the path of a figure's file, relative to the document.
	Picture func(f Figure) string
}

// Section returns the paper with the judgements of all claims, by the results and by those of its
// alternatives.
func (p *Paper) Section(r *Results, picture func(f Figure) string) Section {
	s := Section{Paper: p, Judged: p.Judge(r), Picture: picture}
	for _, a := range p.Alternatives {
		s.Others = append(s.Others, p.Judge(a.Change(r)))
	}
	return s
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

// outcome returns our answer with the verdict.
func (j *Judgement) outcome() string { return fmt.Sprintf("%s (%s)", j.Ours, j.Verdict) }

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
