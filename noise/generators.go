package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// Ticks are detours at a period [s], each of a length of its own, such as detours of an operating
// system's clock. When a rank's first one is, is uniform over the period and each rank's own.
type Ticks struct {
	Period  float64
	Lengths Length
}

// Rate implements [Generator].
func (t Ticks) Rate() float64 { return 1 / t.Period }

// Length implements [Generator].
func (t Ticks) Length() Distribution { return t.Lengths }

// Shortened implements [Generator].
func (t Ticks) Shortened(factor float64) Generator { return Ticks{t.Period, t.Lengths.Scaled(factor)} }

func (t Ticks) process(phases int) process {
	return &ticking{Ticks: t, lengths: tabulate(t.Lengths), begun: make([]bool, phases)}
}

// ticking knows the phases whose first tick is drawn.
type ticking struct {
	Ticks
	lengths table
	origin  float64
	blocks  [][]tick // the ticking phases of each block
	begun   []bool   // which phases are among them
}

type tick struct {
	first float64 // when the first one is [s]
	phase int32
	n     int32 // how many there have been
}

func (t *ticking) draw(origin float64, _ Start) {
	t.origin = origin
	clear(t.begun)
	for b, ticks := range t.blocks {
		t.blocks[b] = ticks[:0]
	}
}

func (t *ticking) window(stream rng.Stream, of phases, from, to float64, all []drawn) []drawn {
	for len(t.blocks) <= of.block {
		t.blocks = append(t.blocks, nil)
	}
	ticks := &t.blocks[of.block]
	silent := 0 // ticking phases without a tick in the window
	if to <= t.origin+t.Period {
		silent = len(*ticks)
	}
	t.begin(stream, of, from, to, ticks)
	before := len(all)
	for i := range (*ticks)[silent:] {
		tick := &(*ticks)[silent+i]
		for {
			start := tick.first + float64(float64(tick.n)*t.Period)
			if start >= to {
				break
			}
			all = append(all, drawn{phase: tick.phase, start: start})
			tick.n++
		}
	}
	t.lengths.draw(stream, all[before:])
	return all
}

// begin draws the phases whose first tick is in the window. Each that has had none has it there
// with a probability equal to the window's share of what is left of the period.
func (t *ticking) begin(stream rng.Stream, of phases, from, to float64, ticks *[]tick) {
	end := t.origin + t.Period
	if from >= end {
		return
	}
	width, perGap := min(to, end)-from, 0.0
	if to < end {
		perGap = -1 / math.Log1p(-width/(end-from))
	}
	gap := func() int { return int(min(float64(of.n), stream.ExpFloat64()*perGap)) }
	for i := gap(); i < of.n; i += 1 + gap() {
		if phase := of.lo + i; !t.begun[phase] {
			t.begun[phase] = true
			*ticks = append(*ticks, tick{phase: int32(phase), first: from + float64(width*stream.Uniform())})
		}
	}
}

// PoissonDetours are detours at the moments of a Poisson process, Interval [s] apart on average,
// each of a length of its own.
type PoissonDetours struct {
	Interval float64
	Lengths  Length
}

// Rate implements [Generator].
func (a PoissonDetours) Rate() float64 { return 1 / a.Interval }

// Length implements [Generator].
func (a PoissonDetours) Length() Distribution { return a.Lengths }

// Shortened implements [Generator].
func (a PoissonDetours) Shortened(factor float64) Generator {
	return PoissonDetours{a.Interval, a.Lengths.Scaled(factor)}
}

func (a PoissonDetours) process(int) process { return &arriving{a.Interval, tabulate(a.Lengths)} }

// arriving has no state, since a Poisson process has no memory.
type arriving struct {
	interval float64 // [s]
	lengths  table
}

func (*arriving) draw(float64, Start) {}

// window lays the windows of all phases end to end and walks over them by exponential gaps.
func (a *arriving) window(stream rng.Stream, of phases, from, to float64, all []drawn) []drawn {
	width, last, before := to-from, math.Nextafter(to, from), len(all)
	for at := 0.0; ; {
		at += float64(stream.ExpFloat64() * a.interval)
		phase := at / width
		if !(phase < float64(of.n)) {
			break
		}
		i := int(phase)
		start := min(from+max(0, at-float64(float64(i)*width)), last)
		all = append(all, drawn{int32(of.lo + i), start, a.lengths.share(stream)})
	}
	a.lengths.lengthen(all[before:])
	return all
}
