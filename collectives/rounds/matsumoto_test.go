package rounds_test

import (
	"context"
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// Section 3.2 of Matsumoto and Suda: what redundant exchanges rescue if some ranks are preempted.

// hitRanks is one detour of some ranks, from one time [s] to another.
type hitRanks struct {
	noise.Given
	hit        func(rank int) bool
	from, till float64
}

func (d hitRanks) Finish(_ noise.Piece, lo int, t []float64, work float64) {
	for i := range t {
		if d.hit(lo+i) && t[i]+work > d.from && t[i] < d.till {
			t[i] += d.till - max(t[i], d.from)
		}
		t[i] += work
	}
}

func (hitRanks) Delay(int, int, []float64, noise.Message) {}

// later simulates a butterfly of 2^K ranks with T redundant exchanges, in which all ranks except one
// residue class modulo 2^T are preempted for long after exchange T. The first redundant exchange is
// across bit first. It returns the time beyond the noise-free time, in messages.
func later(t *testing.T, K, T, class, first int) float64 {
	t.Helper()
	p := collectives.Problem{
		Ranks: 1 << K, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
	s := tests.Must(collectives.Butterfly(p))(t)
	s.Rounds[K].Sources = []collectives.Sender{{Peers: collectives.Xor(1 << first)}}
	wire, combine := p.Wire(p.Bytes), p.Combine(p.Bytes)
	d := hitRanks{
		hit:  func(rank int) bool { return rank%(1<<T) != class },
		from: (float64(T) + 0.5) * (wire + combine), till: 1e-3,
	}
	trial := rounds.Trial{Completion: make([]float64, len(s.Checkpoints))}
	simulator, compiled := rounds.NewSimulator(p.Ranks), rounds.Compile(&s, p)
	tests.NoError(t, simulator.Run(context.Background(), compiled, rounds.NewNoise(d, d), &trial))
	return (trial.Completion[T] - float64(K)*(wire+combine)) / wire
}

// With T redundant exchanges it is enough that one residue class modulo 2^T is not preempted: the
// collective then completes T messages later.
func TestOneResidueClassRescues(t *testing.T) {
	for T := 1; T <= 2; T++ {
		for K := T + 1; K <= 10; K++ {
			for class := range 1 << T {
				if got := later(t, K, T, class, 0); math.Abs(got-float64(T)) > 1e-9 {
					t.Errorf("2^%d ranks, T = %d, class %d: %g messages later, want %d", K, T, class, got, T)
				}
			}
		}
	}
}

// That needs the partners of the first exchange in the first redundant one.
func TestOtherPartnersDoNotRescue(t *testing.T) {
	for K := 2; K <= 10; K++ {
		for first := 1; first < K; first++ {
			for class := range 2 {
				if got := later(t, K, 1, class, first); got < 100 {
					t.Errorf("2^%d ranks across bit %d: %g messages later", K, first, got)
				}
			}
		}
	}
}
