package noise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/rng"
)

// A Detour is a time in which a core was taken away, from Start, counted from the
// beginning of the measurement, for Length.
type Detour struct{ Start, Length float64 }

// End returns the time at which the detour ends.
func (d Detour) End() float64 { return d.Start + d.Length }

// A Core is what was seen of one core, in one run. Its detours are in the order of
// their starts, do not overlap, and lie within the span.
type Core struct {
	ID      int
	Span    float64 // how long it was watched
	Detours []Detour
}

// A Trace is what was seen of one or more cores. Several runs on one core are
// several entries.
type Trace struct {
	Cores []Core
	// Resolution is the length below which detours were not seen; 0 if that is
	// not known.
	Resolution float64
}

// A Cause is what causes a part of a machine's noise, such as a timer's interrupt or the threads of
// one kind, with that part on all cores that were watched.
type Cause struct {
	Name string
	Trace
}

// NewCore returns a core that was watched for span seconds, with the detours in
// order. Detours that overlap or touch become one, which lasts as long as both
// together: noise that arrives during other noise waits for its end. If that takes
// the last one beyond the span, the span becomes longer. NewCore also returns the
// number of detours that were merged into others. It fails if a time is negative,
// infinite or not a number, and if the detours leave no time between them.
func NewCore(id int, span float64, detours []Detour) (Core, int, error) {
	for i, d := range detours {
		if !(d.Start >= 0 && d.Length >= 0 && d.End() <= math.MaxFloat64) {
			return Core{}, 0, fmt.Errorf(
				"detour %d starts at %g s and lasts %g s, which no measurement gives", i+1, d.Start,
				d.Length)
		}
	}
	detours = slices.Clone(detours)
	slices.SortStableFunc(detours, func(a, b Detour) int { return cmp.Compare(a.Start, b.Start) })
	kept := detours[:0]
	for _, d := range detours {
		if last := len(kept) - 1; last >= 0 && d.Start <= kept[last].End() {
			kept[last].Length += d.Length
			continue
		}
		kept = append(kept, d)
	}
	if n := len(kept); n > 0 {
		span = max(span, kept[n-1].End())
	}
	c := Core{ID: id, Span: span, Detours: kept}
	if !(span > 0 && span <= math.MaxFloat64) {
		return Core{}, 0, fmt.Errorf("core %d was watched for %g s", id, span)
	}
	if c.Overhead() >= 1 {
		return Core{}, 0, fmt.Errorf(
			"core %d has noise for all of its %g s; nothing could run there", id, span)
	}
	return c, len(detours) - len(kept), nil
}

// Overhead returns the share of the span that the detours take.
func (c Core) Overhead() float64 {
	sum := 0.0
	for _, d := range c.Detours {
		sum += d.Length
	}
	return sum / c.Span
}

// Overhead returns the share of all spans together that the detours take.
func (t Trace) Overhead() float64 {
	busy, span := 0.0, 0.0
	for _, c := range t.Cores {
		busy += c.Overhead() * c.Span
		span += c.Span
	}
	return busy / span
}

// Rate returns the number of detours of a core in a second.
func (t Trace) Rate() float64 {
	n, span := 0, 0.0
	for _, c := range t.Cores {
		n += len(c.Detours)
		span += c.Span
	}
	return float64(n) / span
}

// Lengths returns the lengths of all detours, in ascending order.
func (t Trace) Lengths() []float64 {
	var lengths []float64
	for _, c := range t.Cores {
		for _, d := range c.Detours {
			lengths = append(lengths, d.Length)
		}
	}
	slices.Sort(lengths)
	return lengths
}

// Join returns the sources of several measurements, the same names together. Where one has a
// source that another has not, the cores of that other had none of its detours.
func Join(measurements ...[]Cause) []Cause {
	var all []Cause
	for _, s := range slices.Concat(measurements...) {
		same := func(t Cause) bool { return t.Name == s.Name }
		if slices.ContainsFunc(all, same) {
			continue
		}
		joined := Cause{Name: s.Name}
		for _, one := range measurements {
			if len(one) == 0 {
				continue
			}
			part := slices.IndexFunc(one, same)
			for _, c := range one[max(0, part)].Cores {
				if part < 0 {
					c.Detours = nil
				}
				joined.Cores = append(joined.Cores, c)
			}
		}
		all = append(all, joined)
	}
	return all
}

// Blocks is the number of parts into which [Trace.Spread] divides a measurement.
const Blocks = 10

// Spread returns half the width of Student's interval of the overhead at a confidence between 0 and
// 1: another measurement as long as this one has an overhead within about √2 of that, if the
// machine does the same. The overheads of [Blocks] equal parts of the time, over all cores, count
// as independent values; noise rarer than a block makes the interval too small. It is infinite
// without a core.
func (t Trace) Spread(confidence float64) float64 {
	if len(t.Cores) == 0 {
		return math.Inf(1)
	}
	var busy, spans [Blocks]float64
	for _, c := range t.Cores {
		for i, b := range c.blocks() {
			busy[i] += b
			spans[i] += c.Span / Blocks
		}
	}
	for i := range busy {
		busy[i] /= spans[i]
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: Blocks - 1}
	return student.Quantile((1+confidence)/2) * stat.StdDev(busy[:], nil) / math.Sqrt(Blocks)
}

// blocks returns the time that detours take in each part of the span.
func (c Core) blocks() [Blocks]float64 {
	var busy [Blocks]float64
	width := c.Span / Blocks
	for _, d := range c.Detours {
		for i := min(int(d.Start/width), Blocks-1); i < Blocks; i++ {
			from, to := float64(i)*width, float64(i+1)*width
			if i == Blocks-1 {
				to = c.Span
			}
			if from >= d.End() {
				break
			}
			busy[i] += max(0, min(d.End(), to)-max(d.Start, from))
		}
	}
	return busy
}

// Replay repeats the detours of a trace: each rank follows a core, drawn in proportion to the
// time that each core was watched, from a uniformly distributed moment. After the end of the
// core's span comes its beginning. At a [Synchronized] start the moment is not inside a
// detour; at a [Random] start it may be.
type Replay struct {
	Trace   Trace
	lengths replayedLengths // of the trace, nil if they are not sorted yet
}

// NewReplay returns the replay of a trace. It sorts the lengths, which else takes long again and again.
func NewReplay(t Trace) Replay { return Replay{t, t.Lengths()} }

// Rate implements [Generator].
func (r Replay) Rate() float64 { return r.Trace.Rate() }

// Length implements [Generator]: every length of the trace is equally likely.
func (r Replay) Length() Distribution {
	if r.lengths == nil {
		return replayedLengths(r.Trace.Lengths())
	}
	return r.lengths
}

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
	return NewReplay(t)
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

func (l replayedLengths) squaredExcess(h float64) float64 {
	return l.expect(func(c Constant) float64 { return c.squaredExcess(h) })
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

// draw draws the moment at which a rank begins: its core, and the time of the core's span. At a
// [Synchronized] start that is not inside a detour.
func (p *traceIndex) draw(stream rng.Stream, launch Start) (core int, time float64) {
	at := float64(stream.Uniform() * p.span)
	core = sort.Search(len(p.ends)-1, func(i int) bool { return p.ends[i] > at })
	r := &p.cores[core]
	time = min(max(0, at-(p.ends[core]-r.Span)), r.Span)
	if launch == Synchronized {
		if j := r.from(time); j < len(r.Detours) && r.Detours[j].Start <= time {
			time = r.Detours[j].End()
		}
	}
	return core, time
}

// after returns the first detour that ends after a time of the span, which repeats: when it begins,
// its number, and when its turn of the span begins. It begins at +Inf if the core has no detour.
func (r *coreIndex) after(time float64) (begin float64, detour int, turn float64) {
	if len(r.Detours) == 0 {
		return math.Inf(1), 0, 0
	}
	if detour = r.from(time); detour == len(r.Detours) {
		detour, turn = 0, r.Span
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
	_, detour, turn := core.after(max(0, until-n.shift))
	n.detour, n.shift = int32(detour), n.shift+turn
	n.start = n.shift + core.Detours[detour].Start
}

func (r Replay) process(phases int) process {
	return &replaying{traceIndex: newTraceIndex(r.Trace), next: make([]replay, phases)}
}

func (e *replaying) draw(origin float64, launch Start) { e.origin, e.launch = origin, launch }

func (e *replaying) window(stream rng.Stream, of phases, from, to float64, all []drawn) []drawn {
	for r := of.lo; r < of.lo+of.n; r++ {
		next := &e.next[r]
		if from == e.origin {
			core, time := e.traceIndex.draw(stream, e.launch)
			begin, detour, turn := e.cores[core].after(time)
			shift := e.origin - time
			*next = replay{begin + shift, int32(core), int32(detour), turn + shift}
			if e.alone && from < 0 && to <= 0 { // what is over at the launch delays nothing
				next.pass(&e.cores[core], to)
			}
		}
		for next.start < to {
			core := &e.cores[next.core]
			all = append(all, drawn{int32(r), next.start, core.Detours[next.detour].Length})
			if next.detour++; int(next.detour) == len(core.Detours) {
				next.detour, next.shift = 0, next.shift+core.Span
			}
			next.start = next.shift + core.Detours[next.detour].Start
		}
	}
	return all
}
