package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// Ticks are detours at a period, whose phase is uniform and each rank's own, and
// whose lengths are drawn for each: the ticks of an operating system's clock.
type Ticks struct {
	Period  float64
	Lengths Length
}

// Rate implements [Source].
func (t Ticks) Rate() float64 { return 1 / t.Period }

// Length implements [Source].
func (t Ticks) Length() Length { return t.Lengths }

func (t Ticks) settled() bool { return false }

func (t Ticks) process(ranks int) process {
	return &ticking{Ticks: t, ticking: make([][]tick, (ranks-1)/Block+1), struck: make([]bool, ranks)}
}

// ticking knows the phases of those ranks whose first tick is drawn.
type ticking struct {
	Ticks
	origin  float64
	ticking [][]tick // of each block
	struck  []bool
}

type tick struct {
	rank  int
	first float64
	n     int // ticks there have been
}

func (t *ticking) draw(origin float64, _ Launch) {
	t.origin = origin
	for b, ticks := range t.ticking {
		for _, tick := range ticks {
			t.struck[tick.rank] = false
		}
		t.ticking[b] = ticks[:0]
	}
}

func (t *ticking) window(stream rng.Stream, lo, n int, from, to float64, add func(rank int, start, length float64)) {
	ticks := &t.ticking[lo/Block]
	t.begin(stream, lo, n, from, to, ticks)
	for i := range *ticks {
		tick := &(*ticks)[i]
		for {
			start := tick.first + float64(float64(tick.n)*t.Period)
			if start >= to {
				break
			}
			add(tick.rank, start, draw(t.Lengths, stream))
			tick.n++
		}
	}
}

// begin finds whose first tick is in the window. Each that has not had one has it
// there with the probability that the window is of what is left of the period.
func (t *ticking) begin(stream rng.Stream, lo, n int, from, to float64, ticks *[]tick) {
	end := t.origin + t.Period
	if from >= end {
		return
	}
	width, perGap := min(to, end)-from, 0.0
	if to < end {
		perGap = -1 / math.Log1p(-width/(end-from))
	}
	gap := func() int { return int(min(Block, stream.ExpFloat64()*perGap)) }
	for i := gap(); i < n; i += 1 + gap() {
		if rank := lo + i; !t.struck[rank] {
			t.struck[rank] = true
			*ticks = append(*ticks, tick{rank: rank, first: from + float64(width*stream.Uniform())})
		}
	}
}

// draw draws a length. One that is always the same takes no random number.
func draw(length Length, stream rng.Stream) float64 {
	if c, ok := length.(Constant); ok {
		return float64(c)
	}
	return length.Quantile(stream.Uniform())
}

var _ Source = Ticks{}
