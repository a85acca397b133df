// Package compare has the command compare, which says by how much two finished studies
// differ, configuration by configuration. Configurations are matched by their common axes
// (match.go); their means are compared in pairs of trials where both met the same noise, and
// else by their intervals (ratio.go).
package compare

import (
	"fmt"

	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
)

// A Comparison is that of two finished studies, A and B.
type Comparison struct {
	A, B *side
	At   string // the T that are compared, in words
	Axes []axis // by which the rows can be told apart
	Rows []row
	// Differences are what else differs between the studies.
	Differences []Difference
	Notes       []string // what was left out, and what else a reader should know
}

// A row is a configuration of A compared with one of B.
type row struct {
	pair   pair
	a, b   cell
	paired bool // trial by trial
	Ratio
}

// A cell is what is compared of one side.
type cell struct {
	id     string // of the configuration
	t      int
	star   int
	trials int // that are compared
	datasets.Measures
}

// star stands for the T that each study has chosen.
const star = -1

// compare compares two studies at one T, or at the T that each has chosen. It fails if their
// configurations cannot be matched, or the trials of one cannot be read.
func compare(a, b *side, at int) (*Comparison, error) {
	if a.level != b.level {
		return nil, fmt.Errorf("the intervals of %s are at %s and those of %s at %s; "+
			"sweep one of them again with the --confidence of the other",
			a.name, output.Level(a.level), b.name, output.Level(b.level))
	}
	pairs, axes, err := match(a, b)
	if err != nil {
		return nil, err
	}
	c := &Comparison{A: a, B: b, At: fmt.Sprintf("T = %d", at), Axes: axes}
	if at == star {
		c.At = "the T that each has chosen"
	}
	c.Differences = differences(a, b, pairs, axes)
	c.note(unmatched(a, b, pairs))
	c.add(pairs, at)
	if len(c.Rows) == 0 {
		return nil, fmt.Errorf("%s and %s have no configuration to compare: %s",
			a.name, b.name, c.Notes[len(c.Notes)-1])
	}
	if c.same() {
		return c, nil
	}
	return c, c.inPairs()
}

// note adds a note, unless it is empty.
func (c *Comparison) note(text string) {
	if text != "" {
		c.Notes = append(c.Notes, text)
	}
}

// add adds the rows of the pairs, with unpaired ratios, and drops the values of axes that belong
// to pairs without a row.
func (c *Comparison) add(pairs []pair, at int) {
	lacking := 0
	var kept []int
	for i, p := range pairs {
		r := row{pair: p}
		okA, okB := r.a.read(c.A.results, p.a, at), r.b.read(c.B.results, p.b, at)
		if !okA || !okB {
			lacking++
			continue
		}
		r.Ratio = unpaired(r.a.Measures, r.b.Measures)
		c.Rows = append(c.Rows, r)
		kept = append(kept, i)
	}
	for i := range c.Axes {
		values := make([]any, len(kept))
		for row, from := range kept {
			values[row] = c.Axes[i].values[from]
		}
		c.Axes[i].values = values
	}
	if lacking > 0 {
		c.note(fmt.Sprintf("%s: not in both for %d of %d pairs, which are left out",
			c.At, lacking, len(pairs)))
	}
}

// read sets the cell to a configuration at a T. It returns false if there is no such T.
func (c *cell) read(r *datasets.Results, config, t int) bool {
	choice := r.Choices[config]
	*c = cell{id: choice.ConfigID, t: t, star: int(choice.Star)}
	if t == star {
		c.t = c.star
	}
	if c.t >= len(r.Measures[config]) {
		return false
	}
	c.Measures = r.Measures[config][c.t]
	c.trials = int(c.Trials)
	return true
}

// unmatched returns which configurations are in no pair.
func unmatched(a, b *side, pairs []pair) string {
	inA, inB := map[int]bool{}, map[int]bool{}
	for _, p := range pairs {
		inA[p.a], inB[p.b] = true, true
	}
	restA, restB := len(a.configs)-len(inA), len(b.configs)-len(inB)
	switch {
	case restA > 0 && restB > 0:
		return fmt.Sprintf("%d configurations of A and %d of B have no match", restA, restB)
	case restA > 0:
		return fmt.Sprintf("%d of %d configurations of A have no match in B", restA, len(a.configs))
	case restB > 0:
		return fmt.Sprintf("%d of %d configurations of B have no match in A", restB, len(b.configs))
	}
	return ""
}
