package output

import "math"

// A rate is an average of the messages simulated in a second, in which what is longer ago
// counts less: an interval that ended t seconds ago has the weight exp(-t/τ). τ grows with
// the time so far, so that long runs, whose trials can take long, have steadier averages.
type rate struct {
	at, count     float64 // time [s] and messages at the last increase
	span, counted float64 // weighted sums of seconds and messages
}

// τ is at least leastTau [s], and this part of the time so far.
const (
	leastTau = 2
	tauShare = 1. / 10
)

// observe adds what was simulated since the last call, if anything was: trials that take
// longer than the time between two calls are one interval each.
func (r *rate) observe(now, count float64) {
	if count <= r.count || now <= r.at {
		return
	}
	keep := math.Exp(-(now - r.at) / max(leastTau, tauShare*now))
	r.span = r.span*keep + now - r.at
	r.counted = r.counted*keep + count - r.count
	r.at, r.count = now, count
}

// perSecond returns the rate, 0 if nothing has been simulated.
func (r *rate) perSecond() float64 {
	if r.span == 0 {
		return 0
	}
	return r.counted / r.span
}
