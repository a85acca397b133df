package attribution

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/montecarlo"
)

// An Action is what a remedy does.
type Action int

const (
	// Remove takes one source away.
	Remove Action = iota
	// Align makes one source begin at the same time on all nodes.
	Align
	// Shorten multiplies one source's lengths by a factor.
	Shorten
	// Spare leaves cores of each node to the noise that can move; ranks compute for longer by a factor.
	Spare
	// Redundancy lets R and T be chosen.
	Redundancy
)

// A Remedy is an action on a source. [Spare] and [Redundancy] have none.
type Remedy struct {
	Action Action
	Source int
	Factor float64 // of [Shorten] and [Spare]
	// Hypothetical remedies can hardly be had. They are compared with the others in the first step,
	// and never taken.
	Hypothetical bool
}

// Redundant reports whether remedies allow redundancy: R and T are chosen then.
func Redundant(remedies []Remedy) bool {
	return slices.ContainsFunc(remedies, func(r Remedy) bool { return r.Action == Redundancy })
}

// changes reports whether the remedy changes a machine on which others have been taken.
func (r Remedy) changes(taken []Remedy) bool {
	return !slices.ContainsFunc(taken, func(t Remedy) bool {
		return t.Source == r.Source && (t.Action == r.Action || t.Action == Remove && r.Action <= Shorten)
	})
}

// An Outcome is what remedies lead to.
type Outcome struct {
	Remedy Remedy // the last one; of the first outcome none
	// Objective is in seconds, and Change the difference to the outcome before, negative if the remedy
	// helps. Both times belong to the candidate that is best in the other half of the trials, so that
	// the choice does not flatter them.
	Objective, Change Estimate
	// Choice is the best in all trials; its configuration is a place in what [Search.Configs] returns.
	Choice montecarlo.Candidate
}

// A Step is the outcomes of all remedies that can come next, the best first, and then of
// hypothetical ones.
type Step []Outcome

// A Search looks for the best order of remedies.
type Search struct {
	Remedies []Remedy
	// Configs returns the candidates after remedies, all of one environment: without redundancy the
	// first is the plain collective, and only its T = 0 counts.
	Configs   func([]Remedy) ([]montecarlo.Config, error)
	Objective Statistic
	Seed      uint64
	Trials    int
	Workers   int
	// Least is the relative gain below which another remedy is not worth a step.
	Least float64
}

// Run returns the outcome without any remedy, and the steps from it, each taken from the best
// outcome of the step before. The last step's best outcome gains less than Least, or is not certain
// to gain, or nothing is left.
func (s *Search) Run(ctx context.Context) (start Outcome, steps []Step, err error) {
	start, times, err := s.outcome(ctx, nil)
	if err != nil {
		return start, nil, err
	}
	start.Objective = Estimates([][]float64{times}, s.Objective, slices.Clone)[0]
	for taken := []Remedy(nil); ; {
		var step Step
		var best []float64
		for _, remedy := range s.Remedies {
			if !remedy.changes(taken) || remedy.Hypothetical && len(steps) > 0 {
				continue
			}
			next, nextTimes, err := s.outcome(ctx, append(slices.Clip(taken), remedy))
			if err != nil {
				return start, nil, err
			}
			e := Estimates([][]float64{nextTimes, times}, s.Objective, func(v []float64) []float64 {
				return []float64{v[0], v[0] - v[1]}
			})
			next.Remedy, next.Objective, next.Change = remedy, e[0], e[1]
			step = append(step, next)
			if slices.MinFunc(step, byOrder).Remedy == remedy {
				best = nextTimes
			}
		}
		if len(step) == 0 {
			return start, steps, nil
		}
		slices.SortStableFunc(step, byOrder)
		steps = append(steps, step)
		if step[0].Remedy.Hypothetical || !step[0].Gains(s.Least) {
			return start, steps, nil
		}
		taken, times = append(taken, step[0].Remedy), best
	}
}

// Gains reports whether the outcome is certain to be better than the one before, by at least a part
// of that.
func (o *Outcome) Gains(least float64) bool {
	before := o.Objective.Value - o.Change.Value
	return o.Change.Certain() && -o.Change.Value >= least*before
}

func byOrder(a, b Outcome) int {
	switch {
	case a.Remedy.Hypothetical == b.Remedy.Hypothetical:
		return cmp.Compare(a.Objective.Value, b.Objective.Value)
	case a.Remedy.Hypothetical:
		return 1
	}
	return -1
}

// outcome simulates the machine after remedies, and returns the best candidate and the times by trial: in
// each half of the trials, the even and the odd ones, the times of the candidate that is best in the
// other half.
func (s *Search) outcome(ctx context.Context, remedies []Remedy) (Outcome, []float64, error) {
	configs, err := s.Configs(remedies)
	if err != nil {
		return Outcome{}, nil, err
	}
	redundant := Redundant(remedies)
	if !redundant {
		configs = configs[:1]
	}
	var series []*Series
	for _, c := range configs {
		series = append(series, &Series{Config: c})
	}
	if err := Extend(ctx, s.Seed, series, s.Trials, s.Workers); err != nil {
		return Outcome{}, nil, err
	}
	var candidates []montecarlo.Candidate
	for i := range series {
		for T := range series[i].result.Finals() {
			if T == 0 || redundant {
				candidates = append(candidates, montecarlo.Candidate{Config: i, T: T})
			}
		}
	}
	times := make([]float64, s.Trials)
	for half := range 2 {
		from := s.best(series, candidates, 1-half, 2)
		fromTimes := series[from.Config].Times(from.T)
		for j := half; j < s.Trials; j += 2 {
			times[j] = fromTimes[j]
		}
	}
	return Outcome{Choice: s.best(series, candidates, 0, 1)}, times, nil
}

// best returns the candidate with the least objective in every step-th trial from the first.
func (s *Search) best(series []*Series, candidates []montecarlo.Candidate, first, step int,
) montecarlo.Candidate {
	objective := func(c montecarlo.Candidate) float64 {
		all, some := series[c.Config].Times(c.T), []float64(nil)
		for j := first; j < len(all); j += step {
			some = append(some, all[j])
		}
		if s.Objective.P == 0 {
			return stat.Mean(some, nil)
		}
		slices.Sort(some)
		return stat.Quantile(s.Objective.P, stat.Empirical, some, nil)
	}
	best, least := candidates[0], objective(candidates[0])
	for _, c := range candidates[1:] {
		if o := objective(c); o < least {
			best, least = c, o
		}
	}
	return best
}
