// Package reproduce holds what papers claim against what the program finds: each paper's
// studies, its figures in its own layout, and every number and statement of shape that can be
// judged. It judges tables, and knows neither how they are computed nor where pictures are kept.
package reproduce

import (
	"embed"
	"fmt"
	"strings"

	"jitterfly/cli/figures"
)

// A Paper is one whose claims are judged.
type Paper struct {
	ID, Title, Authors, Venue string
	// Cost says what its studies take, and on which machine.
	Cost        string
	Assumptions []string // what the paper leaves open, and what was taken
	Studies     []Study
	Figures     []Figure
	Claims      []Claim
}

// Papers are all there are, the one at the heart of the program first.
var Papers = []Paper{paper003, paper000, paper002, paper004, paper001}

// Find returns the paper of an ID.
func Find(id string) (*Paper, error) {
	var known []string
	for i := range Papers {
		if Papers[i].ID == id {
			return &Papers[i], nil
		}
		known = append(known, Papers[i].ID)
	}
	return nil, fmt.Errorf("no paper is named %q; known are %s", id, strings.Join(known, ", "))
}

// A Study is one that a paper needs, as its user would write it.
type Study struct {
	Name       string // of its results
	KeepTrials bool
}

//go:embed studies
var studies embed.FS

// FileName is the name of the study's file.
func (p *Paper) FileName(s Study) string { return p.ID + "-" + s.Name + ".yaml" }

// File is the content of the study's file.
func (p *Paper) File(s Study) ([]byte, error) { return studies.ReadFile("studies/" + p.FileName(s)) }

// A Figure is one of a paper's, drawn from our tables.
type Figure struct {
	Name    string // of its file
	Caption string
	Beside  bool // it stands beside the one before
	Draw    func(r *Results, name string) figures.Figure
}

// A Claim is a number or a statement of shape in a paper.
type Claim struct {
	Where     string // section and figure
	Statement string
	Published string // the number, or what the figure shows
	// Reading says how the words are tested, where that is not plain.
	Reading string
	// Judge finds our answer in the tables.
	Judge func(*Results) (ours string, v Verdict)
	// Why says why we differ, or why it cannot be told. It is shown only then.
	Why string
}

// A Verdict is what comes of a claim.
type Verdict int

// Verdicts. The zero one promises nothing.
const (
	Unclear Verdict = iota
	Holds
	Fails
)

func (v Verdict) String() string {
	return [...]string{"cannot be told", "holds", "does not hold"}[v]
}

// verdict is of a claim that either holds or does not.
func verdict(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

// within is the verdict of a number that is known to lie in an interval, and should lie
// in another: it cannot be told if only a part of the one is in the other.
func within(low, high, least, most float64) Verdict {
	switch {
	case least <= low && high <= most:
		return Holds
	case high < least || most < low:
		return Fails
	}
	return Unclear
}

// A Judgement is a claim and what came of it.
type Judgement struct {
	Claim
	Ours    string
	Verdict Verdict
}

// Judge judges all claims of the paper.
func (p *Paper) Judge(r *Results) []Judgement {
	judged := make([]Judgement, len(p.Claims))
	for i, c := range p.Claims {
		judged[i].Claim = c
		judged[i].Ours, judged[i].Verdict = c.Judge(r)
	}
	return judged
}

// Count counts the judgements of a verdict.
func Count(judged []Judgement, v Verdict) int {
	n := 0
	for _, j := range judged {
		if j.Verdict == v {
			n++
		}
	}
	return n
}
