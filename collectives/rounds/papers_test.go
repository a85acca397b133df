package rounds_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// The shapes of Matsuda, Ishikawa, Kudoh and Tezuka (paper 001). They measured Gigabit
// Ethernet at 941 Mbit/s (section 5.1); its latency they do not give, and 50 µs is an
// assumption.
var gigabitEthernet = collectives.Problem{
	Latency: 50e-6, Bandwidth: 941e6 / 8, MemoryBandwidth: 2e9,
	Redundancy: collectives.Redundancy{Sources: 1},
}

// sockets returns those of their Linux with a window.
func sockets(window float64) collectives.Host {
	return collectives.Host{
		Progress: collectives.Polling, Poll: 0.5e-6, Polls: 2, Window: window,
	}
}

var o2g = collectives.Host{Progress: collectives.Async, Interrupt: 1e-6}

// Section 5.4 and figure 7: a poll is linear in the number of sockets, half a
// microsecond each, and at 1000 a message needs a millisecond of polling: as long as
// 100 kB take on the wire.
func TestPaper001Select(t *testing.T) {
	host := sockets(0)
	for _, n := range []int{1, 10, 100, 1000} {
		if got, want := host.Scan(n+1), float64(n)*0.5e-6; math.Abs(got-want) > 1e-15 {
			t.Errorf("%d sockets: a poll takes %g s, want %g s", n, got, want)
		}
	}
	polled := host.Polled(1001)
	if bytes := polled * gigabitEthernet.Bandwidth; math.Abs(polled-1e-3) > 1e-12 || bytes < 100e3 {
		t.Errorf("1000 sockets: a message is polled for %g s, or %g bytes; want 1 ms, and more than "+
			"100 kB", polled, bytes)
	}
}

// bandwidth returns what each rank of an all-to-all receives, where one connection carries a
// message at a time.
func bandwidth(t *testing.T, host collectives.Host, connections int, bytes float64) float64 {
	p := gigabitEthernet
	p.Ranks, p.Bytes, p.Host = connections+1, bytes, host
	return bytes * float64(connections) / noiseFree(t, "a2a-ring", p)[0]
}

// Figure 6: the bandwidth of sockets, with buffers of 128 KiB, falls with the number of
// connections; with O2G it is the same for any.
func TestPaper001Bandwidth(t *testing.T) {
	for _, bytes := range []float64{1e3, 1e6} {
		first := bandwidth(t, o2g, 1, bytes)
		before := math.Inf(1)
		for _, connections := range tests.Part([]int{1, 10, 100, 500}, []int{1, 10, 100}) {
			polled := bandwidth(t, sockets(128<<10), connections, bytes)
			taken := bandwidth(t, o2g, connections, bytes)
			t.Logf("%8g B, %4d connections: sockets %6.2f MB/s, O2G %6.2f MB/s", bytes, connections,
				polled/1e6, taken/1e6)
			if polled >= before || math.Abs(taken-first) > 1e-9*first {
				t.Errorf("%g B, %d connections: %g B/s polled, %g B/s with fewer; %g B/s taken in, %g B/s "+
					"with one", bytes, connections, polled, before, taken, first)
			}
			before = polled
		}
	}
}

// Check values of an independent simulation, to their three digits. With 250 connections a
// poll takes 0.125 ms, and the last byte of 1 MB is there after 8.55 ms: the poll that begins at
// 8.625 ms finds it.
func TestPaper001CheckValues(t *testing.T) {
	for window, want := range map[float64]float64{5840: 2.21, 16 << 10: 1.02, 64 << 10: 1.02} {
		got := bandwidth(t, o2g, 15, 100e3) / bandwidth(t, sockets(window), 15, 100e3)
		if math.Abs(got-want) > 0.005 {
			t.Errorf("window of %g B: O2G is %.4f times as fast, want %g", window, got, want)
		}
	}
	got := bandwidth(t, sockets(128<<10), 250, 1e6)
	if want := 1e6 / 8.75e-3; math.Abs(got-want) > 1e-6*want {
		t.Errorf("250 connections: %g B/s, want %g", got, want)
	}
	// Epoll asks only what is ready, whatever the number of connections.
	epoll := sockets(128 << 10)
	epoll.Progress = collectives.Epoll
	one, all := bandwidth(t, epoll, 1, 1e6), bandwidth(t, epoll, 100, 1e6)
	if math.Abs(all/one-1) > 1e-9 {
		t.Errorf("epoll: %g B/s with one connection, %g with 100", one, all)
	}
}

// steps returns the noise-free times [s] of the rounds of an all-to-all on 8 servers of 8 processes,
// relative to step 8, with a barrier between rounds.
func steps(t *testing.T, collective string) []float64 {
	t.Helper()
	p := collectives.Problem{
		Ranks: 64, Bytes: 1e6, Latency: 30e-6, Bandwidth: 250e6, MemoryBandwidth: 10e9,
		Node:       collectives.Node{Ranks: 8, Latency: 1e-6, Bandwidth: 1e9},
		Redundancy: collectives.Redundancy{Sources: 1}, Contention: collectives.HoL,
	}
	s := models.Schedule(t, collective, p)
	simulator := rounds.NewSimulator(p.Ranks)
	none := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	var times []float64
	for _, round := range s.Rounds {
		one := s
		one.Rounds = []collectives.Round{round}
		one.Checkpoints = []collectives.Checkpoint{{Rounds: 1, Posters: collectives.Span{Lo: 0, Hi: p.Ranks}}}
		times = append(times, trial(t, simulator, one, p, none).Completion[0])
	}
	first := times[7]
	for i := range times {
		times[i] /= first
	}
	return times
}

// The steps of the ring and of the 2-level ring of Naruse et al. (sections 3.4, 3.6 and 5.1, figures 4,
// 6 and 9): a step that sends a share α to one of two servers takes 1/(1 − α(1 − α)) of the time.
func TestStepsOfRings(t *testing.T) {
	ring := steps(t, "a2a-ring")
	var multiples, others []float64
	for step := 8; step <= 56; step++ {
		if step%8 == 0 {
			multiples = append(multiples, ring[step-1])
		} else {
			others = append(others, ring[step-1])
		}
	}
	if most, least := slices.Max(multiples), slices.Min(others); least < 1.01*most {
		t.Errorf("steps at multiples of 8 take up to %.2f, others %.2f", most, least)
	}
	ends, inner := stat.Mean(slices.Concat(ring[:7], ring[56:]), nil), stat.Mean(ring[7:56], nil)
	if ends > 0.9*inner {
		t.Errorf("steps at the ends take %.2f, those between %.2f", ends, inner)
	}
	for i, published := range []float64{1.12, 1.23, 1.31, 1.33} {
		if got := ring[8+i]; math.Abs(got-published) > 0.02 {
			t.Errorf("step %d takes %.3f, want %.2f", 9+i, got, published)
		}
	}
	if most := slices.Max(steps(t, "a2a-levels")[7:]); most > 1.01 {
		t.Errorf("a step of the 2-level ring takes %.2f", most)
	}
}

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

func (hitRanks) Delay(int, int, []float64, float64) {}

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
