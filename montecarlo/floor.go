package montecarlo

import (
	"math"
	"slices"
)

// A Floored model has a floor: a model with one checkpoint, whose completion no T of this model falls
// below on average, in the same trials, and that takes little work. All models of a field that have
// one have the same. It is nil if there is none.
//
// A choice that is within the tolerance of the floor is so of all candidates, without trials of these.
//
// The LowerBound of a trial of the floor is what the ranks need at least before their calls [s], and
// LeastCalls what these then take at least, in each model of the field. On average no T of the model
// falls below the sum.
type Floored interface {
	Floor() Model
	LeastCalls() float64
}

// A floorRun is the floor of a field whose trials are being simulated.
type floorRun struct {
	*job
	tests *candidateTests
	alone bool // candidates are compared with the floor alone, and not with each other
	aside int  // trials at the next analysis of what is not done at present
}

// newFloor returns the floor of the field, nil if a configuration has none.
func (c *fieldRun) newFloor() (*floorRun, error) {
	tests, ok := c.selector.(*candidateTests)
	if !ok || !c.study.Objective.sequential {
		return nil, nil
	}
	var floor Model
	for i := range c.field {
		model, ok := c.field[i].Model.(Floored)
		if !ok {
			return nil, nil
		}
		if floor = model.Floor(); floor == nil {
			return nil, nil
		}
	}
	config := Config{Model: floor, Environment: c.field[0].Environment, First: c.field[0].First}
	j, err := newJob(&config, c.study.Seed, Kept{})
	if err != nil {
		return nil, err
	}
	j.deferNoiseFree()
	return &floorRun{job: j, tests: tests, alone: true, aside: c.trials}, nil
}

// leastOf returns what is known of the objective [s] of a job without trials: a lower bound. Those without
// trials seem to be the best, so that they get some when all are compared.
func (c *fieldRun) leastOf(j *job) float64 {
	if c.floor == nil || !c.floor.simulated() {
		return j.lowest()
	}
	return mean(c.floor.leasts(j))
}

// leasts returns what stands for trials that a job lacks, as many as the floor has: lower bounds [s].
func (f *floorRun) leasts(j *job) []float64 {
	leasts, lowest, calls := f.column(0), j.lowest(), j.calls()
	for trial, floor := range leasts {
		leasts[trial] = max(floor, lowest, f.lowerBound[trial]+calls)
	}
	return leasts
}

// trialsAlone returns the number of trials at the next comparison with the floor alone.
func (c *fieldRun) trialsAlone() int {
	if c.floor.alone {
		return c.trials
	}
	return c.floor.aside
}

// turnTo goes on with the aim of an analysis. Comparisons with the floor alone, of candidates of little work,
// have other numbers of trials than comparisons with all.
func (c *fieldRun) turnTo(l *analysis) {
	f := c.floor
	if f == nil || l.aim.known || f.alone == (l.aim.near != nil) {
		return
	}
	f.alone = !f.alone
	c.trials, f.aside = f.aside, c.trials
	l.trials = c.trials
}

// waits reports whether no more of a job is compared for now, as candidates are compared with the floor and
// it has been compared or takes much more work than these.
func (c *fieldRun) waits(l *analysis, job int) bool {
	return l.aim.near != nil &&
		(c.compared[job] || c.jobs[job].shape.Work > similar*c.floor.costOf(l.job(l.aim.candidate)))
}

// more returns jobs without trials that have more of what helps, and take little more work than a candidate.
func (c *fieldRun) more(l *analysis, candidate int) (more []*job) {
	for i, j := range l.jobs {
		if l.compared[i] && !j.simulated() && len(c.field[i].After) > 0 &&
			j.shape.Work <= similar*c.floor.costOf(l.job(candidate)) {
			more = append(more, j)
		}
	}
	return more
}

// nearest returns the candidate that is nearest to the floor.
func (f *floorRun) nearest(l *analysis) (nearest int) {
	for i := range l.have {
		if f.ratio(l, i) < f.ratio(l, nearest) {
			nearest = i
		}
	}
	return nearest
}

// ratio returns how many times the floor a candidate takes in the trials that both have, +Inf without these.
func (f *floorRun) ratio(l *analysis, candidate int) float64 {
	floor := f.column(0)
	if n := min(l.have[candidate], len(floor)); n > 0 {
		return mean(l.columns[candidate][:n]) / mean(floor[:n])
	}
	return math.Inf(1)
}

// cheapest returns those of some jobs with about the least work: they may show that the others need no
// trials.
func (f *floorRun) cheapest(l *analysis, jobs []*job) []*job {
	if f == nil || l.aim.near != nil || l.aim.known {
		return jobs
	}
	least := math.Inf(1)
	for _, j := range jobs {
		if j != f.job {
			least = min(least, j.shape.Work+j.shape.Noise)
		}
	}
	return slices.DeleteFunc(jobs, func(j *job) bool { return j.shape.Work > similar*least })
}
