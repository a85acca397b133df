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
	rare, _ := network.(SparseDelays)
	gaps, _ := os.(GapDetours)
	t.sweeping.next = append(t.sweeping.next[:0], make([]int, len(trials))...)
	r := row{
		sweep: sweep{
			Schedule: s, problem: &p, ranks: len(clock),
			clock: clock, detours: os, delays: network, rare: rare, gaps: gaps,
		},
		trials: trials, next: t.sweeping.next, going: len(trials),
	}
	clear(clock)
	os.Finish(0, clock, 0)
	for n := range trials {
		trials[n].LatestStart = vector.Most(r.of(n))
	}
	t.sweeping.begin()
	for round := 0; r.going > 0; round++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.playRow(&r, round)
	}
	return nil
}

// A row is trials beside each other.
type row struct {
	sweep
	trials []Trial
	next   []int // which result is next of each
	going  int   // those of which not all results are known
}

// of are the clocks of a trial.
func (r *row) of(n int) []float64 { return r.clock[n*r.Ranks : (n+1)*r.Ranks] }

// playRow plays one round of a row.
func (t *Timeline) playRow(r *row, round int) {
	r.from, r.to = round, round+1
	t.meet(&r.sweep, round, 0, 0)
	soonest := r.soonest(r.to)
	for n, result := range r.next {
		if result < len(r.Results) && r.Results[result].Rounds == r.to {
			first, last := vector.Extremes(r.of(n))
			r.conclude(n, r.to, extent{first, last}, soonest)
		}
	}
}

// soonest is what messages of a round take at least.
func (r *row) soonest(round int) float64 {
	if round == len(r.Rounds) {
		return 0
	}
	return r.Rounds[round].soonest(*r.problem)
}

// conclude notes the result of a trial that comes after so many rounds, if one does.
func (r *row) conclude(n, rounds int, e extent, soonest float64) {
	result := r.next[n]
	if result == len(r.Results) || r.Results[result].Rounds != rounds {
		return
	}
	result = r.trials[n].conclude(r.Schedule, result,
		func(r Result) float64 { return e.last + r.Post },
		func(*Round) bool { return e.last <= e.first+soonest })
	if r.next[n] = result; result == len(r.Results) {
		r.going--
	}
}
