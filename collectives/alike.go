package collectives

import (
	"math"

	"jitterfly/internal/vector"
)

// Blocks alike.
//
// As long as noise touches nobody of a block, nor anybody whom they have heard from, its ranks are all at the same
// time, and so are those of all such blocks. Rounds among them are played once for all their ranks, whose clocks are not
// even written before a message is held, a detour begins or a block has heard from one whose ranks are not alike. So what
// a round costs is the blocks that noise has touched, which in the first rounds are few. This begins where a sparse
// play ends, and so all rounds concern all ranks, and few messages are held.

// write writes the clocks of the block at lo, if they are not.
func (s *sweeping) write(clock []float64, lo int) {
	if b := lo / Block; s.alike[b] {
		s.alike[b] = false
		vector.Raise(clock[lo:min(lo+Block, len(clock))], math.Inf(-1), s.blocks[b].last)
	}
}

// writeAll writes those of all blocks.
func (s *sweeping) writeAll(clock []float64) {
	for lo := 0; lo < len(clock); lo += Block {
		s.write(clock, lo)
	}
}

// playAlike plays the rounds [from, to) on the block at lo and those across bits, if their ranks are alike and noise
// leaves them so. Otherwise nothing has happened.
func (t *Timeline) playAlike(w *sweep, from, to, lo, across int) bool {
	s := &t.sweeping
	if !s.alike[lo/Block] || w.gaps == nil {
		return false
	}
	for o := range within(across) {
		if !s.alike[(lo+o)/Block] {
			return false
		}
	}
	now := s.blocks[lo/Block].last
	for n := from; n < to; n++ {
		round := &w.Rounds[n]
		if !round.plain(w.problem) {
			return false
		}
		if round.Wait == Spare {
			continue // nobody needs a copy from who is not earlier
		}
		now += round.Sources[0].Post + round.wire(w.problem)
		if round.Wait == Combined {
			now += round.Combine
		}
		for o := range within(across) {
			if t.touches(w, round, lo+o, now) {
				return false
			}
		}
	}
	for o := range within(across) {
		s.blocks[(lo+o)/Block] = extent{now, now}
	}
	return true
}

// touches says that noise touches some of the ranks of the block at lo in a round that they have done by a time.
func (t *Timeline) touches(w *sweep, round *Round, lo int, done float64) bool {
	s, n := &t.sweeping, min(Block, w.ranks)
	if round.Wait == Combined && !w.gaps.Untouched(lo, n, done) {
		return true
	}
	if s.noteHeld == nil {
		s.noteHeld = func(int, float64) { s.held = true }
	}
	s.held = false
	w.rare.Held(round.Exchange, lo, n, round.wire(w.problem), s.noteHeld)
	return s.held
}
