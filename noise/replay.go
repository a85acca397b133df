package noise

import (
	"errors"
	"math"
	"sort"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/noise/trace"
)

// Replay is a trace, played again: each rank is one of its cores, drawn by chance in
// proportion to how long each was watched, from a moment that is as likely as any
// other. At the end of a core's span its beginning follows. At a quiet launch a
// detour that is going on is over, at a stationary one it goes on.
type Replay struct{ Trace trace.Trace }

// Rate implements [Source].
func (r Replay) Rate() float64 { return r.Trace.Rate() }

// Length implements [Source]: every length of the trace is equally likely.
func (r Replay) Length() Length { return replayedLengths(r.Trace.Lengths()) }

// replayedLengths are in ascending order.
type replayedLengths []float64

// Quantile implements [Length].
func (l replayedLengths) Quantile(p float64) float64 {
	return l[min(len(l)-1, max(0, int(p*float64(len(l)))))]
}

// Mean implements [Length].
func (l replayedLengths) Mean() float64 {
	sum := 0.0
	for _, x := range l {
		sum += x
	}
	return sum / float64(len(l))
}

// Check implements [Length].
func (l replayedLengths) Check() error {
	if len(l) == 0 {
		return errors.New("the trace has no detour")
	}
	return positive("the longest detour of a trace", l[len(l)-1])
}

// tape is a trace's cores, laid end to end.
type tape struct {
	cores []reel
	ends  []float64
	span  float64
}

// reel is a core, and where in the list its detours of a time begin: index is for
// so many equal parts of its span the first detour that ends in it or later.
type reel struct {
	trace.Core
	index []int32
}

func newTape(t trace.Trace) *tape {
	p := &tape{}
	for _, c := range t.Cores {
		p.span += c.Span
		p.ends = append(p.ends, p.span)
		r := reel{c, make([]int32, len(c.Detours)+1)}
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

// part is how long a part of the index is.
func (r *reel) part() float64 { return r.Span / float64(len(r.Detours)+1) }

// from is the first detour that ends after a time of the span; past the last that is
// their number.
func (r *reel) from(at float64) int {
	i := min(int(at/r.part()), len(r.index)-1)
	j := int(r.index[i])
	if j > 0 && r.Detours[j-1].End() > at { // but for rounding it is not
		j--
	}
	for j < len(r.Detours) && r.Detours[j].End() <= at {
		j++
	}
	return j
}

// place is a moment of the tape: a core, and a time of its span.
func (p *tape) place(at float64) (core int, time float64) {
	core = sort.Search(len(p.ends)-1, func(i int) bool { return p.ends[i] > at })
	span := p.cores[core].Span
	return core, min(max(0, at-(p.ends[core]-span)), span)
}

// draw draws the moment at which a rank begins. At a quiet launch that is not inside
// a detour.
func (p *tape) draw(stream rng.Stream, launch Launch) (core int, time float64) {
	core, time = p.place(float64(stream.Uniform() * p.span))
	if launch == Quiet {
		r := &p.cores[core]
		if j := r.from(time); j < len(r.Detours) && r.Detours[j].Start <= time {
			time = r.Detours[j].End()
		}
	}
	return core, time
}

// after is the first detour that ends after a time since the beginning of the span,
// over which it goes again and again, or +Inf if there is none.
func (r *reel) after(time float64) (begin float64, detour int, turn float64) {
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

// replayed are the detours of ranks of which each replays a trace, and nothing else.
type replayed struct {
	*tape
	launch Launch
	shared int
	stream rng.Stream
	held   vector.Bitmask
	first  []float64 // the beginning of each rank's first detour
	least  []float64 // and the least of each block of ranks
	core   []int32   // of each phase: the ranks that share their detours
	time   []float64 // of its span at which the trial begins
}

func newReplayed(t trace.Trace, launch Launch, shared int, room []float64) *replayed {
	shared = min(max(1, shared), len(room))
	phases := (len(room)-1)/shared + 1
	return &replayed{
		tape: newTape(t), launch: launch, shared: shared, stream: rng.New(rng.Key{}), held: vector.NewBitmask(Block),
		first: room, least: make([]float64, (len(room)-1)/Block+1), core: make([]int32, phases), time: make([]float64, phases),
	}
}

// Draw implements [Detours].
func (d *replayed) Draw(trial rng.Key) {
	fill(d.least, math.Inf(1))
	d.stream.Reset(trial.Derive(osChild))
	for phase := range d.core {
		core, time := d.draw(d.stream, d.launch)
		d.core[phase], d.time[phase] = int32(core), time
		begin, _, _ := d.cores[core].after(time)
		for r := phase * d.shared; r < min(len(d.first), (phase+1)*d.shared); r++ {
			d.first[r] = begin - time
			d.least[r/Block] = min(d.least[r/Block], d.first[r])
		}
	}
}

// Preempted appends to ranks those in a detour at some time up to the given one.
func (d *replayed) Preempted(upto float64, ranks []int) []int {
	for b, least := range d.least {
		if least > upto {
			continue
		}
		for r := b * Block; r < min(len(d.first), (b+1)*Block); r++ {
			if d.first[r] <= upto {
				ranks = append(ranks, r)
			}
		}
	}
	return ranks
}

// Finish implements [Detours].
func (d *replayed) Finish(lo int, t []float64, work float64) {
	for i := range vector.Advance(t, d.first[lo:lo+len(t)], work, math.Inf(1), math.Inf(1), d.held).All {
		t[i] = d.finish((lo+i)/d.shared, t[i], work)
	}
}

// finish is the preemption rule.
func (d *replayed) finish(phase int, start, work float64) float64 {
	r, origin := &d.cores[d.core[phase]], d.time[phase]
	begin, detour, turn := r.after(start + origin)
	next := func() {
		if detour++; detour == len(r.Detours) {
			detour, turn = 0, turn+r.Span
		}
		begin = turn + r.Detours[detour].Start
	}
	for begin-origin <= start { // once, but where the end of the span meets its beginning
		start = begin + r.Detours[detour].Length - origin
		next()
	}
	end := start + work
	for begin-origin < end {
		end += r.Detours[detour].Length
		next()
	}
	return end
}

// replaying is a replay as one of several sources.
type replaying struct {
	*tape
	origin float64
	launch Launch
	next   []replay
}

// replay is a rank's next detour.
type replay struct {
	start  float64 // +Inf if its core has none
	core   int32
	detour int32
	shift  float64 // the time of the trial at which this turn of the core's span begins
}

func (r Replay) settled() bool { return true }

func (r Replay) process(ranks int) process {
	return &replaying{tape: newTape(r.Trace), next: make([]replay, ranks)}
}

func (e *replaying) draw(origin float64, launch Launch) { e.origin, e.launch = origin, launch }

func (e *replaying) window(stream rng.Stream, lo, n int, from, to float64, add func(rank int, start, length float64)) {
	if from == e.origin {
		for r := lo; r < lo+n; r++ {
			core, time := e.tape.draw(stream, e.launch)
			begin, detour, turn := e.cores[core].after(time)
			shift := e.origin - time
			e.next[r] = replay{begin + shift, int32(core), int32(detour), turn + shift}
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

var _ Source = Replay{}
