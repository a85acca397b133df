package measured

import (
	"cmp"
	"math"
	"slices"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

const (
	// constantWithin is the share of the median by which constant lengths may
	// differ from it, except for one in a hundred that are shorter.
	constantWithin = 0.05
	// mostFamilyKS is the Kolmogorov–Smirnov distance up to which a family describes lengths, or
	// the 95th percentile for n lengths, 1.36/√n, if that is more.
	mostFamilyKS = 0.02
	// mostMeanError is the relative error that the mean of a family may have, or
	// three standard errors, if they are more.
	mostMeanError = 0.02
	// mostExcessError is the relative error, beyond three standard errors, that a family may have
	// in the time by which lengths exceed h. Where P ranks meet, the delay exceeds h with a
	// probability of about P times the share of time that this is, so that it decides on high
	// quantiles at many ranks. It is compared where h is exceeded by 16, 64, 256, … of the lengths.
	mostExcessError = 0.1
	leastExceed     = 16
	// leastShape is the shape of a Pareto distribution up to which what is left of a detour at a random
	// start has no mean. No core has such noise: it has a longest detour, as the measured quantiles do.
	leastShape = 2
	// fewLengths are too few to distinguish families.
	fewLengths = 64
	// lengthsWithin is the share of each length within which measured quantiles are kept.
	lengthsWithin = 0.02
)

// A family is one distribution fitted by maximum likelihood.
type family struct {
	length     noise.Length
	parameters int
	likelihood float64 // logarithm
	cdf        func(x float64) float64
}

// fitLengths returns the distribution of ascending lengths: the constant one if they hardly differ;
// of the families that describe them (see [mostFamilyKS], [mostMeanError] and [mostExcessError])
// the one of the least k·ln n − 2·ln L, the Bayesian information criterion, with k parameters and
// likelihood L; and the measured quantiles, up to the longest, if no family does, or if there are
// fewer than [fewLengths]. The mean is always close to theirs.
func fitLengths(lengths []float64, quantum float64) noise.Length {
	n := float64(len(lengths))
	median := at(lengths, 0.5)
	within := max(constantWithin*median, 1.01*quantum)
	if lengths[len(lengths)-1]-median <= within && median-at(lengths, 0.01) <= within {
		if m := mean(lengths); math.Abs(m/median-1) <= constantWithin {
			return noise.Constant(m)
		}
	}
	if n < fewLengths {
		return noise.Measured(lengths, nil, lengthsWithin)
	}
	best, bestBIC := noise.Length(nil), math.Inf(1)
	for _, f := range families(lengths) {
		if quantum > 0 {
			f.likelihood = f.inSteps(lengths, quantum)
		}
		bic := float64(f.parameters)*math.Log(n) - 2*f.likelihood
		if bic < bestBIC && f.describes(lengths, quantum) {
			best, bestBIC = f.length, bic
		}
	}
	if best == nil {
		return noise.Measured(lengths, nil, lengthsWithin)
	}
	return best
}

// families returns the exponential, lognormal and Pareto distributions of maximum likelihood.
func families(lengths []float64) []family {
	n := float64(len(lengths))
	each := make([]float64, len(lengths))
	for i, x := range lengths {
		each[i] = math.Log(x)
	}
	average, logs, mu := mean(lengths), sum(each), mean(each)
	sigma := math.Sqrt(squaresAbout(mu, each) / n)
	least := lengths[0]
	shape := n / (logs - n*math.Log(least))
	return []family{
		{noise.Exponential{Average: average}, 1, -n * (math.Log(average) + 1),
			func(x float64) float64 { return -math.Expm1(-max(0, x) / average) }},
		{noise.Lognormal{Median: math.Exp(mu), Sigma: sigma}, 2,
			-logs - n*(math.Log(sigma*math.Sqrt(2*math.Pi))+0.5),
			func(x float64) float64 { return math.Erfc((mu-math.Log(max(0, x)))/(sigma*math.Sqrt2)) / 2 }},
		{noise.Pareto{Least: least, Shape: shape}, 2,
			n*(math.Log(shape)+shape*math.Log(least)) - (shape+1)*logs,
			func(x float64) float64 { return max(0, 1-math.Pow(max(x, least)/least, -shape)) }},
	}
}

// inSteps returns the logarithm of the likelihood of lengths that a timer with steps
// of quantum [s] has rounded.
func (f family) inSteps(lengths []float64, quantum float64) float64 {
	sum := 0.0
	for i, x := range lengths {
		if i == 0 || x != lengths[i-1] {
			f.likelihood = math.Log(f.cdf(x+quantum/2) - f.cdf(x-quantum/2))
		}
		sum += f.likelihood
	}
	return sum
}

func (f family) describes(lengths []float64, quantum float64) bool {
	if f.length.Check() != nil || math.IsNaN(f.likelihood) || !hasTail(lengths, f.length) {
		return false
	}
	if d, ok := f.length.(noise.Pareto); ok && d.Shape <= leastShape {
		return false
	}
	n, m := float64(len(lengths)), mean(lengths)
	allowed := max(mostMeanError*m, 3*math.Sqrt(squaresAbout(m, lengths))/n)
	return math.Abs(f.length.Mean()-m) <= allowed &&
		distance(lengths, f.cdf, 0, quantum) <= max(mostFamilyKS, 1.36/math.Sqrt(n))
}

// hasTail reports whether as much of ascending lengths exceeds others as of the distribution,
// see [mostExcessError].
func hasTail(lengths []float64, d noise.Length) bool {
	n := float64(len(lengths))
	for more := float64(leastExceed); more < n; more *= 4 {
		h := d.Quantile(1 - more/n)
		from, _ := slices.BinarySearch(lengths, h)
		excess, squares := 0.0, 0.0
		for _, x := range lengths[from:] {
			excess += x - h
			squares += (x - h) * (x - h)
		}
		want := n * d.Excess(h)
		chance := max(math.Sqrt(squares), math.Sqrt(2/more)*want) // an exponential tail has the latter
		if math.Abs(want-excess) > mostExcessError*want+3*chance {
			return false
		}
	}
	return true
}

// distance returns the Kolmogorov–Smirnov distance between ascending values and a
// distribution, not counting what a relative or an absolute error of each value
// explains: a timer with steps is off by up to one of them.
func distance(values []float64, cdf func(x float64) float64, relative, absolute float64) float64 {
	n, d := float64(len(values)), 0.0
	for i := 0; i < len(values); {
		x, j := values[i], i
		for j < len(values) && values[j] == x {
			j++
		}
		off := relative*x + absolute
		d = max(d, float64(j)/n-cdf(x+off), cdf(x-off)-float64(i)/n)
		i = j
	}
	return d
}

// at returns the quantile of ascending values at a share.
func at(sorted []float64, share float64) float64 {
	return sorted[max(0, min(len(sorted)-1, int(math.Ceil(share*float64(len(sorted))))-1))]
}

// quantum returns the step of the timer by which ascending lengths were measured: the usual
// difference between neighbours, if most lengths occur several times. It is 0 if they do not.
func quantum(lengths []float64) float64 {
	var steps []float64
	for i := 1; i < len(lengths); i++ {
		// Differences of 1e-9 of the length come from rounding.
		if step := lengths[i] - lengths[i-1]; step > 1e-9*lengths[i] {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 || len(steps) > len(lengths)/4 {
		return 0
	}
	steps = steps[:(len(steps)*3+3)/4] // the longest lengths are far apart
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// A Histogram has the lengths of detours, or the delays of wake-ups, without the times at which they
// came.
type Histogram struct {
	// Values are lengths in seconds, in any order, and Counts how often each was
	// seen, none of which is negative. A length of 0 is a sample without a detour.
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
// depend on how often a timer woke the thread.
func FitLengths(h Histogram, name string) profile.Profile {
	values, counts, samples := h.detours()
	span, p := h.watched(samples), profile.Profile{Name: name}
	if len(values) == 0 {
		if !h.Wakeups {
			p.Caveats = []string{noDetours(span)}
		}
		return p
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
	return p
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
	_, _, samples := other.detours()
	h.Values = append(h.Values, other.Values...)
	h.Counts = append(h.Counts, other.Counts...)
	h.Span += other.watched(samples)
	h.Cores += max(1, other.Cores)
}

// detours returns the lengths that are not 0, in ascending order, how often each was
// seen, and the number of all samples.
func (h Histogram) detours() (values, counts []float64, samples float64) {
	type bin struct{ value, count float64 }
	var bins []bin
	for i, v := range h.Values {
		n := h.Counts[i]
		samples += n
		if v > 0 && n > 0 {
			bins = append(bins, bin{v, n})
		}
	}
	slices.SortFunc(bins, func(a, b bin) int { return cmp.Compare(a.value, b.value) })
	for _, b := range bins {
		values, counts = append(values, b.value), append(counts, b.count)
	}
	return values, counts, samples
}
