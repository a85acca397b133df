package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// receivers receive the messages of a trial.
type receivers struct {
	key   rng.Key // of the trial
	ranks int
}

// Draw implements [Delays].
func (r *receivers) Draw(ranks int, trial rng.Key) {
	r.key, r.ranks = trial.Derive(networkChild), ranks
}

// senders have messages without events, that take no longer than their latency.
type senders struct {
	key rng.Key // of the trial
}

// senderChild is not the number of any exchange.
const senderChild = math.MaxUint64

// Draw implements [Events].
func (s *senders) Draw(trial rng.Key) { s.key = trial.Derive(networkChild).Derive(senderChild) }

// Next implements [Events].
func (*senders) Next(int, int) (transit, delay float64) { return math.Inf(1), 0 }

// Extra implements [Events].
func (*senders) Extra(int, int) float64 { return 0 }
