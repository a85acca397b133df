package collectives

import (
	"context"

	"jitterfly/internal/vector"
)

// Trials of few ranks cost less to play than to call the passes for. So those of one
// schedule are played several at a time: their ranks stand in a row, trial after trial, up
// to a [Block] of them. Where all ranks hear from others across dimensions of the
// hypercube, the same passes do for the whole row, since the bits of a rank that tell trials apart are in no
// mask. Each trial's results are as if it were alone, to the last bit.

// Beside says how many trials of the schedule are best played at a time: 1, if it does not
// lend itself to more.
func (s *Schedule) Beside(p *Problem) int {
	if 2*s.Ranks > Block || !p.Host.Free() || p.Node.Ranks > 1 || s.lag > 0 || len(s.Rounds) == 0 {
		return 1
	}
	for i := range s.Rounds {
		if _, ok := s.Rounds[i].across(s.Ranks); !ok {
			return 1
		}
	}
	return Block / s.Ranks
}

// PlayBeside is [Timeline.Play] for several trials at a time, a power of two that is no more
// than the schedule's Beside, under noise that is theirs in a row. The timeline has to be
// for their ranks together.
func (t *Timeline) PlayBeside(ctx context.Context, s *Schedule, p Problem, os Detours, network Delays, trials []Trial) error {
	clock := t.clock[:len(trials)*s.Ranks]
	of := func(n int) []float64 { return clock[n*s.Ranks : (n+1)*s.Ranks] }
	clear(clock)
	os.Finish(0, clock, 0)
	for n := range trials {
		trials[n].LatestStart = vector.Most(of(n))
	}
	rare, _ := network.(SparseDelays)
	w := sweep{Schedule: s, problem: &p, ranks: len(clock), clock: clock, detours: os, delays: network, rare: rare}
	going := len(trials) // those of which not all results are known
	t.sweeping.next = append(t.sweeping.next[:0], make([]int, going)...)
	for round := 0; ; round++ {
		var soonest float64 // of the next round's messages
		if round < len(s.Rounds) {
			soonest = s.Rounds[round].soonest(p)
		}
		for n, result := range t.sweeping.next {
			if result == len(s.Results) || s.Results[result].Rounds != round {
				continue
			}
			first, last := vector.Extremes(of(n))
			result = trials[n].conclude(s, result,
				func(r Result) float64 { return last + r.Post },
				func(*Round) bool { return last <= first+soonest })
			if t.sweeping.next[n] = result; result == len(s.Results) {
				going--
			}
		}
		if going == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t.meet(&w, round, 0, 0)
	}
}
