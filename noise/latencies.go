package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// Latencies is network noise as a measured latency shows it: every message takes
// longer than the latency by a time drawn for it, whatever its length.
type Latencies struct{ Excess Length }

// Hit implements [Network].
func (l Latencies) Hit() float64 { return l.Excess.Quantile(0.99) }

// Delays implements [Network].
func (l Latencies) Delays() Delays {
	return &latencyDelays{Latencies: l, stream: rng.New(rng.Key{})}
}

type latencyDelays struct {
	Latencies
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
		arrive[i] += draw(d.Excess, d.stream)
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
	return draw(d.Excess, d.stream)
}

var _ Network = Latencies{}
