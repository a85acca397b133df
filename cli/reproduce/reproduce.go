// Package reproduce compares the claims of papers with results of the program: each paper's
// studies, its figures in its own layout, and every number and statement about shape that can
// be judged. It judges tables of results; package cli computes them and stores the figures.
//
// The words of a paper are data: papers/ID.yaml lists its claims, each with the name of its judge
// and the values to compare with. The judges of a paper are functions in its Go file. No
// verdict is written down anywhere: each follows from the simulated numbers and their intervals.
package reproduce

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"sync"

	"go.yaml.in/yaml/v3"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/suggest"
	"jitterfly/noise/profile"
)

// A Paper is a paper with its claims.
type Paper struct {
	ID      string `yaml:"-"`
	Title   string
	Authors string
	Venue   string
	Cost    string // run time of its studies, with the machine
	// About says what the paper is about and claims, in a few sentences for the summary.
	About       string
	Assumptions []string // what the paper leaves open, and what is assumed
	Claims      []Claim

	Studies []Study
	Figures []Figure
	// Alternatives are other readings than the assumptions.
	Alternatives []Alternative `yaml:"-"`

	// Adapt returns the machine of a study that a preset stands for, with the paper's parameters and
	// with the measurements of the archive, unless that is nil. It is nil if a paper has neither.
	Adapt func(p profile.Profile, s Study, a *Archive) (Machine, error) `yaml:"-"`

	draws  map[string]drawing
	judges map[string]judge
	values map[string]value
}

// A judge compares results with a claim. It returns our answer, as text, and the verdict.
type judge func(*Results, *Claim) (ours string, v Verdict)

// A drawing returns the figure of a name, of results.
type drawing func(r *Results, name string) figures.Figure

// A value returns a number that the text of an attempt names, with arguments.
type value func(r *Results, c *Claim, args string) string

// A Claim is a number or a statement about shape in a paper.
type Claim struct {
	Where     string // section and figure
	Statement string `yaml:"claim"`
	Published string // the number, or what the figure shows
	// Reading is how the words are tested; empty where that is obvious.
	Reading string
	// Why explains the difference, or why the claim cannot be judged. It is shown only then.
	Why string
	// Given is the input or the formula of the model that makes the claim true. Such a claim is
	// judged like any, and if it is true it is [Constructed].
	Given string
	// Compared makes the page show what each alternative of the paper gives, whatever the verdict.
	Compared bool
	// Short is the claim as the summary has it; empty if it is left out there. But explains it
	// there unless it holds, with {tried} for the attempts.
	Short, But string

	// Judge is the name of the paper's judge, and the rest is what it compares: studies, a part of
	// them, a measure, and published numbers.
	Judge    string
	Studies  []string
	Part     string
	Others   map[string]string // other parts by their names
	Measure  string
	Expected []float64
	// Tried says what else was tried where the claim does not hold or is inconclusive, with values
	// in braces: the name of a value of the paper, and its arguments.
	Tried string
	// Instead has the claim judged by other studies as well, and is shown like Tried.
	Instead *struct {
		Says    string
		Studies []string
		Part    string
	}
}

// expected returns the published number of a claim that has only one.
func (c *Claim) expected() float64 { return c.Expected[0] }

// A Study is a study of a paper, whose file is like a user's.
type Study struct {
	Name       string // of the directory of its results
	KeepTrials bool   `yaml:"keep-trials"`
	// Of is the study whose file it has, if not its own, and Set are assignments of other values.
	Of  string
	Set []string
	// Full are assignments of keys that make the study as large as the paper's.
	Full []string
}

// A Figure is a figure of a paper, drawn from our results.
type Figure struct {
	Name    string // of its file
	Caption string
	SameRow bool    `yaml:"same-row"` // on the right of the figure before it
	Draw    drawing `yaml:"-"`
}

// An Alternative is another reading of what a paper leaves open. All claims are judged again by
// the results that it gives.
type Alternative struct {
	Name   string // in a few words
	Says   string // what is read otherwise, and how that is simulated
	Change func(*Results) *Results
}

//go:embed studies papers
var files embed.FS

// Papers returns all papers, first the paper that proposed redundant exchanges.
var Papers = sync.OnceValue(func() []*Paper {
	papers := []*Paper{&paper003, &paper000, &paper002, &paper004, &paper001, &paper005}
	for _, p := range papers {
		if err := p.read(); err != nil {
			panic(fmt.Sprintf("reproduce: papers/%s.yaml: %v", p.ID, err)) // a test reads all
		}
	}
	return papers
})

// read reads the text of the paper. It fails if a claim names what the paper does not have.
func (p *Paper) read() error {
	text, err := files.ReadFile("papers/" + p.ID + ".yaml")
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(p); err != nil {
		return err
	}
	for i := range p.Figures {
		f := &p.Figures[i]
		if draw := p.draws[f.Name]; draw != nil {
			f.Draw = draw
		} else if f.Draw == nil {
			return fmt.Errorf("nothing draws %s", f.Name)
		}
	}
	for _, c := range p.Claims {
		if p.judges[c.Judge] == nil {
			return fmt.Errorf("%s: no judge is named %q", c.Statement, c.Judge)
		}
		for _, match := range braces.FindAllStringSubmatch(c.Tried, -1) {
			if p.values[match[1]] == nil {
				return fmt.Errorf("%s: no value is named %q", c.Statement, match[1])
			}
		}
	}
	return nil
}

// Find returns the paper of an ID. It fails if no paper has it.
func Find(id string) (*Paper, error) {
	var known []string
	for _, p := range Papers() {
		if p.ID == id {
			return p, nil
		}
		known = append(known, p.ID)
	}
	return nil, fmt.Errorf("no paper is named %q; %s", id, suggest.Or(id, known))
}

// FileName returns the name of the study's file.
func (p *Paper) FileName(s Study) string { return p.ID + "-" + cmp.Or(s.Of, s.Name) + ".yaml" }

// File returns the content of the study's file.
func (p *Paper) File(s Study) ([]byte, error) {
	return files.ReadFile("studies/" + p.FileName(s))
}

// A Judgement is a claim with our answer and the verdict.
type Judgement struct {
	Claim
	Ours     string
	Verdict  Verdict
	Attempts string // what was tried, of a claim that does not hold or cannot be judged
}

// disagrees reports whether the claim is not seen to hold.
func (j *Judgement) disagrees() bool { return j.Verdict == Fails || j.Verdict == Inconclusive }

// Judge returns the judgements of all claims of the paper.
func (p *Paper) Judge(r *Results) []Judgement {
	judged := make([]Judgement, len(p.Claims))
	for i, c := range p.Claims {
		judged[i] = p.judge(r, c)
		switch j := &judged[i]; {
		case !j.disagrees():
		case c.Tried != "":
			j.Attempts = p.tried(r, &c)
		case c.Instead != nil:
			j.Attempts = p.instead(r, c)
		}
	}
	return judged
}

// braces matches the name of a value and its arguments.
var braces = regexp.MustCompile(`\{(\S+?)(?: ([^}]*))?\}`)

// tried returns what else was tried of a claim, and what that gives.
func (p *Paper) tried(r *Results, c *Claim) string {
	return braces.ReplaceAllStringFunc(c.Tried, func(named string) string {
		match := braces.FindStringSubmatch(named)
		return p.values[match[1]](r, c, match[2])
	})
}

// judge returns the judgement of one claim, without attempts.
func (p *Paper) judge(r *Results, c Claim) Judgement {
	j := Judgement{Claim: c}
	j.Ours, j.Verdict = p.judges[c.Judge](r, &c)
	if c.Given != "" && j.Verdict == Holds {
		j.Verdict = Constructed
	}
	return j
}

// instead returns the outcome of a claim by the studies that are judged instead.
func (p *Paper) instead(r *Results, c Claim) string {
	c.Studies, c.Part = c.Instead.Studies, c.Instead.Part
	j := p.judge(r, c)
	return fmt.Sprintf("%s: %s.", c.Instead.Says, j.outcome())
}

// outcome returns our answer with the verdict.
func (j *Judgement) outcome() string { return fmt.Sprintf("%s (%s)", j.Ours, j.Verdict) }

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
