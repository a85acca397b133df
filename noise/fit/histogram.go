package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// A Histogram has the lengths of detours, without the times at which they came.
type Histogram struct {
	// Values are lengths in seconds, in any order, and Counts how often each was
	// seen. A length of 0 is a sample without a detour.
	Values, Counts []float64
	// Span is for how many seconds a core was watched, all cores together. If it is
	// 0, every sample stands for Interval seconds.
	Span, Interval float64
}

// Lengths returns the profile of a histogram: Poisson arrivals of the measured
// lengths. That the arrivals are Poisson is an assumption, and is a caveat of the
// profile. It fails if the histogram does not say over which time the lengths were
// seen, or has lengths or counts that are negative or not finite.
func Lengths(h Histogram, name string) (profile.Profile, error) {
	values, counts, samples, err := h.detours()
	if err != nil {
		return profile.Profile{}, err
	}
	span := h.Span
	if span == 0 {
		span = samples * h.Interval
	}
	if !(span > 0 && span <= math.MaxFloat64) {
		return profile.Profile{}, fmt.Errorf(
			"the histogram does not show how often detours come: " +
				"the time that was watched is missing, or the interval between samples")
	}
	p := profile.Profile{Name: name}
	if len(values) == 0 {
		p.Caveats = []string{noDetours(span)}
		return p, p.Check()
	}
	p.OS = []profile.Component{{
		Kind:     profile.Poisson,
		Interval: span / sum(counts),
		Duration: noise.Measured(values, counts, lengthsWithin),
	}}
	p.Caveats = []string{"A histogram does not show when detours came; they are assumed to come " +
		"without memory (Poisson)."}
	return p, p.Check()
}

// detours returns the lengths that are not 0, in ascending order, how often each was
// seen, and the number of all samples.
func (h Histogram) detours() (values, counts []float64, samples float64, err error) {
	if len(h.Values) != len(h.Counts) {
		return nil, nil, 0, fmt.Errorf("the histogram has %d lengths and %d counts", len(h.Values),
			len(h.Counts))
	}
	type bin struct{ value, count float64 }
	var bins []bin
	for i, v := range h.Values {
		n := h.Counts[i]
		if !(v >= 0 && v <= math.MaxFloat64 && n >= 0 && n <= math.MaxFloat64) {
			return nil, nil, 0, fmt.Errorf("the histogram has a length of %g s %g times", v, n)
		}
		samples += n
		if v > 0 && n > 0 {
			bins = append(bins, bin{v, n})
		}
	}
	slices.SortFunc(bins, func(a, b bin) int { return cmp.Compare(a.value, b.value) })
	for _, b := range bins {
		values = append(values, b.value)
		counts = append(counts, b.count)
	}
	return values, counts, samples, nil
}
