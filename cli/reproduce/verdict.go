package reproduce

import (
	"fmt"
	"math"
)

// A Verdict is the outcome of judging a claim.
type Verdict int

// Verdicts. The zero value says that a claim cannot be judged.
const (
	Inconclusive Verdict = iota
	Holds
	Fails
	Constructed // true of the model or its input, so that it is not evidence
)

// String returns the verdict in words.
func (v Verdict) String() string {
	return [...]string{"inconclusive", "holds", "does not hold", "by construction"}[v]
}

// verdict returns Holds or Fails.
func verdict(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

// all returns the verdict of claims together: Fails if one does, else Inconclusive if one is or
// without claims.
func all(verdicts ...Verdict) Verdict {
	together := Inconclusive
	for i, v := range verdicts {
		switch {
		case v == Fails:
			return Fails
		case i == 0 || v == Inconclusive:
			together = v
		}
	}
	return together
}

// The rule by which two numbers agree. A difference in percent is judged as the ratio that it
// stands for, so that a gain of 24.1% and a speed-up of 1.241 are the same claim.
const (
	// tolerance is the relative difference up to which a quantity with a unit agrees with one
	// measured on a real machine, or in a simulator of another kind.
	tolerance = 0.1
	// effectTolerance is the part of its published difference from 1 by which a ratio may be off.
	effectTolerance = 1. / 3
	// leastEffect is the difference of two ratios that always agree.
	leastEffect = 0.02
)

// toleranceRule returns the rule in words.
func toleranceRule() string {
	return fmt.Sprintf("**When numbers agree.** One rule applies to all papers. A published ratio "+
		"(a speed-up, a slow-down, a part of the theory), gain or loss is judged by its difference "+
		"from 1; a gain of 24.1%% is 1.241. Ours agrees if that difference is within a third of the "+
		"published one, or within %g if that is more. A quantity with a unit (a time, a rate) agrees "+
		"within %.0f%%. If our confidence interval lies across such a bound, the claim is "+
		"inconclusive. Claims in words have their own reading, in their row.", leastEffect, 100*tolerance)
}

// within returns the verdict of a number that should be between least and most: Inconclusive if
// only a part of its interval is.
func (e estimate) within(least, most float64) Verdict {
	switch {
	case least <= e.low && e.high <= most:
		return Holds
	case e.high < least || most < e.low:
		return Fails
	}
	return Inconclusive
}

// atLeast returns the verdict of a number that should be at least a bound.
func (e estimate) atLeast(bound float64) Verdict { return e.within(bound, math.Inf(1)) }

// atMost returns the verdict of a number that should be at most a bound.
func (e estimate) atMost(bound float64) Verdict { return e.within(math.Inf(-1), bound) }

// near returns the verdict of the counterpart of a published quantity.
func (e estimate) near(published float64) Verdict {
	least, most := published*(1-tolerance), published*(1+tolerance)
	return e.within(min(least, most), max(least, most))
}

// nearRatio returns the verdict of the counterpart of a published ratio.
func (e estimate) nearRatio(published float64) Verdict {
	off := max(effectTolerance*math.Abs(published-1), leastEffect)
	return e.within(published-off, published+off)
}

// above judges that a number is above another, whose errors are independent.
func (e estimate) above(u estimate) Verdict { return e.of(u).atLeast(1) }

// allWithin returns the verdict of numbers that should all be between least and most.
func allWithin(estimates []estimate, least, most float64) Verdict {
	var verdicts []Verdict
	for _, e := range estimates {
		verdicts = append(verdicts, e.within(least, most))
	}
	return all(verdicts...)
}

// unsimulated judges claims about what is not simulated here, or not in results.
func unsimulated(ours string) judge {
	return func(*Results, *Claim) (string, Verdict) { return ours, Inconclusive }
}
