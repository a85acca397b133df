package trace

import (
	"cmp"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	harmonics  = 20  // of the H test
	candidates = 12  // frequencies of a spectrum that are tested
	cycles     = 4   // the fewest that the span must have
	almost     = 0.7 // as clear, as a share of H
	around     = 32  // points of the spectrum on either side that make the background
)

// strongest returns the frequency [Hz] at which detours within the span recur most
// clearly, and the probability that random detours show one as clear.
//
// It tests the highest peaks of the spectrum by the H test, the largest of
// Z²₁, Z²₂−4, …, Z²₂₀−76, with Z²_m twice the sum of the spectrum at the first m
// harmonics: O. C. de Jager, B. C. Raubenheimer and J. W. H. Swanepoel,
// Astronomy and Astrophysics 221 (1989), with the chance exp(−0.4 H) from
// O. C. de Jager and I. Büsching, Astronomy and Astrophysics 517 (2010). The
// spectrum is divided by its background around the peak, if that is above that of
// random detours, so that bursts do not pass for periods. The probability is for as
// many trials as there are independent frequencies. Of peaks almost as clear it takes
// the lowest: a train of pulses has all its harmonics.
func strongest(detours []Detour, span float64) (frequency, chance float64) {
	power, step := spectrum(detours, span)
	tops := peaks(power, int(math.Ceil(fewest/span/step)))
	tests := make([]float64, len(tops))
	best := 0.0
	for i, peak := range tops {
		tests[i] = hTest(detours, refine(detours, float64(peak)*step, step),
			background(power, peak))
		best = max(best, tests[i])
	}
	lowest := len(power)
	for i, peak := range tops {
		if tests[i] >= almost*best {
			lowest = min(lowest, peak)
		}
	}
	trials := float64(sparsest * len(detours))
	return refine(detours, float64(lowest)*step, step), trials * math.Exp(-0.4*best)
}

// spectrum returns the power of the starts at multiples of step [Hz], up to the
// frequency of the densest train that is found. The ends of the span have less weight
// (Hann's window), so that a strong line does not spread over the background.
func spectrum(detours []Detour, span float64) (power []float64, step float64) {
	const fine = 2 // points for each independent frequency
	n := len(detours)
	highest := sparsest * n // in cycles of the span
	bins := 1 << bits.Len(uint(4*highest-1))
	counts := make([]float64, fine*bins)
	squares := 0.0
	for _, d := range detours {
		weight := math.Sin(math.Pi * d.Start / span)
		weight *= weight
		counts[min(int(d.Start/span*float64(bins)), bins-1)] += weight
		squares += weight * weight
	}
	waves := fourier.NewFFT(len(counts)).Coefficients(nil, counts)
	power = make([]float64, fine*highest)
	for i := range power {
		a := cmplx.Abs(waves[i])
		power[i] = a * a / squares
	}
	return power, 1 / (fine * span)
}

// peaks returns the highest peaks from a point on, highest first.
func peaks(power []float64, from int) []int {
	var tops []int
	for i := max(1, from); i < len(power)-1; i++ {
		if power[i] > power[i-1] && power[i] >= power[i+1] {
			tops = append(tops, i)
		}
	}
	slices.SortStableFunc(tops, func(a, b int) int { return cmp.Compare(power[b], power[a]) })
	return tops[:min(len(tops), candidates)]
}

// background returns the mean of the spectrum on both sides of a peak, estimated from
// the median of an exponential distribution, and at least 1.
func background(power []float64, peak int) float64 {
	const width = 4 // of the peak, on either side
	near := slices.Clone(power[max(1, peak-around):max(1, peak-width)])
	near = append(near, power[min(len(power), peak+width+1):min(len(power), peak+around+1)]...)
	slices.Sort(near)
	return max(1, quantile(near, 0.5)/math.Ln2)
}

// refine returns the frequency of the most power within a step of f, by golden section.
func refine(detours []Detour, f, step float64) float64 {
	const golden, rounds = 0.6180339887498949, 24
	low, high := f-step, f+step
	a, b := high-golden*(high-low), low+golden*(high-low)
	pa, pb := at(detours, a), at(detours, b)
	for range rounds {
		if pa > pb {
			high, b, pb = b, a, pa
			a = high - golden*(high-low)
			pa = at(detours, a)
		} else {
			low, a, pa = a, b, pb
			b = low + golden*(high-low)
			pb = at(detours, b)
		}
	}
	return (low + high) / 2
}

// at returns the power of the starts at one frequency.
func at(detours []Detour, f float64) float64 {
	c, s := 0.0, 0.0
	for _, d := range detours {
		sin, cos := math.Sincos(2 * math.Pi * phase(d.Start, f))
		c += cos
		s += sin
	}
	return (c*c + s*s) / float64(len(detours))
}

// hTest returns the statistic H of a frequency.
func hTest(detours []Detour, f, background float64) float64 {
	h, z := 0.0, 0.0
	for m := range harmonics {
		z += 2 * at(detours, f*float64(m+1)) / background
		h = max(h, z-4*float64(m))
	}
	return h
}
