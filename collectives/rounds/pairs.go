package rounds

import (
	"math"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// Pairwise rounds of tiles, in which each rank continues with one copy that only the
// network delays, are one pass over the ranks of two blocks: see [vector.PairExchange].

// A pair is what a simulator needs for a pairwise round.
type pair struct {
	vector.PairExchange
	here, there vector.Side
	delays      [2]delays // of the messages to each
}

// newPair returns a pair of blocks of up to the given number of ranks.
func newPair(block int) pair {
	return pair{
		here:   vector.Side{Hit: vector.NewBitmask(block)},
		there:  vector.Side{Hit: vector.NewBitmask(block)},
		delays: [2]delays{{of: make([]float64, block)}, {of: make([]float64, block)}},
	}
}

// delays holds the network delays [s] of a round's messages to one block; most are 0, and
// touched lists the others unless any may be delayed.
type delays struct {
	of      []float64
	touched []int
	any     bool
	most    float64 // the longest of touched
	note    func(i int, delay float64)
}

// exchangePairs simulates a pairwise round on two blocks, or on one.
func (s *Simulator) exchangePairs(t *tiledRounds, r *round, lo, other int, here, there []float64) {
	p := &s.tiles.pair
	p.Mask = int(r.sources[0].Peers.(collectives.Xor)) & (len(here) - 1)
	p.By, p.Sent = r.sources[0].Post+r.transit, r.sent
	x, y := &p.here, &p.here
	x.Clock, x.Delay = here, p.delays[0].of
	late := p.delays[0].draw(t, r, lo, len(here))
	if other != lo {
		y = &p.there
		y.Clock, y.Delay = there, p.delays[1].of
		late = max(late, p.delays[1].draw(t, r, other, len(there)))
	}
	switch {
	case r.Wait == collectives.Spare:
		p.Earlier(x, y)
	case r.Wait == collectives.Delivered:
		p.Later(x, y)
	case t.noise.gaps != nil:
		s.workInGaps(t, late, r.Combine, lo, other)
		return
	default:
		p.Later(x, y)
		t.noise.finish(r.piece(combining, 0), lo, here, r.Combine)
		if other != lo {
			t.noise.finish(r.piece(combining, 0), other, there, r.Combine)
		}
		s.tiles.blocks[lo/Block], s.tiles.blocks[other/Block] = unknown, unknown
		return
	}
	s.tiles.blocks[lo/Block] = extent{x.Least, x.Most}
	s.tiles.blocks[other/Block] = extent{y.Least, y.Most}
}

// workInGaps has the ranks of the pair, of one block or of two, receive and then work in
// gaps that are known; messages are delayed by at most late [s]. Of the clocks afterwards
// only a time is noted that they are not later than.
func (s *Simulator) workInGaps(t *tiledRounds, late, work float64, lo, other int) {
	p := &s.tiles.pair
	latest := max(s.tiles.latest(t, lo), s.tiles.latest(t, other))
	last := max(latest+late+p.By, latest+p.Sent) + work
	gaps := t.noise.gaps.Gaps(lo, last)
	x, y := &p.here, &p.here
	x.First, x.End = gaps.First[lo:], gaps.End[lo:]
	if other != lo {
		y = &p.there
		gaps = t.noise.gaps.Gaps(other, last)
		y.First, y.End = gaps.First[other:], gaps.End[other:]
	}
	p.PeriodicDetours, p.Work = gaps.PeriodicDetours, work
	p.LaterThenWork(x, y)
	e := extent{math.Inf(-1), max(last, x.Most, y.Most)}
	s.tiles.blocks[lo/Block], s.tiles.blocks[other/Block] = e, e
}

// draw draws the delays [s] of a round's messages to the given number of ranks from lo, and returns
// the longest.
func (d *delays) draw(t *tiledRounds, r *round, lo, ranks int) float64 {
	d.clear()
	n := t.noise
	if d.note == nil {
		d.note = func(i int, delay float64) {
			d.of[i] = delay
			d.touched = append(d.touched, i)
			d.most = max(d.most, delay)
		}
	}
	if d.any = n.delayed == nil || !n.delayed.Delayed(r.Exchange, lo, ranks, r.transit, d.note); d.any {
		n.Delays.Delay(r.Exchange, lo, d.of[:ranks], r.transit)
		return vector.Most(d.of[:ranks])
	}
	return d.most
}

func (d *delays) clear() {
	if d.any {
		clear(d.of)
	}
	for _, i := range d.touched {
		d.of[i] = 0
	}
	d.touched, d.most = d.touched[:0], 0
}
