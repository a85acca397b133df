package noise

import (
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Latencies is network noise as measured latencies show it: every message takes longer than
// the latency by one of Lengths, drawn for it.
type Latencies struct{ Lengths Length }

// Longest implements [Network].
func (l Latencies) Longest() float64 { return longest(l.Lengths) }

// Excess implements [Network].
func (l Latencies) Excess(messages []Traffic, h float64) (sum float64) {
	for _, m := range messages {
		sum += float64(m.Count * l.Lengths.Excess(h))
	}
	return sum
}

// Delays implements [Network].
func (l Latencies) Delays() Delays {
	return &latencyBlocks{excess: tabulate(l.Lengths), hit: vector.NewBitmask(Block)}
}

// Events implements [Network].
func (l Latencies) Events() Events { return &latencySenders{excess: tabulate(l.Lengths)} }

type latencyBlocks struct {
	receivers
	excess table
	hit    vector.Bitmask
}

// Delay implements [Delays].
func (d *latencyBlocks) Delay(exchange, lo int, arrive []float64, _ Message) {
	words := d.key.Derive(uint64(exchange)).Derive(uint64(lo / Block)).Counter()
	for i := range vector.AddLines(arrive, &d.excess.lines, words, d.hit).All {
		arrive[i] += d.excess.bent(rng.Unit(words.Word(i)))
	}
}

type latencySenders struct {
	senders
	excess table
}

// Extra implements [Events].
func (e *latencySenders) Extra(sender, message int) float64 {
	return e.excess.quantile(e.key.Derive(uint64(sender)).Uniform(message))
}

var _ Network = Latencies{}
