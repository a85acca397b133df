package measured

import (
	"cmp"
	"math"
	"slices"
)

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
	d, watched, longest := formDifferences(starts, spans)
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

// formDifferences returns the differences in ascending order, the time over which
// the cores were watched together, and the longest period to look for.
func formDifferences(starts [][]float64, spans []float64) (d []float64, watched, longest float64) {
	n := 0
	for i, s := range starts {
		n += len(s)
		watched += spans[i]
		longest = max(longest, spans[i]/leastCycles)
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
	return d, watched, longest
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
