package program

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// What is left of a detour that a call returns in is over before computing begins. Of the rest, work
// w meets one of length d in a share w/p of periods p, so that it takes d·w/p longer on average.
func TestExtraBeginsOutsideOfDetours(t *testing.T) {
	const period, duration = 1e-3, 100e-6
	for _, work := range []float64{50e-6, 400e-6} {
		os := &noise.Periodic{Period: period, Duration: duration, Start: noise.Random}
		extra, variance := extras(os, work, 64, 1000, math.Inf(1), rng.NewKey(1, "extras"))
		met := work / period
		if mean := stat.Mean(extra, nil); math.Abs(mean/(duration*met)-1) > 0.05 {
			t.Errorf("work of %g s takes %g s longer, want %g s", work, mean, duration*met)
		}
		want := duration * duration * met * (1 - met)
		if math.Abs(variance/want-1) > 0.05 {
			t.Errorf("work of %g s: variance %g s², want %g s²", work, variance, want)
		}
	}
}

// A time that is put together from pieces has the mean and the variance of a Poisson number of
// detours, few pieces or many, and detours of all ranks remain those of all.
func TestExtrasOfPieces(t *testing.T) {
	const interval, duration, ranks, draws = 1e-3, 20e-6, 4, 4096
	of := func(shared int) noise.OS {
		return &noise.Superposition{Start: noise.Random, Components: noise.Components(shared,
			noise.PoissonDetours{Interval: interval, Lengths: noise.Constant(duration)})}
	}
	for _, work := range []float64{1, 30} {
		// 256 draws of a twentieth, and of a thousandth, of the time.
		extra, variance := extras(of(1), work, ranks, draws, 256*ranks*0.05, rng.NewKey(1, "pieces"))
		// Detours of the detours' time come on top.
		met := work / interval / (1 - duration/interval)
		if mean := stat.Mean(extra, nil); math.Abs(mean/(duration*met)-1) > 0.015 {
			t.Errorf("work of %g s takes %g s longer, want %g s", work, mean, duration*met)
		}
		want := duration * duration * met / ((1 - duration/interval) * (1 - duration/interval))
		if math.Abs(variance/want-1) > 0.15 {
			t.Errorf("work of %g s: variance %g s², want %g s²", work, variance, want)
		}
	}
	extra, _ := extras(of(ranks), 30, ranks, draws, 256*ranks*0.05, rng.NewKey(1, "pieces"))
	for d := range draws {
		for r := range ranks {
			if math.Abs(extra[d*ranks+r]-extra[d*ranks]) > 1e-12 {
				t.Fatalf("draw %d prolongs rank %d by %g s, and rank 0 by %g s", d, r, extra[d*ranks+r], extra[d*ranks])
			}
		}
	}
}

// The effort does not grow with the time that a program computed.
func TestSplitIsBounded(t *testing.T) {
	for _, compute := range []float64{1e-3, 1, 1e4} {
		c := &Computing{Samples: 4, Mean: compute, Random: compute / 10, ranks: make([]float64, 8)}
		for range 4 {
			c.rest = append(c.rest, make([]float64, 8))
		}
		p := Program{Rows: []*Row{{Waiting: 3, Computing: c}, {Waiting: 1, Computing: c}}}
		os := &counting{}
		if w := p.Split(os); w.Known != 1 || os.work > mostSimulated*1.01 {
			t.Errorf("computing for %g s: %g s of noise are simulated, for %+v", compute, os.work, w)
		}
	}
}

// counting is noise that delays by a random time and counts the work of all ranks [s].
type counting struct {
	noise.None
	work float64
}

func (c *counting) Detours([]float64) noise.Detours { return &counted{counting: c} }

type counted struct {
	*counting
	key rng.Key
}

func (c *counted) Draw(_ int, trial rng.Key) { c.key = trial }

func (c *counted) Finish(_ noise.Piece, lo int, t []float64, work float64) {
	for i := range t {
		c.work += work
		t[i] += work * (1 + 0.1*c.key.Uniform(lo+i))
	}
}
