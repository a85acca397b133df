package noise

import "jitterfly/internal/rng"

// ByteTimes is noise of the bandwidth: beside the noise of another network, every message takes its
// bytes times one of Lengths, in seconds a byte, drawn for it. In LogGP (Alexandrov et al., 1995) it
// is what G varies by.
type ByteTimes struct {
	Network
	Lengths Length // seconds a byte
}

// Longest implements [Network].
func (b ByteTimes) Longest(bytes float64) float64 {
	return max(b.Network.Longest(bytes), bytes*longest(b.Lengths))
}

// Excess implements [Network].
func (b ByteTimes) Excess(messages []Traffic, h float64) float64 {
	sum := b.Network.Excess(messages, h)
	for _, m := range messages {
		if m.Bytes > 0 {
			sum += m.Count * m.Bytes * b.Lengths.Excess(h/m.Bytes)
		}
	}
	return sum
}

// Delays implements [Network].
func (b ByteTimes) Delays(ranks int) Delays {
	return &byteDelays{Delays: b.Network.Delays(ranks), perByte: newLatencyBlocks(b.Lengths, byteChild)}
}

// Events implements [Network].
func (b ByteTimes) Events() Events {
	return &byteSenders{Events: b.Network.Events(), perByte: tabulate(b.Lengths)}
}

type byteDelays struct {
	Delays
	perByte *latencyBlocks
	delays  [Block]float64
}

// Draw implements [Delays].
func (d *byteDelays) Draw(ranks int, trials ...rng.Key) {
	d.Delays.Draw(ranks, trials...)
	d.perByte.Draw(ranks, trials...)
}

// Delay implements [Delays].
func (d *byteDelays) Delay(exchange, lo int, arrive []float64, m Message) {
	d.Delays.Delay(exchange, lo, arrive, m)
	delays := d.delays[:len(arrive)]
	clear(delays)
	d.perByte.Delay(exchange, lo, delays, m)
	for i, x := range delays {
		arrive[i] += float64(m.Bytes * x)
	}
}

type byteSenders struct {
	Events
	perByte table
	key     rng.Key
}

// Draw implements [Events].
func (e *byteSenders) Draw(trial rng.Key) {
	e.Events.Draw(trial)
	e.key = trial.Derive(byteChild)
}

// Extra implements [Events].
func (e *byteSenders) Extra(sender, message int, bytes float64) float64 {
	own := e.perByte.quantile(e.key.Derive(uint64(sender)).Uniform(message))
	return e.Events.Extra(sender, message, bytes) + float64(bytes*own)
}

var _ Network = ByteTimes{}
