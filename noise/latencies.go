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
func (l Latencies) Delays(int) Delays {
	return &latencyBlocks{excess: tabulate(l.Lengths), hit: vector.NewBitmask(Block)}
}

// Events implements [Network].
func (l Latencies) Events() Events { return &latencySenders{excess: tabulate(l.Lengths)} }

type latencyBlocks struct {
	excess table
	keys   []rng.Key // of the trials
	ranks  int       // of each of them
	hit    vector.Bitmask
}

// Draw implements [Delays].
func (d *latencyBlocks) Draw(ranks int, trials ...rng.Key) {
	d.keys, d.ranks = derive(d.keys[:0], trials, networkChild), ranks
}

// Delay implements [Delays].
func (d *latencyBlocks) Delay(exchange, lo int, arrive []float64, _ Message) {
	if len(d.keys) == 1 {
		d.delay(d.keys[0], exchange, lo/Block, arrive)
		return
	}
	for n, key := range d.keys {
		d.delay(key, exchange, 0, arrive[n*d.ranks:(n+1)*d.ranks])
	}
}

// delay delays the messages of an exchange to one block of a trial.
func (d *latencyBlocks) delay(trial rng.Key, exchange, block int, arrive []float64) {
	words := trial.Derive(uint64(exchange)).Derive(uint64(block)).Counter()
	for i := range vector.AddLines(arrive, &d.excess.lines, words, d.hit).All {
		arrive[i] += d.excess.bent(rng.Unit(words.Word(i)))
	}
}

type latencySenders struct {
	noEvents
	excess table
	key    rng.Key
}

// Draw implements [Events].
func (e *latencySenders) Draw(trial rng.Key) {
	e.key = trial.Derive(networkChild).Derive(senderChild)
}

// Extra implements [Events].
func (e *latencySenders) Extra(sender, message int) float64 {
	return e.excess.quantile(e.key.Derive(uint64(sender)).Uniform(message))
}

var _ Network = Latencies{}
