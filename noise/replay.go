package noise

import (
	"errors"
	"math"
	"slices"
	"sort"

	"jitterfly/internal/rng"
	"jitterfly/noise/trace"
)

// Replay is a trace, played again: each rank is one of its cores, drawn by chance
// in proportion to how long each was watched, from a moment that is as likely as any other. At the end of a core's
// span its beginning follows.
type Replay struct{ Trace trace.Trace }

// Rate implements [Source].
func (r Replay) Rate() float64 { return r.Trace.Rate() }

// Length implements [Source]: every length of the trace is equally likely.
func (r Replay) Length() Length { return replayed(r.Trace.Lengths()) }

// replayed are lengths in ascending order.
type replayed []float64

// Quantile implements [Length].
func (l replayed) Quantile(p float64) float64 {
	return l[min(len(l)-1, max(0, int(p*float64(len(l)))))]
}

// Mean implements [Length].
func (l replayed) Mean() float64 {
	sum := 0.0
	for _, x := range l {
		sum += x
	}
	return sum / float64(len(l))
}

// Check implements [Length].
func (l replayed) Check() error {
	if len(l) == 0 {
		return errors.New("the trace has no detour")
	}
	return positive("the longest detour of a trace", l[len(l)-1])
}

func (r Replay) process(ranks int) process {
	e := &replaying{cores: r.Trace.Cores, ends: make([]float64, len(r.Trace.Cores)), next: make([]replay, ranks)}
	for i, c := range e.cores {
		e.span += c.Span
		e.ends[i] = e.span
	}
	return e
}

// replaying is where in the trace each rank is.
type replaying struct {
	cores  []trace.Core
	ends   []float64 // of the cores' spans, laid end to end
	span   float64
	origin float64
	next   []replay
}

// replay is a rank's next detour.
type replay struct {
	start  float64 // +Inf if its core has none
	core   int32
	detour int32
	shift  float64 // the time of the trial at which this turn of the core's span begins
}

func (e *replaying) draw(origin float64) { e.origin = origin }

func (e *replaying) window(stream rng.Stream, lo, n int, from, to float64, add func(rank int, start, length float64)) {
	if from == e.origin {
		for r := lo; r < lo+n; r++ {
			e.next[r] = e.begin(float64(stream.Uniform() * e.span))
		}
	}
	for r := lo; r < lo+n; r++ {
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

// begin finds the first detour that begins at a moment of the spans, laid end to
// end, or after it. One that is going on is over.
func (e *replaying) begin(at float64) replay {
	i, _ := slices.BinarySearch(e.ends, math.Nextafter(at, math.Inf(1)))
	i = min(i, len(e.cores)-1)
	core := &e.cores[i]
	at = min(max(0, at-(e.ends[i]-core.Span)), core.Span)
	next := replay{start: math.Inf(1), core: int32(i), shift: e.origin - at}
	if len(core.Detours) == 0 {
		return next
	}
	detour := sort.Search(len(core.Detours), func(j int) bool { return core.Detours[j].Start >= at })
	if detour == len(core.Detours) {
		detour, next.shift = 0, next.shift+core.Span
	}
	next.detour = int32(detour)
	next.start = next.shift + core.Detours[detour].Start
	return next
}

var _ Source = Replay{}
