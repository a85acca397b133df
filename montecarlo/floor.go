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
type Floored interface{ Floor() Model }

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
	return max(j.lowest(), mean(c.floor.column(0)))
}

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
		c.show(l.tolerance)
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
// is to be allowed by far, as what is likely varies.
func (c *fieldRun) affordable(l *analysis) (tolerance float64, candidate int, alone bool) {
	at := *l
	for at.tolerance = l.asked; ; {
		floored := c.comparing(&at, c.floor.needsAsFloor(&at))
		paired := c.comparing(&at, c.floor.needsOfPairs(&at))
		nearest, work := c.floor.soonest(&at)
		least := min(work, paired)
		if at.tolerance < l.tolerance {
			least *= byFar
		}
		if leastStep*at.tolerance >= c.shown || c.allows(least, c.fits) {
			if at.tolerance > l.asked {
				floored = paired
			}
			return at.tolerance, nearest, work <= floored
		}
		if at.tolerance *= rung; at.tolerance >= c.shown { // less than a rung may still be had
			at.tolerance = math.Sqrt(at.tolerance / rung * c.shown)
		}
	}
}

// untried returns the jobs without trials, if one trial of each takes a small part of the time and the effort
// that are left. They get it before a wide tolerance is aimed at, which one of them might make unnecessary.
func (c *fieldRun) untried(l *analysis) (untried []*job) {
	for i, j := range l.jobs {
		if l.compared[i] && !j.simulated() && j.lowest() < l.values[l.best] {
			untried = append(untried, j)
		}
	}
	const part = 8
	if !c.allows(part*costUpTo(untried, func(*job) int { return 1 }), c.fits) {
		return nil
	}
	return untried
}

// show says that a candidate is known to be within a tolerance of the best.
func (c *fieldRun) show(tolerance float64) {
	c.lock.Lock() // other workers ask how urgent the field is
	defer c.lock.Unlock()
	c.shown, c.bound = tolerance, min(c.bound, tolerance)
}

// turnToTolerance aims at another tolerance than so far.
func (c *fieldRun) turnToTolerance(l *analysis, tolerance float64) {
	if tolerance == l.tolerance {
		return
	}
	c.floor.tests.turnTo(l, tolerance)
	c.tolerance = tolerance
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

// soonest returns the candidate that is to be shown to be within the tolerance of the floor, and the work
// [messages] that this is likely to take; infinite if none is near enough.
func (f *floorRun) soonest(l *analysis) (candidate int, least float64) {
	work := f.works(l)
	least = slices.Min(work)
	candidate = slices.IndexFunc(work, func(w float64) bool { return w <= max(least, soon) })
	return candidate, work[candidate]
}

// works returns the work [messages] that it is likely to take to show that each candidate is within the
// tolerance of the floor.
func (f *floorRun) works(l *analysis) []float64 {
	work, floor, scatter := make([]float64, len(l.have)), f.column(0), f.scatter(l)
	most := slices.Max(l.have)
	for i, have := range l.have {
		doubtful := slices.Clone(floor) // what has few trials may seem near by chance
		doubt := scatter * (1/math.Sqrt(float64(max(1, have))) - 1/math.Sqrt(float64(max(1, most))))
		for k := range doubtful {
			doubtful[k] -= doubt / (1 + l.tolerance)
		}
		more := max(1, f.needs(l, i, doubtful)-float64(have))
		work[i] = more * f.costOf(l.job(i))
	}
	return work
}

// costOf returns the work [messages] of a trial of a job and of the floor, with drawing their noise.
func (f *floorRun) costOf(j *job) float64 { return j.shape.Work + f.shape.Work + j.shape.Noise }

// scatter returns the standard deviation [s] of what a trial of a candidate takes above the floor, of one with
// the most trials; 0 if it has few.
func (f *floorRun) scatter(l *analysis) float64 {
	most := 0
	for i, have := range l.have {
		if have > l.have[most] {
			most = i
		}
	}
	floor := f.column(0)
	n := min(l.have[most], len(floor))
	if n <= fewTrials {
		return 0
	}
	above := make([]float64, n)
	for k := range above {
		above[k] = l.columns[most][k] - floor[k]
	}
	_, scatter := meanStdDev(above)
	return scatter
}

// company returns other jobs that get trials with a candidate's: those that have not got fewer so far, and may
// be shown to be good with up to twice as much work. Together they take up to half of what the floor and
// drawing the noise do, which to go on with another of them later would take again.
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
// is rung times as wide as the next, and the widest is below widest. Where none that is narrower than what is known
// is likely to be allowed, a part of a rung is aimed at, by leastStep at least.
const rung, widest, leastStep = 2, 1, 1.2

// byFar is how many times as much work has to be allowed for a tolerance that is narrower than the present one.
const byFar = 1.25

// soon is the work [messages] of less than a second. For that a candidate that sends fewer messages is shown
// to be good rather than the one nearest to the floor, and a step of trials need not end sooner.
const soon = 1e8

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

// likelyKnown returns after how many trials the candidate that the trials are for is likely to be shown to be
// good; a large number if it may never be.
func (f *floorRun) likelyKnown(l *analysis) int {
	candidate := l.aim.candidate
	n := f.needs(l, candidate, f.column(0))
	if n > manyTrials {
		return math.MaxInt
	}
	has := l.have[candidate]
	return max(int(math.Ceil(n)), has+has/16+1)
}

// needs returns how many trials of a candidate and others, given their times [s], are likely to show that it
// is at most the tolerance above them, if they are like those so far.
func (f *floorRun) needs(l *analysis, candidate int, others []float64) float64 {
	from, share := l.seen(), shareOf(f.tests.next(l))
	if test := f.tests.find(candidate); test != nil {
		from, share = test.from, test.riskShare
	}
	n := min(l.have[candidate], len(others))
	if n == 0 || mean(l.columns[candidate][:n]) > (1+l.tolerance)*mean(others[:n]) {
		return math.Inf(1)
	}
	times := question{f.exceeds(l, candidate, others[:n], share)}.needed()
	if times == 0 {
		return math.Inf(1)
	}
	return float64(from) + times*float64(n)
}

// exceeds returns the statement that a candidate exceeds others, in the trials that these have, by at most the
// tolerance.
func (f *floorRun) exceeds(l *analysis, candidate int, others []float64, share float64) statement {
	s := statement{factor: 1 / share, allowed: l.allowed}
	s.evidence = l.objective.test(comparison{
		worse: others, better: l.columns[candidate][:len(others)], a: 1 + l.tolerance, b: 1,
		slack: l.slack, hit: l.hit, outside: outsideShare * l.allowed / s.factor,
	})
	return s
}

// comparing returns the work [messages] that comparing all takes, given the trials that it needs.
func (c *fieldRun) comparing(l *analysis, needs float64) float64 {
	all := *l
	all.aim, all.trials = aim{}, int(min(manyTrials, needs))
	return costUpTo(c.selector.lagging(&all), func(j *job) int { return c.floor.until(&all, j) })
}

// until returns how many of the trials that comparing all takes a job is likely to get: until it is shown not to
// be the best, where few trials say that.
func (f *floorRun) until(all *analysis, j *job) int {
	fastest := -1
	for i, v := range all.values {
		if all.job(i) == j && (fastest < 0 || v < all.values[fastest]) {
			fastest = i
		}
	}
	if fastest < 0 || j == all.job(all.best) || all.have[fastest] < fewTrials {
		return all.trials
	}
	n := f.needs(all, all.best, all.columns[fastest][:all.have[fastest]])
	return max(j.target, int(min(n, float64(all.trials))))
}

// manyTrials is more than what candidates can be compared in.
const manyTrials = 1e6

// needsAsFloor returns how many trials comparing all is likely to take, if the best of all is as good as
// the best with trials, and scatters as the floor does; if no candidate has enough of them, if all are
// equal, after the trials that tests begin with.
func (f *floorRun) needsAsFloor(l *analysis) float64 {
	best, floor := -1, f.column(0)
	for i, have := range l.have {
		if have > fewTrials && (best < 0 || l.values[i] < l.values[best]) {
			best = i
		}
	}
	if best < 0 {
		gain := math.Log1p(l.tolerance * l.values[l.best] / l.hit)
		return max(leastEnough+math.Log(2/l.allowed)/gain, float64(l.seen()+1))
	}
	n := min(l.have[best], len(floor))
	ratio := mean(l.columns[best][:n]) / mean(floor[:n])
	others := make([]float64, n)
	for i := range others {
		others[i] = ratio * floor[i]
	}
	needs := math.Inf(1)
	for i, have := range l.have { // one that is tested already may need fewer than the best
		if have > fewTrials && l.values[i] <= (1+l.asked/2)*l.values[best] {
			needs = min(needs, f.needs(l, i, others))
		}
	}
	return needs
}

// needsOfPairs returns how many trials comparing all is likely to take, if it takes what comparing those
// with enough trials does.
func (f *floorRun) needsOfPairs(l *analysis) float64 {
	least := math.Inf(1)
	for i, have := range l.have {
		if have <= fewTrials || l.values[i] > (1+l.tolerance/2)*l.values[l.best] {
			continue
		}
		test, needs := f.tests.find(i), 0.0
		for rival := range f.tests.rivals(l) {
			if l.job(rival) != l.job(i) && l.have[rival] > fewTrials && !f.tests.settled(l, test, rival) {
				needs = max(needs, f.needs(l, i, l.columns[rival][:l.have[rival]]))
			}
		}
		if needs > 0 {
			least = min(least, needs)
		}
	}
	return min(least, f.needsAsFloor(l))
}
