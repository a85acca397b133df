package measured

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/noise"
)

const (
	// minorShare is the share of all noise up to which the rest need not be a Poisson process.
	minorShare = 0.05
	// mostGapKS is the Kolmogorov–Smirnov distance up to which gaps count as
	// exponential, or the 99th percentile for n gaps, 1.63/√n, if that is more.
	mostGapKS = 0.05
	// mostDispersion is by how much the variance of counts may differ from their
	// mean, relative to it, unless five standard errors are more.
	mostDispersion = 0.5
)

// remainder returns why the detours of no component are not a Poisson process: as a reason to
// replay the trace or, if they are a minor part of the noise, as a caveat. Both are empty if they
// are one. left are the lengths of these detours, all the lengths of all detours.
func remainder(cores []noise.Core, left, all []float64) (reason, caveat string) {
	why := memory(cores)
	switch share := sum(left) / sum(all); {
	case why == "":
		return "", ""
	case share <= minorShare:
		return "", fmt.Sprintf("The %.2g%% of the noise that are called Poisson are not: %s.", 100*share, why)
	default:
		return fmt.Sprintf("the arrivals of %.3g%% of the noise are neither periodic nor without memory: %s",
			100*share, why), ""
	}
}

// memory returns in what the arrivals of the detours of no component differ from a
// Poisson process, "" if in nothing. Of a Poisson process
//
//   - the gaps from an end to the next start are exponential, also after merged
//     detours;
//   - the number of starts in a window of time has a variance equal to its mean,
//     which it has not where short gaps follow short ones.
func memory(cores []noise.Core) string {
	var gaps []float64
	for _, c := range cores {
		for i := 1; i < len(c.Detours); i++ {
			gaps = append(gaps, max(0, c.Detours[i].Start-c.Detours[i-1].End()))
		}
	}
	if len(gaps) < fewDetours {
		return ""
	}
	slices.Sort(gaps)
	n, average := float64(len(gaps)), mean(gaps)
	d := distance(gaps, func(x float64) float64 { return -math.Expm1(-max(0, x) / average) }, 0, 0)
	if most := max(mostGapKS, 1.63/math.Sqrt(n)); d > most {
		return fmt.Sprintf("the distribution of gaps is %.2g from the exponential one, and may be %.2g", d,
			most)
	}
	for _, perWindow := range []float64{16, 128} {
		dispersion, windows := countDispersion(cores, perWindow*average)
		if windows < 8 {
			continue
		}
		most := max(mostDispersion, 5*math.Sqrt(2/float64(windows-1)))
		if math.Abs(dispersion-1) > most {
			return fmt.Sprintf("the counts in windows of %.3g s have %.3g times the variance of a Poisson "+
				"process, and may have %.3g", perWindow*average, dispersion, 1+most)
		}
	}
	return ""
}

// countDispersion returns the variance over the mean of the number of starts in a window of the
// given length [s], and the number of windows.
func countDispersion(cores []noise.Core, width float64) (dispersion float64, windows int) {
	var counts []float64
	for _, c := range cores {
		whole := int(c.Span / width)
		first := len(counts)
		counts = append(counts, make([]float64, whole)...)
		for _, d := range c.Detours {
			if w := int(d.Start / width); w < whole {
				counts[first+w]++
			}
		}
	}
	if len(counts) < 2 {
		return 1, len(counts)
	}
	m := mean(counts)
	return squaresAbout(m, counts) / float64(len(counts)-1) / m, len(counts)
}
