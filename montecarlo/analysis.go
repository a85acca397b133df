package montecarlo

import (
	"cmp"
	"math"
	"slices"
)

// An analysis is the state of a field at a number of trials after which its choice is judged.
type analysis struct {
	trials     int // that jobs need before it is judged
	number     int // of analyses from the first informative one on
	objective  *Objective
	asked      float64     // the tolerance of the choice
	tolerance  float64     // within which a candidate is to be known first, at least as much
	allowed    float64     // risk
	candidates []candidate // of all candidates, in the order of preference
	jobs       []*job
	compared   []bool
	floor      *job // nil without one
	aim        aim
	// columns are each candidate's completions [s], by trial. A candidate that was too slow
	// has only have trials; its lower bound stands for the others.
	columns [][]float64
	have    []int
	least   []float64 // of each job: a lower bound of its objective [s]
	out     []bool    // candidates that are not compared so far
	values  []float64 // of the objective: estimates [s], or the lower bound if it has no trials
	best    int       // the candidate of the least value
	// hit is the most [s] that one detour or event delays. Where lengths have no bound, longer
	// ones delay a trial by no more than slack on average, a tenth of the tolerance.
	hit, slack float64
	promising  []int // candidates that are tested where trials take long, nil before that is asked
	begins     bool  // the tests of those begin, even if they have begun before
	last       bool  // no trials follow, so that a test which began anew would only lose its evidence
}

// slackShare is the share of the tolerance that hits longer than the guard may make up.
const slackShare = 0.1

// newAnalysis returns the state of the field, whose selector leaves out what is not compared any more.
func (c *fieldRun) newAnalysis() *analysis {
	l := &analysis{
		trials: c.trials, number: c.analyses, objective: &c.study.Objective,
		asked: c.study.Tolerance, tolerance: c.tolerance, allowed: 1 - c.study.Trials.Confidence,
		candidates: c.order, jobs: c.jobs, compared: c.compared,
	}
	leasts := make([][]float64, len(l.jobs))
	for i, j := range l.jobs {
		if l.least = append(l.least, c.leastOf(j)); c.floor != nil {
			l.floor, leasts[i] = c.floor.job, c.floor.leasts(j)
		}
	}
	n, seen := len(l.candidates), l.seen()
	l.columns, l.have = make([][]float64, n), make([]int, n)
	l.out, l.values = make([]bool, n), make([]float64, n)
	for i, x := range l.candidates {
		j := c.jobs[x.Config]
		if !c.compared[x.Config] || x.checkpoint >= len(j.shape.Checkpoints) {
			l.out[i], l.values[i] = true, math.Inf(1)
			continue
		}
		column := j.tested(l.objective, x.checkpoint)
		l.have[i], l.values[i] = len(column), l.least[x.Config]
		if len(column) > 0 {
			l.values[i] = c.estimate(j, x.checkpoint)
		}
		for trial := len(column); trial < seen; trial++ { // it has been found to be too slow
			least := j.lowest()
			if trial < len(leasts[x.Config]) {
				least = leasts[x.Config][trial]
			}
			column = append(column, least)
		}
		l.columns[i] = column
		if l.values[i] < l.values[l.best] {
			l.best = i
		}
	}
	l.guard(c)
	if tests, ok := c.selector.(*candidateTests); ok {
		tests.leaveOut(l)
	}
	return l
}

// estimate returns the objective [s] at a checkpoint of a job with trials: of as many as the floor has, if
// the job has fewer. What means of different trials have in common is the floor.
func (c *fieldRun) estimate(j *job, checkpoint int) float64 {
	value := j.value(&c.study.Objective, checkpoint)
	if c.floor == nil || j.target >= c.floor.target {
		return value
	}
	floor := c.floor.column(0)
	return value * mean(floor) / mean(floor[:j.target])
}

// seen returns the most trials that a job has, on which choices of what to test may rest.
func (l *analysis) seen() int {
	seen := l.trials
	for _, j := range l.jobs {
		seen = max(seen, j.target)
	}
	if l.floor != nil {
		seen = max(seen, l.floor.target)
	}
	return seen
}

func (l *analysis) guard(c *fieldRun) {
	lowest := math.Inf(1)
	for i, j := range l.jobs {
		if c.compared[i] {
			lowest = min(lowest, j.lowest())
		}
	}
	slack := slackShare * l.asked * lowest
	for i, j := range l.jobs {
		if !c.compared[i] {
			continue
		}
		hit, tail := j.shape.Hit, j.shape.Tail
		if tail != nil {
			l.slack = slack
			for tail(hit) > slack {
				hit *= 1.1
			}
		}
		l.hit = max(l.hit, hit)
	}
}

func (l *analysis) job(candidate int) *job { return l.jobs[l.candidates[candidate].Config] }

// leastOf returns a lower bound of a candidate's objective [s].
func (l *analysis) leastOf(candidate int) float64 { return l.least[l.candidates[candidate].Config] }

// behind returns the needed jobs that have fewer trials than the analysis.
func (l *analysis) behind(needed func(*job) bool) []*job {
	var behind []*job
	for _, j := range l.jobs {
		if j.target < l.trials && needed(j) {
			behind = append(behind, j)
		}
	}
	if j := l.floor; j != nil && j.target < l.trials && needed(j) {
		behind = append(behind, j)
	}
	return behind
}

// within returns the first candidate whose value exceeds the best by at most the share.
func (l *analysis) within(share float64) int {
	return slices.IndexFunc(l.values, func(v float64) bool { return v <= (1+share)*l.values[l.best] })
}

// bestOfJobs returns a candidate of each job that has trials and is near the best of all: the first one
// within half of the tolerance of the job's best.
func (l *analysis) bestOfJobs() (best []int) {
	objective, least := map[*job]float64{}, math.Inf(1)
	for i, v := range l.values {
		if j := l.job(i); l.have[i] > 0 {
			objective[j] = min(v, cmp.Or(objective[j], v))
			least = min(least, v)
		}
	}
	for i, v := range l.values {
		j := l.job(i)
		if x, ok := objective[j]; ok && x <= (1+wideTolerance)*least && v <= (1+l.asked/2)*x {
			best = append(best, i)
			delete(objective, j)
		}
	}
	return best
}

// reference returns the candidate of the least value among the candidates with the most trials. The
// best may get no more of them, as what is nearly as good and has fewer messages is chosen.
func (l *analysis) reference() int {
	most, least := slices.Max(l.have), -1
	for i, v := range l.values {
		if l.have[i] == most && (least < 0 || v < l.values[least]) {
			least = i
		}
	}
	return least
}

// notWorse returns the evidence, from the trials from one on, that a candidate's objective is
// at most a times another's.
func (l *analysis) notWorse(candidate, other, from int, a, outside float64) evidence {
	n := l.have[candidate]
	if n <= from {
		return fixedRisk(1)
	}
	looks := [2]int{l.have[other] - from}
	if l.floor != nil {
		looks[1] = l.floor.target - from
	}
	return l.objective.test(comparison{
		worse: l.columns[other][from:n], better: l.columns[candidate][from:n],
		a: a, b: 1, slack: l.slack, hit: l.hit, outside: outside, looks: looks,
	})
}

// tooLarge returns the evidence, from the trials from one on, that a candidate's objective exceeds
// the objective of others, given their completions [s], by more than half of the tolerance; hit [s]
// is the most by which one hit can contradict it.
func (l *analysis) tooLarge(candidate, from int, others []float64, hit, outside float64) evidence {
	if len(others) == 0 {
		return fixedRisk(1)
	}
	return l.objective.test(comparison{
		worse: l.columns[candidate][from : from+len(others)], better: others,
		a: 1, b: 1 + l.tolerance/2, slack: l.slack, hit: hit, outside: outside,
	})
}
