package measured

import (
	"math"
	"slices"
)

// leastTolerance [s] is the deviation from its prediction that a start may always have.
const leastTolerance = 0.25e-6

// mostDrift is by how much, relative to it, the period of one core or run may differ from
// the nominal one. Each measures time by a clock that it calibrates itself, by about 1 to 10
// in 10^6; crystals differ by up to 100 in 10^6.
const mostDrift = 1e-4

// A comb predicts starts: on core i at phases[i] + k·periods[i].
type comb struct {
	period    float64   // the nominal one, the mean of all cores
	periods   []float64 // as each core's clock has it
	phases    []float64
	tolerance float64 // the deviation [s] that a start may have
}

// at returns when a cycle begins on core i [s].
func (k comb) at(i int, cycle float64) float64 {
	return k.phases[i] + float64(cycle*k.periods[i])
}

// lock returns the comb of a candidate, and whether there is one: the starts must recur after two
// periods too. The period is found from all cores together, and from that the one of each.
func (c candidate) lock(starts [][]float64, spans []float64) (comb, bool) {
	period, ok := c.refine(c.period, starts, spans)
	if !ok {
		return comb{}, false
	}
	k := comb{
		period: period, periods: make([]float64, len(starts)),
		phases: make([]float64, len(starts)), tolerance: c.width,
	}
	for i, s := range starts {
		k.periods[i] = period
		own, ok := c.refine(period, starts[i:i+1], spans[i:i+1])
		if ok && math.Abs(own-period) <= mostDrift*period {
			k.periods[i] = own
		}
		k.phases[i] = densestPhase(s, k.periods[i], c.width)
	}
	k.regress(starts)
	k.tolerance = min(4*c.width, period/8) // also starts outside the densest width
	k.regress(starts)
	return k, true
}

// refine returns a period more precisely, and whether the starts recur after two of it: a
// difference over m = 2, 4, 8, … periods gives it m times as precisely as one over a single
// period. It stops where too few recur, since the phase drifts.
func (c candidate) refine(period float64, starts [][]float64, spans []float64) (float64, bool) {
	first := 0
	for m := 1.0; m*period <= slices.Max(spans)/2 || m <= 2; m *= 2 {
		offset, count := c.recurrence(starts, m*period)
		pairs := 0.0 // of starts m periods apart, as a share of those one period apart
		for _, span := range spans {
			pairs += max(0, span-m*period)
		}
		if m == 1 {
			first = count
		}
		if total := sum(spans) - period; float64(count) < 0.5*float64(first)*pairs/total && m > 1 {
			return period, m > 2
		}
		period += offset / m
	}
	return period, first > 0
}

// recurrence returns the mean offset from interval of the differences that are within
// the width of it, and their number.
func (c candidate) recurrence(starts [][]float64, interval float64) (offset float64, count int) {
	n := 0
	for _, s := range starts {
		n += len(s)
	}
	offsets := make([]float64, 0, 2*n)
	for _, s := range starts {
		j := 0
		for _, t := range s {
			for j < len(s) && s[j] < t+interval-c.width {
				j++
			}
			for k := j; k < len(s) && s[k] <= t+interval+c.width; k++ {
				offsets = append(offsets, s[k]-t-interval)
			}
		}
	}
	sortSpread(offsets)
	from, to := densest(offsets, c.width)
	if from == to {
		return 0, 0
	}
	return mean(offsets[from:to]), to - from
}

// sortSpread sorts values that are spread over their range, as most are: it distributes many of them to
// as many parts of the range as there are values, and sorts each part.
func sortSpread(x []float64) {
	if len(x) < 64 {
		slices.Sort(x)
		return
	}
	least := slices.Min(x)
	scale := float64(len(x)-1) / (slices.Max(x) - least)
	if !(scale < math.MaxFloat64) {
		slices.Sort(x)
		return
	}
	ends := make([]int32, len(x))
	for _, v := range x {
		ends[int((v-least)*scale)]++
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	values := slices.Clone(x)
	for _, v := range values {
		part := int((v - least) * scale)
		ends[part]--
		x[ends[part]] = v
	}
	for i, from := range ends {
		to := len(x)
		if i+1 < len(ends) {
			to = int(ends[i+1])
		}
		if to > int(from)+1 {
			slices.Sort(x[from:to])
		}
	}
}

// densest returns the range [from, to) of the ascending values that has the most of
// them within a width.
func densest(x []float64, width float64) (from, to int) {
	end := 0
	for i := range x {
		for end < len(x) && x[end] <= x[i]+width {
			end++
		}
		if end-i > to-from {
			from, to = i, end
		}
	}
	return from, to
}

// densestPhase returns the phase that most starts have, within a width.
func densestPhase(starts []float64, period, width float64) float64 {
	phases := make([]float64, 0, len(starts))
	for _, t := range starts {
		phases = append(phases, math.Mod(t, period))
	}
	slices.Sort(phases)
	for _, phase := range phases { // phases are on a circle
		if phase > width {
			break
		}
		phases = append(phases, phase+period)
	}
	from, to := densest(phases, width)
	if from == to {
		return 0
	}
	return math.Mod(mean(phases[from:to]), period)
}

// regress fits periods and phases to the starts by least squares over the number of
// the cycle, and sets the tolerance from their deviations.
func (k *comb) regress(starts [][]float64) {
	nominal, weight := 0.0, 0.0
	for i, s := range starts {
		sxx := k.regressCore(i, s)
		nominal += sxx * k.periods[i]
		weight += sxx
	}
	if weight == 0 {
		return
	}
	k.period = nominal / weight
	var residuals []float64
	for i, s := range starts {
		if math.Abs(k.periods[i]-k.period) > mostDrift*k.period {
			k.periods[i] = k.period
		}
		k.near(i, s, func(_, residual float64) { residuals = append(residuals, math.Abs(residual)) })
	}
	if len(residuals) == 0 {
		return
	}
	slices.Sort(residuals)
	deviation := 1.48 * residuals[len(residuals)/2] // of a normal distribution
	k.tolerance = min(k.tolerance, max(leastTolerance, 6*deviation))
}

// regressCore does so for one core, and returns the sum of the squares of the cycles about
// their mean, which is the weight of its period.
func (k *comb) regressCore(i int, starts []float64) (sxx float64) {
	var n, x, y, sxy float64
	k.near(i, starts, func(cycle, residual float64) { n++; x += cycle; y += residual })
	if n == 0 {
		return 0
	}
	x, y = x/n, y/n
	k.near(i, starts, func(cycle, residual float64) {
		sxy += (cycle - x) * (residual - y)
		sxx += (cycle - x) * (cycle - x)
	})
	if sxx == 0 {
		k.phases[i] += y
		return 0
	}
	slope := sxy / sxx
	k.phases[i] += y - slope*x
	k.periods[i] += slope
	return sxx
}

// extend fits a comb of the first few starts of every core to all of them, eight times
// as many in each step, as many as the comb of the step before can predict.
func (k *comb) extend(starts [][]float64, few int) {
	all := 0
	for _, s := range starts {
		all = max(all, len(s))
	}
	for few < all {
		few *= 8
		more := make([][]float64, len(starts))
		for i, s := range starts {
			more[i] = s[:min(len(s), few)]
		}
		tolerance := k.tolerance
		k.regress(more)
		k.tolerance = tolerance
	}
}

// near calls f for the starts of a core that the comb predicts.
func (k *comb) near(core int, starts []float64, f func(cycle, residual float64)) {
	for _, t := range starts {
		cycle := math.Round((t - k.phases[core]) / k.periods[core])
		if residual := t - k.at(core, cycle); math.Abs(residual) <= k.tolerance {
			f(cycle, residual)
		}
	}
}
