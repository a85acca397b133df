package noise

import (
	"math"
	"slices"
	"sort"

	"jitterfly/internal/rng"
)

// Replay repeats the detours of a trace: each rank follows a core, drawn in proportion to the
// time that each core was watched, from a uniformly distributed moment. After the end of the
// core's span comes its beginning. At a [Synchronized] start the moment is not inside a
// detour; at a [Random] start it may be.
type Replay struct{ Trace Trace }

// Rate implements [Generator].
func (r Replay) Rate() float64 { return r.Trace.Rate() }

// Length implements [Generator]: every length of the trace is equally likely.
func (r Replay) Length() Distribution { return replayedLengths(r.Trace.Lengths()) }

// Shortened implements [Generator].
func (r Replay) Shortened(factor float64) Generator {
	t := Trace{Cores: slices.Clone(r.Trace.Cores), Resolution: factor * r.Trace.Resolution}
	for i := range t.Cores {
		detours := slices.Clone(t.Cores[i].Detours)
		for j := range detours {
			detours[j].Length *= factor
		}
		t.Cores[i].Detours = detours
	}
	return Replay{t}
}

// replayedLengths are lengths [s] in ascending order.
type replayedLengths []float64

// Quantile implements [Distribution].
func (l replayedLengths) Quantile(p float64) float64 {
	return l[min(len(l)-1, max(0, int(p*float64(len(l)))))]
}

// expect returns the expected value of a function of the length.
func (l replayedLengths) expect(f func(c Constant) float64) float64 {
	sum := 0.0
	for _, x := range l {
		sum += f(Constant(x))
	}
	return sum / float64(len(l))
}

// Mean implements [Distribution].
func (l replayedLengths) Mean() float64 { return l.expect(Constant.Mean) }

// Excess implements [Distribution].
func (l replayedLengths) Excess(h float64) float64 {
	return l.expect(func(c Constant) float64 { return c.Excess(h) })
}

// SquaredExcess implements [Distribution].
func (l replayedLengths) SquaredExcess(h float64) float64 {
	return l.expect(func(c Constant) float64 { return c.SquaredExcess(h) })
}

// traceIndex finds moments of a trace, whose cores are laid end to end.
type traceIndex struct {
	cores []coreIndex
	ends  []float64 // of each core [s]
	span  float64   // of all cores together [s]
}

// coreIndex finds the detours of a core. Its span is divided into equal parts; index has, for
// each, the first detour that ends in it or later.
type coreIndex struct {
	Core
	index []int32
}

func newTraceIndex(t Trace) *traceIndex {
	p := &traceIndex{}
	for _, c := range t.Cores {
		p.span += c.Span
		p.ends = append(p.ends, p.span)
		r := coreIndex{c, make([]int32, len(c.Detours)+1)}
		j := 0
		for i := range r.index {
			for j < len(c.Detours) && c.Detours[j].End() <= float64(i)*r.part() {
				j++
			}
			r.index[i] = int32(j)
		}
		p.cores = append(p.cores, r)
	}
	return p
}

// part returns how long a part of the index is [s].
func (r *coreIndex) part() float64 { return r.Span / float64(len(r.Detours)+1) }

// from returns the first detour that ends after a time of the span; after the last that is
// their number.
func (r *coreIndex) from(at float64) int {
	i := min(int(at/r.part()), len(r.index)-1)
	j := int(r.index[i])
	if j > 0 && r.Detours[j-1].End() > at { // only by rounding
		j--
	}
	for j < len(r.Detours) && r.Detours[j].End() <= at {
		j++
	}
	return j
}

// place returns the core of a moment, and the time of its span.
func (p *traceIndex) place(at float64) (core int, time float64) {
	core = sort.Search(len(p.ends)-1, func(i int) bool { return p.ends[i] > at })
	span := p.cores[core].Span
	return core, min(max(0, at-(p.ends[core]-span)), span)
}

// draw draws the moment at which a rank begins. At a [Synchronized] start that is not inside a
// detour.
func (p *traceIndex) draw(stream rng.Stream, launch Start) (core int, time float64) {
	core, time = p.place(float64(stream.Uniform() * p.span))
	if launch == Synchronized {
		r := &p.cores[core]
		if j := r.from(time); j < len(r.Detours) && r.Detours[j].Start <= time {
			time = r.Detours[j].End()
		}
	}
	return core, time
}

// after returns the first detour that ends after a time since the beginning of the span,
// which repeats: when it begins, its number, and when its turn of the span began. It begins
// at +Inf if the core has no detour.
func (r *coreIndex) after(time float64) (begin float64, detour int, turn float64) {
	if len(r.Detours) == 0 {
		return math.Inf(1), 0, 0
	}
	turns := math.Floor(time / r.Span)
	turn = turns * r.Span
	detour = r.from(min(max(0, time-turn), r.Span))
	if detour == len(r.Detours) {
		detour, turn = 0, turn+r.Span
	}
	return turn + r.Detours[detour].Start, detour, turn
}

// replaying is the state of a trace.
type replaying struct {
	*traceIndex
	origin float64
	launch Start
	alone  bool // no other component delays its detours
	next   []replay
}

// replay is a phase's next detour.
type replay struct {
	start  float64 // +Inf if its core has none [s]
	core   int32
	detour int32
	shift  float64 // when this turn of the core's span begins in the trial [s]
}

// pass moves on to the first detour that ends after a time [s].
func (n *replay) pass(core *coreIndex, until float64) {
	if len(core.Detours) == 0 || n.start+core.Detours[n.detour].Length > until {
		return
	}
	for n.shift+core.Span <= until {
		n.shift += core.Span
	}
	if n.detour = int32(core.from(max(0, until-n.shift))); int(n.detour) == len(core.Detours) {
		n.detour, n.shift = 0, n.shift+core.Span
	}
	n.start = n.shift + core.Detours[n.detour].Start
}

func (r Replay) process(phases int) process {
	return &replaying{traceIndex: newTraceIndex(r.Trace), next: make([]replay, phases)}
}

func (e *replaying) draw(origin float64, launch Start) { e.origin, e.launch = origin, launch }

func (e *replaying) window(stream rng.Stream, of phases, from, to float64, add addDetour) {
	if from == e.origin {
		for r := of.lo; r < of.lo+of.n; r++ {
			core, time := e.traceIndex.draw(stream, e.launch)
			begin, detour, turn := e.cores[core].after(time)
			shift := e.origin - time
			e.next[r] = replay{begin + shift, int32(core), int32(detour), turn + shift}
			if e.alone && from < 0 && to <= 0 { // what is over at the launch delays nothing
				e.next[r].pass(&e.cores[core], to)
			}
		}
	}
	for r := of.lo; r < of.lo+of.n; r++ {
		for next := &e.next[r]; next.start < to; {
			core := &e.cores[next.core]
			add(r, next.start, core.Detours[next.detour].Length)
			if next.detour++; int(next.detour) == len(core.Detours) {
				next.detour, next.shift = 0, next.shift+core.Span
			}
			next.start = next.shift + core.Detours[next.detour].Start
		}
	}
}

var _ Generator = Replay{}
