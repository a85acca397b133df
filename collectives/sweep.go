package collectives

import (
	"context"
	"iter"
	"math"
	"math/bits"

	"jitterfly/internal/vector"
)

// Sweeps.
//
// Vectors of many ranks are larger than a cache, and one round after the other streams
// all of them from memory each time, which takes several times as long as the passes.
// But where ranks hear from those across dimensions of the hypercube ([Xor]), a round
// that crosses bit b of the rank concerns pairs, and rounds that cross a few bits concern
// nobody outside the subcube of these. So a sweep over the ranks takes one subcube after
// the other, a tile that stays in the second-level cache, and plays several rounds there.
// With 2^24 ranks and tiles of 2^15 the first sweeps are
//
//	rounds           across bits   a tile is
//	0 … 14           0 … 14        32 blocks in a row
//	15 … 19          15 … 19       32 blocks, 2^15 ranks from one to the next
//	20 … 23, 0, 1    20 … 23, 0, 1 16 blocks, 2^20 ranks from one to the next
//
// Blocks of [Block] ranks are the unit, since that many share a stream of random
// numbers, and so the lowest ten bits belong to every tile. While rounds cross only these,
// one block plays them all in the first-level cache before the next one does. The last
// rounds of a butterfly go together with the first redundant exchanges, which begin
// again at bit 0.
//
// Nothing needs a second vector of clocks here: of a pair of blocks, or of a block and
// itself, both sides change at once ([vector.Meeting]), and work is done in the same pass. Only where a rank has
// the choice of several copies, or needs more than the network for one, are the passes
// those of [Timeline]. Of a redundant exchange none of whose copies would come earlier than what its receiver has, as most are
// in the end, nothing else needs to be drawn or played. Every rank's time comes from the same operations as round by
// round, and noise is drawn by the names of blocks and exchanges and not in an order, so
// that all bits are the same.
//
// All results come from their own rounds: the first and the last of all clocks after such
// a round are kept. That a trial is settled is seen when the sweep is over. Rounds
// played in vain change nothing, and a sweep plays at most about as many redundant ones as
// there were before it; in one tile it ends after three.

// defaultTile is how many ranks a tile has at most, where that pays. Their clocks and
// detours are 16 to 24 bytes each.
const defaultTile = 32 * Block

// sweeping is what a timeline needs for sweeps beyond its clocks.
type sweeping struct {
	tile    int       // how many ranks a tile has at most
	others  []int     // as of the sweep
	extents []extent  // after each of its rounds
	back    []float64 // what arrives at the second block of a pair
	next    []int     // which result is next of each trial beside others
	blocks  []extent  // of each block, as far as it is known
	meeting meeting
}

// A sweep is rounds [from, to) that are played tile by tile.
type sweep struct {
	*Schedule
	from, to int
	ranks    int   // which are those below
	results  bool  // whether these are all, so that it knows results
	across   int   // bits of a rank in which the blocks of a tile differ
	others   []int // the same for a block and its partner, for each round

	clock   []float64
	problem *Problem
	detours Detours
	delays  Delays
	rare    SparseDelays // the delays, if they name those they hold
	gaps    GapDetours   // the detours, if they know gaps
}

// an extent is the first and the last clock of some ranks. Of a block the last is +∞ if neither is known, and
// the first −∞ if the last is only known not to be later.
type extent struct{ first, last float64 }

// sweepFrom returns the sweep that begins with round n, before which is the given
// result: of no rounds, if that is not one between blocks.
func (t *Timeline) sweepFrom(n, result int, s *Schedule, p *Problem) sweep {
	w := sweep{Schedule: s, problem: p, from: n, to: n, ranks: s.Rounds[n].Receivers.Hi}
	if !p.Host.Free() || s.lag > 0 {
		return w
	}
	end := s.Results[result].Rounds
	likely := end // up to where rounds are likely to be of use
	if w.results = w.ranks == s.Ranks; w.results {
		proper := s.Results[0].Rounds
		end = s.Results[len(s.Results)-1].Rounds
		if w.ranks > t.sweeping.tile {
			likely = max(n, proper) + max(0, n-proper) + 3
		}
	}
	t.sweeping.others = t.sweeping.others[:0]
	for w.to < end {
		across, ok := s.Rounds[w.to].across(w.ranks)
		if !ok || Block<<bits.OnesCount(uint(w.across|across)) > t.sweeping.tile {
			break
		}
		if w.to >= likely {
			break
		}
		w.across |= across
		w.to++
		t.sweeping.others = append(t.sweeping.others, across)
	}
	w.others = t.sweeping.others
	return w
}

// across says whether the receivers are so many, in whole blocks or part of one, each
// block of which hears from one block: the one whose ranks differ in these bits.
func (r *Round) across(ranks int) (block int, ok bool) {
	if r.Receivers != (Span{0, ranks}) || ranks&(ranks-1) != 0 || len(r.Sources) == 0 || r.Every {
		return 0, false
	}
	for m, source := range r.Sources {
		mask, ok := source.Peers.(Xor)
		other := int(mask) &^ (Block - 1)
		if !ok || mask < 0 || int(mask) >= ranks || m > 0 && other != block {
			return 0, false
		}
		block = other
	}
	return block, true
}

// sweep plays a sweep, and returns which result is next.
func (t *Timeline) sweep(ctx context.Context, w *sweep, result int, trial *Trial) (int, error) {
	t.sweeping.extents = t.sweeping.extents[:0]
	for range w.to - w.from {
		t.sweeping.extents = append(t.sweeping.extents, extent{math.Inf(1), math.Inf(-1)})
	}
	for base := 0; base < w.ranks; base += Block {
		if base&w.across != 0 {
			continue
		}
		if err := t.playTile(ctx, w, base); err != nil {
			return result, err
		}
	}
	if !w.results {
		return result, nil
	}
	for result < len(w.Results) && w.Results[result].Rounds <= w.to {
		e := t.sweeping.extents[w.Results[result].Rounds-1-w.from]
		result = trial.conclude(w.Schedule, result,
			func(r Result) float64 { return e.last + r.Post },
			func(next *Round) bool { return e.last <= e.first+next.soonest(*w.problem) })
	}
	return result, nil
}

// playTile plays the rounds of a sweep on the tile of the block at base: those that hear
// from one block, all of them on one pair of blocks after the other.
func (t *Timeline) playTile(ctx context.Context, w *sweep, base int) error {
	for from, to := w.from, w.from; from < w.to; from = to {
		across := w.others[from-w.from]
		for to < w.to && w.others[to-w.from] == across {
			to++
		}
		for block := range within(w.across) {
			if other := block ^ across; other >= block {
				for n := from; n < to; n++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					t.meet(w, n, base+block, base+other)
				}
			}
		}
	}
	return nil
}

// within are the ranks that have no bits but those of a mask, in their order.
func within(mask int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for r := 0; yield(r); {
			if r = (r - mask) & mask; r == 0 {
				return
			}
		}
	}
}

// meet plays a round on two blocks that hear from each other, or one that hears from
// itself.
func (t *Timeline) meet(w *sweep, n, lo, other int) {
	round, size := &w.Rounds[n], min(Block, w.ranks)
	here, there := w.clock[lo:][:size], w.clock[other:][:size]
	if round.plain(w.problem) {
		t.exchange(w, round, lo, other, here, there)
	} else {
		arrive, back := t.arrive[:size], t.sweeping.back[:size]
		transit := t.arrivals(arrive, round, w.clock, lo, w.problem, w.detours, w.delays)
		if other != lo {
			t.arrivals(back, round, w.clock, other, w.problem, w.detours, w.delays)
			round.receive(there, there, back, transit, other, w.detours)
		}
		round.receive(here, here, arrive, transit, lo, w.detours)
		t.sweeping.blocks[lo/Block], t.sweeping.blocks[other/Block] = unknown, unknown
	}
	if w.results && n+1 >= w.Results[0].Rounds {
		e := &t.sweeping.extents[n-w.from]
		e.join(*t.extent(w, lo))
		e.join(*t.extent(w, other))
	}
}

// unknown is the extent of a block that may be anything.
var unknown = extent{math.Inf(-1), math.Inf(1)}

// extent is that of a block.
func (t *Timeline) extent(w *sweep, lo int) *extent {
	e := &t.sweeping.blocks[lo/Block]
	if math.IsInf(e.first, -1) {
		e.first, e.last = vector.Extremes(w.clock[lo:][:min(Block, w.ranks)])
	}
	return e
}

// farthest is when the last rank of a block is where it is, or later.
func (t *Timeline) farthest(w *sweep, lo int) float64 {
	if e := t.sweeping.blocks[lo/Block]; !math.IsInf(e.last, 1) {
		return e.last
	}
	return t.extent(w, lo).last
}

// begin begins a trial.
func (s *sweeping) begin() {
	s.lose()
}

// lose has it not be known how far ranks are.
func (s *sweeping) lose() {
	for b := range s.blocks {
		s.blocks[b] = unknown
	}
}

// join has the extent be of another's clocks too.
func (e *extent) join(other extent) {
	e.first, e.last = min(e.first, other.first), max(e.last, other.last)
}
