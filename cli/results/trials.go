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
	never := func(pair) bool { return false }
	if !slices.Equal(c.A.results.Values[study.Seed.Path], c.B.results.Values[study.Seed.Path]) {
		return never
	}
	type compared struct {
		a, b *column
		inA  []uint32
	}
	var varying []compared
	for x, k := range study.Axes {
		if !k.Environment {
			continue
		}
		axis := compared{a: &c.A.axes[x], b: &c.B.axes[x], inA: c.B.axes[x].in(&c.A.axes[x])}
		if axis.a.codes != nil || axis.b.codes != nil {
			varying = append(varying, axis)
		} else if axis.inA[0] != 0 {
			return never
		}
	}
	return func(p pair) bool {
		for _, x := range varying {
			if x.a.code(int(p.a)) != x.inA[x.b.code(int(p.b))] {
				return false
			}
		}
		return true
	}
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
	trialsA, err := c.A.results.OpenTrials()
	if err != nil {
		return err
	}
	defer trialsA.Close()
	trialsB, err := c.B.results.OpenTrials()
	if err != nil {
		return err
	}
	defer trialsB.Close()
	for len(same) > 0 {
		n := c.batch(same)
		timesA, err := c.A.trials(trialsA, same[:n], true)
		if err != nil {
			return err
		}
		timesB, err := c.B.trials(trialsB, same[:n], false)
		if err != nil {
			return err
		}
		for i, r := range same[:n] {
			c.compareTrials(r, timesA[i], timesB[i])
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
		a, b := &c.A.configs[r.a], &c.B.configs[r.b]
		if total += int(max(a.trials, b.trials)); total > batchTrials {
			return max(1, i)
		}
	}
	return len(rows)
}

// trials returns the completion times [s] of one side's configurations in the rows. It reads them
// in the order of the table.
func (s *side) trials(table *datasets.Trials, rows []*row, isA bool) ([][]float64, error) {
	config := func(i int) *config { return &s.configs[rows[i].of(isA)] }
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
	hitA, hitB := hitOf(&c.A.configs[r.a], c.A.level), hitOf(&c.B.configs[r.b], c.A.level)
	r.paired = int32(n)
	r.Ratio = paired(a, b, hitA, hitB, c.A.level)
	r.meanA, r.meanB = stat.Mean(a, nil), stat.Mean(b, nil)
}
