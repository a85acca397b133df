package rounds_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// Times in other units round differently, and are the same times: rounding decides neither what a
// poll finds, nor whether a window is enough for the rest, nor which of two copies that arrive at
// the same time is read. At the lower bandwidth polls find parts of windows.
func TestRoundingDecidesNothingOfSockets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	whole := func(from, to int) float64 { return float64(from + random.IntN(to-from+1)) }
	for i := range tests.Part(1000, 300) {
		name := []string{"butterfly", "rabenseifner"}[i/2%2]
		p := collectives.Problem{
			Ranks: 8 + random.IntN(8), Bytes: 256, Latency: whole(0, 5), Bandwidth: 64, MemoryBandwidth: 64,
			Node: collectives.Node{Ranks: 3, Latency: whole(0, 9), Bandwidth: 128},
			Redundancy: collectives.Redundancy{
				Sources: 3 - 2*(i/2%2), SendOverhead: whole(0, 1), Max: collectives.AllExchanges,
			},
			Host: collectives.Host{
				Overhead: whole(0, 3), Gap: whole(0, 1), Poll: whole(1, 2), Polls: whole(1, 2),
				Progress: []collectives.Progress{collectives.Polling, collectives.Epoll}[random.IntN(2)],
				Window:   []float64{0, 64, 64}[random.IntN(3)],
			},
		}
		p.Bandwidth = []float64{64, 4}[random.IntN(2)]
		s := models.Schedule(t, name, p)
		os := make(preempted, p.Ranks) // in half of the problems, of some ranks
		for r := range os {
			for begin := 0.0; i%2 == 0 && r%3 == 0 && begin < 300; {
				begin += 60 * random.Float64()
				os[r] = append(os[r], detour{begin, begin + 9*random.Float64()})
				begin = os[r][len(os[r])-1].end
			}
		}
		network := noDelays(4*len(s.Rounds), p.Ranks)
		for i := range network {
			for r := range network[i] {
				network[i][r] = max(0, whole(-20, 9))
			}
		}
		var want []float64
		for _, unit := range []float64{1, 0.1, 1. / 3, 0.7} {
			q, detours, delays := p, make(preempted, p.Ranks), make(delayed, len(network))
			for _, x := range []*float64{&q.Latency, &q.Node.Latency, &q.Redundancy.SendOverhead,
				&q.Host.Overhead, &q.Host.Gap, &q.Host.Poll} {
				*x *= unit
			}
			for _, x := range []*float64{&q.Bandwidth, &q.MemoryBandwidth, &q.Node.Bandwidth} {
				*x /= unit
			}
			for r := range os {
				for _, d := range os[r] {
					detours[r] = append(detours[r], detour{d.begin * unit, d.end * unit})
				}
			}
			for i := range network {
				delays[i] = slices.Clone(network[i])
				for r := range delays[i] {
					delays[i][r] *= unit
				}
			}
			got := simulateSchedule(t, models.Schedule(t, name, q), q, detours, delays)
			for T, x := range got.Completion {
				if x /= unit; unit == 1 {
					want = append(want, x)
				} else if math.Abs(x-want[T]) > 1e-9*want[T] {
					t.Errorf("T = %d takes %v, in units of %v %v: %+v", T, want[T], unit, x, p)
				}
			}
		}
	}
}

// Rank 2 is folded into rank 0. Rank 1 gets what it waits for late, and earlier with a copy; rank 0
// gets nothing earlier, but sends rank 2 the result after posting the copy too. From when the first
// byte arrives rank 2 polls for it, and a detour preempts its third poll, which finds all but half
// a second of the message. Had that come 0.25 s later, the second poll would have been preempted,
// and the third have found all, 0.75 s earlier.
func TestWhatIsSentAgainIsNotReadEarlierByLuck(t *testing.T) {
	p := collectives.Problem{
		Ranks: 3, Bytes: 5, Latency: 1, Bandwidth: 2, MemoryBandwidth: 5,
		Redundancy: collectives.Redundancy{Max: 1, Sources: 1},
		Host:       collectives.Host{Overhead: 0.25, Progress: collectives.Epoll, Poll: 1, Polls: 1},
	}
	begin := noiseFree(t, "butterfly", p)[0] - 4.25 // 4 polls from the first byte on, and o
	os, network := preempted{nil, nil, {{begin + 2.125, begin + 12.125}}}, noDelays(4, 3)
	network[1][1] = 100 // the core's one exchange
	s := models.Schedule(t, "butterfly", p)
	got := simulateSchedule(t, s, p, os, network).Completion
	if want := begin + 14.25; got[0] < 100 || got[1] != want {
		t.Errorf("T = 0 and 1 take %v s, want more than 100 s and %v s", got, want)
	}
}
