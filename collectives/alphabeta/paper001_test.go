package alphabeta_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
)

// The shapes of Matsuda, Ishikawa, Kudoh and Tezuka (paper 001). They measured Gigabit
// Ethernet at 941 Mbit/s (section 5.1); its latency they do not give, and 50 µs is an
// assumption.
var gigabitEthernet = collectives.Problem{
	Latency: 50e-6, Bandwidth: 941e6 / 8, MemoryBandwidth: 2e9,
	Redundancy: collectives.Redundancy{Sources: 1},
}

var (
	sockets = collectives.Host{Progress: collectives.Polling, Poll: 0.5e-6, Polls: 2, Window: 64 << 10}
	o2g     = collectives.Host{Progress: collectives.Async, Interrupt: 1e-6}
)

// Section 5.4 and figure 7: a poll is linear in the number of sockets, half a
// microsecond each, and at 1000 a message costs a millisecond of polling: as long as
// 100 kB take on the wire.
func TestPaper001Select(t *testing.T) {
	one := sockets
	one.Polls = 1
	for _, n := range []int{1, 10, 100, 1000} {
		if got, want := one.Take(0, n+1), float64(n)*0.5e-6; math.Abs(got-want) > 1e-15 {
			t.Errorf("%d sockets: a poll takes %g s, want %g s", n, got, want)
		}
	}
	message := sockets.Take(10e3, 1001)
	if bytes := message * gigabitEthernet.Bandwidth; math.Abs(message-1e-3) > 1e-12 || bytes < 100e3 {
		t.Errorf("1000 sockets: a message is polled for %g s, or %g bytes; want 1 ms, and more than "+
			"100 kB", message, bytes)
	}
}

// bandwidth is what each rank of an all-to-all receives, of which one of so many
// connections carries a message at a time.
func bandwidth(t *testing.T, host collectives.Host, connections int, bytes float64) float64 {
	p := gigabitEthernet
	p.Ranks, p.Bytes, p.Host = connections+1, bytes, host
	return bytes * float64(connections) / noiseFree(t, "a2a-ring", p)[0]
}

// Figure 6: the bandwidth of sockets, with buffers of 128 KiB, falls with the number of
// connections; with O2G it is the same for any.
func TestPaper001Bandwidth(t *testing.T) {
	sockets := sockets
	sockets.Window = 128 << 10
	for _, bytes := range []float64{1e3, 10e3, 100e3, 1e6} {
		first := bandwidth(t, o2g, 1, bytes)
		before := math.Inf(1)
		for _, connections := range []int{1, 10, 100, 500, 1000} {
			polled, taken := bandwidth(t, sockets, connections, bytes), bandwidth(t, o2g, connections, bytes)
			t.Logf("%8g B, %4d connections: sockets %6.2f MB/s, O2G %6.2f MB/s", bytes, connections,
				polled/1e6, taken/1e6)
			if polled >= before || math.Abs(taken-first) > 1e-9*first {
				t.Errorf("%g B, %d connections: %g B/s polled, %g B/s with fewer; %g B/s taken in, %g B/s "+
					"with one", bytes, connections, polled, before, taken, first)
			}
			before = polled
		}
		if share := before / first; share > 0.75 {
			t.Errorf("%g B: at 1000 connections sockets have %.0f %% of O2G's bandwidth", bytes, 100*share)
		}
	}
}

// Figure 5: IS, an all-to-all of messages of about 100 kB on 16 nodes, is three times as
// fast with O2G. It is not for the polls, which at 16 nodes cost little (section 5.2), but
// for the stalls: with the 4 segments of a window that Linux 2.4 opens a connection
// with, a message stalls 17 times. With a window that has grown to 64 KiB it stalls once, and
// the two are nearly the same.
func TestPaper001AllToAll(t *testing.T) {
	for _, c := range []struct{ window, least, most float64 }{
		{4 * 1460, 2.5, 3.5},
		{64 << 10, 1.05, 1.25},
	} {
		polled := sockets
		polled.Window = c.window
		ratio := bandwidth(t, o2g, 15, 100e3) / bandwidth(t, polled, 15, 100e3)
		polled.Window = 0
		polls := bandwidth(t, o2g, 15, 100e3) / bandwidth(t, polled, 15, 100e3)
		t.Logf("window of %g B: O2G is %.2f times as fast; for polls alone %.3f times", c.window, ratio,
			polls)
		if ratio < c.least || ratio > c.most || polls > 1.03 {
			t.Errorf("window of %g B: O2G is %g times as fast, want %g to %g; for polls alone %g times",
				c.window, ratio, c.least, c.most, polls)
		}
	}
}
