package noise

import (
	"math"
	"testing"

	"jitterfly/internal/rng"
)

// Of a constant time per byte each message is delayed by its bytes times it, for blocks and for
// senders, beside what delays it anyway.
func TestByteTimesOfConstants(t *testing.T) {
	const bytes = 1000
	n := ByteTimes{Network: Latencies{Constant(3)}, Lengths: Constant(2e-3)}
	d, arrive := n.Delays(Block), make([]float64, Block)
	d.Draw(Block, rng.NewKey(1, "bytes"))
	d.Delay(0, 0, arrive, Message{Transit: 5, Bytes: bytes})
	for i, x := range arrive {
		if math.Abs(x-5) > 1e-12 {
			t.Fatalf("rank %d is delayed by %g, want 5", i, x)
		}
	}
	e := n.Events()
	e.Draw(rng.NewKey(1, "bytes"))
	if x := e.Extra(4, 7, bytes); math.Abs(x-5) > 1e-12 {
		t.Errorf("a sender's message is delayed by %g, want 5", x)
	}
	if x := n.Longest(bytes); x != 3 {
		t.Errorf("the longest delay is %g, want 3", x)
	}
}

// What a message is delayed by is proportional to its bytes, for the same trial, and the distribution
// has the mean of Lengths. The noise beside it stays as it is without.
func TestByteTimesScaleWithBytes(t *testing.T) {
	lengths := Empirical{[]Quantile{{0, 0}, {0.9, 1e-3}, {1, 1}}}
	other := PoissonDelays{Interval: 1, Lengths: Exponential{2}}
	delays := func(n Network, bytes float64) []float64 {
		d, arrive := n.Delays(4*Block), make([]float64, 4*Block)
		d.Draw(4*Block, rng.NewKey(9, "bytes"))
		for lo := 0; lo < 4*Block; lo += Block {
			d.Delay(3, lo, arrive[lo:lo+Block], Message{Transit: 0.3, Bytes: bytes})
		}
		return arrive
	}
	n := ByteTimes{Network: other, Lengths: lengths}
	alone, none, one, many := delays(other, 0), delays(n, 0), delays(n, 1), delays(n, 1<<20)
	sum := 0.0
	for i := range alone {
		own := one[i] - alone[i]
		if none[i] != alone[i] || math.Abs(many[i]-alone[i]-own*(1<<20)) > 1e-6*many[i] {
			t.Fatalf("rank %d: %g without bytes, %g with one, %g with 2^20, %g alone",
				i, none[i], one[i], many[i], alone[i])
		}
		sum += own
	}
	if mean := sum / 4 / Block; math.Abs(mean/lengths.Mean()-1) > 0.2 {
		t.Errorf("a byte is delayed by %g on average, want %g", mean, lengths.Mean())
	}
}

// Excess of a kind of message is the count times E[max(0, n X − h)].
func TestByteTimesExcess(t *testing.T) {
	n := ByteTimes{Network: None{}, Lengths: Constant(2)}
	traffic := []Traffic{{Message{Bytes: 10}, 3}, {Message{Bytes: 1}, 5}, {Message{}, 7}}
	if got, want := n.Excess(traffic, 1.5), 3*(20-1.5)+5*0.5; math.Abs(got-want) > 1e-12 {
		t.Errorf("excess %g, want %g", got, want)
	}
}
