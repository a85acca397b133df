package fit

import (
	"cmp"
	"math"
	"slices"
)

const (
	// mostLags is to how many later starts differences are formed, fewer if they
	// are more than differences together.
	mostLags    = 64
	differences = 1 << 18
	// leastCycles is how often a period must fit into the span of a core.
	leastCycles = 8
	// leastScore is how many standard deviations a peak must stand out to be tried.
	leastScore = 6
	// mostCandidates are tried, those that stand out most.
	mostCandidates = 128
)

// widths are within how many seconds differences are taken for one, from the
// precision of timers to that of timers that wait for something.
var widths = []float64{2e-6, 16e-6, 128e-6}

// A candidate is a difference between starts that recurs more often than chance has
// it, within the width.
type candidate struct {
	period, width float64
	score         float64 // by how many standard deviations it stands out
}

// candidates returns the periods that the starts, those of one core in each list,
// may have, the shortest first: a multiple of a period recurs as often as it does.
//
// Of every start the differences to the next few are formed. If starts have no
// memory, differences are spread evenly, over much more than a width; the periodic
// ones stand out from their neighbours as a narrow peak, however their phases differ
// between cores. That sees a period even if some dozens of other starts lie in each
// cycle.
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

// formDifferences returns differences in ascending order, the time over which the
// starts they are of were watched, and the longest period to look for.
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
		if x > longest || width > x/8 || count < leastRecurrence(watched/x) {
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

// leastRecurrence is how often the period of a component recurs at least that fills
// most of so many cycles: about once in each.
func leastRecurrence(cycles float64) float64 {
	return max(leastCycles-1, 0.3*(cycles-1))
}
