package fit

import (
	"math"
	"slices"
)

// leastTolerance [s] is the deviation from its prediction that a start may always
// have.
const leastTolerance = 0.25e-6

// A comb predicts starts: on core i at phases[i] + k·period.
type comb struct {
	period    float64
	phases    []float64
	tolerance float64 // the deviation [s] that a start may have
}

// lock returns the comb of a candidate, and whether there is one: the starts must
// recur after 2, 4, 8, … periods too. A difference over m periods gives the period m
// times as precisely as one over a single period.
func (c candidate) lock(starts [][]float64, spans []float64) (comb, bool) {
	period, first := c.period, 0
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
			if m == 2 {
				return comb{}, false
			}
			break // the phase drifts
		}
		period += offset / m
	}
	k := comb{period: period, phases: make([]float64, len(starts)), tolerance: c.width}
	for i, s := range starts {
		k.phases[i] = densestPhase(s, period, c.width)
	}
	k.regress(starts)
	k.tolerance = min(4*c.width, period/8) // also starts outside the densest width
	k.regress(starts)
	return k, true
}

// recurrence returns the mean offset from interval of the differences that are within
// the width of it, and their number.
func (c candidate) recurrence(starts [][]float64, interval float64) (offset float64, count int) {
	var offsets []float64
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
	slices.Sort(offsets)
	from, to := densest(offsets, c.width)
	if from == to {
		return 0, 0
	}
	return mean(offsets[from:to]), to - from
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

// regress fits period and phases to the starts by least squares over the number of
// the cycle, and sets the tolerance from their deviations.
func (k *comb) regress(starts [][]float64) {
	var sxy, sxx float64
	type line struct{ n, x, y float64 }
	lines := make([]line, len(starts))
	for i, s := range starts {
		l := &lines[i]
		k.near(i, s, func(cycle, residual float64) { l.n++; l.x += cycle; l.y += residual })
		if l.n == 0 {
			continue
		}
		l.x, l.y = l.x/l.n, l.y/l.n
		k.near(i, s, func(cycle, residual float64) {
			sxy += (cycle - l.x) * (residual - l.y)
			sxx += (cycle - l.x) * (cycle - l.x)
		})
	}
	if sxx == 0 {
		return
	}
	slope := sxy / sxx
	for i, l := range lines {
		k.phases[i] += l.y - slope*l.x
	}
	k.period += slope
	var residuals []float64
	for i, s := range starts {
		k.near(i, s, func(_, residual float64) { residuals = append(residuals, math.Abs(residual)) })
	}
	if len(residuals) == 0 {
		return
	}
	slices.Sort(residuals)
	deviation := 1.48 * residuals[len(residuals)/2] // of a normal distribution
	k.tolerance = min(k.tolerance, max(leastTolerance, 6*deviation))
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
		cycle := math.Round((t - k.phases[core]) / k.period)
		if residual := t - k.phases[core] - float64(cycle*k.period); math.Abs(residual) <= k.tolerance {
			f(cycle, residual)
		}
	}
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}
