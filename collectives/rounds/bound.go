package rounds

import (
	"math"

	"jitterfly/collectives"
)

// roundingMargin is the share by which a bound is lowered where the executors' sums may
// round to a little less than it.
const roundingMargin = 1e-9

// soonestRead returns the least time [s] from when a message of a round is sent through the network
// to when it has been polled for: a poll begins after the first byte arrives and one after the
// last, and each further window is sent after a byte of the one before was read.
func soonestRead(p *collectives.Problem, r *collectives.Round) float64 {
	h := &p.Host
	scan, last := h.Scan(p.Ranks), r.Transit(p)
	if h.Sockets() && h.Window > 0 && r.Bytes > h.Window {
		further := math.Ceil(r.Bytes/h.Window-rounding) - 1
		turns := further * (2*p.Latency + scan)
		last = max(last, p.Latency+r.Flow(p)*(1-further*h.Window/r.Bytes)+turns)
	}
	return max(last+scan, p.Latency+h.Polled(p.Ranks))
}

// fastest returns a lower bound [s] of the time of a round's message, from any sender, until its
// receiver has polled for it.
func fastest(p *collectives.Problem, r *collectives.Round) float64 {
	wire := soonestRead(p, r)
	if p.Node.Ranks > 1 && r.Medium == collectives.Anything {
		wire = min(wire, p.Node.Wire(r.Bytes)+p.Host.Polled(p.Ranks))
	} else if p.Host.Free() {
		return wire
	}
	return wire * (1 - roundingMargin)
}

// lowerBound returns a time [s] below which no trial completes, at any T: each round in
// which all ranks wait takes everybody a message and its combination further, from
// where all were when it left.
func (compiled *Compiled) lowerBound() float64 {
	n := compiled.Length()
	b := bound{before: make([]float64, 1, n+1), free: math.Inf(-1)}
	for i := range compiled.rounds {
		r := &compiled.rounds[i]
		for range 1 + r.Repeats {
			if r.Wait != collectives.Spare && r.all {
				b.after(r, &compiled.problem.Host)
			} else {
				b.before = append(b.before, b.before[len(b.before)-1])
			}
		}
	}
	return b.before[n]
}

// A bound follows from round to round what no rank can be ahead of.
type bound struct {
	before []float64 // when the processors are free at the earliest, before each round [s]
	free   float64   // when the link of any rank is free for its next message at the earliest [s]
}

// after appends the bound after a round of all ranks.
func (b *bound) after(r *round, h *collectives.Host) {
	now := b.before[len(b.before)-1]
	if r.Medium == collectives.Memory {
		b.before = append(b.before, now+r.transit+r.Combine)
		return
	}
	if n := float64(len(r.Sources)); n > 0 {
		leave := max(b.before[max(0, len(b.before)-1-r.Lag)]+h.Overhead, b.free)
		b.free = leave + r.sent + n*h.Gap
		if r.Lag == 0 {
			now += float64(n * h.Overhead)
		}
		take := r.take
		if r.Every {
			take *= n
		}
		if now = max(now, leave+r.fastest); r.sent > 0 {
			now = max(now, b.free-h.Gap)
		}
		now += take
	}
	b.before = append(b.before, now+r.Combine)
}

// anyTrial returns a time [s] below which no redundancy gets any trial, given the shortest time
// without noise: that time, since in rounds noise never helps. But where messages that come
// early are copied twice, one that comes later may take less; and so may one that comes later in
// a poll. And a rank that is late can forward the result in messages that it would have sent already.
func (compiled *Compiled) anyTrial(noiseFree float64) float64 {
	if compiled.problem.Host.Progress != collectives.Arrival || compiled.forward {
		return compiled.lowerBound()
	}
	return noiseFree
}

// hop returns the least time [s] in which what one rank contributes gets to another:
// posted, over a wire, taken and combined, in the smallest message of the schedule.
// The wire is the network's unless all ranks are on one node.
func (compiled *Compiled) hop() float64 {
	p := &compiled.problem
	wire := func(r *round) float64 { return soonestRead(p, r.Round) }
	if p.Node.Ranks > 1 && p.Node.Ranks >= p.Ranks {
		wire = func(r *round) float64 { return p.Node.Wire(r.Bytes) + p.Host.Polled(p.Ranks) }
	}
	least := math.Inf(1)
	for i := range compiled.rounds {
		r := &compiled.rounds[i]
		if r.Medium == collectives.Memory {
			if p.Node.Ranks >= p.Ranks {
				least = min(least, r.transit)
			}
		} else if r.Wait == collectives.Combined && len(r.Sources) > 0 {
			least = min(least, wire(r)+p.Host.Overhead+r.take+r.Combine)
		}
	}
	if math.IsInf(least, 1) { // a rank alone
		return 0
	}
	return least
}
