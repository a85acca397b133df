package rounds_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/internal/tests/models"
)

// Pieces of a long vector cross the links while others are combined. Where
// combining is slower, smaller pieces help; where it is not, two hide it, and what
// remains is what every link must carry, 2(P−1)/P of the vector. Nothing is faster
// than that.
func TestSegmentsOverlap(t *testing.T) {
	for _, P := range []int{2, 3, 16, 50} {
		p := collectives.Problem{
			Ranks: P, Bytes: 1 << 30, Latency: 1e-6, Bandwidth: 1e9,
			Redundancy: collectives.Redundancy{Sources: 1},
		}
		bound := 2 * float64(P-1) / float64(P) * p.Bytes / p.Bandwidth
		for _, p.MemoryBandwidth = range []float64{3e8, 3e9} {
			p.Segments = 1
			before := noiseFree(t, "ring", p)[0]
			for _, p.Segments = range []int{2, 4, 8, 16, 32, 64} {
				got := noiseFree(t, "ring", p)[0]
				hidden := p.Segments > 2 && p.MemoryBandwidth > p.Bandwidth && got < bound+2*p.Latency
				if got < bound || got >= before && !hidden {
					t.Errorf("P = %d, S = %d: %g s, with fewer segments %g s, and at least %g s", P, p.Segments,
						got, before, bound)
				}
				before = got
			}
		}
	}
}

// Under detours and delays the ring is the recurrence of docs/model/core.md, for any number of
// segments: whoever has been sent the next piece in a detour sends two, one after the other.
func TestRingIsItsRecurrence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		P, S := rapid.IntRange(2, 9).Draw(t, "P"), rapid.IntRange(1, 3).Draw(t, "S")
		p := collectives.Problem{
			Ranks: P, Segments: S, Bytes: float64(8 * P * S), Latency: 1, Bandwidth: 1,
			MemoryBandwidth: 8, Redundancy: collectives.Redundancy{Sources: 1},
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "noise"), 0))
		os, network := make(preempted, P), noDelays(2*(P-1)*S, P)
		for r := range os {
			begin := float64(random.IntN(60))
			os[r] = append(os[r], detour{begin, begin + float64(1+random.IntN(60))})
		}
		for i := range network {
			network[i][random.IntN(P)] = float64(random.IntN(40))
		}
		free, now, before := make([]float64, P), make([]float64, P), make([][]float64, S)
		for r := range now {
			now[r] = preempt(os[r], 0, 0)
		}
		for s := range before {
			before[s] = slices.Clone(now)
		}
		for i := range 2 * (P - 1) {
			for s := range S {
				for r := range now {
					begin := max(before[s][(r+P-1)%P], free[r])
					free[r] = begin + 8
					if now[r] = max(now[r], free[r]+1+network[i*S+s][r]); i < P-1 {
						now[r] = preempt(os[r], now[r], 1)
					}
				}
				before[s] = slices.Clone(now)
			}
		}
		got := simulateSchedule(t, models.Schedule(t, "ring", p), p, os, network).Completion[0]
		if want := slices.Max(now); got != want {
			t.Errorf("complete at %g, want %g", got, want)
		}
	})
}
