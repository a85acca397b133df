package montecarlo

import (
	"slices"
	"sort"
)

// A fixedSequence chooses among the redundancies of one collective whose completion falls with T in
// every trial. So the largest T is the best, and every other T needs to be compared only with it.
//
// The candidates are tested from the largest T down, each at the whole risk allowed, up to the
// first that fails: such a fixed sequence errs no more often than one test of it. The choice is
// the last that passes. From T = 0 up they are tested for being too large by more than half of
// the tolerance, up to the first that is not.
type fixedSequence struct{}

func (fixedSequence) lagging(l *analysis) []*job { return l.behind(func(*job) bool { return true }) }

func (fixedSequence) judge(l *analysis) verdict {
	best := len(l.candidates) - 1
	var c verdict
	// Completions fall with T, and so does the evidence against a T.
	c.star = sort.Search(best, func(T int) bool {
		s := fixedSequence{}.good(l, T)
		if s.holds() {
			c.statements = []statement{s} // the last that holds is about star
		}
		return s.holds()
	})
	c.low = sort.Search(c.star, func(T int) bool { return !fixedSequence{}.refused(l, T).holds() })
	return c
}

// open returns the questions that keep a smaller T from being chosen or refused.
func (fixedSequence) open(l *analysis, c *verdict) []question {
	var open []question
	for T := c.low; T < c.star; T++ {
		open = append(open, question{fixedSequence{}.good(l, T), fixedSequence{}.refused(l, T)})
	}
	return open
}

func (fixedSequence) good(l *analysis, T int) statement {
	allowed := l.allowed * l.objective.riskShare(l.number)
	best := len(l.candidates) - 1
	return statement{
		evidence: l.notWorse(T, best, 0, 1+l.tolerance, outsideShare*allowed),
		factor:   1 / l.objective.riskShare(l.number), allowed: l.allowed, other: best,
	}
}

// refused returns the statement that T is too large by more than half of the tolerance.
//
// The difference from T to the largest is never negative, so that what speaks against T being
// too large is half of the tolerance, of the largest T's completion.
func (fixedSequence) refused(l *analysis, T int) statement {
	allowed := l.allowed * l.objective.riskShare(l.number)
	best := len(l.candidates) - 1
	hit := l.tolerance / 2 * (slices.Max(l.columns[best]) + l.hit)
	return statement{
		evidence: l.tooLarge(T, 0, l.columns[best], hit, outsideShare*allowed),
		factor:   1 / l.objective.riskShare(l.number), allowed: l.allowed, other: best,
	}
}
