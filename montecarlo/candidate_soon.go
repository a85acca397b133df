package montecarlo

import (
	"cmp"
	"math"
	"slices"
)

// Where trials take long, some candidate is to be known to be good before others with fewer messages are
// asked about. Its rivals get as few trials as that takes.

// Trials take long if the likely number of them is at least many, and their work [messages] is at least long.
const (
	many = 30
	long = 3e8
)

// likely returns about how many trials show that one of two equal candidates is good: bets can lose a hit in
// a trial, and gain the tolerance.
func (l *analysis) likely(tolerance float64) float64 {
	return math.Log(2/l.allowed) * l.hit / (tolerance * l.values[l.best])
}

// takesLong reports whether trials take long.
func (n *candidateTests) takesLong(l *analysis) bool {
	likely := l.likely(l.asked)
	if !n.soon || !l.objective.sequential || likely < many {
		return false
	}
	work := 0.0
	for _, j := range l.jobs {
		if j.simulated() {
			work += j.shape.Work
		}
	}
	return likely*work >= long
}

// seeks reports whether all are compared to find a good candidate, whatever it sends.
func (n *candidateTests) seeks(l *analysis) bool {
	return l.aim.near == nil && n.known(l) < 0 && n.takesLong(l)
}

// Few trials say little about which candidate is the best. So tests that begin earlier than enough get less
// of the risk, as if they were the numbers from earlyNumber on. Then several begin at once, and others when
// there are fartherApart times as many trials.
const (
	earlyShare, leastEnough = 0.1, 3
	earlyNumber             = 6
	atOnce                  = 4
	fartherApart            = 4
)

// enough returns the number of trials after which tests begin. Where a floor shows when all are to be
// compared, these may be many already.
func (l *analysis) enough() float64 {
	if l.floor != nil {
		return leastEnough
	}
	return max(leastEnough, earlyShare*l.likely(l.asked))
}

// next returns the number of the next test, from 1 on.
func (n *candidateTests) next(l *analysis) int {
	number := 1
	if n.takesLong(l) && float64(l.seen()) < l.enough() {
		number = earlyNumber
	}
	for slices.Contains(n.numbers, number) {
		number++
	}
	return number
}

// shareOf returns the share of the risk of the test of a number. All of them sum to 1.
func shareOf(number int) float64 { return 1 / float64(number*(number+1)) }

// promising returns the candidate that is likely to be known to be good first, or those whose tests begin.
func (n *candidateTests) promising(l *analysis) (candidates []int, begin bool) {
	best, least, begun := -1, math.Inf(1), 0
	for _, test := range n.tests {
		if until := n.until(l, test.candidate, test.from, test.riskShare); best < 0 || until < least {
			best, least = test.candidate, until
		}
		begun = max(begun, test.from)
	}
	next, seen := l.within(l.asked/8), l.seen()
	if enough := l.enough(); float64(seen) >= enough && float64(begun) < enough {
		return n.first(l, next), true
	}
	test, number := n.find(next), n.next(l)
	if best < 0 || (test == nil || number < test.number) && seen >= fartherApart*begun &&
		float64(seen)+n.until(l, next, 0, shareOf(number)) < worthwhile*least {
		return []int{next}, true
	}
	return []int{best}, false
}

// begin begins the test of a candidate that has none, or has one with less of the risk than it gets now.
func (n *candidateTests) begin(l *analysis, candidate int) {
	test := n.find(candidate)
	if test == nil {
		test = &candidateTest{candidate: candidate, riskShare: 1, number: math.MaxInt,
			probability: slices.Repeat([]float64{1}, len(l.candidates)),
			shown:       slices.Repeat([]float64{math.Inf(1)}, len(l.candidates))}
		n.tests = append(n.tests, test)
	}
	if number := n.next(l); l.objective.sequential && number < test.number {
		test.from, test.number, test.riskShare = l.seen(), number, shareOf(number)
		n.numbers = append(n.numbers, number)
	}
}

// first returns the candidates whose tests begin when there are enough trials: one, and the best of other
// jobs.
func (n *candidateTests) first(l *analysis, next int) []int {
	others := l.bestOfJobs()
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(l.values[a], l.values[b]) })
	first := []int{next}
	for _, other := range others {
		if l.job(other) != l.job(next) && len(first) < atOnce {
			first = append(first, other)
		}
	}
	return first
}

// worthwhile is how few trials a new test has to take, for those of the tests that have begun.
const worthwhile = 0.8

// until returns after how many trials a test is likely to show that a candidate is good; +Inf if never.
func (n *candidateTests) until(l *analysis, candidate, from int, share float64) float64 {
	until := float64(from)
	test := n.find(candidate)
	for rival := range n.rivals(l) {
		both := min(l.have[candidate], l.have[rival])
		settled := n.settled(l, test, rival)
		if rival == candidate || settled || both <= from {
			continue
		}
		s := statement{factor: 1 / share, allowed: l.allowed}
		s.evidence = l.objective.test(comparison{
			worse: l.columns[rival][from:both], better: l.columns[candidate][from:both],
			a: 1 + l.tolerance, b: 1, slack: l.slack, hit: l.hit, outside: outsideShare * l.allowed / s.factor,
		})
		times := question{s}.needed()
		if times == 0 {
			return math.Inf(1)
		}
		until = max(until, float64(from)+times*float64(both-from))
	}
	return until
}
