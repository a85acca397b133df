package rounds

import (
	"context"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// Batches.
//
// A trial of few ranks takes less time than the calls of its passes. So several trials of
// a plan are simulated at a time: their ranks stand in a row, trial after trial, up to a
// [Block] of them. Where all ranks receive from others across dimensions of the hypercube, the
// same passes do for the whole row, since the bits of a rank that tell trials apart are in
// no mask. Each trial's checkpoints are as if it were alone, to the last bit.

// A batch is trials in a row.
type batch struct {
	tiledRounds
	trials  []Trial
	next    []int // the next checkpoint of each
	running int   // how many have checkpoints to come
}

// RunBatch is [Simulator.Run] for several trials at a time, a power of two up to the
// plan's batch, under noise that is theirs in a row. The simulator has to be for their
// ranks together.
func (s *Simulator) RunBatch(ctx context.Context, plan *Plan, n *Noise, trials []Trial) error {
	clock := s.clock[:len(trials)*plan.Ranks]
	s.tiles.next = append(s.tiles.next[:0], make([]int, len(trials))...)
	b := batch{
		tiledRounds: tiledRounds{Plan: plan, noise: n, receiver: len(clock), clock: clock},
		trials:      trials, next: s.tiles.next, running: len(trials),
	}
	clear(clock)
	n.finish(piece{kind: launching}, 0, clock, 0)
	for i := range trials {
		trials[i].LatestStart = vector.Most(b.clocksOf(i))
	}
	s.tiles.invalidate()
	s.forwarding.begin(plan, n, len(clock))
	s.forwarding.remember(0, 0, clock, len(clock))
	for at := 0; b.running > 0; at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.exchangeBlocks(&b.tiledRounds, at, 0, 0)
		b.conclude(s, at+1)
	}
	return nil
}

// clocksOf returns the clocks of a trial.
func (b *batch) clocksOf(trial int) []float64 {
	return b.clock[trial*b.Ranks : (trial+1)*b.Ranks]
}

// conclude notes the checkpoints that come after so many rounds.
func (b *batch) conclude(s *Simulator, rounds int) {
	for i, checkpoint := range b.next {
		if checkpoint == len(b.Checkpoints) || b.Checkpoints[checkpoint].Rounds != rounds {
			continue
		}
		clocks := b.clocksOf(i)
		first, last := vector.Extremes(clocks)
		completion := func(r collectives.Checkpoint) float64 { return last + r.Post }
		switch {
		case b.nic:
			completion = func(r collectives.Checkpoint) float64 {
				return s.lastReturn(r, clocks, i*b.Ranks, b.noise)
			}
		case b.forward:
			completion = func(r collectives.Checkpoint) float64 { return vector.Most(clocks) + r.Post }
		}
		b.next[i] = b.trials[i].conclude(b.Plan, checkpoint, completion,
			func(next *round) bool { return last <= first+next.soonest })
		if b.forward && b.next[i] < len(b.Checkpoints) {
			span := collectives.Span{Lo: i * b.Ranks, Hi: (i + 1) * b.Ranks}
			s.forwarding.dense(b.clock, span, &b.trials[i], len(b.Checkpoints), completion)
			b.next[i] = len(b.Checkpoints)
		}
		if b.next[i] == len(b.Checkpoints) {
			b.running--
		}
	}
}
