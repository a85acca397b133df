package rounds_test

import (
	"math"
	"reflect"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// Means in µs, and their standard errors, of another simulation of the butterfly at P = 2^8, 1 µs,
// 1 GB/s, detours of 10 µs each 1 ms at a synchronized start, no events, and nothing to combine.
func TestLinksHaveKnownMeans(t *testing.T) {
	for _, c := range []struct {
		bytes      float64
		sources, T int
		free, busy estimate
	}{
		{8, 1, 0, estimate{17.93, 0.05}, estimate{17.93, 0.05}},
		{8, 1, 3, estimate{9.205, 0.010}, estimate{9.208, 0.010}},
		{8, 2, 0, estimate{14.42, 0.03}, estimate{14.46, 0.03}},
		{1024, 1, 0, estimate{27.24, 0.04}, estimate{28.205, 0.035}},
		{1024, 1, 3, estimate{19.13, 0.02}, estimate{20.046, 0.021}},
		{1024, 2, 0, estimate{22.61, 0.03}, estimate{25.969, 0.013}},
		{1024, 2, 3, estimate{18.02, 0.01}, estimate{18.980, 0.007}},
		{8192, 1, 0, estimate{84.27, 0.03}, estimate{87.406, 0.028}},
		{8192, 2, 0, estimate{79.98, 0.03}, estimate{133.442, 0.005}},
		{8192, 2, 3, estimate{79.90, 0.03}, estimate{133.077, 0.004}},
		{65536, 1, 3, estimate{543.03, 0.03}, estimate{546.109, 0.029}},
		{65536, 2, 0, estimate{538.69, 0.03}, estimate{993.556, 0.005}},
	} {
		m := model(1 << 8)
		m.Problem = collectives.Problem{
			Ranks: 1 << 8, Bytes: c.bytes, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: math.Inf(1),
			Redundancy: collectives.Redundancy{Max: c.T, Sources: c.sources},
		}
		m.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6}
		m.Network = noise.None{}
		for _, m.Problem.Busy = range []bool{false, true} {
			want := c.free
			if m.Problem.Busy {
				want = c.busy
			}
			checkMean(t, &m, tests.Part(10000, 2500), c.T, want)
		}
	}
}

// Without noise a round takes the longer of what a rank sends and a message, and of combining it.
func TestNoiseFreeBusyLinksAreTheClosedForms(t *testing.T) {
	p := collectives.Problem{
		Busy: true, Latency: 0x1p-20, Bandwidth: 0x1p30, MemoryBandwidth: 0x1p33,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges},
	}
	for K := range 11 {
		for _, p.Bytes = range []float64{1 << 3, 1 << 10, 1 << 14} {
			for _, p.Redundancy.Sources = range []int{1, 2, 3} {
				p.Ranks = 1 << K
				butterfly, halves := 0.0, 0.0
				for k := range K {
					butterfly += roundOf(p, k, p.Bytes) + p.Combine(p.Bytes)
					n := p.Bytes / math.Exp2(float64(K-k))
					halves += p.Wire(n) + p.Combine(n) + roundOf(p, k, n)
				}
				for name, want := range map[string]float64{
					"butterfly": butterfly, "rabenseifner": halves,
					"dissemination": float64(K) * (p.Wire(p.Bytes) + p.Combine(p.Bytes)),
					"binomial":      float64(K) * (2*p.Wire(p.Bytes) + p.Combine(p.Bytes)),
				} {
					if name == "dissemination" && p.Redundancy.Sources > 1 ||
						name == "binomial" && p.Redundancy.Sources > 1 || p.Redundancy.Sources > max(1, p.Ranks/2) {
						continue // copies reach a binomial tree's later ranks from earlier ones sooner
					}
					for T, got := range noiseFree(t, name, p) {
						if math.Abs(got-want) > 1e-12*want {
							t.Errorf("%s, P = 2^%d, %g B, R = %d, T = %d: %g s, want %g s", name, K, p.Bytes,
								p.Redundancy.Sources, T, got, want)
						}
					}
				}
			}
		}
	}
}

// roundOf returns how long a round takes across dimension k of the hypercube [s].
func roundOf(p collectives.Problem, k int, bytes float64) float64 {
	R := min(p.Redundancy.Sources, 1<<k)
	return max(float64(R)*bytes/p.Bandwidth, p.Wire(bytes))
}

// Schedules that model links by themselves, as of all-to-alls and the ring, are the same.
func TestBusyLinksLeaveOthersAsTheyAre(t *testing.T) {
	for _, a := range collectives.Algorithms {
		p := collectives.Problem{
			Ranks: 8, Bytes: 64, Latency: 3, Bandwidth: 64, MemoryBandwidth: 64, Segments: 3,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		}
		p = suited(a, p)
		busy := p
		busy.Busy = true
		got, want := models.Schedule(t, a.Name, busy), models.Schedule(t, a.Name, p)
		if !got.Busy && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, and %+v with busy links", a.Name, want, got)
		}
	}
}

// With busy links a larger T is not at least as good by structure, and costs the next call: ten
// calls back to back take T·w each that their rounds do not hide.
func TestCopiesKeepTheNextCallWaiting(t *testing.T) {
	m := rounds.Model{
		Algorithm: collectives.Algorithms[0], OS: noise.None{}, Network: noise.None{},
		Problem: collectives.Problem{
			Busy: true, Ranks: 16, Bytes: 65536, Latency: 1e-6, Bandwidth: 1e9,
			MemoryBandwidth: math.Inf(1),
			Redundancy:      collectives.Redundancy{Max: 3, Sources: 1},
		},
	}
	a := rounds.Application{Collective: m, Iterations: 1, Calls: 10}
	shape := tests.Must(a.Shape())(t)
	if shape.Monotone {
		t.Error("completions fall with T, though copies keep links busy")
	}
	w := 65.536
	for T, x := range iterationsOf(&a, runOnce(t, &a, rng.NewKey(0, ""))) {
		x *= 1e6 / float64(a.Calls)
		want := 4*(1+w) + 0.9*float64(T)*w // the first call waits for no other
		if math.Abs(x-want) > 1e-6 {
			t.Errorf("T = %d: %.3f µs a call, want %.3f", T, x, want)
		}
	}
}

// Redundancy is bounded by what a rank sends: the lower bound has it.
func TestLowerBoundOfBusyLinks(t *testing.T) {
	p := collectives.Problem{
		Busy: true, Ranks: 16, Bytes: 16, Latency: 10, Bandwidth: 1, MemoryBandwidth: 1,
		Redundancy: collectives.Redundancy{Sources: 2},
	}
	s := models.Schedule(t, "butterfly", p)
	if least, want := lowerBound(&s, p), float64(26+16)+3*(32+16); least != want {
		t.Errorf("at least %g, want %g", least, want)
	}
}
