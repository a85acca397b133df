package rounds

import (
	"jitterfly/collectives"
	"jitterfly/noise"
)

// Noise is what delays one trial, and the faster ways that it offers an executor.
type Noise struct {
	Detours noise.Detours
	Delays  noise.Delays

	sparse  noise.SparseDetours  // nil if the detours do not know when they preempt nobody
	gaps    noise.GapDetours     // nil if they know no gaps
	each    noise.EachDetours    // nil if work is finished rank by rank
	passing noise.PassingDetours // nil if they drop nothing
	delayed noise.SparseDelays   // nil if the delays cannot list what they delay

	call int // which of a trial's calls the pieces of work belong to
	one  [1]float64
}

// NewNoise returns the noise, with the capabilities that its two parts have.
func NewNoise(detours noise.Detours, delays noise.Delays) *Noise {
	n := &Noise{Detours: detours, Delays: delays}
	n.sparse, _ = detours.(noise.SparseDetours)
	n.gaps, _ = detours.(noise.GapDetours)
	n.each, _ = detours.(noise.EachDetours)
	n.passing, _ = detours.(noise.PassingDetours)
	n.delayed, _ = delays.(noise.SparseDelays)
	return n
}

// A piece is a piece of a rank's work. Its Number is the exchange of a message that needs it, the
// round of a rank's own work, or the iteration of what a rank computes between calls; a message needs
// several Steps, one after the other. [Noise] adds the call.
type piece = noise.Piece

// The kinds of pieces.
const (
	launching = iota
	entering  // a later call
	computing // between calls, or while messages are on their way
	working   // a round without messages
	posting   // a message
	copying   // posting the redundant copies: the first are also posted with a smaller T
	polling   // for a message
	receiving // a message that brings what it carries
	combining // what a message brings, or the messages of all sources
	returning // from the call
)

// finish is [noise.Detours].Finish for a piece of work.
func (n *Noise) finish(p piece, lo int, t []float64, work float64) {
	if p.Kind != computing { // an iteration has several calls
		p.Call = n.call
	}
	n.Detours.Finish(p, lo, t, work)
}

// finishAll is finish for a span of all ranks, block by block.
func (n *Noise) finishAll(p piece, t []float64, span collectives.Span, work float64) {
	each(t, span, func(lo int, now []float64) { n.finish(p, lo, now, work) })
}

// finishOne is finish for one rank.
func (n *Noise) finishOne(p piece, rank int, start, work float64) float64 {
	n.one[0] = start
	n.finish(p, rank, n.one[:], work)
	return n.one[0]
}

// piece returns a piece of work for the message of the round's m-th source.
func (r *round) piece(kind, m int) piece { return piece{Kind: kind, Number: r.Exchange + m} }

// taking returns the piece of work of receiving the one message that the round's receivers
// continue with, and of combining it if they do.
func (r *round) taking() piece {
	if r.Wait == collectives.Combined {
		return r.piece(combining, 0)
	}
	return r.piece(receiving, 0)
}

// postingOf returns the piece of work of posting the message of the round's m-th source.
func (r *round) postingOf(m int) piece {
	if r.Copies > 0 {
		return piece{Kind: copying}
	}
	return r.piece(posting, m)
}
