package montecarlo

import (
	"iter"
	"math"
	"slices"
)

// candidateTests choose among candidates of which any may be the best.
//
// Each interim analysis begins a test of the first candidate that seems to be within the tolerance of the
// best, of the first within half of it, and where a trial takes long, of the first within an eighth;
// candidate_soon.go has what is tested where many trials take long. The evidence of a test comes from the
// trials after its beginning, which do not depend on why that candidate was taken. It has to hold against
// each rival. The m-th test has the share 1/(m(m+1)) of the risk, so that all tests together err no more
// often than is allowed.
//
// A rival that is shown to be worse than a tested candidate is not the best, and later tests need not
// compare with it. That takes no more of the risk: it is an error only if the rival is the best, and then
// bets that the rival is worse than the candidate earn in no trial more than bets that the candidate is
// good. So a candidate that is not good makes both errors only with what already is one, and a good
// candidate can only make the first.
type candidateTests struct {
	tests      []*candidateTest
	refused    []bool      // candidates that are too large by more than half of the tolerance
	best       []float64   // the least probability so far that each candidate may be the best
	references []reference // for objectives that are sequential
	soon       bool        // a good candidate is to be known soon
	sought     bool        // all were compared to find one
	numbers    []int       // of the tests so far
}

// A reference is what candidates with fewer messages are compared with, in the trials after an
// analysis and up to the next reference.
//
// Of many candidates the one that seems best in some trials does so partly by chance. In these it
// exceeds one that is as good more often than is allowed, but further trials do not depend on that.
// A candidate that is not too large is not so against any reference, so bets against one reference
// after the other are not expected to gain either.
type reference struct{ candidate, from int }

// A candidateTest is the test of a candidate by the trials from one on.
type candidateTest struct {
	candidate, from int
	number          int       // which the share follows from
	riskShare       float64   // of the risk
	probability     []float64 // the least so far, of being wrong about each rival, at the tolerance aimed at
	shown           []float64 // the least tolerance within which it is known to be of each
}

func newCandidateTests(candidates []candidate, soon bool) *candidateTests {
	return &candidateTests{
		soon:    soon,
		refused: make([]bool, len(candidates)), best: slices.Repeat([]float64{1}, len(candidates)),
	}
}

// leaveOut drops the tests of candidates that are not compared any more, and begins with references again
// after one of these.
func (n *candidateTests) leaveOut(l *analysis) {
	n.tests = slices.DeleteFunc(n.tests, func(test *candidateTest) bool { return l.out[test.candidate] })
	if slices.ContainsFunc(n.references, func(r reference) bool { return l.out[r.candidate] }) {
		n.references = nil
	}
}

// rivals returns the candidates that a test has to be compared with. Of a collective whose
// completion falls with T in every trial only the largest T is.
func (n *candidateTests) rivals(l *analysis) iter.Seq[int] {
	return func(yield func(rival int) bool) {
		for rival, x := range l.candidates {
			shape := &l.job(rival).shape
			if l.out[rival] || shape.Monotone && x.T < shape.redundancy() {
				continue
			}
			if !yield(rival) {
				return
			}
		}
	}
}

// settled reports whether a test, which may be nil, has shown that its candidate exceeds a rival by at
// most the tolerance, or a rival is known not to be the best.
func (n *candidateTests) settled(l *analysis, test *candidateTest, rival int) bool {
	return n.best[rival] <= l.allowed || test != nil && test.shown[rival] <= l.tolerance
}

// turnTo has the tests show that a candidate exceeds the best by at most another tolerance than so far.
func (n *candidateTests) turnTo(l *analysis, tolerance float64) {
	if tolerance > l.tolerance {
		clear(n.refused)
	}
	for _, test := range n.tests {
		for rival := range test.probability {
			test.probability[rival] = 1
		}
	}
	l.tolerance = tolerance
	n.compare(l)
}

// worst returns the largest probability of a test of being wrong about a rival.
func (n *candidateTests) worst(l *analysis, test *candidateTest) (worst float64) {
	for rival := range n.rivals(l) {
		worst = max(worst, test.probability[rival])
	}
	return worst
}

// current returns the candidates that are tested: the one that the trials are for, or those that more trials
// of their rivals may show to be good.
func (n *candidateTests) current(l *analysis) []int {
	switch {
	case l.aim.near != nil && l.seen() == leastEnough && n.takesLong(l):
		l.begins = true
		return n.first(l, l.aim.candidate)
	case l.aim.near != nil && l.seen() == fewTrials+1: // if all are compared later, less is seen before
		return append([]int{l.aim.candidate}, l.bestOfJobs()...)
	case l.aim.near != nil || l.aim.known:
		return []int{l.aim.candidate}
	case n.seeks(l):
		if n.sought = true; l.promising == nil {
			l.promising, l.begins = n.promising(l)
		}
		return l.promising
	}
	current := []int{l.within(l.asked), l.within(l.asked / 2)}
	if float64(l.have[l.best])*l.job(l.best).shape.Work > soon { // near the best it is known first
		current = append(current, l.within(l.asked/8))
	}
	return slices.Compact(current)
}

// known returns the first candidate that is known to be good, or −1.
func (n *candidateTests) known(l *analysis) int {
	known := -1
	for _, test := range n.tests {
		if (known < 0 || test.candidate < known) && n.worst(l, test) <= l.allowed {
			known = test.candidate
		}
	}
	return known
}

func (n *candidateTests) find(candidate int) *candidateTest {
	for _, test := range n.tests {
		if test.candidate == candidate {
			return test
		}
	}
	return nil
}

func (n *candidateTests) lagging(l *analysis) []*job {
	if l.aim.near != nil {
		return l.behind(func(j *job) bool { return slices.Contains(l.aim.near, j) })
	}
	needed := map[*job]bool{}
	for _, candidate := range n.current(l) {
		test := n.find(candidate)
		needed[l.job(candidate)] = true
		for rival := range n.rivals(l) {
			if !n.settled(l, test, rival) && l.leastOf(rival) < l.values[candidate] {
				needed[l.job(rival)] = true
			}
		}
	}
	if l.floor != nil || n.seeks(l) {
		return l.behind(func(j *job) bool { return needed[j] })
	}
	for candidate := range n.star(l) {
		near := l.leastOf(candidate) <= (1+l.tolerance/2)*l.values[l.best]
		if near && !n.refused[candidate] && !l.out[candidate] {
			needed[l.job(candidate)] = true
		}
	}
	if last := len(n.references) - 1; last >= 0 {
		needed[l.job(n.references[last].candidate)] = true
	}
	return l.behind(func(j *job) bool { return needed[j] })
}

// star returns the first tested candidate that is good; if none is, the one nearest to it, or
// the first candidate that is good as far as is known.
func (n *candidateTests) star(l *analysis) int {
	if known := n.known(l); known >= 0 {
		return known
	}
	star, least := n.current(l)[0], 1.0
	for _, test := range n.tests {
		if p := n.worst(l, test); p < least {
			star, least = test.candidate, p
		}
	}
	return star
}

func (n *candidateTests) judge(l *analysis) verdict {
	for _, candidate := range n.current(l) {
		if l.begins && !l.last || n.find(candidate) == nil {
			n.begin(l, candidate)
		}
	}
	n.compare(l)
	star := n.star(l)
	for candidate := range star { // one that is not refused keeps no later one from being refused
		if !l.out[candidate] {
			n.refused[candidate] = n.refused[candidate] || n.tooLarge(l, candidate).holds()
		}
	}
	if last := len(n.references) - 1; last < 0 || n.references[last].candidate != l.reference() {
		n.references = append(n.references, reference{l.reference(), l.seen()})
	}
	return n.verdict(l, n.find(star))
}

// verdict returns the verdict whose choice is a tested candidate.
func (n *candidateTests) verdict(l *analysis, test *candidateTest) verdict {
	c := verdict{star: test.candidate, from: test.from}
	for c.low < c.star && (n.refused[c.low] || l.out[c.low]) {
		c.low++
	}
	for rival := range n.rivals(l) {
		s := n.against(l, test, rival, 1+l.tolerance)
		s.evidence = atMost{s.evidence, test.probability[rival] / s.factor}
		if s.notBest = n.best[rival] <= l.allowed; !math.IsInf(test.shown[rival], 1) {
			s.shown = test.shown[rival]
		}
		c.statements = append(c.statements, s)
	}
	return c
}

// closest returns the verdict, of one and those whose choices are tested, whose choice has the least
// bound, when none is known to be good.
func (n *candidateTests) closest(l *analysis, closest verdict) verdict {
	least := l.regret(&closest)
	for _, test := range n.tests {
		c := n.verdict(l, test)
		if regret := l.regret(&c); regret < least {
			closest, least = c, regret
		}
	}
	return closest
}

// compare compares the tested candidates with the rivals that are not known to be worse.
func (n *candidateTests) compare(l *analysis) {
	for _, test := range n.tests {
		for rival := range n.rivals(l) {
			worse := l.values[rival] > (1+l.tolerance)*l.values[test.candidate]
			if n.best[rival] > l.allowed && worse && l.objective.sequential {
				s := n.against(l, test, rival, 1)
				n.best[rival] = min(n.best[rival], s.probability(1))
			}
		}
	}
	for _, test := range n.tests {
		for rival := range n.rivals(l) {
			switch p := test.probability[rival]; {
			case p <= l.allowed:
			case test.shown[rival] <= l.tolerance:
				test.probability[rival] = l.allowed
			case n.best[rival] <= l.allowed:
				test.probability[rival] = n.best[rival]
			default:
				s := n.against(l, test, rival, 1+l.tolerance)
				test.probability[rival] = min(p, s.probability(1))
			}
			if test.probability[rival] <= l.allowed {
				test.shown[rival] = min(test.shown[rival], l.tolerance)
			}
		}
	}
}

// open returns the questions whether the choice is good, and whether smaller candidates may be.
func (n *candidateTests) open(l *analysis, c *verdict) []question {
	var open []question
	if c.risk() > l.allowed {
		open = append(open, question{n.hardest(l, n.find(c.star))})
	}
	for candidate := c.low; candidate < c.star; candidate++ {
		if n.refused[candidate] || l.out[candidate] {
			continue
		}
		q := question{n.tooLarge(l, candidate)}
		if test := n.find(candidate); test != nil {
			q = append(q, n.hardest(l, test))
		}
		open = append(open, q)
	}
	return open
}

// hardest returns the least certain statement of a test.
func (n *candidateTests) hardest(l *analysis, test *candidateTest) statement {
	hardest, worst := 0, -1.0
	for rival := range n.rivals(l) {
		if p := test.probability[rival]; p > worst {
			hardest, worst = rival, p
		}
	}
	return n.against(l, test, hardest, 1+l.tolerance)
}

// against returns the statement that a tested candidate is at most a times a rival.
func (n *candidateTests) against(l *analysis, test *candidateTest, rival int, a float64) statement {
	s := statement{
		factor:  1 / (l.objective.riskShare(l.number) * test.riskShare),
		allowed: l.allowed, other: rival,
	}
	if rival == test.candidate {
		s.evidence = fixedRisk(0)
		return s
	}
	s.evidence = l.notWorse(test.candidate, rival, test.from, a,
		outsideShare*l.allowed/s.factor)
	return s
}

// tooLarge returns the statement that a candidate is not as good as another.
func (n *candidateTests) tooLarge(l *analysis, candidate int) statement {
	s := statement{factor: 1 / l.objective.riskShare(l.number), allowed: l.allowed, other: l.reference()}
	from, others := 0, l.columns[s.other][:l.have[s.other]]
	if l.objective.sequential {
		from, others = n.ofReferences(l)
	}
	s.evidence = l.tooLarge(candidate, from, others, l.hit, outsideShare*l.allowed/s.factor)
	return s
}

// ofReferences returns the references' completions [s], each in its trials, and the first of these.
func (n *candidateTests) ofReferences(l *analysis) (from int, column []float64) {
	if len(n.references) == 0 {
		return 0, nil
	}
	for i, x := range n.references {
		last, to := i+1 == len(n.references), l.have[x.candidate]
		if !last {
			to = min(to, n.references[i+1].from)
		}
		if to > x.from {
			column = append(column, l.columns[x.candidate][x.from:to]...)
		}
		if !last && to < n.references[i+1].from { // the trials of later ones do not follow
			break
		}
	}
	return n.references[0].from, column
}
