package compare

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/study"
)

// sameNoise reports whether the trials of both configurations of a pair met the same noise: the
// random numbers have the same names.
func (c *Comparison) sameNoise(p pair) bool {
	if !slices.Equal(c.A.results.Values["seed"], c.B.results.Values["seed"]) {
		return false
	}
	for x, k := range study.Axes {
		if k.Environment && c.A.values[p.a][x] != c.B.values[p.b][x] {
			return false
		}
	}
	return true
}

// inPairs compares the rows trial by trial whose trials met the same noise, if both studies
// have kept them.
func (c *Comparison) inPairs() error {
	var same []*row
	for i := range c.Rows {
		if r := &c.Rows[i]; c.sameNoise(r.pair) {
			same = append(same, r)
		}
	}
	if len(same) == 0 {
		return nil
	}
	if !c.A.results.KeepTrials || !c.B.results.KeepTrials {
		c.note(fmt.Sprintf("%d of %d rows met the same noise: if both sweeps had --keep-trials, "+
			"they would be compared trial by trial, with narrower intervals",
			len(same), len(c.Rows)))
		return nil
	}
	trialsA, err := c.A.trials(same, func(r *row) place { return place{r.pair.a, r.a.t} })
	if err != nil {
		return err
	}
	trialsB, err := c.B.trials(same, func(r *row) place { return place{r.pair.b, r.b.t} })
	if err != nil {
		return err
	}
	for _, r := range same {
		r.compareTrials(trialsA[place{r.pair.a, r.a.t}], trialsB[place{r.pair.b, r.b.t}], c.A.level)
	}
	return nil
}

// A place is where trials are in the results.
type place struct{ config, t int }

// trials returns the completion times [s] at the places of the rows.
func (s *side) trials(rows []*row, of func(*row) place) (map[place][]float64, error) {
	times := map[place][]float64{}
	for _, r := range rows {
		times[of(r)] = nil
	}
	err := s.results.Trials(func(config, t int, completions []float64) {
		if _, ok := times[place{config, t}]; ok {
			times[place{config, t}] = slices.Clone(completions)
		}
	})
	return times, err
}

// compareTrials compares the trials that both sides have, trial by trial.
func (r *row) compareTrials(a, b []float64, level float64) {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	r.paired = true
	r.Ratio = paired(a, b, hitOf(r.a.Measures, level), hitOf(r.b.Measures, level), level)
	r.a.trials, r.b.trials = n, n
	r.a.Mean, r.b.Mean = stat.Mean(a, nil), stat.Mean(b, nil)
}
