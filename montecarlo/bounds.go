package montecarlo

import (
	"cmp"
	"math"
	"slices"
)

// Bounds are found from one over this number to this number.
const largestNumber = 1e5

// regret returns an upper bound, with the confidence asked for, of the relative excess of the
// verdict's choice over the best objective; +Inf if no bound holds.
func (l *analysis) regret(c *verdict) float64 {
	if l.objective.test == nil {
		return math.Inf(1)
	}
	hardest := slices.SortedFunc(slices.Values(c.statements), func(a, b statement) int {
		return cmp.Compare(b.probability(1), a.probability(1))
	})
	regret := 0.0
	for _, s := range hardest {
		if s.other == c.star || s.notBest {
			continue
		}
		holds := func(excess float64) bool {
			outside := outsideShare * s.allowed / s.factor
			s.evidence = l.notWorse(c.star, s.other, c.from, 1+excess, outside)
			return s.holds()
		}
		if regret > 0 && holds(regret) {
			continue
		}
		const step = 0.02
		excess := leastNumber(holds, l.tolerance, step)
		if s.shown > 0 {
			excess = min(excess, s.shown)
		}
		regret = max(regret, excess)
	}
	if c.risk() <= l.allowed { // as an earlier analysis may have shown
		regret = min(regret, l.tolerance)
	}
	return roundUp(regret)
}

// gain returns a lower bound of the ratio of the baseline's objective to the objective of the
// verdict's choice, given the baseline's completions, and of how many plain candidates it is the
// best. As both may have been chosen for seeming fast by chance, the risk is shared by all pairs of
// them.
func (l *analysis) gain(c *verdict, baseline []float64, plain int) float64 {
	if l.objective.test == nil {
		return 0
	}
	n := min(len(baseline), l.have[c.star])
	if n == 0 {
		return 0
	}
	s := statement{
		factor:  float64(plain*len(l.candidates)) / l.objective.riskShare(l.number),
		allowed: l.allowed,
	}
	holds := func(a float64) bool {
		s.evidence = l.objective.test(comparison{
			worse: baseline[:n], better: l.columns[c.star][:n], a: a, b: 1,
			slack: l.slack, hit: l.hit, outside: outsideShare * l.allowed / s.factor,
		})
		return s.holds()
	}
	likely := l.values[c.star] / l.objective.of(baseline)
	const step = 0.005
	return 1 / roundUp(leastNumber(holds, likely, step))
}

// leastNumber returns, up to a relative step, the least positive number for which a statement
// holds, given that it then holds for larger ones too; +Inf if it never holds. The search begins at
// the likely one.
func leastNumber(holds func(float64) bool, likely, step float64) float64 {
	const least, most = 1 / largestNumber, largestNumber
	low := min(max(likely, least), most)
	high := low
	if holds(low) {
		for width := 1.1; ; width *= width {
			if low = max(least, high/width); !holds(low) {
				break
			}
			if high = low; low == least {
				return least
			}
		}
	} else {
		for width := 1.1; ; width *= width {
			if high = min(most, low*width); holds(high) {
				break
			}
			if low = high; high == most {
				return math.Inf(1)
			}
		}
	}
	for high > low*(1+step) {
		if middle := math.Sqrt(low * high); holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// roundUp rounds a bound up to four digits, so that it is the same on all processors.
func roundUp(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return x
	}
	digit := math.Pow(10, math.Floor(math.Log10(x))-3)
	return math.Ceil(x/digit) * digit
}
