package attribution

import (
	"cmp"
	"context"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A Condition is a machine after some remedies.
type Condition struct {
	Removed Set  // sources that do not act
	Aligned Set  // sources that begin at the same times on all nodes, and do so alone
	Shorter Set  // sources whose lengths are shortened
	Spared  bool // a core of each node takes the noise that can move to it
	// Redundant says that redundancy may be used: R and T are chosen for the condition.
	Redundant bool
}

// An Action is what a remedy does.
type Action int

const (
	// Remove takes one source away.
	Remove Action = iota
	// Align makes one source begin at the same time on all nodes.
	Align
	// Shorten makes one source's lengths shorter.
	Shorten
	// Spare leaves a core of each node to the noise that can move.
	Spare
	// Redundancy chooses R and T.
	Redundancy
)

// A Remedy is an action on a source. [Spare] and [Redundancy] have none.
type Remedy struct {
	Action Action
	Source int
	// Hypothetical remedies can hardly be had. They are compared with the others in the first step,
	// and never taken.
	Hypothetical bool
}

// apply returns the condition after the remedy, and whether that is another one.
func (r Remedy) apply(c Condition) (Condition, bool) {
	before := c
	switch r.Action {
	case Remove:
		c.Removed = c.Removed.With(r.Source)
		c.Aligned, c.Shorter = c.Aligned.Without(r.Source), c.Shorter.Without(r.Source)
	case Align:
		if !c.Removed.Has(r.Source) {
			c.Aligned = c.Aligned.With(r.Source)
		}
	case Shorten:
		if !c.Removed.Has(r.Source) {
			c.Shorter = c.Shorter.With(r.Source)
		}
	case Spare:
		c.Spared = true
	case Redundancy:
		c.Redundant = true
	}
	return c, c != before
}

// A Candidate is a choice under a condition: a model, by its place in what [Search.Models] returns,
// and a checkpoint of it.
type Candidate struct{ Model, Checkpoint int }

// An Outcome is what a condition leads to.
type Outcome struct {
	Condition Condition
	Remedy    Remedy // the last one; of the first outcome none
	// Objective is in seconds, and Change the difference to the outcome before, negative if the remedy
	// helps. Both times belong to the candidate that is best in the other half of the trials, so that
	// the choice does not flatter them.
	Objective, Change Estimate
	Choice            Candidate // the best in all trials
}

// A Step is the outcomes of all remedies that can come next, the best first, and then of
// hypothetical ones.
type Step []Outcome

// A Search looks for the best order of remedies.
type Search struct {
	Remedies []Remedy
	// Models returns the candidates under a condition: without redundancy the first is the plain
	// collective, and only its T = 0 counts.
	Models    func(Condition) ([]montecarlo.Model, error)
	Objective Statistic
	Key       func(trial int) rng.Key
	Trials    int
	Workers   int
	// Least is the relative gain below which another remedy is not worth a step.
	Least float64
}

// Run returns the outcome without any remedy, and the steps from it, each taken from the best
// outcome of the step before. The last step's best outcome gains less than Least, or is not certain
// to gain, or nothing is left.
func (s *Search) Run(ctx context.Context) (start Outcome, steps []Step, err error) {
	start, times, err := s.outcome(ctx, Condition{})
	if err != nil {
		return start, nil, err
	}
	start.Objective = Estimates([][]float64{times}, s.Objective, identity)[0]
	for now := start; ; {
		var step Step
		var best []float64
		for _, remedy := range s.Remedies {
			condition, other := remedy.apply(now.Condition)
			if !other || remedy.Hypothetical && len(steps) > 0 {
				continue
			}
			next, nextTimes, err := s.outcome(ctx, condition)
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
		now, times = step[0], best
	}
}

// Gains reports whether the outcome is certain to be better than the one before, by at least a part
// of that.
func (o *Outcome) Gains(least float64) bool {
	before := o.Objective.Value - o.Change.Value
	return o.Change.Certain() && -o.Change.Value >= least*before
}

// byOrder orders the outcomes of a step.
func byOrder(a, b Outcome) int {
	switch {
	case a.Remedy.Hypothetical == b.Remedy.Hypothetical:
		return cmp.Compare(a.Objective.Value, b.Objective.Value)
	case a.Remedy.Hypothetical:
		return 1
	}
	return -1
}

func identity(v []float64) []float64 { return v }

// outcome simulates a condition, and returns the best candidate and the times by trial: in each
// half of the trials, the even and the odd ones, the times of the candidate that is best in the
// other half.
func (s *Search) outcome(ctx context.Context, c Condition) (Outcome, []float64, error) {
	models, err := s.Models(c)
	if err != nil {
		return Outcome{}, nil, err
	}
	var series []*Series
	for _, m := range models {
		series = append(series, &Series{Model: m})
	}
	if !c.Redundant {
		series = series[:1]
	}
	if err := Extend(ctx, s.Key, series, s.Trials, s.Workers); err != nil {
		return Outcome{}, nil, err
	}
	var candidates []Candidate
	for m := range series {
		for _, k := range series[m].complete {
			candidates = append(candidates, Candidate{m, k})
		}
	}
	if !c.Redundant {
		candidates = candidates[:1]
	}
	times := make([]float64, s.Trials)
	for half := range 2 {
		from := s.best(series, candidates, 1-half, 2)
		for j := half; j < s.Trials; j += 2 {
			times[j] = series[from.Model].Times[from.Checkpoint][j]
		}
	}
	return Outcome{Condition: c, Choice: s.best(series, candidates, 0, 1)}, times, nil
}

// best returns the candidate with the least objective in every step-th trial from the first.
func (s *Search) best(series []*Series, candidates []Candidate, first, step int) Candidate {
	objective := func(c Candidate) float64 {
		all, some := series[c.Model].Times[c.Checkpoint], []float64(nil)
		for j := first; j < len(all); j += step {
			some = append(some, all[j])
		}
		if s.Objective.P > 0 {
			slices.Sort(some)
		}
		return s.Objective.ofAll(some)
	}
	best, least := candidates[0], objective(candidates[0])
	for _, c := range candidates[1:] {
		if o := objective(c); o < least {
			best, least = c, o
		}
	}
	return best
}
