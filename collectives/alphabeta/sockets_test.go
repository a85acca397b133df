package alphabeta_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/collectives"
)

// Times in other units round differently, and are the same times: rounding decides neither what a
// poll finds, nor whether a window is enough for the rest, nor which of two copies that arrive at
// the same time is read. At the lower bandwidth polls find parts of windows.
func TestRoundingDecidesNothingOfSockets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	whole := func(from, to int) float64 { return float64(from + random.IntN(to-from+1)) }
	for i := range 1000 {
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
		s := schedule(t, name, p)
		os := make(preempted, p.Ranks) // in half of the problems, of some ranks
		for r := range os {
			for begin := 0.0; i%2 == 0 && r%3 == 0 && begin < 300; {
				begin += 60 * random.Float64()
				os[r] = append(os[r], detour{begin, begin + 9*random.Float64()})
				begin = os[r][len(os[r])-1].end
			}
		}
		network := make(delayed, 4*len(s.Rounds))
		for i := range network {
			network[i] = make([]float64, p.Ranks)
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
			got := simulateSchedule(t, schedule(t, name, q), q, detours, delays)
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
