package alphabeta_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/noise"
)

func noiseFreeRing(t *testing.T, p collectives.Problem) float64 {
	t.Helper()
	return simulateSchedule(t, schedule(t, "ring", p), p, noise.None{}.Detours(nil),
		noise.None{}.Delays(0)).Completion[0]
}

// Without noise all ranks have the same clock, and so all links: the ring is a
// recurrence of three numbers.
func TestNoiseFreeSegmentedRingIsItsRecurrence(t *testing.T) {
	for _, P := range []int{1, 2, 3, 8, 33} {
		for S := 1; S <= 9; S++ {
			for _, p := range []collectives.Problem{
				{Bytes: 1 << 20, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10},
				{Bytes: 1 << 20, Latency: 0, Bandwidth: 1e9, MemoryBandwidth: 1e8},
				{Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: math.Inf(1)},
				{Bytes: 1 << 20, Latency: 1e-3, Bandwidth: 1e12, MemoryBandwidth: 1e9},
			} {
				p.Ranks, p.Segments, p.Redundancy.Sources = P, S, 1
				n := p.Bytes / float64(P*S)
				free := 0.0                  // of every link
				last := 0.0                  // piece that every rank has done
				before := make([]float64, S) // and when it had each of the step before
				for i := range 2 * (P - 1) {
					for s := range S {
						begin := before[s]
						if S > 1 {
							begin = max(begin, free)
						}
						free = begin + n/p.Bandwidth
						last = max(last, free+p.Latency)
						if i < P-1 {
							last += n / p.MemoryBandwidth
						}
						before[s] = last
					}
				}
				if got := noiseFreeRing(t, p); math.Abs(got-last) > 1e-12*last {
					t.Errorf("P = %d, S = %d, %+v: %g s, want %g s", P, S, p, got, last)
				}
			}
		}
	}
}

// Pieces of a long vector cross the links while others are combined. Where
// combining is slower, smaller pieces help; where it is not, two hide it, and what
// remains is what every link must carry, 2(P−1)/P of the vector. Nothing is faster
// than that.
func TestSegmentsOverlap(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for _, P := range []int{2, 3, 16, 50} {
		p := collectives.Problem{
			Ranks: P, Bytes: 1 << 30, Latency: 1e-6, Bandwidth: 1e9,
			Redundancy: collectives.Redundancy{Sources: 1},
		}
		bound := 2 * float64(P-1) / float64(P) * p.Bytes / p.Bandwidth
		for _, p.MemoryBandwidth = range []float64{3e8, 3e9} {
			p.Segments = 1
			before := noiseFreeRing(t, p)
			for _, p.Segments = range []int{2, 4, 8, 16, 32, 64} {
				got := noiseFreeRing(t, p)
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
