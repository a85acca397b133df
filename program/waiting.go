package program

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// Waiting is what ranks wait for, as shares of the waiting that sum to 1.
type Waiting struct {
	Persistent, Random, Noise float64
	// Known is the share of all waiting that these explain; too little is recorded to explain the rest.
	Known float64
	// Excess is the variance of the profile's noise over the variance of what changes in the recording, a
	// mean over rows: at most 1 if the noise varies no more than the recorded times.
	Excess float64
}

// mostDrawn is how many times to compute are drawn for a row.
const mostDrawn = 1 << 18

// Split divides the waiting among imbalance that stays, imbalance that changes, and the noise of the
// machine; os is nil if that is not known. The shares are Shapley values: what each adds to the mean of
// how long ranks wait for the last one, over all orders in which they may be added. Noise is drawn from
// os during the time that ranks compute; what changes is what was recorded less the variance of the
// noise.
func (p *Program) Split(os noise.OS) Waiting {
	var w Waiting
	all, known := 0.0, 0.0
	for i, row := range p.Rows {
		all += row.Waiting
		if row.Computing == nil || row.Waiting == 0 {
			continue
		}
		parts, excess := row.Computing.split(os, rng.NewKey(1, "waiting").Derive(uint64(i)))
		sum := parts[0] + parts[1] + parts[2]
		if !(sum > 0) {
			continue
		}
		known += row.Waiting
		w.Persistent += row.Waiting * parts[0] / sum
		w.Random += row.Waiting * parts[1] / sum
		w.Noise += row.Waiting * parts[2] / sum
		w.Excess += row.Waiting * excess
	}
	if known > 0 {
		w.Persistent, w.Random, w.Noise = w.Persistent/known, w.Random/known, w.Noise/known
		w.Excess, w.Known = w.Excess/known, known/all
	}
	return w
}

// quiet returns by which factor the rest of what is recorded is smaller without noise of a variance, and
// how many times that variance is what is recorded.
func (c *Computing) quiet(variance float64) (factor, excess float64) {
	square := c.Random * c.Random
	if square == 0 {
		return 0, 0
	}
	excess = variance / square
	return math.Sqrt(max(0, 1-excess)), excess
}

// split returns the Shapley values of what stays, what changes and the noise [s].
func (c *Computing) split(os noise.OS, key rng.Key) (parts [3]float64, excess float64) {
	m := len(c.ranks)
	draws := max(2, min(4096, mostDrawn/m))
	extra, variance := extras(os, c.Mean, m, draws, key)
	factor, excess := c.quiet(variance)
	var waits [8]float64 // by the set of what is there
	times := make([]float64, m)
	for d := range draws {
		rest := c.rest[int(key.Derive(uint64(d)).Uniform(1)*float64(len(c.rest)))]
		for set := range waits {
			for r := range times {
				times[r] = 0
				if set&1 != 0 {
					times[r] += c.ranks[r]
				}
				if set&2 != 0 {
					times[r] += factor * rest[r]
				}
				if set&4 != 0 {
					times[r] += extra[d*m+r]
				}
			}
			waits[set] += (slices.Max(times) - stat.Mean(times, nil)) / float64(draws)
		}
	}
	for i := range parts {
		for set, wait := range waits {
			if set&(1<<i) == 0 { // how many of the three are before i: none and both in a third each
				weight := [3]float64{1. / 3, 1. / 6, 1. / 3}[set&1+set>>1&1+set>>2&1]
				parts[i] += weight * (waits[set|1<<i] - wait)
			}
		}
		parts[i] = max(0, parts[i])
	}
	return parts, excess
}

// extras returns by how much noise prolongs a time to compute [s] of ranks, in a number of draws, and
// the variance of this extra time. As a call returns outside of detours, the rest of a detour in which
// it ends is not part of the computing after it.
func extras(os noise.OS, compute float64, ranks, draws int, key rng.Key) (extra []float64, variance float64) {
	extra = make([]float64, ranks*draws)
	if os == nil {
		return extra, 0
	}
	detours := os.Detours(make([]float64, ranks))
	for d := range draws {
		detours.Draw(ranks, key.Derive(uint64(d)))
		times := extra[d*ranks:][:ranks]
		for lo := 0; lo < ranks; lo += noise.Block {
			noise.Finish(detours, noise.Piece{}, lo, times[lo:min(ranks, lo+noise.Block)], 0)
		}
		begin := slices.Clone(times)
		for lo := 0; lo < ranks; lo += noise.Block {
			noise.Finish(detours, noise.Piece{Step: 1}, lo, times[lo:min(ranks, lo+noise.Block)], compute)
		}
		for r := range times {
			times[r] -= begin[r] + compute
		}
	}
	return extra, stat.Variance(extra, nil)
}
