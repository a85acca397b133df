package noise

import (
	"math"
	"slices"

	"jitterfly/internal/rng"
)

// Latencies is network noise as a measured latency shows it: every message takes
// longer than the latency by a time drawn for it, whatever its length.
type Latencies struct{ Excess Length }

// Hit implements [Network].
func (l Latencies) Hit() float64 { return l.Excess.Quantile(0.99) }

// Delays implements [Network].
func (l Latencies) Delays(int) Delays {
	return &latencyDelays{excess: tabulate(l.Excess), stream: rng.New(rng.Key{})}
}

type latencyDelays struct {
	excess table
	key    rng.Key
	stream rng.Stream
	sent   map[int]uint64 // on each lane
}

// Draw implements [Delays].
func (d *latencyDelays) Draw(trial rng.Key) {
	d.key = trial.Derive(networkChild)
	clear(d.sent)
}

// Delay implements [Delays].
func (d *latencyDelays) Delay(exchange, lo int, arrive []float64, _ float64) {
	d.stream.Reset(d.key.Derive(uint64(exchange)).Derive(uint64(lo / Block)))
	for i := range arrive {
		arrive[i] += d.excess.quantile(d.stream.Uniform())
	}
}

// Next implements [Delays]: there are no events.
func (d *latencyDelays) Next(int) (transit, hold float64) { return math.Inf(1), 0 }

// Extra implements [Delays].
func (d *latencyDelays) Extra(lane int) float64 {
	if d.sent == nil {
		d.sent = map[int]uint64{}
	}
	d.stream.Reset(d.key.Derive(laneChild).Derive(uint64(lane)).Derive(d.sent[lane]))
	d.sent[lane]++
	return d.excess.quantile(d.stream.Uniform())
}

// A table is a quantile function that is looked up. Where a bin of shares has measured
// quantiles at its ends only, and no bend between, it is a straight line.
type table struct {
	Length
	bins [256]struct{ at, slope float64 } // of the share itself
	bent [256]bool
}

func tabulate(length Length) table {
	t := table{Length: length}
	measured, ok := length.(Empirical)
	for i := range t.bins {
		from, to := float64(i)/float64(len(t.bins)), float64(i+1)/float64(len(t.bins))
		t.bent[i] = !ok || slices.ContainsFunc(measured.Points, func(q Quantile) bool { return from < q.Share && q.Share < to })
		if !t.bent[i] {
			middle := (from + to) / 2
			low, high := measured.Quantile(from), measured.Quantile(middle)
			t.bins[i].slope = (high - low) / (middle - from)
			t.bins[i].at = low - float64(t.bins[i].slope*from)
		}
	}
	return t
}

// quantile is as Quantile, but for rounding. It is never below the least.
func (t *table) quantile(p float64) float64 {
	i := int(p * float64(len(t.bins)))
	if t.bent[i] {
		return t.Quantile(p)
	}
	return max(0, t.bins[i].at+float64(t.bins[i].slope*p))
}

var _ Network = Latencies{}
