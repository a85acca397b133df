package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// jitter are detours of a hundredth of their period, at a random phase on each node.
type jitter struct {
	period float64
	first  []float64
}

func newJitter(nodes int, period float64, random *rand.Rand) *jitter {
	j := &jitter{period, make([]float64, nodes)}
	for i := range j.first {
		j.first[i] = period * random.Float64()
	}
	return j
}

// Finish returns the end of the detour at t, if any, without the work.
func (j *jitter) Finish(node int, t, _ float64) float64 {
	if since := t - j.first[node]; since >= 0 {
		if since -= j.period * math.Floor(since/j.period); since < j.period/100 {
			return t + j.period/100 - since
		}
	}
	return t
}

// poisson are Poisson events at that rate, of random length.
type poisson struct {
	random        *rand.Rand
	rate, longest float64
}

func (s *poisson) Next(int, int) (transit, delay float64) {
	if s.rate == 0 {
		return math.Inf(1), 0
	}
	return s.random.ExpFloat64() / s.rate, s.longest * s.random.Float64()
}

// Extra delays half of the messages.
func (s *poisson) Extra(int, int) float64 {
	if s.rate == 0 || s.random.Float64() < 0.5 {
		return 0
	}
	return s.longest * s.random.Float64()
}

func benchmark(b *testing.B, p Network, host network.Host, delays network.Delays) {
	b.Helper()
	e := NewEngine(p)
	b.ReportAllocs()
	messages := 0
	for b.Loop() {
		r := tests.Must(e.Run(context.Background(), host, delays))(b)
		messages += r.Received
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(messages), "ns/message")
	b.ReportMetric(p.Memory()/1e6, "MB")
}

// A linear all-to-all among 32 × 32 nodes, one million messages, or 16 × 16, each of
// which waits for the message that it is sent.
func BenchmarkTorus(b *testing.B) {
	for _, c := range []struct {
		name    string
		side    int
		sharing Sharing
		jitter  bool
		events  float64
	}{
		{"32x32/equal/noise-free", 32, Equal, false, 0},
		{"32x32/equal/jitter", 32, Equal, true, 0},
		{"32x32/equal/both", 32, Equal, true, 1e3},
		{"16x16/equal/jitter", 16, Equal, true, 0},
		{"16x16/maxmin/jitter", 16, MaxMin, true, 0},
		{"24x24/maxmin/jitter", 24, MaxMin, true, 0},
		{"32x32/maxmin/jitter", 32, MaxMin, true, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 0))
			nodes := c.side * c.side
			place := models.Place(b, fmt.Sprintf("torus:%dx%d", c.side, c.side))
			p := Network{Scenario: network.Scenario{Schedule: models.A2A(nodes, 1e4), Topology: place, Bandwidth: 1e9,
				Latency: 1e-6, Sync: network.Local}, Sharing: c.sharing}
			var host network.Host = network.NoiseFree{}
			if c.jitter {
				host = newJitter(nodes, 1e-3, random)
			}
			benchmark(b, p, host, &poisson{random, c.events, 2e-5})
		})
	}
}

// Ten messages of each node to its successor on a random ring.
func BenchmarkFatTree(b *testing.B) {
	for _, side := range []int{8, 12, 20, 24, 32} {
		n := models.Place(b, fmt.Sprintf("fat-tree:%dx%dx%d", side, side, 2*side))
		for _, sharing := range []Sharing{Equal, MaxMin} {
			name := n.String() + map[Sharing]string{Equal: "/equal", MaxMin: "/maxmin"}[sharing]
			b.Run(name, func(b *testing.B) {
				ring := models.RandomRing(n.Nodes(), 10, 1e6, rand.New(rand.NewPCG(1, 2)))
				benchmark(b,
					Network{Scenario: network.Scenario{Schedule: ring, Topology: n, Bandwidth: 1e9, Latency: 1e-6},
						Sharing: sharing},
					network.NoiseFree{}, network.NoiseFree{})
			})
		}
	}
}
