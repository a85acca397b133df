package montecarlo

import (
	"cmp"
	"math"
	"slices"
)

// A fieldRun is a field whose trials are being simulated.
//
// Its jobs get different numbers of trials: a job gets no more while it is certain enough that
// it is not the best. In place of the completions that it lacks, the choice has its lower
// bound. So what cannot be the best, like a ring of many ranks with a short vector, is never
// simulated.
type fieldRun struct {
	index     int // of the field
	study     *Settings
	jobs      []*job
	order     []candidate // of preference
	plain     []candidate // of which the baseline is the best
	selector  selector
	trials    int     // at the next analysis
	analyses  int     // informative ones so far
	pending   int     // trials that are not simulated yet before the next analysis
	spent     float64 // messages of trials that were handed out or are to be
	cost      cost    // of those simulated
	least     int     // trials before the time can end the field
	analysing bool    // no trials are handed out or to be, and a worker analyses
	over      bool    // the time is
	decision  Decision
	decided   bool // and given to Done, under the pool's lock of Done
}

// A candidate is one of a field, and the checkpoint that its times are reported at.
type candidate struct {
	Candidate
	checkpoint int
	messages   float64
}

// newFieldRun returns the fieldRun of a field, of whose configurations trials may be known.
func newFieldRun(index int, field Field, study *Settings, kept []Kept) (*fieldRun, error) {
	c := &fieldRun{index: index, study: study, trials: study.Trials.Min}
	for i := range field {
		var known Kept
		if i < len(kept) {
			known = kept[i]
		}
		j, err := newJob(&field[i], study.Seed, known)
		if err != nil {
			return nil, err
		}
		c.jobs = append(c.jobs, j)
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
		c.selector = newCandidateTests(c.order, c.jobs)
		c.trials = min(firstTests, max(2, study.Trials.Min/2))
	}
	return c, nil
}

// firstTests is the number of trials before the first tests, if the smallest number
// of trials is at least twice as large.
const firstTests = 30

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

// extend gives jobs the trials up to the next analysis.
func (c *fieldRun) extend(jobs []*job) {
	for _, j := range jobs {
		c.spent += float64(c.trials-j.target) * j.shape.Work
		c.pending += j.extend(c.trials)
	}
}

// curtail takes back trials that are not handed out, when the time is over: all but the least
// number of trials of the first job and of jobs that have begun. It reports whether no trials are
// left to be simulated.
func (c *fieldRun) curtail() bool {
	c.over = true
	for i, j := range c.jobs {
		keep := noiseFreeTrial
		if i == 0 || j.issued > 0 || j.restored > 0 {
			keep = max(c.least, j.issued, j.restored)
		}
		if dropped := j.target - keep; dropped > 0 && j.target > j.restored {
			if keep == noiseFreeTrial && j.issued == 0 { // the one without noise is handed out
				keep, dropped = 0, j.target
			}
			j.target = keep
			c.pending -= dropped
			c.spent -= float64(dropped) * j.shape.Work
		}
	}
	return c.pending == 0
}

func (c *fieldRun) kept() []Kept {
	var kept []Kept
	for _, j := range c.jobs {
		kept = append(kept, j.kept())
	}
	return kept
}

// take hands out the next chunk of trials, empty if none is left before the next analysis.
func (c *fieldRun) take() (j *job, from, to int) {
	for _, j := range c.jobs {
		if from, to := j.take(); from < to {
			return j, from, to
		}
	}
	return nil, 0, 0
}

// advance is called when all trials handed out are simulated. It returns the jobs that get more of
// them, up to c.trials; without such jobs the decision is made. Of work [messages] the time allows
// the share that affordable returns, if that is below 1.
func (c *fieldRun) advance(affordable func(work float64) float64) []*job {
	if c.over {
		c.finish()
		return nil
	}
	l := newAnalysis(c)
	if lagging := c.lagging(l); len(lagging) > 0 {
		return lagging
	}
	needs := c.study.Objective.Needs(c.study.Trials.Confidence)
	if 0 < needs && needs <= c.trials {
		c.analyses++
		l.number = c.analyses
	}
	verdict := c.selector.judge(l)
	stop, ends := c.ends(l, &verdict)
	if !ends {
		var lagging []*job
		if lagging, stop = c.next(l, affordable); len(lagging) > 0 {
			return lagging
		}
	}
	c.decide(stop, l, &verdict)
	return nil
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

// final reports whether a verdict is certain enough, no smaller candidate may be good too, and what
// the choice gains is known.
func (c *fieldRun) final(l *analysis, verdict *verdict) bool {
	return verdict.risk() <= l.allowed && verdict.low == verdict.star && c.reported(l, verdict.star)
}

// leastStep is the least number of trials, relative to those so far, that an analysis is worth.
const leastStep = 0.05

// next returns the jobs that get the trials up to the next analysis, or else the reason why none
// do.
func (c *fieldRun) next(l *analysis, affordable func(work float64) float64) ([]*job, Stop) {
	before, effort := c.trials, c.study.Trials.Effort
	step := func(trials int) ([]*job, float64) {
		c.trials, l.trials = trials, trials
		lagging := c.lagging(l)
		return lagging, c.work(lagging)
	}
	after, least := c.study.Trials.next(before), c.study.Trials.Min
	if before < least {
		after = min(after, least)
	}
	lagging, work := step(after)
	if before < c.least {
		return lagging, Exhausted
	}
	if effort > 0 && before >= least && c.spent+work > effort {
		step(before)
		return nil, Spent
	}
	if share := affordable(work); share < 1 {
		fewer := int(share * float64(after-before))
		if fewer == 0 || float64(fewer) < leastStep*float64(before) {
			step(before)
			return nil, OutOfTime
		}
		lagging, _ = step(before + fewer)
	}
	return lagging, Exhausted
}

// lagging returns the jobs that need more trials before the analysis can be judged: jobs that the
// choice needs, the first and possible baselines up to the smallest number of trials, and the
// baseline until its time is known well enough.
func (c *fieldRun) lagging(l *analysis) []*job {
	lagging := c.selector.lagging(l)
	least := c.study.Trials.Min
	base, _ := c.baseline(l)
	need := func(j *job) {
		if j.target < l.trials && !slices.Contains(lagging, j) {
			lagging = append(lagging, j)
		}
	}
	if c.jobs[0].target < least {
		need(c.jobs[0])
	}
	if j := c.jobs[base.Config]; j.target < least || !c.reported(l, l.within(l.tolerance)) {
		need(j)
	}
	for _, x := range c.plain {
		if j := c.jobs[x.Config]; j.target < least && j.lowest() < c.plainly(l, base) {
			need(j)
		}
	}
	return lagging
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
		if !j.simulated() {
			return false
		}
		i := newInterval(j.target, c.study.Trials.Confidence, &j.shape)
		return i.precise(j.column(checkpoint), reportedPrecision)
	}
	x := l.candidates[candidate]
	base, _ := c.baseline(l)
	return precise(c.jobs[x.Config], x.checkpoint) && precise(c.jobs[base.Config], base.checkpoint)
}

// baseline returns the plain candidate of the least objective, and that [s].
func (c *fieldRun) baseline(l *analysis) (base candidate, value float64) {
	for i, x := range c.plain {
		if v := c.plainly(l, x); i == 0 || v < value {
			base, value = x, v
		}
	}
	return base, value
}

// plainly returns the objective [s] of a plain candidate, or its lower bound if it has no trials.
func (c *fieldRun) plainly(l *analysis, x candidate) float64 {
	switch j := c.jobs[x.Config]; {
	case j.simulated():
		return j.value(l.objective, x.checkpoint)
	case c.over: // nothing else is going to be
		return math.Inf(1)
	default:
		return j.lowest()
	}
}

// work returns what bringing jobs up to the analysis costs, in simulated messages.
func (c *fieldRun) work(jobs []*job) float64 {
	work := 0.0
	for _, j := range jobs {
		work += float64(c.trials-j.target) * j.shape.Work
	}
	return work
}

// finish makes the decision when the time is over, from the trials that there are.
func (c *fieldRun) finish() {
	c.trials = 0
	for _, j := range c.jobs {
		c.trials = max(c.trials, j.target)
	}
	l := newAnalysis(c)
	for i := range l.values { // what has no trials is not chosen
		if l.have[i] == 0 {
			l.values[i] = math.Inf(1)
		}
		if l.values[i] < l.values[l.best] {
			l.best = i
		}
	}
	verdict := c.selector.judge(l)
	c.decide(OutOfTime, l, &verdict)
}

// decide makes the decision from what is known.
func (c *fieldRun) decide(stop Stop, l *analysis, verdict *verdict) {
	risk := verdict.risk()
	base, value := c.baseline(l)
	column := c.jobs[base.Config].tested(l.objective, base.checkpoint)
	choice := Choice{
		Star: c.order[verdict.star].Candidate, Low: c.order[verdict.low].Candidate,
		Argmin:     c.order[l.best].Candidate,
		Objective:  l.values[verdict.star],
		Base:       base.Candidate,
		Baseline:   value,
		Without:    c.without(c.order[verdict.star], l),
		Estimate:   c.estimate(l),
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
			choice.Near = append(choice.Near, Option{c.order[i].Candidate, l.values[i]})
		}
	}
	c.decision = Decision{Stop: stop, Choice: choice}
	for _, j := range c.jobs {
		c.decision.Results = append(c.decision.Results, j.result(c.study.Trials.Confidence))
	}
}
