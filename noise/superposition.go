package noise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Superposition is OS jitter from several sources at once. A detour that begins
// during another waits for its end: noise is work of the processor's as well, and
// all of it goes before what the rank does. So a rank's detours are the times in
// which any noise is left to do, and the preemption rule is that of [Detours].
//
// At a quiet launch no source has begun a detour before. A stationary one is a
// moment of sources that began long before: longer than twice the length that one
// detour in 10^4 exceeds. (A replayed trace simply goes on.)
//
// With Shared, ranks 0 … Shared−1 have the same detours, the next as many others, and
// so on; if it is the number of ranks, all ranks have the same.
type Superposition struct {
	Sources []Source
	Launch  Launch
	Shared  int // ranks with the same detours; 0 is 1
}

// A Source of detours, the same for every rank but for chance: [Ticks],
// [Arrivals] or [Replay].
type Source interface {
	// Rate is how many detours it has in a second, on average.
	Rate() float64
	// Length is how long they are.
	Length() Length
	// settled says that the process begins a stationary launch as it goes on.
	settled() bool
	// process returns what draws them, for that many ranks.
	process(ranks int) process
}

// A process draws the detours of one source, in windows of time: for every block of
// ranks one window after the other.
type process interface {
	// draw begins a trial at the origin. Nothing is going on then, unless the source
	// is settled.
	draw(origin float64, launch Launch)
	// window adds the detours of the n ranks from lo, a block, that begin in [from, to).
	window(stream rng.Stream, lo, n int, from, to float64, add func(rank int, start, length float64))
}

// Hit implements [OS]. It is the length that one detour in a hundred of the source
// with the longest exceeds.
func (s Superposition) Hit() float64 {
	hit := 0.0
	for _, source := range s.Sources {
		hit = max(hit, source.Length().Quantile(0.99))
	}
	return hit
}

// Detours implements [OS]. One source of ticks of one length is what [Periodic] is.
func (s Superposition) Detours(room []float64) Detours {
	if len(s.Sources) == 0 {
		return None{}.Detours(room)
	}
	if len(s.Sources) == 1 {
		switch source := s.Sources[0].(type) {
		case Ticks:
			if length, ok := source.Lengths.(Constant); ok && float64(length) < source.Period {
				return Periodic{source.Period, float64(length), s.Launch, s.Shared}.Detours(room)
			}
		case Replay:
			return newReplayed(source.Trace, s.Launch, s.Shared, room)
		}
	}
	d := &superposed{launch: s.Launch, first: room, shared: min(max(1, s.Shared), len(room)), stream: rng.New(rng.Key{}), held: vector.NewBitmask(Block)}
	d.phases = (len(room)-1)/d.shared + 1
	d.head, d.last, d.at = make([]int32, d.phases), make([]int32, d.phases), make([]int32, d.phases)
	d.drawn, d.windows = make([]float64, (d.phases-1)/Block+1), make([]int, (d.phases-1)/Block+1)
	rate, longest := 0.0, 0.0
	for _, source := range s.Sources {
		rate += source.Rate()
		if !source.settled() {
			longest = max(longest, source.Length().Quantile(1-1e-4))
		}
		d.sources = append(d.sources, source.process(d.phases))
	}
	d.step = 1 / rate
	if s.Launch == Stationary {
		d.origin = -2 * longest
	}
	d.add = func(phase int, start, length float64) {
		d.found = append(d.found, found{int32(phase), start, length})
	}
	return d
}

// BytesPerList is about what a rank takes more whose detours are listed, as those of
// any jitter but [Periodic] are: places in lists, and one detour.
const BytesPerList = 40

// superposed draws detours no further than a trial asks for them, as
// [periodicDetours] does. Ranks that share their detours are one phase.
type superposed struct {
	sources []process
	phases  int
	shared  int
	launch  Launch
	origin  float64
	step    float64 // in which a phase has one detour on average
	key     rng.Key
	stream  rng.Stream

	// first is the beginning of each rank's first detour, or, if there is none
	// yet, up to when they are drawn.
	first   []float64
	drawn   []float64 // up to when the detours of each block of phases are
	windows []int     // how many windows those are

	// busy are the times in which a phase has noise to do, a list for each phase
	// in the order of time; places in it are counted from 1, and 0 is none.
	busy     []busy
	head     []int32
	last, at []int32 // the last of each list, and one that a rank has got to
	struck   []int32 // the phases with a list

	held  vector.Bitmask
	found []found // in the window that is being drawn
	add   func(phase int, start, length float64)
}

type busy struct {
	start, end float64
	next       int32
}

type found struct {
	phase         int32
	start, length float64
}

// Draw implements [Detours].
func (d *superposed) Draw(trial rng.Key) {
	d.key = trial.Derive(osChild)
	for _, phase := range d.struck {
		d.head[phase], d.at[phase] = 0, 0
	}
	d.struck, d.busy = d.struck[:0], append(d.busy[:0], busy{})
	for _, source := range d.sources {
		source.draw(d.origin, d.launch)
	}
	for b := range d.drawn {
		d.drawn[b], d.windows[b] = d.origin, 0
		if d.origin < 0 {
			before := len(d.struck)
			d.window(b, 0)
			going := slices.DeleteFunc(d.struck[before:], d.over)
			d.struck = d.struck[:before+len(going)]
		}
		d.window(b, d.end(d.windows[b]))
	}
}

// over forgets the detours of a phase that are over at the launch, and says whether
// that is all of them.
func (d *superposed) over(phase int32) bool {
	place := d.head[phase]
	for place != 0 && d.busy[place].end <= 0 {
		place = d.busy[place].next
	}
	d.head[phase], d.at[phase] = place, place
	if place == 0 {
		d.begin(int(phase), 0)
		return true
	}
	d.begin(int(phase), d.busy[place].start)
	return false
}

// end is where a window ends. The first are short, since so are most trials; later
// ones have one detour a phase.
func (d *superposed) end(window int) float64 {
	if d.origin < 0 {
		window-- // the one before the launch
	}
	if window < 4 {
		return d.step / float64(int(256)>>(2*window))
	}
	return d.step * float64(window-3)
}

// window draws a block's detours up to a time.
func (d *superposed) window(b int, to float64) {
	lo, hi := b*Block, min(d.phases, (b+1)*Block)
	d.found = d.found[:0]
	for i, source := range d.sources {
		d.stream.Reset(d.key.Derive(uint64(i)).Derive(uint64(b)).Derive(uint64(d.windows[b])))
		source.window(d.stream, lo, hi-lo, d.drawn[b], to, d.add)
	}
	slices.SortStableFunc(d.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.start, b.start))
	})
	d.drawn[b] = to
	d.windows[b]++
	for phase := lo; phase < hi; phase++ {
		if d.head[phase] == 0 {
			d.begin(phase, to)
		}
	}
	for _, f := range d.found {
		d.append(f)
	}
}

// begin sets when the first detour of a phase begins.
func (d *superposed) begin(phase int, first float64) {
	fill(d.first[phase*d.shared:min(len(d.first), (phase+1)*d.shared)], first)
}

// append adds a detour after the others of its phase.
func (d *superposed) append(f found) {
	if d.head[f.phase] != 0 {
		if last := &d.busy[d.last[f.phase]]; f.start <= last.end {
			last.end += f.length
			return
		}
	}
	d.busy = append(d.busy, busy{f.start, f.start + f.length, 0})
	place := int32(len(d.busy) - 1)
	if d.head[f.phase] == 0 {
		d.head[f.phase], d.at[f.phase] = place, place
		d.struck = append(d.struck, f.phase)
		d.begin(int(f.phase), f.start)
	} else {
		d.busy[d.last[f.phase]].next = place
	}
	d.last[f.phase] = place
}

// Preempted appends to ranks those in a detour at some time up to the given one.
func (d *superposed) Preempted(upto float64, ranks []int) []int {
	for b := range d.drawn {
		for d.drawn[b] <= upto {
			d.window(b, d.end(d.windows[b]))
		}
	}
	for _, phase := range d.struck {
		lo := int(phase) * d.shared
		if d.first[lo] <= upto {
			for r := lo; r < min(len(d.first), lo+d.shared); r++ {
				ranks = append(ranks, r)
			}
		}
	}
	return ranks
}

// Finish implements [Detours].
func (d *superposed) Finish(lo int, t []float64, work float64) {
	for i := range vector.Advance(t, d.first[lo:lo+len(t)], work, math.Inf(1), math.Inf(1), d.held).All {
		t[i] = d.finish((lo+i)/d.shared, t[i], work)
	}
}

// finish is the preemption rule. Where the end moves beyond what is drawn it
// begins again, with more.
func (d *superposed) finish(phase int, start, work float64) float64 {
	b := phase / Block
	for {
		end := d.preempted(phase, start, work)
		if end < d.drawn[b] {
			return end
		}
		d.window(b, d.end(d.windows[b]))
	}
}

// preempted is the preemption rule with the detours that are drawn.
func (d *superposed) preempted(phase int, start, work float64) float64 {
	place := d.at[phase]
	if place == 0 {
		return start + work
	}
	if d.busy[place].start > start { // an earlier time than the last
		place = d.head[phase]
	}
	for place != 0 && d.busy[place].end <= start {
		d.at[phase] = place
		place = d.busy[place].next
	}
	if place != 0 && d.busy[place].start <= start {
		d.at[phase] = place
		start = d.busy[place].end
		place = d.busy[place].next
	}
	end := start + work
	for ; place != 0 && d.busy[place].start < end; place = d.busy[place].next {
		end += d.busy[place].end - d.busy[place].start
	}
	return end
}

var _ OS = Superposition{}

// expected is the share of time that sources take.
func expected(sources []Source) float64 {
	sum := 0.0
	for _, s := range sources {
		sum += s.Rate() * s.Length().Mean()
	}
	return sum
}

// Check says what is wrong with the sources: of themselves, or that they leave no
// time for anything else.
func (s Superposition) Check() error {
	for _, source := range s.Sources {
		if err := source.Length().Check(); err != nil {
			return err
		}
		if err := positive("the mean time between detours", 1/source.Rate()); err != nil {
			return err
		}
	}
	if share := expected(s.Sources); !(share < 1) {
		return fmt.Errorf("the noise takes %.3g %% of the time, so that nothing could run", 100*share)
	}
	return nil
}
