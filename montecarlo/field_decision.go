package montecarlo

import (
	"math"
	"slices"
)

// wantNoiseFree returns the jobs of the choice, of what is as good, and of the baseline, whose trial
// without noise is to be simulated.
func (c *fieldRun) wantNoiseFree(v *verdict) (wanting []*job) {
	l := c.newAnalysis()
	base := c.baseline(l)
	for _, i := range []int{c.order[v.star].Config, base.Config} {
		if j := c.jobs[i]; j.lacksNoiseFree() && !slices.Contains(wanting, j) {
			wanting = append(wanting, j)
		}
	}
	return wanting
}

// reportedPrecision is the half-width of the intervals, relative to the mean, that the means of
// a choice and of the baseline need: some choices are certain before what they gain is.
const reportedPrecision = 0.05

// reported reports whether the objectives of a candidate and of the baseline are known well
// enough to be reported. Of quantiles that is not asked.
func (c *fieldRun) reported(l *analysis, candidate int) bool {
	if !l.objective.sequential {
		return true
	}
	precise := func(j *job, checkpoint int) bool {
		if j.target < 2 {
			return false
		}
		i := newInterval(j.target, c.study.Trials.Confidence, &j.shape)
		return i.precise(j.column(checkpoint), reportedPrecision)
	}
	x := l.candidates[candidate]
	base := c.baseline(l)
	return precise(c.jobs[x.Config], x.checkpoint) && precise(c.jobs[base.Config], base.checkpoint)
}

// baseline returns the plain candidate of the least objective; when the field ends before one has trials,
// the fastest candidate without redundant exchanges that has.
func (c *fieldRun) baseline(l *analysis) (base candidate) {
	value := math.Inf(1)
	for i, x := range c.plain {
		if v := c.plainly(x); i == 0 || v < value {
			base, value = x, v
		}
	}
	if math.IsInf(value, 1) {
		for i, x := range l.candidates {
			if l.have[i] > 0 && x.T == 0 && l.values[i] < value {
				base, value = x, l.values[i]
			}
		}
	}
	return base
}

// plainly returns the objective [s] of a plain candidate, or its lower bound if it has no trials.
func (c *fieldRun) plainly(x candidate) float64 {
	switch j := c.jobs[x.Config]; {
	case j.simulated():
		return c.estimate(j, x.checkpoint)
	case c.over || c.closing != nil && c.closing.asked: // nothing else is going to be
		return math.Inf(1)
	default:
		return c.leastOf(j)
	}
}

// finish makes the decision when the time is over, from the trials that there are.
// Without any it makes none.
func (c *fieldRun) finish() {
	c.trials = c.forget()
	c.giveUp()
	if c.trials < 1 {
		return
	}
	l, verdict := c.last()
	c.decide(OutOfTime, l, &verdict)
}

// last returns the last analysis, at the tolerance asked for, of what has trials.
func (c *fieldRun) last() (*analysis, verdict) {
	l := c.newAnalysis()
	l.last = true
	l.leaveOut()
	if f := c.floor; f != nil {
		c.turnToTolerance(l, l.asked)
		if known := f.tests.known(l); known >= 0 {
			l.aim = aim{known: true, candidate: known}
		}
	}
	return l, c.selector.judge(l)
}

// wantPlain returns the job of the baseline if that has no trials, and the effort and the time allow
// the first.
func (c *fieldRun) wantPlain(l *analysis, affordable func(work float64) bool) *job {
	c.leaveBare()
	base := c.baseline(l)
	plain := c.jobs[base.Config]
	if plain.simulated() || !c.allows(plain.workUpTo(c.study.Trials.first()), affordable) {
		return nil
	}
	return plain
}

// allows reports whether the effort and the time allow some more work [messages].
func (c *fieldRun) allows(work float64, affordable func(work float64) bool) bool {
	effort := c.study.Trials.Effort
	return (effort == 0 || c.spent+work <= effort) && affordable(work)
}

// forget forgets trials that are not complete, as the time was over, and returns the most that a job has.
func (c *fieldRun) forget() (most int) {
	c.lock.Lock() // other workers ask for trials, of which none are left
	defer c.lock.Unlock()
	for _, j := range c.jobs {
		j.target = min(j.target, j.lost)
		most = max(most, j.target)
	}
	if c.floor != nil {
		c.floor.target = min(c.floor.target, c.floor.lost)
	}
	return most
}

// A closing is a decision that may need trials before it is made.
type closing struct {
	stop     Stop
	analysis *analysis
	verdict  verdict
	trials   int  // up to which jobs get them, or 0 if they get the trial without noise
	asked    bool // for trials without noise, once, whatever they give
}

// close makes the decision, or returns the jobs that get trials for it: the choice's algorithm without
// redundancy, the baseline, and then, since that may be another one, what lacks the trial without noise.
func (c *fieldRun) close(affordable func(work float64) bool) []*job {
	d := c.closing
	if !c.over && !d.asked {
		star := c.order[d.verdict.star]
		if bare, trials := c.wantBare(star, d.analysis, affordable); bare != nil {
			d.trials = trials
			return []*job{bare}
		}
		if plain := c.wantPlain(d.analysis, affordable); plain != nil {
			d.trials = c.study.Trials.first()
			return []*job{plain}
		}
		d.trials, d.asked = 0, true
		if wanting := c.wantNoiseFree(&d.verdict); len(wanting) > 0 {
			return wanting
		}
	}
	c.forget()
	c.decide(d.stop, d.analysis, &d.verdict)
	return nil
}

// leaveOut leaves out what has no trials, which is not chosen.
func (l *analysis) leaveOut() {
	for i, have := range l.have {
		if have == 0 {
			l.values[i] = math.Inf(1)
		}
	}
	for i, v := range l.values {
		if v < l.values[l.best] {
			l.best = i
		}
	}
}

// measured returns the objective [s] of a candidate's own trials, as it is reported; +Inf without any.
func (c *fieldRun) measured(x candidate) float64 {
	j := c.jobs[x.Config]
	if !j.simulated() || x.checkpoint >= len(j.shape.Checkpoints) {
		return math.Inf(1)
	}
	return j.value(&c.study.Objective, x.checkpoint)
}

func (c *fieldRun) decide(stop Stop, l *analysis, verdict *verdict) {
	l.leaveOut()
	if c.floor != nil && verdict.risk() > l.allowed {
		closest := c.floor.tests.closest(l, *verdict)
		verdict = &closest
	}
	option := func(i int) Option { return Option{c.order[i].Candidate, c.measured(c.order[i])} }
	base, risk := c.baseline(l), verdict.risk()
	column := c.jobs[base.Config].tested(l.objective, base.checkpoint)
	choice := Choice{
		Star: c.order[verdict.star].Candidate, Low: c.order[verdict.low].Candidate,
		Argmin:     c.order[l.best].Candidate,
		Objective:  option(verdict.star).Objective,
		Base:       base.Candidate,
		Baseline:   c.measured(base),
		Without:    c.without(c.order[verdict.star], l),
		Estimate:   option(l.within(l.tolerance)),
		Confidence: max(0, 1-risk),
		Regret:     l.regret(verdict),
		GainLow:    1,
		Warning:    l.objective.warning(l.trials, risk, l.allowed),
	}
	if choice.Star != choice.Base {
		choice.GainLow = min(l.gain(verdict, column, len(c.plain)), choice.Baseline/choice.Objective)
	}
	if risk > l.allowed || verdict.low < verdict.star {
		choice.Needed = needed(c.selector.open(l, verdict), l.trials)
	}
	if choice.Warning == Unresolved {
		choice.Needed = max(choice.Needed, l.objective.Needs(c.study.Trials.Confidence))
	}
	for i := verdict.star; i < len(c.order); i++ {
		near := l.values[i] <= (1+l.tolerance)*l.values[l.best]
		if i == verdict.star || near && l.have[i] > 0 {
			choice.Near = append(choice.Near, option(i))
		}
	}
	c.decision = Decision{Stop: stop, Choice: choice}
	for _, j := range c.jobs {
		c.decision.Results = append(c.decision.Results, j.result(c.study))
	}
}
