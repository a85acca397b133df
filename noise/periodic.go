package noise

import (
	"math"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Start is the moment at which the collective begins, with respect to the detours.
type Start int

const (
	// Synchronized is a moment at which no rank is inside a detour (paper 003, 4.1.3 A).
	Synchronized Start = iota
	// Random is a moment that is independent of the detours: of periodic ones a rank is
	// inside one with probability Duration/Period.
	Random
)

// Periodic is OS jitter in which every rank has detours of the same period and length, at a phase
// of the rank's own (Matsumoto and Suda, 4.1.3 A): the detours of rank r are
//
//	[first_r + i·Period, first_r + i·Period + Duration)   i = 0, 1, 2, …
//
// with first_r uniform in [0, Period) at a [Synchronized] start, and uniform in
// [−Duration, Period−Duration) at a [Random] one, so that a detour that began less than
// Duration before the launch is not over.
//
// With Shared, ranks 0 … Shared−1 have one phase, the next as many another, and so on: what
// preempts a whole node preempts all of its ranks.
//
// It needs 0 ≤ Duration < Period.
type Periodic struct {
	Period, Duration float64 // [s]
	Start            Start
	Shared           int // ranks of one phase; 0 is 1
}

// Hit implements [OS].
func (p Periodic) Hit() float64 { return p.Duration }

// Tail implements [OS].
func (p Periodic) Tail(ranks int, span float64, _ int, h float64) float64 {
	return groups(ranks, p.Shared) * (span / p.Period * max(0, p.Duration-h))
}

// Slowness implements [OS]: it returns 0.
func (Periodic) Slowness() float64 { return 0 }

// Grouped implements [OS].
func (p Periodic) Grouped(ranks int) bool { return grouped(p.Shared, ranks) }

// BytesPerRank implements [OS]: nothing is listed.
func (Periodic) BytesPerRank() float64 { return 0 }

// Superpositions implements [OS]: it returns none.
func (Periodic) Superpositions() []Superposition { return nil }

// Underway implements [OS].
func (p Periodic) Underway(ranks int, h float64) float64 {
	if p.Start == Synchronized {
		return 0
	}
	return groups(ranks, p.Shared) * (Constant(p.Duration).squaredExcess(h) / (2 * p.Period))
}

// Detours implements [OS].
func (p Periodic) Detours(room []float64) Detours {
	d := &periodicDetours{
		Periodic: p, detours: vector.NewPeriodicDetours(p.Period, p.Duration),
		room: room, ends: make([]float64, len(room)),
		stream: rng.New(rng.Key{}), hit: vector.NewBitmask(Block),
	}
	d.most = min(max(1, p.Shared), len(room))
	d.Shared = d.most
	if d.Start == Random {
		d.origin = -d.Duration
	}
	return d
}

// periodicDetours draws phases no further than a trial asks for them. In a trial that is
// short against the period few ranks are preempted, and only their phases are drawn: in
// windows of time, one after the other, in each of which the phases are found by the gaps
// between their ranks. Later windows are wider, and the last is all the rest.
//
// Windows are drawn for blocks of phases, each from a stream of its own. A phase belongs to the
// ranks that share it.
//
// For each rank the end of the gap between two detours that it was last in is kept, which
// it leaves once a period, so that most work costs one comparison. Where few ranks of a block
// have met a detour, that is the gap before the first one. It is infinite for ranks whose
// phase is not drawn, so that only those need to be looked at when a window is drawn, and
// nothing is to be done for the others when a trial begins.
type periodicDetours struct {
	Periodic
	detours vector.PeriodicDetours // without phases
	origin  float64
	most    int // ranks of a phase; Shared is no more than there are
	// The beginning of each rank's first detour, where that is drawn, and the end of its
	// gap [s]: those of the ranks that there are, in room for as many as there may be.
	first, gapEnd []float64
	room, ends    []float64
	size          int       // of a block of phases, in ranks
	key           rng.Key   // of the trial
	blocks        []windows // those drawn of each
	single        []int     // the phases drawn one by one, by their first ranks
	resumed       []bool    // blocks of ranks some of which are in a gap after a detour
	hit           vector.Bitmask
	stream        rng.Stream
	// Of each window: where it ends, as a share of the period; the mean number of phases
	// between two that begin in it; the probability that none of a block does.
	shares [len(windowEnds)]float64
	perGap [len(windowEnds)]float64
	none   [len(windowEnds)]noEvent
}

// windowEnds is the mean number of phases of a whole block before the end of each window.
var windowEnds = [...]float64{1. / 8, 3}

// windows are those drawn of a block.
type windows struct {
	upto float64 // [s]
	n    int
}

// Draw implements [Detours].
func (d *periodicDetours) Draw(ranks int, trial rng.Key) {
	d.Shared = min(d.most, ranks)
	d.arrange(ranks)
	d.key = trial.Derive(osChild)
	for _, r := range d.single {
		vector.Fill(d.gapEnd[r:min(len(d.gapEnd), r+d.Shared)], math.Inf(1))
	}
	d.single = d.single[:0]
	clear(d.resumed)
	for b := range d.blocks {
		if d.drawn(b) {
			vector.Fill(d.block(d.gapEnd, b), math.Inf(1))
		}
		d.blocks[b] = windows{upto: d.origin}
		d.window(b)
	}
}

// arrange makes room for the given number of ranks, and forgets what was drawn.
func (d *periodicDetours) arrange(ranks int) {
	size := Block * d.Shared
	if len(d.first) == ranks && d.size == size {
		return
	}
	d.first, d.gapEnd, d.size, d.single = d.room[:ranks], d.ends[:ranks], size, d.single[:0]
	vector.Fill(d.gapEnd, math.Inf(1))
	from, phases := 0.0, float64((min(ranks, size)-1)/d.Shared+1)
	for i, end := range windowEnds {
		d.shares[i] = min(1, end/phases)
		d.perGap[i] = -1 / math.Log1p(-(d.shares[i]-from)/(1-from))
		from = d.shares[i]
	}
	blocks := (ranks-1)/size + 1
	d.resumed = append(d.resumed[:0], make([]bool, (ranks-1)/Block+1)...)
	d.blocks = append(d.blocks[:0], make([]windows, blocks)...)
}

// block returns the part of v, which has a number for each rank, of a block of phases.
func (d *periodicDetours) block(v []float64, b int) []float64 {
	return v[b*d.size : min(len(v), (b+1)*d.size)]
}

// until returns the end of a window [s]; the last window's is infinite.
func (d *periodicDetours) until(window int) float64 {
	if window == len(windowEnds) || d.shares[window] == 1 {
		return math.Inf(1)
	}
	return d.origin + float64(d.shares[window]*d.Period)
}

// window draws the next window of a block. A phase that is in no earlier window is in this one with
// a probability equal to the window's share of what is left of the period. So the numbers of phases
// between those in it have a geometric distribution, which is drawn over all phases, and does not
// change the phases of earlier windows. In the last window are all others.
func (d *periodicDetours) window(b int) {
	drawn, gapEnd := &d.blocks[b], d.block(d.gapEnd, b)
	window, from, to := drawn.n, drawn.upto, d.until(drawn.n)
	drawn.upto = to
	drawn.n++
	if d.drawn(b) {
		d.drawAll(b, from)
		return
	}
	width, perGap, phases := to-from, d.perGap[window], (len(gapEnd)-1)/d.Shared+1
	name := b*len(windowEnds) + window
	left := 1 - d.key.Uniform(name) // the first gap, often the only one, needs no stream
	if left <= d.none[window].of(float64(phases)/perGap) {
		return
	}
	d.stream.Reset(d.key.Derive(uint64(b)).Derive(uint64(name)))
	gap := func(exponential float64) int { return int(min(Block, exponential*perGap)) }
	for i := gap(-math.Log(left)); i < phases; i += 1 + gap(d.stream.ExpFloat64()) {
		r := i * d.Shared
		if !math.IsInf(gapEnd[r], 1) {
			continue
		}
		d.single = append(d.single, b*d.size+r)
		d.setPhase(b*d.size+r, from+float64(width*d.stream.Uniform()))
	}
}

// setPhase sets the phase of the ranks that share it, from the first of them on.
func (d *periodicDetours) setPhase(first int, phase float64) {
	end := min(len(d.first), first+d.Shared)
	vector.Fill(d.first[first:end], phase)
	vector.Fill(d.gapEnd[first:end], phase)
}

// drawAll draws the phases of a block that are in no earlier window: uniformly from a time [s] on, by
// one word each.
func (d *periodicDetours) drawAll(b int, from float64) {
	gapEnd := d.block(d.gapEnd, b)
	width, words := d.origin+d.Period-from, d.key.Derive(uint64(b)).Counter()
	if d.Shared == 1 {
		vector.Draw(gapEnd, d.block(d.first, b), from, width, words)
		return
	}
	for r := 0; r < len(gapEnd); r += d.Shared {
		if math.IsInf(gapEnd[r], 1) {
			d.setPhase(b*d.size+r, from+float64(width*rng.Unit(words.Word(r/d.Shared))))
		}
	}
}

// drawn reports whether every phase of block b has been drawn.
func (d *periodicDetours) drawn(b int) bool { return math.IsInf(d.blocks[b].upto, 1) }

// Preempts implements [SparseDetours].
func (d *periodicDetours) Preempts(upto float64) bool {
	begun := func(first float64) bool { return first <= upto }
	for b := range d.blocks {
		d.drawUpTo(b, upto)
		if d.drawn(b) && slices.ContainsFunc(d.block(d.first, b), begun) {
			return true
		}
	}
	return slices.ContainsFunc(d.single, func(rank int) bool { return begun(d.first[rank]) })
}

// Finish implements [Detours].
func (d *periodicDetours) Finish(_ Piece, lo int, t []float64, work float64) {
	b := d.blockOf(lo)
	known := d.drawUpTo(b, t[0]+work)
	if len(t) == 1 {
		if math.IsInf(d.gapEnd[lo], 1) || t[0]+work < d.first[lo] {
			t[0] += work
		} else {
			t[0] = d.detours.Work(t[0], work, d.first[lo], new(float64))
		}
		return
	}
	first, gapEnd, width := d.first[lo:lo+len(t)], d.gapEnd[lo:lo+len(t)], math.Inf(1)
	resumed := &d.resumed[lo/Block]
	if *resumed {
		width = d.detours.Gap()
	}
	hit := vector.Advance(t, gapEnd, work, known, width, d.hit)
	if !hit.Any() {
		return
	}
	if !math.IsInf(known, 1) {
		d.drawUpTo(b, vector.Most(t)+work)
		for i := range hit.All {
			if math.IsInf(gapEnd[i], 1) { // the first detour comes after the work
				t[i] += work
				hit[i/64] &^= 1 << (i % 64)
			}
		}
	}
	if *resumed = *resumed || hit.Count() > manyHit; *resumed {
		vector.Resume(t, first, gapEnd, work, &d.detours, hit)
		return
	}
	for i := range hit.All {
		t[i] = d.detours.Work(t[i], work, first[i], new(float64))
	}
}

// manyHit is the number of ranks of a block that meet a detour in one pass above which it
// pays to keep the ends of later gaps.
const manyHit = 3

// drawUpTo draws windows of a block until one ends after a time [s], and returns its end.
func (d *periodicDetours) drawUpTo(b int, upto float64) float64 {
	for d.blocks[b].upto <= upto {
		d.window(b)
	}
	return d.blocks[b].upto
}

// Gaps implements [GapDetours].
func (d *periodicDetours) Gaps(rank int, upto float64) vector.Gaps {
	b := d.blockOf(rank)
	d.drawUpTo(b, upto)
	d.resumed[rank/Block] = true
	return vector.Gaps{PeriodicDetours: d.detours, First: d.first, End: d.gapEnd}
}

// FinishEach implements [EachDetours].
func (d *periodicDetours) FinishEach(lo int, t, work []float64) {
	gaps := d.Gaps(lo, vector.Most(t)+vector.Most(work))
	gaps.WorkEach(lo, t, work)
}

func (d *periodicDetours) blockOf(rank int) int {
	if d.size == Block { // no division, which takes as long as all the rest
		return rank / Block
	}
	return rank / d.size
}

var (
	_ OS            = Periodic{}
	_ SparseDetours = (*periodicDetours)(nil)
	_ GapDetours    = (*periodicDetours)(nil)
	_ EachDetours   = (*periodicDetours)(nil)
)
