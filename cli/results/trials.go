package results

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

// sameNoise returns whether the trials of both configurations of a pair met the same noise: the
// random numbers have the same names.
func (c *Comparison) sameNoise() func(pair) bool {
	same := slices.Equal(c.A.results.Values[study.Seed.Path], c.B.results.Values[study.Seed.Path])
	var axes []int
	for x, k := range study.Axes {
		a, b := c.A.axes[x].values, c.B.axes[x].values
		if k.Environment && (len(a) > 1 || len(b) > 1 || a[0] != b[0]) {
			axes = append(axes, x)
		}
	}
	of, _ := classes(c.A, c.B, axes)
	return func(p pair) bool { return same && of[p[0]] == of[len(c.A.configs)+int(p[1])] }
}

// inPairs compares the rows trial by trial whose trials met the same noise, if both studies
// have kept them.
func (c *Comparison) inPairs() error {
	var same []*row
	meets := c.sameNoise()
	for i := range c.Rows {
		if r := &c.Rows[i]; meets(r.pair) {
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
	sides := [2]*side{c.A, c.B}
	var tables [2]*datasets.Trials
	for i, s := range sides {
		table, err := s.results.OpenTrials()
		if err != nil {
			return err
		}
		defer table.Close()
		tables[i] = table
	}
	for len(same) > 0 {
		n := c.batch(same)
		var times [2][][]float64
		for i, s := range sides {
			var err error
			if times[i], err = s.trials(tables[i], same[:n], i); err != nil {
				return err
			}
		}
		for i, r := range same[:n] {
			c.compareTrials(r, times[0][i], times[1][i])
		}
		same = same[n:]
	}
	return nil
}

// batchTrials is about the number of trials of each side that are in memory together.
const batchTrials = 1 << 22

// batch returns how many of the rows have about as many trials, at least one.
func (c *Comparison) batch(rows []*row) int {
	total := 0
	for i, r := range rows {
		a, b := c.configs(r.pair)
		if total += int(max(a.trials, b.trials)); total > batchTrials {
			return max(1, i)
		}
	}
	return len(rows)
}

// trials returns the completion times [s] of one side's configurations in the rows. It reads them
// in the order of the table.
func (s *side) trials(table *datasets.Trials, rows []*row, of int) ([][]float64, error) {
	config := func(i int) *config { return &s.configs[rows[i].pair[of]] }
	times := make([][]float64, len(rows))
	for _, i := range vector.Order(len(rows), func(i int) int64 { return config(i).row }) {
		c := config(i)
		completions, err := table.At(string(c.id[:]), int(c.t), c.row, int64(c.trials))
		if err != nil {
			return nil, err
		}
		times[i] = slices.Clone(completions)
	}
	return times, nil
}

// compareTrials compares the trials of a row that both sides have, trial by trial.
func (c *Comparison) compareTrials(r *row, a, b []float64) {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	inA, inB := c.configs(r.pair)
	r.paired = int32(n)
	r.Ratio = paired(a, b, hitOf(inA, c.A.level), hitOf(inB, c.A.level), c.A.level)
	r.meanA, r.meanB = stat.Mean(a, nil), stat.Mean(b, nil)
}
