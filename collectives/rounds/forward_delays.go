package rounds

import "sort"

// A delayCache has the network delays of messages with the whole result, in any order: the delays
// of a block of an exchange's messages are drawn when the first of them is asked for.
type delayCache struct {
	noise  *Noise
	blocks int
	era    uint32
	lists  []delayList // by exchange and block
}

// A delayList has the delays [s] of a block's messages: of all messages, or only of delayed ones.
type delayList struct {
	era    uint32
	lo     int // the first rank
	all    []float64
	listed []delayed // by rank, if there are no all
	rare   bool
}

// delayed is a rank to which a message is delayed, and for how long [s].
type delayed struct {
	rank  int
	delay float64
}

// begin forgets the delays of another trial.
func (c *delayCache) begin(compiled *Compiled, n *Noise) {
	exchanges := 0
	for i := range compiled.rounds {
		r := &compiled.rounds[i]
		exchanges = max(exchanges, r.Exchange+len(r.sources))
	}
	c.noise, c.blocks = n, (compiled.Ranks-1)/Block+1
	if c.era++; c.era == 0 || len(c.lists) < exchanges*c.blocks {
		c.lists, c.era = make([]delayList, exchanges*c.blocks), 1
	}
}

// of returns by how much [s] the message of the round's m-th source to a rank is delayed.
func (c *delayCache) of(r *round, m, rank int) float64 {
	l := &c.lists[(r.Exchange+m)*c.blocks+rank/Block]
	if l.era != c.era {
		l.era = c.era
		c.draw(l, r, m, rank/Block*Block)
	}
	if !l.rare {
		return l.all[rank-l.lo]
	}
	i := sort.Search(len(l.listed), func(i int) bool { return l.listed[i].rank >= rank })
	if i < len(l.listed) && l.listed[i].rank == rank {
		return l.listed[i].delay
	}
	return 0
}

// draw draws the delays of a block.
func (c *delayCache) draw(l *delayList, r *round, m, block int) {
	l.lo = max(block, r.Receivers.Lo)
	n := min(block+Block, r.Receivers.Hi) - l.lo
	l.listed = l.listed[:0]
	note := func(i int, delay float64) { l.listed = append(l.listed, delayed{l.lo + i, delay}) }
	l.rare = c.noise.delayed != nil && c.noise.delayed.Delayed(r.Exchange+m, l.lo, n, r.wholeTransit, note)
	if l.rare {
		return
	}
	l.all = append(l.all[:0], make([]float64, n)...)
	c.noise.Delays.Delay(r.Exchange+m, l.lo, l.all, r.wholeTransit)
}
