package rounds_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// leaders returns the model of leaders on nodes of several ranks whose messages take 1 µs between
// nodes and 0.2 µs inside, with 50 ns to combine them, under detours at a random start.
func leaders(nodes, size, q int, share bool) rounds.Model {
	m := model(nodes * size)
	m.Algorithm, _ = collectives.Find("leaders")
	m.Problem = collectives.Problem{
		Ranks: nodes * size, Bytes: 8, Latency: 1e-6, Bandwidth: math.Inf(1), MemoryBandwidth: 8 / 50e-9,
		Node:    collectives.Node{Ranks: size, Latency: 0.2e-6, Bandwidth: math.Inf(1)},
		Leaders: q, Share: share, Redundancy: collectives.Redundancy{Sources: 1},
	}
	m.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random}
	m.Network = noise.None{}
	return m
}

// Means in µs, and their standard errors relative to them, of another simulation.
func TestLeadersHaveKnownMeans(t *testing.T) {
	for _, c := range []struct {
		nodes, size      int
		duration, period float64
		trials           int
		error            float64
		// One leader, and with T = 2; two and four, without and with sharing.
		one, copies, two, sharing2, four, sharing4 float64
	}{
		{64, 8, 10e-6, 1e-3, 3000, 0.001, 21.55, 20.91, 20.68, 20.62, 20.61, 20.61},
		{64, 8, 100e-6, 1e-3, 3000, 0.001, 334.6, 290.8, 282.0, 240.2, 253.3, 201.8},
		{128, 32, 10e-6, 1e-3, 200, 0.015, 29.3, 27.5, 26.7, 25.9, 26.0, 25.9},
		{128, 32, 100e-6, 10e-3, 200, 0.015, 231.7, 211.7, 206.0, 199.1, 200.1, 199.1},
		{512, 32, 10e-6, 1e-3, 60, 0.015, 37.0, 32.8, 32.7, 29.2, 29.7, 28.7},
	} {
		for _, of := range []struct {
			q, T  int
			share bool
			want  float64
		}{
			{1, 0, false, c.one}, {1, 2, false, c.copies}, {2, 0, false, c.two}, {2, 0, true, c.sharing2},
			{4, 0, false, c.four}, {4, 0, true, c.sharing4},
		} {
			m := leaders(c.nodes, c.size, of.q, of.share)
			m.OS = noise.Periodic{Period: c.period, Duration: c.duration, Start: noise.Random}
			m.Problem.Redundancy = collectives.Redundancy{
				Max: of.T, Sources: 1, SendOverhead: 150e-9, Reception: collectives.CPU,
			}
			checkMean(t, &m, c.trials, of.T, estimate{of.want, c.error * of.want})
		}
	}
}

// Without noise the node's vectors are there after σ, combined, exchanged between nodes and read
// after σ. Leaders that exchange have a part each of their node's link.
func TestNoiseFreeLeadersAreTheClosedForms(t *testing.T) {
	for K := range 7 {
		for _, size := range []int{2, 3, 8} {
			for q := 1; q <= min(size, 4); q++ {
				for n := range 8 {
					m := leaders(1<<K, size, q, n%2 == 0)
					p := m.Problem
					p.Bytes, p.Bandwidth, p.Node.Bandwidth = 1<<12, 0x1p30, 0x1p33
					p.Busy, p.Redundancy.Sources = n%4 < 2, 1+n/4
					if p.Redundancy.Sources > max(1, 1<<K/2) {
						continue
					}
					inside := p.Node.Wire(p.Bytes)
					want := inside + float64(bits.Len(uint(size-1)))*p.Combine(p.Bytes)
					link, each := 0.0, p.Bandwidth
					if p.Busy {
						each /= float64(q)
					}
					for k := range K {
						if p.Busy {
							link = float64(min(p.Redundancy.Sources, 1<<k)) * p.Bytes / each
						}
						want += max(link, p.Latency+p.Bytes/each) + p.Combine(p.Bytes)
					}
					if size > q {
						want += inside
					}
					if got := noiseFree(t, "leaders", p)[0]; math.Abs(got-want) > 1e-12*want {
						t.Errorf("2^%d nodes of %d, q = %d, busy %v, R = %d: %g s, want %g s",
							K, size, q, p.Busy, p.Redundancy.Sources, got, want)
					}
				}
			}
		}
	}
}

// On nodes of one rank leaders are the butterfly, whatever the noise.
func TestLeadersOfOneRankAreTheButterfly(t *testing.T) {
	for P := 1; P <= 40; P++ {
		p := collectives.Problem{
			Ranks: P, Bytes: 64, Latency: 3, Bandwidth: 64, MemoryBandwidth: 64, Busy: P%2 == 0, Leaders: 1,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1, SendOverhead: 1},
		}
		os, network := someNoise(P, 20)
		want := simulateSchedule(t, models.Schedule(t, "butterfly", p), p, os, network)
		got := simulateSchedule(t, models.Schedule(t, "leaders", p), p, os, network)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("P = %d: %v, of the butterfly %v", P, got, want)
		}
	}
}

// someNoise returns detours and delays of each rank and exchange.
func someNoise(ranks, exchanges int) (preempted, delayed) {
	random := rand.New(rand.NewPCG(1, uint64(ranks)))
	os, network := make(preempted, ranks), noDelays(exchanges, ranks)
	for r := range os {
		begin := float64(random.IntN(30))
		os[r] = []detour{{begin, begin + float64(1+random.IntN(20))}}
	}
	for i := range network {
		network[i][random.IntN(ranks)] = 9
	}
	return os, network
}

// Three nodes of two ranks, all of them leaders; the third node is folded. The message to rank 1 is late,
// and so is what it sends to rank 5; the message to rank 4 is late too.
func TestLeadersSendAgainWhatTheyHaveRead(t *testing.T) {
	p := collectives.Problem{
		Ranks: 6, Latency: 10, Bandwidth: 1, MemoryBandwidth: 1, Leaders: 2,
		Node:       collectives.Node{Ranks: 2, Latency: 2, Bandwidth: 1},
		Redundancy: collectives.Redundancy{Sources: 1, Max: 1},
	}
	network := noDelays(40, 6)
	network[2][1], network[3][4] = 20, 15
	// The leaders read at 2. Rank 0 has the sum of all at 12 and rank 1 at 32. Rank 4 has it at 37, rank 5
	// from rank 1 at 42, but from rank 4 at 39. Rank 1 reads the sum of rank 0 at 14, and sends that again:
	// rank 5 has it at 24, from which rank 4 reads it at 26.
	got := simulateSchedule(t, models.Schedule(t, "leaders", p), p, make(preempted, 6), network).Completion
	if want := []float64{39, 26}; !slices.Equal(got, want) {
		t.Errorf("complete at %v, want %v", got, want)
	}
}
