package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jitterfly/noise"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

const (
	// rare is the share of a component's detours that may be merged with others, or
	// twice the share that chance merges, if that is more.
	rare = 0.05
	// mostCombs bounds the number of periodic components.
	mostCombs = 16
)

// A found component is periodic; on has the cores on which it was seen.
type found struct {
	component profile.Component
	on        []bool
}

// caveats returns a caveat if the component was not seen on all cores.
func (f found) caveats(cores []core) []string {
	n := 0
	for _, on := range f.on {
		if on {
			n++
		}
	}
	if n == len(cores) {
		return nil
	}
	return []string{fmt.Sprintf(
		"The component of period %.6g s was seen on %d of %d cores, and stands for all.",
		f.component.Period, n, len(cores))}
}

// extract removes the comb's detours from the cores that it is on, and returns the
// component. Detours that overlapped others were merged with them: of one that is much
// longer than the comb's usual length only that length is removed, and also from
// another detour within which the comb predicts one.
func (k comb) extract(cores []core, on []bool, quantum float64) profile.Component {
	var lengths []float64
	k.matched(cores, on, func(c *core, j int) { lengths = append(lengths, c.left[j].Length) })
	slices.Sort(lengths)
	most := math.Inf(1)
	length := fitLengths(lengths, quantum)
	switch length.(type) {
	case noise.Constant, noise.Empirical:
		long := outlier(lengths)
		n, _ := slices.BinarySearch(lengths, long)
		chance := -math.Expm1(-(rate(cores) - 1/k.period) * at(lengths, 0.5))
		if float64(n) >= (1-max(rare, 2*chance))*float64(len(lengths)) {
			most, length = long, fitLengths(lengths[:n], quantum)
		}
	}
	usual := length.Mean()
	k.unmerge(cores, on, usual)
	during := 0.0
	k.matched(cores, on, func(c *core, j int) {
		if d := &c.left[j]; d.Length < most {
			d.Length = 0 // removed below
		} else {
			// When the other began is not known; the golden ratio spreads them evenly.
			_, during = math.Modf(during + math.Phi)
			d.Start += during * usual
			d.Length -= usual
		}
	})
	for i := range cores {
		cores[i].left = slices.DeleteFunc(cores[i].left,
			func(d trace.Detour) bool { return d.Length == 0 })
	}
	return profile.Component{Kind: profile.Periodic, Period: k.period, Duration: length}
}

// rate returns how many detours of no component there are in a second.
func rate(cores []core) float64 {
	n, span := 0, 0.0
	for _, c := range cores {
		n += len(c.left)
		span += c.span
	}
	return float64(n) / span
}

// matched calls f for the detours of the comb on the cores it is on.
func (k comb) matched(cores []core, on []bool, f func(c *core, detour int)) {
	for i := range cores {
		if on[i] {
			k.match(i, cores[i], func(detour int, _ bool) {
				if detour >= 0 {
					f(&cores[i], detour)
				}
			})
		}
	}
}

// unmerge shortens by the usual length the detours of no component within which the
// comb predicts one.
func (k comb) unmerge(cores []core, on []bool, usual float64) {
	for i := range cores {
		c := &cores[i]
		if !on[i] {
			continue
		}
		cycle := math.Ceil(-k.phases[i] / k.period)
		k.match(i, *c, func(detour int, _ bool) {
			t := k.phases[i] + float64(cycle*k.period)
			cycle++
			if detour >= 0 {
				return
			}
			j, _ := slices.BinarySearchFunc(c.left, t,
				func(d trace.Detour, t float64) int { return cmp.Compare(d.Start, t) })
			if j > 0 && c.left[j-1].End() >= t {
				d := &c.left[j-1]
				d.Length = max(d.Length-usual,
					t-d.Start) // it lasted until t, or they would not have met
			}
		})
	}
}

// outlier returns the length from which a detour is an outlier of ascending lengths:
// above the median by more than constant lengths may be, and by eight median
// deviations.
func outlier(lengths []float64) float64 {
	median := lengths[len(lengths)/2]
	deviations := make([]float64, len(lengths))
	for i, x := range lengths {
		deviations[i] = math.Abs(x - median)
	}
	slices.Sort(deviations)
	return median + max(constantWithin*median, 8*deviations[len(deviations)/2])
}
