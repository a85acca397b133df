package montecarlo

import (
	"cmp"
	"math"
	"slices"
)

// A field of several configurations whose trials end with a certain choice is simulated a little at
// first: configurations that have more of something, as sources, only after fewer of it were found
// to help; at most firstRedundancy redundant exchanges where each costs as much as the first; and at most
// fewRedundancies where more of them are much work. What is not compared so far is not chosen, and the
// choice is not compared with it. That takes for granted that gains fall with their number, as
// docs/model/statistics.md says.

// firstRedundancy and fewRedundancies are the largest T that is compared at first.
const firstRedundancy, fewRedundancies = 1, 3

// muchWork is the work [messages] of a trial that is worth the trials that are simulated again with a larger
// T if that helps.
const muchWork = 1e5

// helps is the least relative gain, in units of the tolerance, for which more of something is compared.
const helps = 0.25

// narrow leaves out what is not compared at first.
func (c *fieldRun) narrow() error {
	for i := range c.jobs {
		c.compared[i] = len(c.field[i].After) == 0
		j, err := c.withFew(i)
		if err != nil {
			return err
		}
		c.jobs[i] = j
	}
	if c.trials > 1 {
		return nil
	}
	lowest := func(i int) float64 { // what is not compared comes later
		if c.compared[i] {
			return c.jobs[i].lowest()
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(c.turns, func(a, b int) int { return cmp.Compare(lowest(a), lowest(b)) })
	var err error
	c.floor, err = c.newFloor()
	return err
}

// withFew returns the job of a configuration with the redundant exchanges that are compared at first.
func (c *fieldRun) withFew(config int) (*job, error) {
	j := c.jobs[config]
	j.deferNoiseFree()
	if j.config.Upto == nil || j.shape.redundancy() <= firstRedundancy {
		return j, nil
	}
	first, err := c.upto(firstRedundancy, config)
	if err != nil || 2*first.shape.Work <= j.shape.Work {
		return first, err
	}
	few, err := c.upto(fewRedundancies, config)
	if err != nil || few.shape.Work+muchWork <= j.shape.Work {
		return few, err
	}
	return j, nil
}

// upto returns a job of a configuration with at most the given number of redundant exchanges.
func (c *fieldRun) upto(redundancy, config int) (*job, error) {
	j, err := newJobUpto(redundancy, c.jobs[config].config, c.study.Seed, c.earlier[config])
	if err == nil {
		j.deferNoiseFree()
	}
	return j, err
}

// likely returns the jobs that get trials before the first analysis: the first one, and if that is
// after one trial, others with a lower bound near the bounds of most, so that workers share them. Those
// with the least bounds come first, as the time may end before all have a trial.
func (c *fieldRun) likely() []*job {
	if !c.narrowed || c.trials > 1 {
		return c.jobs[:1]
	}
	var bounds []float64
	for i, j := range c.jobs {
		if c.compared[i] {
			bounds = append(bounds, j.lowest())
		}
	}
	slices.Sort(bounds)
	const near = 4
	var likely []*job
	for i, j := range c.jobs {
		if i == c.turns[0] || c.compared[i] && j.lowest() <= near*bounds[(len(bounds)-1)/2] {
			likely = append(likely, j)
		}
	}
	if c.floor == nil || workOf(likely) < worthFloor {
		c.floor = nil
		return likely
	}
	return append(c.cheap(likely), c.floor.job)
}

// worthFloor is the work [messages] of a trial of the likely jobs from which on a floor is worth it: where
// trials take less, the good candidate that sends the fewest messages is found soon without it.
const worthFloor = 5e6

// firstCheap is how many jobs get trials before the floor is known, which may make trials of others
// unnecessary. They are fewer if a trial of each is more work than firstWork [messages].
const firstCheap, firstWork = 4, soon

// cheap returns the jobs that are likely to be shown to be good with the least work.
func (c *fieldRun) cheap(jobs []*job) []*job {
	time := func(j *job) float64 { return j.shape.Span + j.shape.Hit }
	least, work := math.Inf(1), map[*job]float64{}
	for _, j := range jobs {
		least = min(least, time(j))
	}
	for _, j := range jobs {
		work[j] = likelyWork(j, time(j)/least, c.study.Tolerance)
	}
	slices.SortStableFunc(jobs, func(a, b *job) int { return cmp.Compare(work[a], work[b]) })
	for n, j := range jobs {
		if n > 0 && (n == firstCheap || math.IsInf(work[j], 1) || workOf(jobs[:n+1]) > firstWork) {
			return jobs[:n]
		}
	}
	return jobs
}

// widen compares more of what helps, and reports whether there is anything.
func (c *fieldRun) widen(l *analysis) bool {
	if !c.narrowed || l.aim.known || c.known > 0 {
		return false
	}
	best := make([]float64, len(c.jobs)) // objective of each configuration, at its best T
	for i := range best {
		best[i] = math.Inf(1)
	}
	for i, x := range l.candidates {
		if l.have[i] > 0 {
			best[x.Config] = min(best[x.Config], l.values[i])
		}
	}
	wider := false
	for i, j := range c.jobs {
		switch {
		case c.waits(l, i):
		case c.compared[i]:
			wider = c.helps(j, l) && c.double(i) || wider
		case !c.settled(j):
			c.compared[i] = c.follows(i, best, l)
			wider = wider || c.compared[i]
		}
	}
	return wider
}

// double has a job simulated with twice as many redundant exchanges, if the time and the effort allow its
// trials again, and reports whether they do.
func (c *fieldRun) double(config int) bool {
	j := c.jobs[config]
	more, err := c.upto(2*j.shape.redundancy(), config) // its shape was known
	if err != nil || !c.allows(more.workUpTo(j.target), c.fits) {
		return false
	}
	more.fewer = j
	c.replace(config, more)
	return true
}

// replace replaces a job by one with more or less redundant exchanges, while workers may ask for trials.
func (c *fieldRun) replace(i int, j *job) {
	jobs := slices.Clone(c.jobs)
	jobs[i] = j
	c.lock.Lock()
	defer c.lock.Unlock()
	c.jobs = jobs
}

// takeBack takes back more of what gains nothing.
func (c *fieldRun) takeBack() {
	for i, j := range c.jobs {
		if j.fewer != nil && c.gainless(j) {
			j.fewer.settled = c.tolerance
			c.replace(i, j.fewer)
		}
		if c.compared[i] && c.useless(i) {
			c.compared[i], c.jobs[i].settled = false, c.tolerance
		}
	}
}

// settled reports whether more of a job, or the job itself, was found not to help at the present tolerance:
// what gained too little may gain enough within a narrower one.
func (c *fieldRun) settled(j *job) bool { return c.tolerance >= j.settled }

// giveUp gives up jobs with more redundant exchanges that have not got the trials that they had before, and
// reports whether there were any.
func (c *fieldRun) giveUp() (some bool) {
	for i, j := range c.jobs {
		if j.fewer != nil && j.target < j.fewer.target {
			c.replace(i, j.fewer)
			some = true
		}
	}
	return some
}

// fewAgain is how many trials may show that more redundant exchanges gain nothing, though fewer of them
// showed that they may.
const fewAgain = 8

// gainless reports whether a job with more redundant exchanges than before, which simulates its trials again,
// gains nothing in the first quarter of them or in a few.
func (c *fieldRun) gainless(j *job) bool {
	if n := j.fewer.target; j.target < 2 || j.target < n/4 || j.target >= n && j.target > fewAgain {
		return false
	}
	candidates, n := candidatesOf(0, j.shape.Checkpoints), j.fewer.shape.redundancy()
	before := j.value(&c.study.Objective, candidates[n].checkpoint)
	return !slices.ContainsFunc(candidates[n+1:], func(x candidate) bool {
		return j.value(&c.study.Objective, x.checkpoint) < (1-helps*c.tolerance)*before
	})
}

// useless reports whether a configuration that has more of something gains nothing over one that has fewer of
// it, and less than the tolerance if there were one more trial, in which it saves a hit of the noise.
func (c *fieldRun) useless(config int) bool {
	more := c.jobs[config]
	return c.study.Objective.sequential && slices.ContainsFunc(c.field[config].After, func(gain Gain) bool {
		fewer := c.jobs[gain.Of]
		n := min(more.target, fewer.target)
		if n < 2 {
			return false
		}
		before, saved := fewer.leastMean(n), max(fewer.shape.Hit, more.shape.Hit)
		gained, tolerance := before-more.leastMean(n), c.tolerance*before
		return gained < helps*tolerance && float64(n)*gained+saved < float64(n+1)*tolerance
	})
}

// leastMean returns the least mean [s] of a job's candidates in its first n trials.
func (j *job) leastMean(n int) float64 {
	least := math.Inf(1)
	for _, x := range candidatesOf(0, j.shape.Checkpoints) {
		least = min(least, mean(j.column(x.checkpoint)[:n]))
	}
	return least
}

// leaveBare leaves out the redundant exchanges of what may be the baseline and has no trials, also not of
// an earlier run, when a choice is known.
func (c *fieldRun) leaveBare() {
	for _, x := range c.plain {
		j := c.jobs[x.Config]
		if j.simulated() || j.restored > 0 || j.config.Upto == nil || j.shape.redundancy() == 0 {
			continue
		}
		if bare, err := c.upto(0, x.Config); err == nil { // its shape was known
			c.replace(x.Config, bare)
		}
	}
}

// follows reports whether a configuration is to be compared, as others have gained, given the
// objective of each [s].
func (c *fieldRun) follows(config int, objective []float64, l *analysis) bool {
	for _, gain := range c.field[config].After {
		if !l.promises(objective[gain.Of], objective[gain.Over]) {
			return false
		}
	}
	return true
}

// helps reports whether the largest T of a job that lacks some gains over the one before it.
func (c *fieldRun) helps(j *job, l *analysis) bool {
	n := j.shape.redundancy()
	if n < 1 || !j.simulated() || c.settled(j) {
		return false
	}
	whole, err := j.config.Model.Shape() // which takes long for schedules of many rounds
	if err != nil || n == whole.redundancy() {
		return false
	}
	checkpoints := candidatesOf(0, j.shape.Checkpoints)
	last, before := checkpoints[n].checkpoint, checkpoints[n-1].checkpoint
	of := func(checkpoint int) float64 { return j.value(l.objective, checkpoint) }
	return l.promises(of(last), of(before))
}

// promises reports whether a value [s] gains over one with less of something, and would be within the
// tolerance of the best if two more gained as much each. Gains fall with their number.
func (l *analysis) promises(value, less float64) bool {
	gain := value / less
	return gain < 1-helps*l.tolerance && value*gain*gain <= (1+l.tolerance)*l.values[l.best]
}
