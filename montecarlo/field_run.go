package montecarlo

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// A fieldRun is a field whose trials are being simulated.
//
// Its jobs get different numbers of trials: a job gets no more while it is certain enough that it
// is not the best. In place of the completions that it lacks, the choice has its lower bound. So
// what cannot be the best, like a ring of many ranks with a short vector, is never simulated.
type fieldRun struct {
	index     int // of the field
	study     *Settings
	field     Field
	earlier   []Kept // trials of an earlier run
	jobs      []*job
	floor     *floorRun               // whose trials stand for those that a job lacks, or nil
	turns     []int                   // of the jobs, whose trials are handed out in this order
	compared  []bool                  // the configurations that are compared so far
	narrowed  bool                    // not everything was compared at first
	lock      sync.Locker             // the pool's, to change jobs
	fits      func(work float64) bool // reports whether some work [messages] fits into the time
	order     []candidate             // of preference
	plain     []candidate             // of which the baseline is the best
	selector  selector
	tolerance float64                     // within which a choice is to be known first
	bound     float64                     // the least so far of how far the choice is above the best, or widest
	trials    int                         // at the next analysis
	analyses  int                         // informative ones so far
	pending   int                         // trials that are not simulated yet before the next analysis
	spent     float64                     // messages of trials that were handed out or are to be
	running   float64                     // messages of trials that are being simulated
	cost      cost                        // of those simulated
	least     int                         // trials before the time can end the field
	analysing bool                        // no trials are handed out or to be, and a worker analyses
	over      bool                        // the time is
	known     float64                     // what was spent until the choice was known to be good; 0 before that
	closing   *closing                    // what is to be decided, when the trials for it are simulated, or nil
	report    func(field int, s Standing) // or nil
	stood     time.Time                   // when it was called last
	decision  Decision
	decided   bool // and given to Done, under the pool's lock of Done
}

// A candidate is one of a field, and the checkpoint that its times are reported at.
type candidate struct {
	Candidate
	checkpoint int
	messages   float64
}

func newFieldRun(index int, field Field, study *Settings, earlier []Kept) (*fieldRun, error) {
	c := &fieldRun{
		index: index, study: study, field: field, trials: study.Trials.Min,
		tolerance: study.Tolerance, bound: widest,
		earlier: make([]Kept, len(field)), compared: make([]bool, len(field)),
	}
	copy(c.earlier, earlier)
	for i := range field {
		j, err := newJob(&field[i], study.Seed, c.earlier[i])
		if err != nil {
			return nil, err
		}
		c.jobs, c.turns = append(c.jobs, j), append(c.turns, i)
		c.compared[i] = true
		candidates := candidatesOf(i, j.shape.Checkpoints)
		if !field[i].Reference {
			c.order = append(c.order, candidates...)
		}
		if field[i].Plain {
			c.plain = append(c.plain, candidates[0])
		}
	}
	if c.plain == nil {
		c.plain = candidatesOf(0, c.jobs[0].shape.Checkpoints)[:1]
	}
	foreign := func(x candidate) int {
		if field[x.Config].Native && x.T == 0 {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.order, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(foreign(a), foreign(b)), cmp.Compare(a.messages, b.messages))
	})
	switch {
	case study.Objective.test == nil:
		c.selector = estimate{}
	case len(c.jobs) == 1 && (c.jobs[0].shape.Monotone || len(c.order) == 1):
		c.selector = fixedSequence{}
	default:
		c.selector = newCandidateTests(c.order, study.Trials.adaptive())
		c.trials = study.Trials.first()
	}
	if len(field) > 1 && study.Trials.adaptive() {
		c.narrowed = true
		return c, c.narrow()
	}
	return c, nil
}

// candidatesOf returns the candidates of a configuration: for each T the last checkpoint.
func candidatesOf(config int, checkpoints []Checkpoint) []candidate {
	var candidates []candidate
	for k, c := range checkpoints {
		if k+1 == len(checkpoints) || checkpoints[k+1].T != c.T {
			candidates = append(candidates, candidate{Candidate{config, c.T}, k, c.Messages})
		}
	}
	return candidates
}

// extend gives jobs the trials up to the next analysis, or before the decision those that it needs.
func (c *fieldRun) extend(jobs []*job) {
	for _, j := range jobs {
		switch n := c.upTo(j); {
		case n > 0:
			c.spent += j.workUpTo(n)
			c.pending += j.extend(n)
		case j.want():
			c.pending++
		}
	}
}

// upTo returns up to how many trials a job gets, 0 if it gets the one without noise. With a floor it gets
// at most as many more as it has, and where all are compared a quarter more, as few may be enough.
func (c *fieldRun) upTo(j *job) int {
	switch {
	case c.closing != nil:
		return c.closing.trials
	case c.floor == nil:
		return c.trials
	case c.floor.alone:
		return min(c.trials, max(1, 2*j.target))
	}
	return min(c.trials, max(1, j.target+max(1, int(slowGrowth*float64(j.target)))))
}

// curtail takes back trials that are not handed out, when the time is over: all but the least
// number of trials of the first job and of jobs that have begun. It reports whether no trials are
// left to be simulated.
func (c *fieldRun) curtail() bool {
	c.over = true
	for i, j := range c.inTurn() {
		if j.wanted {
			j.wanted = false
			c.pending--
		}
		keep := j.issued
		if j.restored > 0 {
			keep = max(keep, j.restored)
		}
		if c.least > 0 && (i == 0 || keep > 0) {
			keep = max(keep, c.least)
		}
		if dropped := j.target - keep; dropped > 0 && j.target > j.restored {
			j.target = keep
			c.pending -= dropped
			c.spent -= float64(dropped) * j.shape.Work
		}
	}
	return c.pending == 0
}

// inTurn returns the jobs, whose trials are handed out in this order.
func (c *fieldRun) inTurn() []*job {
	inTurn := make([]*job, 0, len(c.jobs)+1)
	for _, i := range c.turns {
		inTurn = append(inTurn, c.jobs[i])
	}
	if c.floor != nil {
		inTurn = append(inTurn, c.floor.job)
	}
	return inTurn
}

// take hands out the next chunk of trials, of no job if none is left before the next analysis. Jobs that
// lack the same trials share a chunk, unless that leaves less for other workers.
func (c *fieldRun) take(workers int) (taken chunk) {
	inTurn, left := c.inTurn(), c.running
	for _, j := range inTurn {
		if from, to := j.next(); from < to {
			left += float64(to-max(from, 0)) * j.shape.Work
		}
	}
	const unequal = 1.1 // a chunk has up to this many times a worker's share of what is left
	most := max(chunkWork, unequal*left/float64(workers))
	for _, j := range inTurn {
		from, to := j.next()
		switch {
		case from >= to:
		case len(taken.jobs) == 0:
			taken = chunk{[]*job{j}, from, min(to, from+max(1, int(chunkWork/max(1, j.shape.Work))))}
			j.take(taken.to)
			if from == noiseFreeTrial || j.shape.Work < sharedWork {
				c.running += taken.work()
				return taken
			}
		case from == taken.from && to >= taken.to && j.shape.Work >= sharedWork:
			if more := float64(taken.to-from) * j.shape.Work; taken.work()+more <= most {
				taken.jobs = append(taken.jobs, j)
				j.take(taken.to)
			}
		}
	}
	c.running += taken.work()
	return taken
}

// sharedWork is the work [messages] of a trial from which on its noise is worth sharing.
const sharedWork = 1 << 13

// advance is called when all trials handed out are simulated. It returns the jobs that get more of
// them, up to c.trials, or those that the decision needs; without such jobs the
// decision is made. The time may not allow some work [messages].
func (c *fieldRun) advance(affordable func(work float64) bool) []*job {
	switch {
	case c.closing != nil:
		return c.close(affordable)
	case c.over:
		c.finish()
		return nil
	}
	l, verdict, lagging := c.analyse()
	if len(lagging) > 0 {
		return lagging
	}
	if c.floor != nil { // else an analysis may take longer than the trials
		c.know(l.regret(&verdict))
	}
	c.stand(l, &verdict)
	stop, ends := c.ends(l, &verdict)
	if !ends {
		if lagging, stop = c.next(l, &verdict, affordable); len(lagging) > 0 {
			return lagging
		}
		if gaveUp := c.giveUp(); gaveUp || l.tolerance > l.asked {
			l, verdict = c.last()
		}
	}
	c.closing = &closing{stop: stop, analysis: l, verdict: verdict}
	return c.close(affordable)
}

// analyse judges the field, and compares more of its candidates if that may help. It returns the
// jobs that need more trials before that.
func (c *fieldRun) analyse() (l *analysis, verdict verdict, lagging []*job) {
	needs := c.study.Objective.Needs(c.study.Trials.Confidence)
	for {
		c.takeBack()
		l = c.newAnalysis()
		if lagging = c.wanted(l); len(lagging) > 0 {
			return l, verdict, lagging
		}
		if 0 < needs && needs <= c.trials {
			c.analyses++
			l.number = c.analyses
		}
		verdict = c.selector.judge(l)
		if lagging = c.wanted(l); l.aim.known && len(lagging) > 0 {
			return l, verdict, lagging
		}
		if effort := c.study.Trials.Effort; effort > 0 && c.spent > effort || !c.widen(l) {
			return l, verdict, nil
		}
	}
}

// wanted sets the aim of an analysis, and returns the jobs that need more trials before it can be judged.
func (c *fieldRun) wanted(l *analysis) []*job {
	if l.aim = c.aim(l); l.aim.known {
		c.leaveBare()
	}
	c.turnTo(l)
	wanted := c.floor.cheapest(l, c.lagging(l))
	if c.floor == nil {
		return wanted
	}
	return slices.DeleteFunc(wanted, func(j *job) bool { // what the effort does not allow is not compared
		return !j.simulated() && !c.allows(j.workUpTo(c.upTo(j)), func(float64) bool { return true })
	})
}

// ends reports whether the study wants no more trials of the field after an analysis with a
// verdict, and why.
func (c *fieldRun) ends(l *analysis, verdict *verdict) (stop Stop, ends bool) {
	trials := c.study.Trials
	switch {
	case c.trials < trials.Min:
		return "", false
	case trials.Max == trials.Min:
		return Fixed, true
	case trials.Until == UntilChosen && c.final(l, verdict):
		return Chosen, true
	case trials.Until == UntilPrecise && c.jobs[0].precise(trials.Precision, trials.Confidence):
		return Precise, true
	}
	return Exhausted, c.trials >= trials.Max
}

// final reports whether a verdict is certain enough, what the choice gains is known, and no smaller
// candidate may be good too, or to find out takes long, as where there is a floor.
func (c *fieldRun) final(l *analysis, verdict *verdict) bool {
	if verdict.risk() > l.allowed || l.tolerance > l.asked || !c.reported(l, verdict.star) {
		return false
	}
	if c.known == 0 {
		c.known = c.spent
	}
	if tests, ok := c.selector.(*candidateTests); ok && tests.sought {
		return true
	}
	return verdict.low == verdict.star || c.floor != nil || len(c.jobs) > 1 && c.long(l, verdict)
}

// worthIt is the work [messages] that finding a smaller candidate is always worth: about a second.
const worthIt = 1e9

// long reports whether deciding about smaller candidates takes more than worthIt, and more than half of what
// the choice itself took to be known.
func (c *fieldRun) long(l *analysis, verdict *verdict) bool {
	left := max(c.known/2, worthIt) - (c.spent - c.known)
	more, work := needed(c.selector.open(l, verdict), c.trials), 0.0
	all := *l
	all.trials = l.trials + 1
	for _, j := range c.lagging(&all) {
		work += j.workUpTo(more)
	}
	return work > left || left < 0
}

// next returns the jobs that get the trials up to the next analysis, or else the reason why none
// do.
func (c *fieldRun) next(
	l *analysis, verdict *verdict, affordable func(work float64) bool,
) ([]*job, Stop) {
	before, seen, effort := c.trials, l.seen(), c.study.Trials.Effort
	step := func(trials int) ([]*job, float64) {
		c.trials, l.trials = trials, trials
		lagging := c.lagging(l)
		return lagging, costUpTo(lagging, c.upTo)
	}
	least := c.study.Trials.Min
	further := func(share float64) (after int) {
		if after = c.study.Trials.next(before, share); before < least {
			after = min(after, least)
		}
		return after
	}
	after := further(growth)
	lagging, cost := step(after)
	if cost > soon && c.study.Objective.sequential && l.aim.near == nil {
		after = further(slowGrowth)
		l.trials = before
		lagging, cost = step(after)
	}
	for len(lagging) == 0 && after < c.study.Trials.Max { // they had more for another aim
		after = c.study.Trials.next(after, growth)
		lagging, cost = step(after)
	}
	if cost > soon {
		l.trials = before
		lagging, cost = step(min(after, c.likelyKnown(l, verdict)))
	}
	switch {
	case seen < c.least:
		return lagging, Exhausted
	case effort > 0 && seen >= least && c.spent+c.work(lagging) > effort:
		step(before)
		return nil, Spent
	case !affordable(cost):
		step(before)
		return nil, OutOfTime
	}
	return c.floor.cheapest(l, lagging), Exhausted
}

// likelyKnown returns the number of trials after which the choice is likely to be known to be good, or if it
// is, no smaller candidate may be; a large number if that cannot be estimated. Objectives whose analyses
// share the risk have no more of them than they need.
func (c *fieldRun) likelyKnown(l *analysis, verdict *verdict) int {
	tests, ok := c.selector.(*candidateTests)
	if !ok || !l.objective.sequential {
		return math.MaxInt
	}
	has, n := l.have[verdict.star], 0.0
	if l.aim.near != nil {
		has, n = l.have[l.aim.candidate], math.Ceil(c.floor.needs(l, l.aim.candidate, c.floor.column(0)))
	} else {
		open := tests.open(l, verdict)
		if verdict.risk() > l.allowed {
			open = open[:1]
		}
		n = float64(needed(open, has))
	}
	if n == 0 || n > manyTrials {
		return math.MaxInt
	}
	return max(int(n), has+has/16+1)
}

// lagging returns the jobs that need more trials before the analysis can be judged: jobs that the
// choice needs, the first and possible baselines up to the smallest number of trials, and the
// baseline until its time is known well enough.
func (c *fieldRun) lagging(l *analysis) []*job {
	if l.aim.near != nil { // what is reported beside the choice can wait
		return c.selector.lagging(l)
	}
	star, lagging := l.within(l.tolerance), []*job(nil)
	if l.aim.known { // rivals and smaller candidates can
		star = l.aim.candidate
		lagging = l.behind(func(j *job) bool { return j == l.job(star) })
	} else {
		lagging = c.selector.lagging(l)
	}
	least := c.study.Trials.Min
	base := c.baseline(l)
	need := func(j *job) {
		if j.target < l.trials && !slices.Contains(lagging, j) {
			lagging = append(lagging, j)
		}
	}
	if c.floor != nil && !l.aim.known { // trials take long, and what is reported beside the choice can wait
		need(c.floor.job)
		return lagging
	}
	if c.jobs[0].target < least {
		need(c.jobs[0])
	}
	if j := c.jobs[base.Config]; j.target < least || !c.reported(l, star) {
		need(j)
	}
	for _, x := range c.plain {
		if j := c.jobs[x.Config]; j.target < least && j.lowest() < c.plainly(base) {
			need(j)
		}
	}
	return lagging
}
