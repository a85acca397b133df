package measured

import (
	"math"
	"slices"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

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
