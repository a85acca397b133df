package measured

import (
	"fmt"
	"math"
	"sort"

	"jitterfly/internal/rng"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

const (
	// mostKS is the distance between the lengths of the components and of the trace that is good,
	// unless chance explains more, 1.36/√n; lengths may be off by [constantWithin].
	mostKS = 0.05
	// mostOverheadError is the relative error of the overhead that is good, unless
	// three standard errors of what is not periodic are more.
	mostOverheadError = 0.05
	// mostTailError is the relative error of the 99.9th percentile that is good,
	// beyond two standard errors of its share. It does not count if fewer than
	// leastTail detours exceed that percentile.
	mostTailError = 0.25
	leastTail     = 3
	// mostSimulated is about how many detours of the components are drawn at most.
	mostSimulated = 1 << 17
)

// criterion is the same in words.
var criterion = fmt.Sprintf("distance of lengths at most %g, error of the overhead %g%%, of the "+
	"99.9th percentile %g%%, each beyond what chance explains; arrivals that are periodic or without "+
	"memory except %g %% of the noise", mostKS, 100*mostOverheadError, 100*mostTailError, 100*minorShare)

// exactly returns a relative error, 0 if it is that of rounding.
func exactly(relative float64) float64 {
	if math.Abs(relative) < 1e-12 {
		return 0
	}
	return relative
}

// goodness compares what a tool would see of the components with what was seen. rest
// are the lengths of the detours that are not periodic.
func (s seen) goodness(p profile.Profile, rest []float64) *profile.Fit {
	n := float64(len(s.lengths))
	model := simulated(p.OS, min(mostSimulated, 1e4+4*n))
	busy := sum(s.lengths)
	tail := at(s.lengths, 0.999)
	f := &profile.Fit{
		Criterion:     criterion,
		KS:            distance(s.lengths, cdf(model), constantWithin, s.quantum),
		OverheadError: exactly(p.Overhead()*s.span/busy - 1),
		P999Error:     exactly(at(model, 0.999)/tail - 1),
		Verdict:       profile.Good,
	}
	mayKS := max(mostKS, 1.36/math.Sqrt(n))
	mayOverhead := max(mostOverheadError, 3*math.Sqrt(squaresAbout(0, rest))/busy)
	below, above := 0.0, math.Inf(1)
	if 0.001*n >= leastTail {
		off := 2 * math.Sqrt(0.001/n)
		below = (1 - mostTailError) * at(s.lengths, 0.999-off)
		above = (1 + mostTailError) * at(s.lengths, min(1, 0.999+off))
	}
	switch q := at(model, 0.999); {
	case f.KS > mayKS:
		f.Reason = fmt.Sprintf("the lengths of the components are %.2g from the lengths of the trace, and "+
			"may be %.2g", f.KS, mayKS)
	case math.Abs(f.OverheadError) > mayOverhead:
		f.Reason = fmt.Sprintf("the overhead of the components is off by %.2g%%, and may be by %.2g%%",
			100*f.OverheadError, 100*mayOverhead)
	case q < below || q > above:
		f.Reason = fmt.Sprintf("a thousandth of the components' detours exceed %.3g s, where from %.3g to "+
			"%.3g s are good", q, below, above)
	}
	if f.Reason != "" {
		f.Verdict = profile.ReplayIt
	}
	return f
}

// simulated returns the lengths, in ascending order, of what a tool would see of about n detours of
// the components: detours that meet are one.
func simulated(components []profile.Component, n float64) []float64 {
	p := profile.Profile{OS: components}
	span := n / p.Rate()
	detours := p.Draw(rng.NewKey(0, "goodness of fit"), span)
	c, _, err := noise.NewCore(0, span, detours)
	if err != nil { // no time is left for anything else
		c.Detours = detours
	}
	return noise.Trace{Cores: []noise.Core{c}}.Lengths()
}

func cdf(values []float64) func(x float64) float64 {
	return func(x float64) float64 {
		upTo := sort.Search(len(values), func(i int) bool { return values[i] > x })
		return float64(upTo) / float64(len(values))
	}
}
