package measured

import (
	"math"
	"slices"

	"jitterfly/noise"
	"jitterfly/noise/profile"
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

const (
	// leastFilled is the share of cycles in which a periodic component must have
	// a detour or be hidden by another, which may be so in half of them.
	leastFilled = 0.9
	// leastEvidence is the logarithm of the odds against chance that a periodic
	// component needs, after the phases and the drifts that were tried. There are fewer than
	// e^15 candidates, which leaves e^15 against a false one.
	leastEvidence = 30
)

// accept returns the cores on which the comb has detours, and whether those were watched for at
// least half of the time. On each, [leastFilled] of at least [leastCycles] cycles must be filled;
// and on all together chance must not fill as many, by [leastEvidence]: if starts have no memory
// and come at rate λ, a share p = 1 − exp(−2λ·tolerance) of cycles has one, and h of n of them have
// one with a probability of at most exp(−n·KL(h/n, p)) by Chernoff's bound.
func (k comb) accept(cores []noise.Core) (on []bool, ok bool) {
	on = make([]bool, len(cores))
	evidence, with, span := 0.0, 0.0, 0.0
	for i, c := range cores {
		span += c.Span
		hits, hidden, cycles := 0, 0, 0
		k.match(i, c, func(_ float64, detour, over int) {
			cycles++
			switch {
			case detour >= 0:
				hits++
			case over >= 0:
				hidden++
			}
		})
		if cycles < leastCycles || 2*hits < cycles || float64(hits+hidden) < leastFilled*float64(cycles) {
			continue
		}
		chance := -math.Expm1(-2 * k.tolerance * float64(len(c.Detours)) / c.Span)
		e := float64(cycles-hidden)*divergence(float64(hits)/float64(cycles-hidden), chance) -
			math.Log(k.period/(2*k.tolerance)) - math.Log(max(1, mostDrift*c.Span/k.tolerance))
		if e > 0 {
			on[i] = true
			evidence += e
			with += c.Span
		}
	}
	return on, evidence >= leastEvidence && with >= span/2
}

// divergence returns the Kullback–Leibler divergence of the Bernoulli distributions
// of probability h and p; 0 if h does not exceed p.
func divergence(h, p float64) float64 {
	if h <= p {
		return 0
	}
	d := h * math.Log(h/p)
	if h < 1 {
		d += (1 - h) * math.Log((1-h)/(1-p))
	}
	return d
}

// match calls f for every cycle on core i: with the time that the comb predicts, and the indexes of the
// detour that begins there and of another within which that time lies, −1 without such a detour.
func (k comb) match(i int, c noise.Core, f func(t float64, detour, over int)) {
	next := 0
	for cycle := math.Ceil(-k.phases[i] / k.periods[i]); ; cycle++ {
		t := k.at(i, cycle)
		if t >= c.Span {
			return
		}
		for next < len(c.Detours) && c.Detours[next].Start < t-k.tolerance {
			next++
		}
		nearest := -1
		for j := next; j < len(c.Detours) && c.Detours[j].Start <= t+k.tolerance; j++ {
			if nearest < 0 || math.Abs(c.Detours[j].Start-t) < math.Abs(c.Detours[nearest].Start-t) {
				nearest = j
			}
		}
		over := next - 1
		if next > 0 && c.Detours[over].End() < t {
			over = -1
		}
		f(t, nearest, over)
	}
}

// mostCombs bounds the number of periodic components.
const mostCombs = 16

// extract removes the comb's detours from the cores that it is on, and returns the
// component. If no more of them are much longer than usual than chance merges with others,
// only the usual length is removed of those; else they are the component's own, such as the
// work that a clock's tick has to do every second. The usual length is also removed from
// another detour within which the comb predicts one.
func (k comb) extract(cores []noise.Core, on []bool, quantum float64) profile.Component {
	var lengths []float64
	k.matched(cores, on, func(c *noise.Core, _ float64, j, _ int) {
		if j >= 0 {
			lengths = append(lengths, c.Detours[j].Length)
		}
	})
	slices.Sort(lengths)
	most := math.Inf(1)
	length := fitLengths(lengths, quantum)
	switch length.(type) {
	case noise.Constant, noise.Empirical:
		long := outlier(lengths, quantum)
		n, _ := slices.BinarySearch(lengths, long)
		if float64(len(lengths)-n) <= k.mostMerged(cores, on, at(lengths, 0.5)) {
			most, length = long, fitLengths(lengths[:n], quantum)
		}
	}
	usual := length.Mean()
	k.matched(cores, on, func(c *noise.Core, t float64, j, over int) {
		if j < 0 && over >= 0 {
			d := &c.Detours[over]
			d.Length = max(d.Length-usual, t-d.Start) // it lasted until t, or they would not have met
		}
	})
	during := 0.0
	k.matched(cores, on, func(c *noise.Core, _ float64, j, _ int) {
		switch {
		case j < 0:
		case c.Detours[j].Length < most:
			c.Detours[j].Length = 0 // removed below
		default:
			// When the other began is not known; the golden ratio spreads them evenly.
			_, during = math.Modf(during + math.Phi)
			c.Detours[j].Start += during * usual
			c.Detours[j].Length -= usual
		}
	})
	for i := range cores {
		cores[i].Detours = slices.DeleteFunc(cores[i].Detours, ofNoLength)
	}
	return profile.Component{Kind: profile.Periodic, Period: k.period, Duration: length}
}

// mostMerged returns how many of the comb's detours of a usual length [s] chance may have
// merged with others, three standard deviations more than are expected: as many as have a
// start in a window as long, elsewhere in the cycle, where none follows from the comb's own.
func (k comb) mostMerged(cores []noise.Core, on []bool, usual float64) float64 {
	n := 1.0
	for i, c := range cores {
		if !on[i] {
			continue
		}
		elsewhere, next := k.phases[i]+k.period/math.Phi, 0
		for cycle := 0.0; ; cycle++ {
			t := elsewhere + float64(cycle*k.periods[i])
			if t >= c.Span {
				break
			}
			for next < len(c.Detours) && c.Detours[next].Start < t-k.tolerance {
				next++
			}
			if next < len(c.Detours) && c.Detours[next].Start < t+usual {
				n++
			}
		}
	}
	return n + 3*math.Sqrt(n)
}

// matched calls f for each cycle of the comb on the cores it is on, as [comb.match] does.
func (k comb) matched(cores []noise.Core, on []bool, f func(c *noise.Core, t float64, detour, over int)) {
	for i := range cores {
		if on[i] {
			k.match(i, cores[i], func(t float64, detour, over int) { f(&cores[i], t, detour, over) })
		}
	}
}

// outlier returns the length from which a detour is an outlier of ascending lengths:
// above the median by more than constant lengths may be, by more than a step of the timer, and
// by eight median deviations.
func outlier(lengths []float64, quantum float64) float64 {
	median := lengths[len(lengths)/2]
	deviations := make([]float64, len(lengths))
	for i, x := range lengths {
		deviations[i] = math.Abs(x - median)
	}
	slices.Sort(deviations)
	return median + max(constantWithin*median, 1.5*quantum, 8*deviations[len(deviations)/2])
}
