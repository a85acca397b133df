// Package reproduce compares the claims of papers with results of the program: each paper's
// studies, its figures in its own layout, and every number and statement about shape that can
// be judged. It judges tables of results; package cli computes them and stores the figures.
package reproduce

import (
	"cmp"
	"embed"
	"fmt"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/suggest"
)

// A Paper is a paper with its claims.
type Paper struct {
	ID, Title, Authors, Venue string
	// Cost is the run time of its studies, with the machine.
	Cost        string
	Assumptions []string // what the paper leaves open, and what is assumed
	Studies     []Study
	Figures     []Figure
	Claims      []Claim
	// Alternatives are other readings than the assumptions.
	Alternatives []Alternative
}

// Papers lists all papers, the one that the program is about first.
var Papers = []Paper{paper003, paper000, paper002, paper004, paper001}

// Find returns the paper of an ID. It fails if there is none.
func Find(id string) (*Paper, error) {
	var known []string
	for i := range Papers {
		if Papers[i].ID == id {
			return &Papers[i], nil
		}
		known = append(known, Papers[i].ID)
	}
	return nil, fmt.Errorf("no paper is named %q; %s", id, suggest.Or(id, known))
}

// A Study is a study of a paper, whose file is like a user's.
type Study struct {
	Name       string // of the directory of its results
	KeepTrials bool
	// Of is the study whose file it has, if not its own, and Set are assignments of other values.
	Of  string
	Set []string
	// Full are assignments of keys that make the study as large as the paper's.
	Full []string
}

//go:embed studies
var studies embed.FS

// FileName returns the name of the study's file.
func (p *Paper) FileName(s Study) string { return p.ID + "-" + cmp.Or(s.Of, s.Name) + ".yaml" }

// File returns the content of the study's file.
func (p *Paper) File(s Study) ([]byte, error) {
	return studies.ReadFile("studies/" + p.FileName(s))
}

// A Figure is a figure of a paper, drawn from our results.
type Figure struct {
	Name    string // of its file
	Caption string
	SameRow bool // on the right of the figure before it
	Draw    func(r *Results, name string) figures.Figure
}

// A Claim is a number or a statement about shape in a paper.
type Claim struct {
	Where     string // section and figure
	Statement string
	Published string // the number, or what the figure shows
	// Reading is how the words are tested; empty where that is obvious.
	Reading string
	// Judge returns our answer, as text, and the verdict.
	Judge func(*Results) (ours string, v Verdict)
	// Why explains the difference, or why the claim cannot be judged. It is shown only then.
	Why string
	// Tried returns what else was tried where the claim does not hold or cannot be judged, and
	// what each gives; nil for nothing.
	Tried func(*Results) string
	// Compared has the page show what each alternative of the paper gives, whatever the verdict.
	Compared bool
	// Given is the input or the formula of the model that makes the claim true. Such a claim is
	// judged like any, and if it is true it is [Constructed].
	Given string
}

// A Verdict is the outcome of judging a claim.
type Verdict int

// Verdicts. The zero value says that a claim cannot be judged.
const (
	Unclear Verdict = iota
	Holds
	Fails
	Constructed // true of the model or its input, so that it is no evidence
)

// String returns the verdict in words.
func (v Verdict) String() string {
	return [...]string{"cannot be told", "holds", "does not hold", "by construction"}[v]
}

// verdict returns Holds or Fails.
func verdict(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

// within returns the verdict of a number with a confidence interval from low to high that
// should be between least and most: Unclear if only a part of the interval is.
func within(low, high, least, most float64) Verdict {
	switch {
	case least <= low && high <= most:
		return Holds
	case high < least || most < low:
		return Fails
	}
	return Unclear
}

// A Judgement is a claim with our answer and the verdict.
type Judgement struct {
	Claim
	Ours     string
	Verdict  Verdict
	Attempts string // what was tried, of a claim that does not hold or cannot be judged
}

// disagrees reports whether the claim is not seen to hold.
func (j *Judgement) disagrees() bool { return j.Verdict == Fails || j.Verdict == Unclear }

// Judge returns the judgements of all claims of the paper.
func (p *Paper) Judge(r *Results) []Judgement {
	judged := make([]Judgement, len(p.Claims))
	for i, c := range p.Claims {
		judged[i].Claim = c
		judged[i].Ours, judged[i].Verdict = c.Judge(r)
		if c.Given != "" && judged[i].Verdict == Holds {
			judged[i].Verdict = Constructed
		}
		if c.Tried != nil && judged[i].disagrees() {
			judged[i].Attempts = c.Tried(r)
		}
	}
	return judged
}

// Count returns the number of judgements with a verdict.
func Count(judged []Judgement, v Verdict) int {
	n := 0
	for _, j := range judged {
		if j.Verdict == v {
			n++
		}
	}
	return n
}
