package reproduce

import (
	"fmt"
	"math"
)

// The rule by which two numbers agree. A difference in percent is judged as the ratio that it
// stands for, so that a gain of 24.1 % and a speed-up of 1.241 are the same claim.
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
	return fmt.Sprintf("**When numbers agree.** One rule for all papers. What is published as a "+
		"ratio (a speed-up, a slow-down, a part of the theory) or as a gain or loss in percent is "+
		"judged by its difference from 1, a gain of 24.1 %% as 1.241: ours agrees if that difference "+
		"is within a third of the published one, or within %g if that is more. A quantity with a unit "+
		"(a time, a rate) agrees within %.0f %%. Where a confidence interval of ours lies across such "+
		"a bound it cannot be told. Claims in words have their own reading, in their row.",
		leastEffect, 100*tolerance)
}

// near returns the verdict of a published quantity whose counterpart has a confidence interval
// from low to high.
func near(low, high, published float64) Verdict {
	least, most := published*(1-tolerance), published*(1+tolerance)
	return within(low, high, min(least, most), max(least, most))
}

// nearRatio returns the verdict of a published ratio whose counterpart has a confidence interval
// from low to high.
func nearRatio(low, high, published float64) Verdict {
	off := max(effectTolerance*math.Abs(published-1), leastEffect)
	return within(low, high, published-off, published+off)
}
