package montecarlo

import "slices"

// A Floored model has a floor: a model with one checkpoint, whose completion no T of this model falls
// below on average, in the same trials, and that takes little work. All models of a field that have
// one have the same. It is nil if there is none.
//
// A choice that is within the tolerance of the floor is so of all candidates, without trials of these.
type Floored interface{ Floor() Model }

// newFloor returns the job of the field's floor, nil if a configuration has none.
func (c *fieldRun) newFloor() (*job, error) {
	if !c.study.Objective.sequential {
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
	return j, nil
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

// all returns the jobs of all configurations, and the floor's.
func (c *fieldRun) all() []*job {
	if c.floor == nil {
		return c.jobs
	}
	return append(slices.Clone(c.jobs), c.floor)
}

// leastOf returns what is known of the objective [s] of a job without trials: a lower bound.
func (c *fieldRun) leastOf(j *job) float64 {
	if c.floor == nil || !c.floor.simulated() {
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
	if j == nil || j.target >= l.trials || slices.Contains(lagging, j) {
		return lagging
	}
	others := 0.0
	for _, other := range lagging {
		others += float64(l.trials-other.target) * other.shape.Work
	}
	if float64(l.trials-j.target)*j.shape.Work > cheapFloor*others {
		return lagging
	}
	return append(lagging, j)
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

// A nearness is by which share of the tolerance a candidate exceeds the floor, in how many trials.
type nearness struct {
	candidate, trials int
	excess            float64
}

// few reports whether the trials are too few to know how near the candidate is.
func (x *nearness) few() bool { return x.trials <= fewTrials }

// nearFloor returns the candidates that the floor is likely to show to be good, for less work than trials
// of all others.
func (l *analysis) nearFloor() (near []nearness) {
	if l.floor == nil {
		return nil
	}
	floor, others, tolerance := l.floor.column(0), 0.0, l.tolerance
	if l.trials <= wideTrials {
		tolerance = max(tolerance, wideTolerance)
	}
	for i, j := range l.jobs {
		if l.compared[i] && j.lowest() < l.values[l.best] {
			others += j.shape.Work
		}
	}
	for i, have := range l.have {
		x := nearness{candidate: i, trials: min(have, len(floor))}
		if x.trials == 0 {
			continue
		}
		x.excess = (mean(l.columns[i][:x.trials])/mean(floor[:x.trials]) - 1) / tolerance
		most := stayNear
		if x.few() {
			most = fewNear
		}
		work := l.job(i).shape.Work + l.floor.shape.Work
		if x.excess <= most && work <= others*(1-min(x.excess, stayNear)) {
			near = append(near, x)
		}
	}
	return near
}

// byFloor returns the jobs that get trials as the floor is to show that a candidate is good, or nil.
func (c *fieldRun) byFloor(l *analysis) []*job {
	if tests, ok := c.selector.(*candidateTests); ok {
		_, jobs := tests.byFloor(l)
		return jobs
	}
	return nil
}

// knownByFloor returns the candidate that is known to be good while its time and the baseline's are not
// known well enough to be reported, or −1.
func (c *fieldRun) knownByFloor(l *analysis) int {
	tests, ok := c.selector.(*candidateTests)
	if !ok || c.floor == nil || !tests.known(l) {
		return -1
	}
	if star := tests.star(l); !c.reported(l, star) {
		return star
	}
	return -1
}

// similar is how many times the work of a candidate others have at most that get trials with it.
const similar = 4

// byFloor returns the candidate that the floor is to show to be good, −1 if there is none or one is known
// to be, and the jobs that get trials for it: as long as there are few, those of others that may be nearer.
func (n *candidateTests) byFloor(l *analysis) (candidate int, jobs []*job) {
	near, chosen := l.nearFloor(), -1
	for i, x := range near {
		if n.find(x.candidate) != nil {
			chosen = i
			break
		}
		if (x.few() || x.excess <= beginNear) && (chosen < 0 || x.excess < near[chosen].excess) {
			chosen = i
		}
	}
	if chosen < 0 || n.known(l) {
		return -1, nil
	}
	candidate = near[chosen].candidate
	own := l.job(candidate)
	jobs = []*job{l.floor, own}
	for _, x := range near {
		if j := l.job(x.candidate); x.few() && j.shape.Work <= similar*own.shape.Work {
			jobs = append(jobs, j)
		}
	}
	return candidate, jobs
}
