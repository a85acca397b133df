package alphabeta_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/alphabeta"
)

// drawRedundant draws a collective with redundant exchanges, and noise, such that all times
// are sums of the same power of two.
func drawRedundant(t *rapid.T) (
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) {
	name := rapid.SampledFrom([]string{
		"butterfly", "butterfly", "dissemination", "binomial", "rabenseifner",
	}).Draw(t, "collective")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "noise"), 0))
	whole := func(from, to int) float64 { return float64(from + random.IntN(to-from+1)) }
	p = collectives.Problem{
		Ranks: rapid.IntRange(1, 40).Draw(t, "P"),
		Bytes: 64, Latency: whole(0, 6), Bandwidth: 64, MemoryBandwidth: 64,
		Node: collectives.Node{Ranks: int(whole(1, 5)), Latency: whole(0, 2), Bandwidth: 128},
		Redundancy: collectives.Redundancy{
			Max: collectives.AllExchanges, Sources: rapid.IntRange(1, 3).Draw(t, "R"),
			SendOverhead: float64(rapid.IntRange(0, 3).Draw(t, "c")),
			Reception: rapid.SampledFrom([]collectives.Reception{
				collectives.Offload, collectives.CPU, collectives.NIC,
			}).Draw(t, "reception"),
		},
	}
	a, err := collectives.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = a.Schedule(p); err != nil {
		p.Redundancy.Sources = 1
		s = schedule(t, name, p)
	}
	os = make(preempted, p.Ranks)
	many := random.IntN(3)
	for r := range os {
		begin := whole(-6, 40)
		for range random.IntN(1 + many) {
			d := detour{begin, begin + whole(1, 30)}
			os[r] = append(os[r], d)
			begin = d.end + whole(1, 30)
		}
	}
	for i := range s.Rounds {
		for len(network) < s.Rounds[i].Exchange+len(s.Rounds[i].Sources) {
			delays := make([]float64, p.Ranks)
			for r := range delays {
				if random.IntN(4) < many {
					delays[r] = whole(1, 20)
				}
			}
			network = append(network, delays)
		}
	}
	return s, p, os, network
}

// What ranks do that forward results, event by event, is the shortest paths among the late
// ranks, to the last bit.
func TestForwardingIsTheProtocol(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, os, network := drawRedundant(t)
		p.Redundancy.Forward = true
		want, got := forwarded(s, p, os, network), simulateSchedule(t, s, p, os, network)
		if diff := cmp.Diff(want, got, sameTimes); diff != "" {
			t.Errorf("protocol (-) and simulator (+):\n%s", diff)
		}
	})
}

// The same, where messages cost their hosts.
func TestForwardingIsTheProtocolOfHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, os, network := drawRedundant(t)
		p.Redundancy.Forward = true
		p.Host = drawHost(t, everyProgress...)
		want, got := forwarded(s, p, os, network), simulateSchedule(t, s, p, os, network)
		if diff := cmp.Diff(want, got, sameTimes); diff != "" {
			t.Errorf("protocol (-) and simulator (+):\n%s", diff)
		}
	})
}

// Without redundant exchanges there is nothing to forward, and with them nobody is later.
func TestForwardingNeverHarms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, os, network := drawRedundant(t)
		plain := simulateSchedule(t, s, p, os, network)
		p.Redundancy.Forward = true
		forwards := simulateSchedule(t, s, p, os, network)
		for T, x := range forwards.Completion {
			if x > plain.Completion[T] || T == 0 && x != plain.Completion[T] {
				t.Errorf("T = %d: %v with forwarding, %v without", T, x, plain.Completion[T])
			}
		}
	})
}

var _ = alphabeta.Trial{}
