package program

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/montecarlo/attribution"
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

// Limits of what is drawn, so that the effort does not grow with what was recorded.
const (
	mostDrawn     = 1 << 18 // times to compute, for a row
	mostForAll    = 1 << 22 // times to compute, for all rows
	mostSimulated = 400     // seconds of noise of a rank, for all rows
	fewDraws      = 4       // of a row, at least
)

// Split divides the waiting among imbalance that stays, imbalance that changes, and the noise of the
// machine; os is nil if that is not known. The shares are Shapley values: what each adds to the mean of
// how long ranks wait for the last one, over all orders in which they may be added. Noise is drawn from
// os during the time that ranks compute; what changes is what was recorded less the variance of the
// noise.
func (p *Program) Split(os noise.OS) Waiting {
	var w Waiting
	all, divided, rows := 0.0, 0.0, 0
	for _, row := range p.Rows {
		if all += row.Waiting; row.Computing != nil && row.Waiting > 0 {
			divided += row.Waiting
			rows++
		}
	}
	known := 0.0
	for i, row := range p.Rows {
		if row.Computing == nil || row.Waiting == 0 {
			continue
		}
		share := row.Waiting / divided
		most := mostDrawn
		if rows*mostDrawn > mostForAll {
			most = min(most, int(share*mostForAll))
		}
		parts, excess := row.Computing.split(os, most, share*mostSimulated,
			rng.NewKey(1, "waiting").Derive(uint64(i)))
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

// split returns the Shapley values of what stays, what changes and the noise [s], from a limited
// number of times to compute, and of seconds of noise.
func (c *Computing) split(os noise.OS, most int, simulated float64, key rng.Key,
) (parts [3]float64, excess float64) {
	m := len(c.ranks)
	draws := max(2, min(4096, most/m), min(fewDraws, mostDrawn/m))
	extra, variance := extras(os, c.Mean, m, draws, simulated, key)
	factor, excess := c.quiet(variance)
	waits := make([]float64, 1<<len(parts)) // by the set of what is there
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
		parts[i] = max(0, attribution.Shapley(len(parts), i, waits))
	}
	return parts, excess
}
