package noise

import (
	"math"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
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
	return &latencyDelays{excess: tabulate(l.Lengths), hit: vector.NewBitmask(Block)}
}

type latencyDelays struct {
	excess table
	keys   []rng.Key // of the trial, or of each of a batch
	ranks  int       // of each of a batch
	hit    vector.Bitmask
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
	words := trial.Derive(uint64(exchange)).Derive(uint64(block)).Counter()
	for i := range vector.AddLines(arrive, &d.excess.lines, words, d.hit).All {
		arrive[i] += d.excess.bent(rng.Unit(words.Word(i)))
	}
}

// Next implements [Delays]: there are no events.
func (d *latencyDelays) Next(int, int) (transit, delay float64) { return math.Inf(1), 0 }

// Extra implements [Delays].
func (d *latencyDelays) Extra(sender, message int) float64 {
	return d.excess.quantile(d.keys[0].Derive(senderChild).Derive(uint64(sender)).Uniform(message))
}

var (
	_ Network = Latencies{}
	_ Batch   = (*latencyDelays)(nil)
)
