package rounds

import (
	"context"
	"iter"
	"math"
	"math/bits"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// Tiles.
//
// Vectors of many ranks are larger than a cache, and one round after the other streams
// all of them from memory each time, which takes several times as long as the passes. But
// where ranks receive from those across dimensions of the hypercube ([collectives.Xor]), a
// round that crosses bit b of the rank concerns pairs, and rounds that cross a few bits
// concern nobody outside the subcube of these. So tiled rounds take one subcube after the
// other, a tile that stays in the second-level cache, through several rounds. With 2^24
// ranks and tiles of 2^15 the first are
//
//	rounds           across bits   a tile is
//	0 … 14           0 … 14        32 blocks in a row
//	15 … 19          15 … 19       32 blocks, 2^15 ranks from one to the next
//	20 … 23, 0, 1    20 … 23, 0, 1 16 blocks, 2^20 ranks from one to the next
//
// Blocks of [Block] ranks are the unit, since that many share a stream of random numbers,
// and so the lowest ten bits belong to every tile. While rounds cross only these, one
// block goes through them all in the first-level cache before the next one does. The last
// rounds of a butterfly go together with the first redundant exchanges, which begin again
// at bit 0.
//
// Nothing needs a second vector of clocks here: of a pair of blocks, or of a block and itself, both
// sides change at once ([vector.PairExchange]), and work is done in the same pass. Only where a
// rank has the choice of several copies, or needs the processor for one, are the passes of dense.go
// used, and those of hosts.go where messages cost their hosts. Every rank's time comes from the same
// operations as round by round, and noise is drawn by the names of blocks and exchanges and not in an
// order, so that all bits are the same.
//
// The first and the last clock after each round with a checkpoint are kept. That a trial is
// settled is seen when all tiles are done; rounds that were not needed change nothing, and
// there are at most about as many redundant ones as rounds before them.

// defaultTile is how many ranks a tile has at most. Their clocks and detours are 16 to 24
// bytes each, where messages cost their hosts four times as much.
const defaultTile = 32 * Block

// tiling is what a simulator needs for tiled rounds beyond its clocks.
type tiling struct {
	ranks   int       // of a tile at most
	extents []extent  // of all clocks after each of the rounds, where checkpoints need them
	blocks  []extent  // of each block, as far as it is known
	back    []float64 // what arrives at the second block of a pair
	pair    pair
	spans   [2]collectives.Span // of the pair of blocks that is simulated
}

// tiledRounds are rounds [from, to) that are simulated tile by tile.
type tiledRounds struct {
	*Compiled
	noise       *Noise
	from, to    int
	receiver    int // how many ranks receive in these rounds, from 0 on
	checkpoints bool
	across      int // bits of a rank in which the blocks of a tile differ
	clock, next []float64
}

// An extent is the first and the last of some clocks. Of a block the last is +∞ if neither
// is known, and the first −∞ if the last is only known not to be later.
type extent struct{ first, last float64 }

// unknown is the extent of a block that may be anything.
var unknown = extent{math.Inf(-1), math.Inf(1)}

// union returns the smallest extent that covers both.
func (e extent) union(other extent) extent {
	return extent{min(e.first, other.first), max(e.last, other.last)}
}

// tiledFrom returns the tiled rounds that begin with round at, before which is the given
// checkpoint; nil if that round is not between blocks.
func (s *Simulator) tiledFrom(compiled *Compiled, n *Noise, at, checkpoint int) tiledRounds {
	t := tiledRounds{Compiled: compiled, noise: n, from: at, to: at, receiver: compiled.rounds[at].Receivers.Hi}
	ranks := s.tiles.ranks
	if !compiled.tileable(ranks) {
		return t
	}
	if compiled.hosts {
		ranks /= 4
	}
	end := compiled.Checkpoints[checkpoint].Rounds
	likely := end // up to where rounds are likely to be needed
	t.checkpoints = t.receiver == compiled.Ranks && !compiled.nic && !compiled.forward && !compiled.hosts
	if t.checkpoints {
		proper := compiled.Checkpoints[0].Rounds
		end = compiled.Checkpoints[len(compiled.Checkpoints)-1].Rounds
		if likely = end; t.receiver > s.tiles.ranks {
			likely = max(at, proper) + max(0, at-proper) + 3
		}
	}
	for t.to < min(end, likely) {
		r := &compiled.rounds[t.to]
		if r.across < 0 || r.Receivers.Hi != t.receiver ||
			Block<<bits.OnesCount(uint(t.across|r.across)) > ranks {
			break
		}
		t.across |= r.across
		t.to++
	}
	return t
}

// runTiled simulates tiled rounds, and returns the next checkpoint.
func (s *Simulator) runTiled(
	ctx context.Context, t *tiledRounds, checkpoint int, trial *Trial,
) (int, error) {
	s.tiles.extents = s.tiles.extents[:0]
	for range t.to - t.from {
		s.tiles.extents = append(s.tiles.extents, extent{math.Inf(1), math.Inf(-1)})
	}
	for base := 0; base < t.receiver; base += Block {
		if base&t.across != 0 {
			continue
		}
		if err := s.runTile(ctx, t, base); err != nil {
			return checkpoint, err
		}
	}
	if t.hosts && (t.to-t.from)%2 == 1 {
		carry(t.next, t.clock, collectives.Span{Lo: t.receiver, Hi: t.Ranks})
		s.clock, s.next = s.next, s.clock
	}
	if !t.checkpoints {
		return checkpoint, nil
	}
	for checkpoint < len(t.Checkpoints) && t.Checkpoints[checkpoint].Rounds <= t.to {
		e := s.tiles.extents[t.Checkpoints[checkpoint].Rounds-1-t.from]
		checkpoint = trial.conclude(t.Compiled, checkpoint,
			func(r collectives.Checkpoint) float64 { return e.last + r.Post },
			func(next *round) bool { return e.last <= e.first+next.soonest })
	}
	return checkpoint, nil
}

// runTile simulates the rounds on the tile of the block at base: the rounds that receive from the
// same block, all of them on one pair of blocks after the other.
func (s *Simulator) runTile(ctx context.Context, t *tiledRounds, base int) error {
	for from, to := t.from, t.from; from < t.to; from = to {
		across := t.rounds[from].across
		for to < t.to && t.rounds[to].across == across {
			to++
		}
		for block := range within(t.across) {
			if other := block ^ across; other >= block {
				for at := from; at < to; at++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					s.exchangeBlocks(t, at, base+block, base+other)
				}
			}
		}
	}
	return nil
}

// within yields the ranks whose bits are all in a mask, in ascending order.
func within(mask int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for r := 0; yield(r); {
			if r = (r - mask) & mask; r == 0 {
				return
			}
		}
	}
}

// exchangeBlocks simulates a round on two blocks that receive from each other, or on one that
// receives from itself.
func (s *Simulator) exchangeBlocks(t *tiledRounds, at, lo, other int) {
	r, size := &t.rounds[at], min(Block, t.receiver)
	here, there := t.clock[lo:][:size], t.clock[other:][:size]
	switch {
	case t.hosts:
		next := s.exchangeHosts(t, at, lo, other)
		here, there = next[lo:][:size], next[other:][:size]
	case r.pairwise:
		s.exchangePairs(t, r, lo, other, here, there)
	default:
		arrive, back := s.arrive[:size], s.tiles.back[:size]
		transit := s.arrivals(t.Compiled, r, arrive, t.clock, lo, t.noise)
		if other != lo {
			s.arrivals(t.Compiled, r, back, t.clock, other, t.noise)
			r.receive(there, there, back, transit, other, t.noise)
		}
		r.receive(here, here, arrive, transit, lo, t.noise)
		s.tiles.blocks[lo/Block], s.tiles.blocks[other/Block] = unknown, unknown
	}
	if t.forward {
		s.forwarding.remember(at+1, lo, here, s.hosts.sent)
		if other != lo {
			s.forwarding.remember(at+1, other, there, s.hosts.sent)
		}
	}
	if t.checkpoints && at+1 >= t.Checkpoints[0].Rounds {
		e := &s.tiles.extents[at-t.from]
		*e = e.union(s.tiles.extent(t, lo)).union(s.tiles.extent(t, other))
	}
}

// exchangeHosts is exchangeBlocks where messages cost their hosts. It returns the clocks after the round,
// which are those before the next one.
func (s *Simulator) exchangeHosts(t *tiledRounds, at, lo, other int) (next []float64) {
	size, clock, next := min(Block, t.receiver), t.clock, t.next
	if (at-t.from)%2 == 1 {
		clock, next = next, clock
	}
	s.tiles.spans = [2]collectives.Span{{Lo: lo, Hi: lo + size}, {Lo: other, Hi: other + size}}
	spans := s.tiles.spans[:]
	if other == lo {
		spans = spans[:1]
	}
	s.hostsRound(t.Compiled, at, spans, clock, next, t.noise)
	return next
}

// extent returns the extent of the block at lo.
func (s *tiling) extent(t *tiledRounds, lo int) extent {
	e := &s.blocks[lo/Block]
	if math.IsInf(e.first, -1) {
		e.first, e.last = vector.Extremes(t.clock[lo:][:min(Block, t.receiver)])
	}
	return *e
}

// latest returns the last clock of the block at lo, or a time that is not before it.
func (s *tiling) latest(t *tiledRounds, lo int) float64 {
	if e := s.blocks[lo/Block]; !math.IsInf(e.last, 1) {
		return e.last
	}
	return s.extent(t, lo).last
}

// invalidate marks the extent of every block as unknown. A round that writes clocks
// elsewhere must call it.
func (s *tiling) invalidate() {
	for b := range s.blocks {
		s.blocks[b] = unknown
	}
}
