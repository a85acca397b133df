package noise

import (
	"math"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Launch says what the operating system does when the collective begins.
type Launch int

const (
	// Quiet launches when no rank is inside a detour (paper 003, 4.1.3 A).
	Quiet Launch = iota
	// Stationary launches at a moment that has nothing to do with the
	// detours: a rank is inside one with probability Duration/Period.
	Stationary
)

// Periodic is OS jitter that strikes every rank with the same period and
// length, at a phase of the rank's own (Matsumoto and Suda, 4.1.3 A): the
// detours of rank r are
//
//	[first_r + i·Period, first_r + i·Period + Duration)   i = 0, 1, 2, …
//
// with first_r uniform in [0, Period) at a quiet launch, and uniform in
// [−Duration, Period−Duration) at a stationary one: a detour that began at
// most Duration before the launch is still going on.
//
// With Shared, ranks 0 … Shared−1 have one phase, the next as many another, and so
// on: what stops a whole node stops all of its ranks.
//
// It needs 0 ≤ Duration < Period.
type Periodic struct {
	Period, Duration float64
	Launch           Launch
	Shared           int // ranks of one phase; 0 is 1
}

// Hit implements [OS].
func (p Periodic) Hit() float64 { return p.Duration }

// Detours implements [OS].
func (p Periodic) Detours(room []float64) Detours {
	d := &periodicDetours{
		Periodic: p, train: vector.NewPeriodicDetours(p.Period, p.Duration), room: room, ends: make([]float64, len(room)),
		stream: rng.New(rng.Key{}), held: vector.NewBitmask(Block),
	}
	d.Shared = min(max(1, p.Shared), len(room))
	if d.Launch == Stationary {
		d.origin = -d.Duration
	}
	return d
}

// At returns detours whose first one of each rank begins at the given time, in every trial.
func (p Periodic) At(first []float64) Detours {
	d := p.Detours(first).(*periodicDetours)
	d.given = true
	d.arrange(len(first), Block*d.Shared)
	for b := range d.blocks {
		d.blocks[b] = windows{upto: math.Inf(1)}
	}
	copy(d.gapEnd, first)
	return d
}

// periodicDetours draws phases no further than a trial asks for them. In a trial
// that is short against the period few ranks are struck, and only their phases
// are drawn: the phases are looked at in windows of time, one after the other,
// and in each window the struck are found by the gaps between them. Later
// windows are wider, and the last is all the rest.
//
// A phase is that of as many ranks as share it. Windows are drawn for blocks of
// phases, each from a stream of its own.
//
// Each rank remembers the end of the gap between two detours that it was in last, which it
// leaves once a period, so that most work costs a comparison: at first that of the gap before its first
// detour, and as long as few of a block are struck also later. Of ranks whose phase is not
// drawn it is infinite: only they need to be looked at when a window is drawn, and
// nothing needs to be done to the others for a new trial.
type periodicDetours struct {
	Periodic
	train  vector.PeriodicDetours // of detours but for their phases
	origin float64
	given  bool // what is in room
	// The beginning of each rank's first detour, where that is drawn, and the end of its gap:
	// those of the ranks that there are, in the room that there is.
	first, gapEnd []float64
	room, ends    []float64
	size          int            // of a block of phases, in ranks
	keys          []rng.Key      // of the trial, or of those beside each other, each of which is a block
	blocks        []windows      // those drawn of each
	struck        []int          // the phases drawn one by one, by their first ranks
	later         []bool         // the blocks of ranks some of which remember a gap after their first detour
	held          vector.Bitmask // of a block: who may not be done before the gap ends
	stream        rng.Stream
	// Of each window, where it ends, as a share of the period, how many phases are between those struck on average, and the
	// probability that none of a block is.
	shares [len(windowEnds)]float64
	perGap [len(windowEnds)]float64
	spared [len(windowEnds)]noEvent
}

// windowEnds are how many of the phases of a whole block are before the end of each window, on average.
var windowEnds = [...]float64{1. / 8, 3}

// windows are those drawn of a block.
type windows struct {
	upto  float64
	n     int
	stale bool // whether the ends of gaps are those of another trial
}

// Draw implements [Detours].
func (d *periodicDetours) Draw(trial rng.Key) {
	if d.given {
		copy(d.gapEnd, d.first)
		clear(d.later)
		return
	}
	d.arrange(len(d.room), Block*d.Shared)
	d.keys = append(d.keys[:0], trial.Derive(osChild))
	d.draw()
}

// DrawBatch implements [Batch]: each trial is a block of phases.
func (d *periodicDetours) DrawBatch(trials []rng.Key, ranks int) {
	d.arrange(len(trials)*ranks, ranks)
	d.keys = d.keys[:0]
	for _, trial := range trials {
		d.keys = append(d.keys, trial.Derive(osChild))
	}
	d.draw()
}

// arrange has so many ranks, in blocks of phases of a size, of which none is drawn.
func (d *periodicDetours) arrange(ranks, size int) {
	if len(d.first) == ranks && d.size == size {
		return
	}
	d.first, d.gapEnd, d.size, d.struck = d.room[:ranks], d.ends[:ranks], size, d.struck[:0]
	forget(d.gapEnd)
	from, phases := 0.0, float64((min(ranks, size)-1)/d.Shared+1)
	for i, end := range windowEnds {
		d.shares[i] = min(1, end/phases)
		d.perGap[i] = -1 / math.Log1p(-(d.shares[i]-from)/(1-from))
		from = d.shares[i]
	}
	blocks := (ranks-1)/size + 1
	d.later = append(d.later[:0], make([]bool, (ranks-1)/Block+1)...)
	d.blocks = append(d.blocks[:0], make([]windows, blocks)...) // none of which is stale
}

// forget has nothing be known of ranks.
func forget(gapEnd []float64) { vector.Raise(gapEnd, math.Inf(-1), math.Inf(1)) }

// refresh forgets another trial's gaps, not before they matter: then they are about to be in a near cache.
func (d *periodicDetours) refresh(b int) {
	if w := &d.blocks[b]; w.stale {
		w.stale = false
		forget(d.block(d.gapEnd, b))
	}
}

// draw draws the first window of each block.
func (d *periodicDetours) draw() {
	for _, r := range d.struck {
		fill(d.gapEnd[r:min(len(d.gapEnd), r+d.Shared)], math.Inf(1))
	}
	d.struck = d.struck[:0]
	clear(d.later)
	for b := range d.blocks {
		stale := d.blocks[b].stale || d.complete(b)
		d.blocks[b] = windows{upto: d.origin, stale: stale}
		d.window(b)
	}
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// block is the part of a block of phases of what each rank has.
func (d *periodicDetours) block(v []float64, b int) []float64 {
	return v[b*d.size : min(len(v), (b+1)*d.size)]
}

// until is the end of a window.
func (d *periodicDetours) until(window int) float64 {
	if window == len(windowEnds) || d.shares[window] == 1 {
		return math.Inf(1)
	}
	return d.origin + float64(d.shares[window]*d.Period)
}

// window draws the next window of a block. In it each phase that was not struck
// before is struck with the probability that the window is of what is left of the
// period. So the gaps between those struck have a geometric distribution; it is
// drawn over all phases, and says nothing to those struck before. In the last window all
// are struck.
func (d *periodicDetours) window(b int) {
	drawn, gapEnd := &d.blocks[b], d.block(d.gapEnd, b)
	window, from, to := drawn.n, drawn.upto, d.until(drawn.n)
	key, block := d.keyOf(b)
	drawn.upto = to
	drawn.n++
	if d.complete(b) {
		d.refresh(b)
		d.all(b, from)
		return
	}
	width, perGap, phases := to-from, d.perGap[window], (len(gapEnd)-1)/d.Shared+1
	name := block*len(windowEnds) + window
	left := 1 - key.Uniform(name) // the first gap, which often is all, needs no stream
	if left <= d.spared[window].of(float64(phases)/perGap) {
		return
	}
	d.refresh(b)
	d.stream.Reset(key.Derive(uint64(block)).Derive(uint64(name)))
	gap := func(exponential float64) int { return int(min(Block, exponential*perGap)) }
	for i := gap(-math.Log(left)); i < phases; i += 1 + gap(d.stream.ExpFloat64()) {
		r := i * d.Shared
		if !math.IsInf(gapEnd[r], 1) {
			continue
		}
		phase := from + float64(width*d.stream.Uniform())
		d.struck = append(d.struck, b*d.size+r)
		d.strike(b, r, phase)
	}
}

// strike sets the phase of the ranks that share it from the r-th of a block on.
func (d *periodicDetours) strike(b, r int, phase float64) {
	first, gapEnd := d.block(d.first, b), d.block(d.gapEnd, b)
	end := min(len(first), r+d.Shared)
	fill(first[r:end], phase)
	fill(gapEnd[r:end], phase)
}

// keyOf is the key of a block's trial, and which of its blocks it is.
func (d *periodicDetours) keyOf(b int) (key rng.Key, block int) {
	if len(d.keys) > 1 {
		return d.keys[b], 0
	}
	return d.keys[0], b
}

// last says how phases are drawn in the last window of a block, which begins at from: uniformly
// in a width, by one word each.
func (d *periodicDetours) last(b int, from float64) (width float64, words rng.Counter) {
	key, block := d.keyOf(b)
	return d.origin + d.Period - from, key.Derive(uint64(block)).Counter()
}

// all draws the phases of those of a block that were not struck before.
func (d *periodicDetours) all(b int, from float64) {
	gapEnd := d.block(d.gapEnd, b)
	width, words := d.last(b, from)
	if d.Shared == 1 {
		vector.Draw(gapEnd, d.block(d.first, b), from, width, words)
		return
	}
	for r := 0; r < len(gapEnd); r += d.Shared {
		if math.IsInf(gapEnd[r], 1) {
			d.strike(b, r, from+float64(width*rng.Unit(words.Word(r/d.Shared))))
		}
	}
}

// alone is undisturbed for a rank that was not struck before the last window, which is not drawn for the others.
func (d *periodicDetours) alone(rank int, upto float64) bool {
	b := d.blockOf(rank)
	from, r := d.blocks[b].upto, (rank-b*d.size)/d.Shared
	width, words := d.last(b, from)
	phase := from + float64(width*rng.Unit(words.Word(r)))
	if upto < phase {
		return true
	}
	d.struck = append(d.struck, b*d.size+r*d.Shared)
	d.strike(b, r*d.Shared, phase)
	return false
}

// complete says that all windows of a block are drawn.
func (d *periodicDetours) complete(b int) bool { return math.IsInf(d.blocks[b].upto, 1) }

// Preempted appends to ranks those whose first detour begins by the given time.
func (d *periodicDetours) Preempted(upto float64, ranks []int) []int {
	for b := range d.blocks {
		d.expect(b, upto)
		if !d.complete(b) {
			continue
		}
		for i, first := range d.block(d.first, b) {
			if first <= upto {
				ranks = append(ranks, b*d.size+i)
			}
		}
	}
	for _, r := range d.struck {
		if d.first[r] <= upto && !d.complete(d.blockOf(r)) {
			for i := r; i < min(len(d.first), r+d.Shared); i++ {
				ranks = append(ranks, i)
			}
		}
	}
	return ranks
}

// Finish implements [Detours]: most work is done before the rank's gap ends.
func (d *periodicDetours) Finish(lo int, t []float64, work float64) {
	if len(t) == 1 {
		t[0] = d.finishRank(lo, t[0], work)
		return
	}
	known := math.Inf(1)
	for b := d.blockOf(lo); b*d.size < lo+len(t); b++ {
		d.refresh(b)
		d.expect(b, t[max(0, b*d.size-lo)]+work)
		known = min(known, d.blocks[b].upto)
	}
	first, gapEnd, width := d.first[lo:lo+len(t)], d.gapEnd[lo:lo+len(t)], math.Inf(1)
	later := &d.later[lo/Block]
	if *later {
		width = d.train.Gap()
	}
	held := vector.Advance(t, gapEnd, work, known, width, d.held)
	if !held.Any() {
		return
	}
	if !math.IsInf(known, 1) {
		d.advanceUnknown(lo, t, work, held)
	}
	if *later = *later || held.Count() > manyStruck; *later {
		vector.Resume(t, first, gapEnd, work, &d.train, held)
		return
	}
	for i := range held.All {
		t[i] = d.train.Work(t[i], work, first[i], new(float64))
	}
}

// advanceUnknown has those work of the held ranks from lo whose first detour begins neither
// before what was known nor before what it then draws.
func (d *periodicDetours) advanceUnknown(lo int, t []float64, work float64, held vector.Bitmask) {
	for b := d.blockOf(lo); b*d.size < lo+len(t); b++ {
		d.expect(b, vector.Most(t[max(0, b*d.size-lo):min(len(t), (b+1)*d.size-lo)])+work)
	}
	for i := range held.All {
		if math.IsInf(d.gapEnd[lo+i], 1) {
			t[i] += work
			held[i/64] &^= 1 << (i % 64)
		}
	}
}

// manyStruck is how many ranks of a block may be struck, one after the other, before it
// pays to remember gaps.
const manyStruck = 3

// undisturbed draws windows until the phase of a rank is drawn or is not before a time, and says
// whether that is so.
func (d *periodicDetours) undisturbed(rank int, upto float64) bool {
	b := d.blockOf(rank)
	d.refresh(b)
	for math.IsInf(d.gapEnd[rank], 1) && upto >= d.blocks[b].upto {
		if math.IsInf(d.until(d.blocks[b].n), 1) {
			return d.alone(rank, upto)
		}
		d.window(b)
	}
	return math.IsInf(d.gapEnd[rank], 1)
}

// expect draws windows for a block of phases, of which a rank may not be done before a
// time: the others are about as far, and it is better done for all at once.
func (d *periodicDetours) expect(b int, upto float64) {
	for d.blocks[b].upto <= upto {
		d.window(b)
	}
}

// Gaps returns the gaps that ranks were last in, with windows drawn up to a time for those of
// the n from lo.
func (d *periodicDetours) Gaps(lo, n int, upto float64) vector.Gaps {
	known := math.Inf(1)
	for b := d.blockOf(lo); b*d.size < lo+n; b++ {
		d.refresh(b)
		d.expect(b, upto)
		known = min(known, d.blocks[b].upto)
	}
	d.later[lo/Block] = true
	return vector.Gaps{PeriodicDetours: d.train, First: d.first, End: d.gapEnd, Known: known}
}

// blockOf is the block of phases that a rank's is in.
func (d *periodicDetours) blockOf(rank int) int {
	if d.size == Block { // no division, which takes as long as all the rest
		return rank / Block
	}
	return int(uint32(rank) / uint32(d.size))
}

// finishRank is Finish for one rank.
func (d *periodicDetours) finishRank(rank int, start, work float64) float64 {
	if d.undisturbed(rank, start+work) || start+work < d.first[rank] {
		return start + work
	}
	return d.train.Work(start, work, d.first[rank], new(float64))
}

var _ OS = Periodic{}
