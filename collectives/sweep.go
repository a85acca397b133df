package collectives

import (
	"context"
	"math"
	"math/bits"

	"jitterfly/internal/vector"
)

// Sweeps.
//
// Vectors of many ranks are larger than a cache, and a round after the other streams
// all of them from memory each time, which takes several times as long as the passes.
// But where ranks hear from those across dimensions of the hypercube ([Xor]), a round
// that crosses bit b of the rank concerns pairs, and several such rounds concern
// nobody outside the subcubes of their bits. So a sweep over the ranks takes one
// subcube after the other, a tile that stays in the second-level cache, and plays all
// of the rounds there:
//
//	bits       23 … 15   14 … 10   9 … 0
//	rounds 0 … 14         within   within     a tile is 32 blocks in a row,
//	rounds 15 … 19        within   here is 1, and then 32 blocks 2^15 apart,
//
// Blocks of [Block] ranks are the unit, since that many share a stream of random numbers,
// so that the low bits belong to each tile at no cost. While rounds cross only these, one
// block plays them all in the first-level cache, before the next one does. A tile can be of
// any bits, and the last rounds of a butterfly go together with the first redundant
// exchanges, which begin again at bit 0.
//
// Nothing needs a second vector of clocks here: both blocks of a pair compute what
// arrives, and then both change. Every rank's time comes from the same operations as
// round by round, and noise is drawn by the names of blocks and exchanges and not in an
// order, so that all bits are the same.
//
// All results come from their own rounds: each block's first and last clock after such
// a round are kept. That a trial is settled is seen when the sweep is over. Rounds
// played in vain change nothing, and there are at most about as many as were not.

// tile is how many ranks a tile has at most. Their clocks and detours are 16 to 24 bytes
// each.
const tile = 32 * Block

// A sweep is rounds [from, to) that are played tile by tile.
type sweep struct {
	from, to int
	ranks    int // which are those below
	across   int // bits of a rank in which the blocks of a tile differ
}

// an extent is the first and the last clock of all ranks.
type extent struct{ first, last float64 }

// sweep returns the sweep that begins before round n, of no rounds if that is none of
// partners in blocks. The next result is the given one.
func (s *Schedule) sweep(n, result int, p *Problem) sweep {
	w := sweep{from: n, to: n, ranks: s.Rounds[n].Receivers.Hi}
	if !p.Host.Free() || s.lag > 0 {
		return w
	}
	end := s.Results[result].Rounds
	if w.ranks == s.Ranks { // the sweep knows results too
		proper := s.Results[0].Rounds
		if w.ranks > tile {
			end = max(n, proper) + max(0, n-proper) + 2
		}
		end = min(end, s.Results[len(s.Results)-1].Rounds)
	}
	for w.to < end {
		across, ok := s.Rounds[w.to].across(w.ranks)
		if !ok || Block<<bits.OnesCount(uint(w.across|across)) > tile {
			break
		}
		w.across |= across
		w.to++
	}
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

// sweep plays a sweep on the clocks, and returns which result is next.
func (t *Timeline) sweep(ctx context.Context, s *Schedule, w sweep, clock []float64, result int, p *Problem, os Detours, network Delays, trial *Trial) (int, error) {
	t.extents = t.extents[:0]
	for range w.to - w.from {
		t.extents = append(t.extents, extent{math.Inf(1), math.Inf(-1)})
	}
	for base := 0; base < w.ranks; base += Block {
		if base&w.across == 0 {
			if err := t.playTile(ctx, s, w, base, clock, p, os, network); err != nil {
				return result, err
			}
		}
	}
	if w.ranks < s.Ranks {
		return result, nil
	}
	for result < len(s.Results) && s.Results[result].Rounds <= w.to {
		e := t.extents[s.Results[result].Rounds-1-w.from]
		result = trial.conclude(s, result,
			func(r Result) float64 { return e.last + r.Post },
			func(next *Round) bool { return e.last <= e.first+next.soonest(*p) })
	}
	return result, nil
}

// playTile plays the rounds of a sweep on the tile of the block at base: those that hear
// from one block, all of them on one pair of blocks after the other.
func (t *Timeline) playTile(ctx context.Context, s *Schedule, w sweep, base int, clock []float64, p *Problem, os Detours, network Delays) error {
	for from, to := w.from, w.from; from < w.to; from = to {
		across, _ := s.Rounds[from].across(w.ranks)
		for to++; to < w.to; to++ {
			if other, _ := s.Rounds[to].across(w.ranks); other != across {
				break
			}
		}
		for block := 0; ; {
			if other := block ^ across; other >= block {
				for n := from; n < to; n++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					t.meet(s, n, w, base+block, base+other, clock, p, os, network)
				}
			}
			if block = (block - w.across) & w.across; block == 0 { // the next of the tile's, up to the last
				break
			}
		}
	}
	return nil
}

// meet plays a round on two blocks that hear from each other, or one that hears from
// itself.
func (t *Timeline) meet(s *Schedule, n int, w sweep, lo, other int, clock []float64, p *Problem, os Detours, network Delays) {
	round, size := &s.Rounds[n], min(Block, w.ranks)
	here, there := clock[lo:][:size], clock[other:][:size]
	arrive, back := t.arrive[:size], t.back[:size]
	transit := t.arrivals(arrive, round, clock, lo, p, os, network)
	if other != lo {
		t.arrivals(back, round, clock, other, p, os, network)
		round.receive(there, there, back, transit, other, os)
	}
	round.receive(here, here, arrive, transit, lo, os)
	if n+1 < s.Results[0].Rounds || w.ranks < s.Ranks {
		return
	}
	e := &t.extents[n-w.from]
	e.add(here)
	if other != lo {
		e.add(there)
	}
}

// add has the extent be of these clocks too.
func (e *extent) add(clock []float64) {
	first, last := vector.Extremes(clock)
	e.first, e.last = min(e.first, first), max(e.last, last)
}
