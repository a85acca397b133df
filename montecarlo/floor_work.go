package montecarlo

import (
	"math"
	"slices"
)

// works returns the work [messages] that it is likely to take to show that each candidate is within the
// tolerance of the floor.
func (f *floorRun) works(l *analysis) []float64 {
	most := slices.Max(l.have)
	work, floor, scatter := make([]float64, len(l.have)), f.column(0), f.scatter(l, most)
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

// scatter returns the standard deviation [s] of what a trial of the first candidate with the given number
// of them takes above the floor; 0 if these are few.
func (f *floorRun) scatter(l *analysis, trials int) float64 {
	floor, column := f.column(0), l.columns[slices.Index(l.have, trials)]
	n := min(trials, len(floor))
	if n <= fewTrials {
		return 0
	}
	above := make([]float64, n)
	for k := range above {
		above[k] = column[k] - floor[k]
	}
	_, scatter := meanStdDev(above)
	return scatter
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

// exceeds returns the statement that a candidate exceeds others, in the trials that these have, by at most
// the tolerance.
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

// until returns how many of the trials that comparing all takes a job is likely to get: until it is shown
// not to be the best, where few trials say that.
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
