package noise

import (
	"math"
	"slices"

	"jitterfly/internal/rng"
)

// Latencies is network noise as measured latencies show it: every message takes longer than
// the latency by one of Lengths, drawn for it, however many bytes it has.
type Latencies struct{ Lengths Length }

// Hit implements [Network].
func (l Latencies) Hit() float64 { return longest(l.Lengths) }

// Excess implements [Network].
func (l Latencies) Excess(_ float64, messages int, h float64) float64 {
	return float64(messages) * l.Lengths.Excess(h)
}

// Delays implements [Network].
func (l Latencies) Delays(int) Delays {
	return &latencyDelays{excess: tabulate(l.Lengths), stream: rng.New(rng.Key{})}
}

type latencyDelays struct {
	excess table
	keys   []rng.Key // of the trial, or of each of a batch
	ranks  int       // of each of a batch
	stream rng.Stream
}

// Draw implements [Delays].
func (d *latencyDelays) Draw(trial rng.Key) {
	d.keys = append(d.keys[:0], trial.Derive(networkChild))
}

// DrawBatch implements [Batch].
func (d *latencyDelays) DrawBatch(trials []rng.Key, ranks int) {
	d.keys, d.ranks = d.keys[:0], ranks
	for _, trial := range trials {
		d.keys = append(d.keys, trial.Derive(networkChild))
	}
}

// Delay implements [Delays].
func (d *latencyDelays) Delay(exchange, lo int, arrive []float64, _ float64) {
	if len(d.keys) == 1 {
		d.delay(d.keys[0], exchange, lo/Block, arrive)
		return
	}
	for n, key := range d.keys {
		d.delay(key, exchange, 0, arrive[n*d.ranks:(n+1)*d.ranks])
	}
}

// delay delays the messages of an exchange to one block of a trial.
func (d *latencyDelays) delay(trial rng.Key, exchange, block int, arrive []float64) {
	d.stream.Reset(trial.Derive(uint64(exchange)).Derive(uint64(block)))
	for i := range arrive {
		arrive[i] += d.excess.quantile(d.stream.Uniform())
	}
}

// Next implements [Delays]: there are no events.
func (d *latencyDelays) Next(int, int) (transit, delay float64) { return math.Inf(1), 0 }

// Extra implements [Delays].
func (d *latencyDelays) Extra(sender, message int) float64 {
	d.stream.Reset(d.keys[0].Derive(senderChild).Derive(uint64(sender)).Derive(uint64(message)))
	return d.excess.quantile(d.stream.Uniform())
}

// A table is a quantile function that is looked up. A bin of shares at whose ends there are
// measured quantiles, and no others between, is a straight line.
type table struct {
	Length
	bins [256]bin
}

// A bin is the straight line at + slope·p over its shares p; at is not a number if it is bent.
type bin struct{ at, slope float64 }

func tabulate(length Length) table {
	t := table{Length: length}
	measured, ok := length.(Empirical)
	for i := range t.bins {
		from, to := float64(i)/float64(len(t.bins)), float64(i+1)/float64(len(t.bins))
		inside := func(q Quantile) bool { return from < q.Share && q.Share < to }
		if !ok || slices.ContainsFunc(measured.Points, inside) {
			t.bins[i].at = math.NaN()
			continue
		}
		middle := (from + to) / 2
		low, high := measured.Quantile(from), measured.Quantile(middle)
		slope := (high - low) / (middle - from)
		t.bins[i] = bin{low - float64(slope*from), slope}
	}
	return t
}

// quantile returns what Quantile does, but for rounding. It is never negative.
func (t *table) quantile(p float64) float64 {
	b := &t.bins[uint8(p*256)]
	if x := b.at + float64(b.slope*p); x >= 0 {
		return x
	}
	return t.Quantile(p)
}

var (
	_ Network = Latencies{}
	_ Batch   = (*latencyDelays)(nil)
)
