package rounds_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
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
