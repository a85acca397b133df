package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// receivers are the ranks of trials that receive messages, with the keys of these messages.
type receivers struct {
	keys  []rng.Key // of the trials
	ranks int       // of each of them
}

// Draw implements [Delays].
func (r *receivers) Draw(ranks int, trials ...rng.Key) {
	r.keys, r.ranks = derive(r.keys[:0], trials, networkChild), ranks
}

// blocks calls each for the blocks of the n ranks from lo: with the key of a block's trial, its number
// in that, and where it begins and ends among the n ranks.
func (r *receivers) blocks(lo, n int, each func(trial rng.Key, block, first, end int)) {
	if len(r.keys) > 1 {
		for i, trial := range r.keys {
			each(trial, 0, i*r.ranks, (i+1)*r.ranks)
		}
		return
	}
	for first := 0; first < n; first += Block {
		each(r.keys[0], (lo+first)/Block, first, min(first+Block, n))
	}
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
