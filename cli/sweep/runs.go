package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
)

// Runs are runs of a whole application. Each is one draw of what stays as it is through all its
// iterations: the phases of periodic noise, and which nodes the job has.
type Runs struct {
	Iterations int
	// Times are the mean times of an iteration [s] by candidate, then by run. All candidates meet the
	// same noise in a run.
	Times [][]float64
}

// At most mostRuns are simulated, with at most mostIterations. If they cost more than runsWork
// messages, they have fewer iterations, at least those of the study's trials, and then there are fewer
// runs.
const (
	mostRuns, leastRuns = 100, 20
	mostIterations      = 1000
	runsWork            = 1e9
)

// RunsOf simulates runs with the given number of iterations of candidates, whose Config is the index
// of a configuration of the study. It returns nil if fewer than leastRuns can be afforded, or the
// configurations have no iterations.
func RunsOf(ctx context.Context, s *study.Study, candidates []montecarlo.Candidate, iterations, workers int,
) (*Runs, error) {
	var series []*attribution.Series
	var models []*rounds.Application
	least, work := 0, 0.0 // messages of an iteration
	for _, x := range candidates {
		c, err := s.Config(x.Config)
		if err != nil {
			return nil, err
		}
		m, ok := c.Model.(*rounds.Application)
		if !ok {
			return nil, nil
		}
		m.Limit(x.T)
		shape, err := m.Shape()
		if err != nil {
			return nil, err
		}
		least, work = m.Iterations, work+shape.Work/float64(m.Iterations)
		models, series = append(models, m), append(series, &attribution.Series{Config: c})
	}
	r := &Runs{Iterations: max(least, min(iterations, mostIterations, int(runsWork/(mostRuns*work))))}
	number := min(mostRuns, int(runsWork/(work*float64(r.Iterations))))
	if number < leastRuns {
		return nil, nil
	}
	for i, m := range models {
		m.Iterations = r.Iterations
		series[i].Upto = nil
	}
	if err := attribution.Extend(ctx, s.Seed, series, number, workers); err != nil {
		return nil, err
	}
	for i, x := range candidates {
		r.Times = append(r.Times, series[i].Times(x.T))
	}
	return r, nil
}

// Saved returns by how much [s] the iterations of the last candidate are shorter than those of the
// first, by run.
func (r *Runs) Saved() []float64 {
	saved := slices.Clone(r.Times[0])
	for i, t := range r.Times[len(r.Times)-1] {
		saved[i] -= t
	}
	return saved
}

// A Range is from the 10% to the 90% quantile of runs [s].
type Range struct{ Low, High float64 }

// RangeOf returns the range of a number of each run.
func RangeOf(runs []float64) Range {
	sorted := slices.Sorted(slices.Values(runs))
	at := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, sorted, nil) }
	return Range{at(0.1), at(0.9)}
}

// String returns the range in words.
func (r Range) String() string {
	return fmt.Sprintf("%s to %s", output.Signed(r.Low), output.Signed(r.High))
}

// perRun returns the range of what a choice with iterations saves of one, over runs: nothing without
// redundancy, and NaN if there are no runs.
func (a advice) perRun() Range {
	switch {
	case !a.redundant():
		return Range{}
	case a.runs == nil:
		return Range{math.NaN(), math.NaN()}
	}
	return RangeOf(a.runs.Saved())
}

// iterations returns the number of iterations of the runs, 0 without runs.
func (a advice) iterations() int64 {
	if a.runs == nil {
		return 0
	}
	return int64(a.runs.Iterations)
}
