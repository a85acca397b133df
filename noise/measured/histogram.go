package measured

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// A Histogram has the lengths of detours, or the delays of wake-ups, without the times at which they
// came.
type Histogram struct {
	// Values are lengths in seconds, in any order, and Counts how often each was
	// seen. A length of 0 is a sample without a detour.
	Values, Counts []float64
	// Span is for how many seconds a core was watched, all cores together.
	Span float64
	// Cores is the number of cores or threads with samples; 0 is 1.
	Cores int
	// Wakeups reports whether the lengths are by how much wake-ups of a thread were late. Then
	// Span is not used.
	Wakeups bool
}

// FitLengths returns the profile of a histogram. Detours arrive without memory (Poisson), which is
// an assumption and a caveat of the profile. Of wake-ups each step of a rank is delayed with the
// share of the samples that were late, since a rank that waits is woken at each: so it does not
// depend on how often a timer woke the thread. It fails if the histogram does not say over which
// time detours were seen, or has lengths or counts that are negative or not finite.
func FitLengths(h Histogram, name string) (profile.Profile, error) {
	values, counts, samples, err := h.detours()
	if err != nil {
		return profile.Profile{}, err
	}
	span := h.watched(samples)
	if !(span > 0 && span <= math.MaxFloat64) {
		return profile.Profile{}, errors.New("the histogram does not show how often detours come: " +
			"the time that was watched is missing")
	}
	p := profile.Profile{Name: name}
	if len(values) == 0 {
		if !h.Wakeups {
			p.Caveats = []string{noDetours(span)}
		}
		return p, p.Check()
	}
	c := profile.Component{Kind: profile.Poisson, Interval: span / sum(counts),
		Duration: noise.Measured(values, counts, lengthsWithin)}
	p.Caveats = []string{"A histogram does not show when detours came; they are assumed to come " +
		"without memory (Poisson)."}
	if h.Wakeups {
		c.Kind, c.Interval, c.Probability = profile.Bernoulli, 0, min(1, sum(counts)/samples)
		p.Caveats = []string{"Lengths are by how much wake-ups were later than the earliest, and hit " +
			"the steps of ranks that sleep while they wait. What a rank that polls loses is not " +
			"known: measure detours."}
	}
	p.OS = []profile.Component{c}
	return p, p.Check()
}

// watched returns the time [s] over which the samples were seen, or the number of wake-ups.
func (h Histogram) watched(samples float64) float64 {
	if h.Wakeups {
		return samples
	}
	return h.Span
}

// add adds the samples of another histogram of the same kind.
func (h *Histogram) add(other Histogram) {
	_, _, samples, _ := other.detours() // the fit fails where these are not valid
	h.Values = append(h.Values, other.Values...)
	h.Counts = append(h.Counts, other.Counts...)
	h.Span += other.watched(samples)
	h.Cores += max(1, other.Cores)
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
		values, counts = append(values, b.value), append(counts, b.count)
	}
	return values, counts, samples, nil
}
