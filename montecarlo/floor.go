package montecarlo

import (
	"cmp"
	"slices"
)

// A Floored model has a floor: a model with one checkpoint, whose completion no T of this model falls
// below on average, in the same trials, and that takes little work. All models of a field that have
// one have the same. It is nil if there is none.
//
// A choice that is within the tolerance of the floor is so of all candidates, without trials of these.
type Floored interface{ Floor() Model }

// A floorRun is the floor of a field whose trials are being simulated.
type floorRun struct {
	*job
	tests *candidateTests
	over  bool // a candidate is known to be good, and trials go on as a smaller one may be too
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
	return &floorRun{job: j, tests: tests}, nil
}

// worthFloor is the work [messages] of a trial of the candidates that get one first beyond which a floor
// is worth it, about a second: where trials take less, the good candidate with the fewest messages is found
// sooner without it.
const worthFloor = 2.5e7

// worthwhile reports whether trials of some jobs take so long that a floor is worth it.
func worthwhile(jobs []*job) bool {
	work := 0.0
	for _, j := range jobs {
		work += j.shape.Work
	}
	return work > worthFloor
}

// leastOf returns what is known of the objective [s] of a job without trials: a lower bound. When all are
// compared, those without trials seem to be the best, so that they get some.
func (c *fieldRun) leastOf(j *job) float64 {
	if c.floor == nil || c.floor.over || !c.floor.simulated() {
		return j.lowest()
	}
	return max(j.lowest(), mean(c.floor.column(0)))
}

// cheapFloor is the share of the work of other trials that trials of the floor may take before it is known
// whether they help.
const cheapFloor = 1. / 8

// wantFloor adds the floor to the jobs that get more trials, if that costs little beside these.
func (c *fieldRun) wantFloor(l *analysis, lagging []*job) []*job {
	j := c.floor
	if j == nil || j.target >= l.trials || slices.Contains(lagging, j.job) {
		return lagging
	}
	others := 0.0
	for _, other := range lagging {
		others += other.workUpTo(l.trials)
	}
	if j.workUpTo(l.trials) > cheapFloor*others {
		return lagging
	}
	return append(lagging, j.job)
}

// An aim is what the next trials of a field are for: to show by the floor that a candidate is good; when
// one is known to be good, to report its time and the baseline's; or else to compare all.
type aim struct {
	near      []*job // that get trials to show a candidate to be good
	known     bool   // a candidate is
	candidate int
}

// aim returns the aim of the trials after an analysis.
func (f *floorRun) aim(l *analysis) aim {
	if f == nil || f.over {
		return aim{}
	}
	if known := f.tests.known(l); known >= 0 {
		return aim{known: true, candidate: known}
	}
	near := f.near(l)
	chosen, ok := f.choose(near)
	if !ok {
		return aim{}
	}
	own := l.job(chosen)
	jobs := []*job{f.job, own}
	for _, x := range near { // as long as there are few trials, others may be nearer
		if j := l.job(x.candidate); x.few && j.shape.Work <= similar*own.shape.Work {
			jobs = append(jobs, j)
		}
	}
	return aim{near: jobs, candidate: chosen}
}

// similar is how many times the work of a candidate others have at most that get trials with it.
const similar = 4

// choose returns the candidate near the floor that is tested, or else of those that may be the nearest.
func (f *floorRun) choose(near []nearness) (candidate int, ok bool) {
	var begin []nearness
	for _, x := range near {
		if f.tests.find(x.candidate) != nil {
			return x.candidate, true
		}
		if x.few || x.excess <= beginNear {
			begin = append(begin, x)
		}
	}
	if len(begin) == 0 {
		return 0, false
	}
	return slices.MinFunc(begin, func(a, b nearness) int { return cmp.Compare(a.excess, b.excess) }).candidate, true
}

// A candidate may be shown to be good by the floor if it exceeds that by at most a share of the tolerance:
// the more it is, the more trials that takes. The share is not known well of few trials. A test goes on
// for a little more than what it begins with.
const (
	beginNear, stayNear = 0.7, 0.9
	fewNear, fewTrials  = 2, 3
)

// Up to wideTrials the tolerance of nearness is at least wideTolerance: a bound of that is soon known, and
// a smaller one may never be.
const wideTolerance, wideTrials = 0.05, 200

// A nearness is by which share of the tolerance a candidate exceeds the floor, in few trials or more.
type nearness struct {
	candidate int
	excess    float64
	few       bool
}

// near returns the candidates that the floor is likely to show to be good, for less work than trials of all
// others.
func (f *floorRun) near(l *analysis) (near []nearness) {
	floor, others, tolerance := f.column(0), 0.0, l.tolerance
	if l.trials <= wideTrials {
		tolerance = max(tolerance, wideTolerance)
	}
	for i, j := range l.jobs {
		if l.compared[i] && j.lowest() < l.values[l.best] {
			others += j.shape.Work
		}
	}
	for i, have := range l.have {
		n := min(have, len(floor))
		if n == 0 {
			continue
		}
		x := nearness{candidate: i, few: n <= fewTrials}
		x.excess = (mean(l.columns[i][:n])/mean(floor[:n]) - 1) / tolerance
		most := stayNear
		if x.few {
			most = fewNear
		}
		work := l.job(i).shape.Work + f.shape.Work
		if x.excess <= most && work <= others*(1-min(x.excess, stayNear)) {
			near = append(near, x)
		}
	}
	return near
}
