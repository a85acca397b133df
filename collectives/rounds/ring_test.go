package rounds_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/internal/tests/models"
)

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
