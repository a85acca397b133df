package measured

import (
	"math"

	"jitterfly/noise"
)

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
