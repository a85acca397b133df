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

const (
	// mostLags is the number of later starts to which differences are formed; there are fewer if that
	// makes more differences in total than this.
	mostLags    = 64
	differences = 1 << 18
	// leastCycles is the number of periods that the span of a core must have.
	leastCycles = 8
	// leastScore is how many standard deviations a peak must stand out to be tried.
	leastScore = 6
	// mostCandidates is the number of candidates that are tried, by score.
	mostCandidates = 128
)

// widths are the distances [s] within which differences count as equal, from the precision of
// timers to the precision of timers that wait for something.
var widths = []float64{2e-6, 16e-6, 128e-6}

// A candidate is a difference between starts that recurs, within the width, more
// often than by chance.
type candidate struct {
	period, width float64
	score         float64 // by how many standard deviations it stands out
}

// candidates returns the periods that the starts may have, one list for each core,
// the shortest first: a multiple of a period recurs as often as the period itself.
//
// It forms the differences between each start and the next few. Those of a Poisson process are
// spread evenly over much more than a width; differences of periodic starts form a narrow peak,
// whatever their phases on the cores. That finds a period even if some dozens of other starts lie
// in each cycle.
func candidates(starts [][]float64, spans []float64) []candidate {
	watched, longest := sum(spans), slices.Max(spans)/leastCycles
	d := formDifferences(starts, longest)
	var found []candidate
	for _, width := range widths {
		found = append(found, peaks(d, width, watched, longest)...)
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	found = found[:min(len(found), mostCandidates)]
	slices.SortFunc(found, func(a, b candidate) int {
		// Widths of one peak find it at periods that differ by less than they do.
		if math.Abs(a.period-b.period) < max(a.width, b.width) {
			return cmp.Compare(a.width, b.width)
		}
		return cmp.Compare(a.period, b.period)
	})
	return found
}

// formDifferences returns the differences up to the longest period to look for, in ascending order.
func formDifferences(starts [][]float64, longest float64) (d []float64) {
	n := 0
	for _, s := range starts {
		n += len(s)
	}
	lags := min(mostLags, differences/max(1, n))
	for _, s := range starts {
		for j, t := range s {
			for _, u := range s[j+1 : min(len(s), j+1+lags)] {
				if u-t > longest {
					break
				}
				d = append(d, u-t)
			}
		}
	}
	slices.Sort(d)
	return d
}

// peaks returns where differences are denser, over a width, than around it.
func peaks(d []float64, width, watched, longest float64) []candidate {
	const around = 16 // widths, on each side
	var found []candidate
	end, before, after := 0, 0, 0
	best := candidate{}
	for i, x := range d {
		for end < len(d) && d[end] <= x+width {
			end++
		}
		count := float64(end - i)
		// The period of a component that fills most cycles recurs at least so often.
		least := max(leastCycles-1, 0.3*(watched/x-1))
		if x > longest || width > x/8 || count < least {
			continue
		}
		for d[before] < x-around*width {
			before++
		}
		for after < len(d) && d[after] <= x+(around+1)*width {
			after++
		}
		expected := (float64(after-before) - count) / (2 * around)
		score := (count - expected) / math.Sqrt(expected+1)
		if score < leastScore {
			continue
		}
		if best.score > 0 && x > best.period+2*width {
			found = append(found, best)
			best = candidate{}
		}
		if score > best.score {
			best = candidate{mean(d[i:end]), width, score}
		}
	}
	if best.score > 0 {
		found = append(found, best)
	}
	return found
}
