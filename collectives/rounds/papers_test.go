package rounds_test

import (
	"context"
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
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

// bandwidth returns what each rank of an all-to-all receives, where one connection carries a
// message at a time.
func bandwidth(t *testing.T, host collectives.Host, connections int, bytes float64) float64 {
	p := gigabitEthernet
	p.Ranks, p.Bytes, p.Host = connections+1, bytes, host
	return bytes * float64(connections) / noiseFree(t, "a2a-ring", p)[0]
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
// residue class modulo 2^T are preempted for long after exchange T. It returns the time beyond the
// noise-free time, in messages.
func later(t *testing.T, K, T, class int) float64 {
	t.Helper()
	p := collectives.Problem{
		Ranks: 1 << K, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
	s := tests.Must(collectives.Butterfly(p))(t)
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
				if got := later(t, K, T, class); math.Abs(got-float64(T)) > 1e-9 {
					t.Errorf("2^%d ranks, T = %d, class %d: %g messages later, want %d", K, T, class, got, T)
				}
			}
		}
	}
}
