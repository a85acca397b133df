package measured

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// sampled is the number of starts that are searched at first; what is found among
// them must be accepted among all.
const sampled = 1 << 14

// mostDivided is the largest multiple of a period that is recognised as one.
const mostDivided = 8

// separate extracts the periodic components of the cores and returns them: those seen
// among all detours, and then those seen among detours of similar length, where rare
// ones stand out however many others there are. A component that was not seen on all cores has a caveat.
func separate(cores []noise.Core, quantum float64) (all []profile.Component, caveats []string) {
	for _, b := range bands(noise.Trace{Cores: cores}.Lengths()) {
		for len(all) < mostCombs {
			k, on, ok := b.search(cores)
			if !ok {
				break
			}
			all = append(all, k.extract(cores, on, quantum))
			n := len(slices.DeleteFunc(on, func(on bool) bool { return !on }))
			if n < len(cores) {
				caveats = append(caveats, fmt.Sprintf("The component of period %.6g s was seen on %d of %d cores, "+
					"and stands for all.", k.period, n, len(cores)))
			}
		}
	}
	return all, caveats
}

type band struct{ from, to float64 }

// bands returns the band of all lengths, and octaves that overlap by half.
func bands(lengths []float64) []band {
	if len(lengths) < leastCycles {
		return nil
	}
	least, most := lengths[0], lengths[len(lengths)-1]
	all := []band{{least, most}}
	if most <= 2*least {
		return all
	}
	for from := least; from < most; from *= math.Sqrt2 {
		lo, _ := slices.BinarySearch(lengths, from)
		hi, _ := slices.BinarySearch(lengths, 2*from)
		if hi-lo >= leastCycles {
			all = append(all, band{from, 2 * from})
		}
	}
	return all
}

// search finds a periodic component among the detours of the band, and the cores that it is on.
func (b band) search(cores []noise.Core) (k comb, on []bool, ok bool) {
	starts := make([][]float64, len(cores))
	for i, c := range cores {
		for _, d := range c.Detours {
			if b.from <= d.Length && d.Length <= b.to {
				starts[i] = append(starts[i], d.Start)
			}
		}
	}
	few, early := beginning(starts, cores)
	spans := make([]float64, len(cores))
	for i, c := range early {
		spans[i] = c.Span
	}
	for _, c := range candidates(few, spans) {
		k, ok := c.lock(few, spans)
		if !ok {
			continue
		}
		if _, ok := k.accept(early); !ok {
			continue
		}
		k.extend(starts, share(cores))
		if on, ok := k.accept(cores); ok {
			k, on = k.divide(cores, on)
			return k, on, true
		}
	}
	return comb{}, nil, false
}

// share returns how many of the [sampled] starts one core has.
func share(cores []noise.Core) int { return max(leastCycles, sampled/len(cores)) }

// beginning returns the first starts of each core, as many as its share, and the cores
// up to that time.
func beginning(starts [][]float64, cores []noise.Core) ([][]float64, []noise.Core) {
	most := share(cores)
	few, early := slices.Clone(starts), slices.Clone(cores)
	for i, s := range starts {
		if len(s) <= most {
			continue
		}
		few[i] = s[:most]
		c := &early[i]
		c.Span = s[most]
		n, _ := slices.BinarySearchFunc(c.Detours, c.Span,
			func(d noise.Detour, t float64) int { return cmp.Compare(d.Start, t) })
		c.Detours = c.Detours[:n]
	}
	return few, early
}

// divide returns the comb of the shortest accepted period that divides the period of k, and the
// cores that it is on. Where many starts lie in each cycle a multiple may have been the better
// candidate.
func (k comb) divide(cores []noise.Core, on []bool) (comb, []bool) {
	for by := mostDivided; by > 1; by-- {
		part := k
		part.period /= float64(by)
		part.periods = slices.Clone(k.periods)
		for i := range part.periods {
			part.periods[i] /= float64(by)
		}
		part.tolerance = min(k.tolerance, part.period/8)
		if on, ok := part.accept(cores); ok {
			return part, on
		}
	}
	return k, on
}
