package montecarlo

import (
	"math"
	"slices"
)

// An aim is what the next trials of a field are for: to show by the floor that a candidate is good; when
// one is known to be good, to report its time and the baseline's; or else to compare all.
type aim struct {
	near      []*job // that get trials to show a candidate to be good
	known     bool   // a candidate is
	candidate int
}

// aim returns the aim of the trials after an analysis: to compare with the floor alone if that is likely
// to be less work than to compare all. Trials of candidates serve both, so that little is lost by an aim that
// changes.
func (c *fieldRun) aim(l *analysis) aim {
	f := c.floor
	if f == nil {
		return aim{}
	}
	f.tests.compare(l)
	known := f.tests.known(l)
	for ; known >= 0 && l.tolerance > l.asked; known = f.tests.known(l) {
		c.know(l.tolerance)
		c.turnToTolerance(l, l.asked)
	}
	switch {
	case known >= 0:
		return aim{known: true, candidate: known}
	case c.trialsAlone() <= fewTrials:
		if begin := c.begin(l); begin.near != nil {
			return begin
		}
	}
	tolerance, candidate, alone := c.affordable(l)
	if untried := c.untried(l); tolerance > l.asked && len(untried) > 0 {
		return aim{near: append(untried, f.job), candidate: candidate}
	}
	if c.turnToTolerance(l, tolerance); !alone {
		return aim{}
	}
	near := append(c.more(l, candidate), f.job, l.job(candidate))
	return aim{near: append(near, f.company(l, candidate)...), candidate: candidate}
}

// affordable returns the least tolerance that the time and the effort are likely to allow, the candidate
// that is nearest to be shown to be good by the floor, and whether that is likely to be less work than to
// compare all. What is known already is not aimed at again. A tolerance that is less than the present one
// is to be allowed with some to spare.
func (c *fieldRun) affordable(l *analysis) (tolerance float64, candidate int, alone bool) {
	at := *l
	for at.tolerance = l.asked; ; {
		floored := c.comparing(&at, c.floor.needsAsFloor(&at))
		paired := c.comparing(&at, c.floor.needsOfPairs(&at))
		nearest, work := c.floor.soonest(&at)
		least := min(work, paired)
		if at.tolerance < l.tolerance {
			least *= spare
		}
		if leastStep*at.tolerance >= c.bound || c.allows(least, c.fits) {
			if at.tolerance > l.asked {
				floored = paired
			}
			return at.tolerance, nearest, work <= floored
		}
		if at.tolerance *= rung; at.tolerance >= c.bound { // less than a rung may still be had
			at.tolerance = math.Sqrt(at.tolerance / rung * c.bound)
		}
	}
}

// untried returns the jobs without trials, if one trial of each takes a small part of the time and the effort
// that are left. They get it before a wide tolerance is aimed at, which one of them might make unnecessary.
func (c *fieldRun) untried(l *analysis) (untried []*job) {
	for i, j := range l.jobs {
		if l.compared[i] && !j.simulated() && l.least[i] < l.values[l.best] {
			untried = append(untried, j)
		}
	}
	const part = 8
	if !c.allows(part*costUpTo(untried, func(*job) int { return 1 }), c.fits) {
		return nil
	}
	return untried
}

// turnToTolerance aims at another tolerance than so far.
func (c *fieldRun) turnToTolerance(l *analysis, tolerance float64) {
	if tolerance == l.tolerance {
		return
	}
	c.floor.tests.turnTo(l, tolerance)
	c.tolerance = tolerance
}

// soonest returns the candidate that is to be shown to be within the tolerance of the floor, and the work
// [messages] that this is likely to take; infinite if none is near enough.
func (f *floorRun) soonest(l *analysis) (candidate int, least float64) {
	work := f.works(l)
	least = slices.Min(work)
	candidate = slices.IndexFunc(work, func(w float64) bool { return w <= max(least, soon) })
	return candidate, work[candidate]
}

// company returns other jobs that get trials with a candidate's: those that have not got fewer so far, and
// may be shown to be good with up to twice as much work. Together they take up to half of what the floor
// and drawing the noise do, which to go on with another of them later would take again.
func (f *floorRun) company(l *analysis, candidate int) (company []*job) {
	work, first := f.works(l), l.job(candidate)
	for i, w := range work {
		j := l.job(i)
		if j == first || j.target < first.target || w > 2*work[candidate] || slices.Contains(company, j) {
			continue
		}
		if workOf(append(company, j)) <= (f.shape.Work+first.shape.Noise)/2 {
			company = append(company, j)
		}
	}
	return company
}

// Where the time or the effort is not likely to allow the tolerance, a wider one is aimed at first: each
// is rung times as wide as the next, and the widest is below widest. Where none that is narrower than what
// is known is likely to be allowed, a part of a rung is aimed at, by leastStep at least.
const rung, widest, leastStep = 2, 1, 1.2

// spare is how many times the likely work of a tolerance has to be allowed that is narrower than the present
// one, as what is likely varies.
const spare = 1.25

// soon is the work [messages] of less than a second. For that a candidate that sends fewer messages is shown
// to be good rather than the one nearest to the floor, and a step of trials need not end sooner.
const soon = 1e8

// fewTrials is how many trials tell too little of which work is less.
const fewTrials = 2

// similar is how many times the work of a candidate others have at most that get trials with it.
const similar = 4

// wideTolerance is what candidates near the floor are looked for within.
const wideTolerance = 0.05

// begin returns the aim of the first trials: to see which candidates near the floor are likely to be shown to
// be good with little work.
func (c *fieldRun) begin(l *analysis) aim {
	f, nearest := c.floor, c.floor.nearest(l)
	likely := make([]float64, len(l.have))
	for i := range likely {
		likely[i] = likelyWork(l.job(i), f.ratio(l, i), l.asked)
	}
	if math.IsInf(likely[nearest], 1) {
		return aim{}
	}
	near, least, first := append(c.more(l, nearest), f.job), slices.Min(likely), -1
	for i, x := range likely {
		if x > similar*least {
			continue
		}
		if j := l.job(i); !slices.Contains(near, j) {
			near = append(near, j)
		}
		if first < 0 && f.ratio(l, i) <= (1+l.asked/2)*f.ratio(l, nearest) {
			first = i
		}
	}
	if first < 0 {
		first = slices.Index(likely, least)
	}
	if workOf(near) > firstWork {
		near = []*job{l.job(first), f.job}
	}
	return aim{near: near, candidate: first}
}

// likelyWork returns about how much work it takes to show that a candidate of a job is good, in relation to
// others, if it takes some times as long as what is known to be the least: the number of trials is about in
// proportion to one over the square of the margin.
func likelyWork(j *job, times, tolerance float64) float64 {
	margin := max(0, 1+2*max(tolerance, wideTolerance)-times)
	return j.shape.Work / (margin * margin)
}
