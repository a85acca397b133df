package network

import (
	"math"

	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// Noise is what makes trials of a scenario differ.
type Noise struct {
	OS      noise.OS
	Network noise.Network
	// StartSkew is the maximum delay [s] of a rank's start after the launch; the delay is drawn
	// uniformly.
	StartSkew float64
}

// Describe adds what follows from the noise to the shape of a model of that many nodes, which send
// the messages, with the lower bound [s] of a trial.
func (n *Noise) Describe(s *montecarlo.Shape, nodes int, sent []noise.Traffic, bound func() float64) {
	s.Memory += (16 + n.OS.BytesPerRank()) * float64(nodes)
	s.Hit = max(n.OS.Hit(), n.Network.Longest())
	if slower := n.OS.Slowness(); slower > 0 {
		s.Hit += slower * bound()
	}
	if n.OS.Tail(1, 1, 1, s.Hit)+n.OS.Underway(1, s.Hit)+n.Network.Excess(sent, s.Hit) == 0 {
		return
	}
	messages := int(s.Checkpoints[0].Messages)
	s.Tail = func(length float64) float64 {
		own := n.OS.Tail(nodes, bound(), messages, length) + n.OS.Underway(nodes, length)
		return own + n.Network.Excess(sent, length)
	}
}

// Source returns what trials draw the noise of the ranks of a plan from, each with that many slots.
// The order is the order of ranks by their nodes; nil is their own order.
func (n *Noise) Source(p *Sequence, width int, order []int32) *TrialNoise {
	senders := p.Senders(width)
	s := &TrialNoise{
		skew: n.StartSkew, detours: n.OS.Detours(make([]float64, p.Ranks)), order: order,
		pieces: make([]int, p.Ranks), events: n.Network.Events(),
		perRank: senders, perSender: 1, counts: make([]counts, p.Ranks*senders),
	}
	if p.ByMessage() { // so that more messages leave the numbers of others as they are
		s.perRank, s.perSender = 1, p.Ranks
	}
	return s
}

// TrialNoise draws the noise of trials, one after the other. It is the [Host] and the [Delays] of
// the trial that is drawn.
type TrialNoise struct {
	skew    float64 // of starts [s]
	starts  rng.Key // names them
	detours noise.Detours
	order   []int32 // of ranks by their nodes
	pieces  []int   // of each rank by its node so far: the first is the launch
	one     [1]float64

	// Senders have numbers of their own, perRank and perSender from one to the next.
	events             noise.Events
	perRank, perSender int
	counts             []counts
}

// counts are how many events and messages of a sender there have been.
type counts struct{ events, messages uint32 }

// startSkew is the child of a trial's key that names the starts of ranks.
const startSkew = 0x736b6577

// Draw returns the noise of the trial that the key names. It is valid until the next call.
func (s *TrialNoise) Draw(key rng.Key) (Host, Delays) {
	clear(s.counts)
	clear(s.pieces)
	s.Again(key)
	s.events.Draw(key)
	s.starts = key.Derive(startSkew)
	return s, s
}

// Again lets ranks ask for detours of the trial at earlier times than before.
func (s *TrialNoise) Again(key rng.Key) { s.detours.Draw(len(s.pieces), key) }

// Finish implements [Host].
func (s *TrialNoise) Finish(rank int, t, work float64) float64 {
	if s.skew > 0 {
		t = max(t, float64(s.skew*s.starts.Uniform(rank)))
	}
	if s.order != nil {
		rank = int(s.order[rank])
	}
	s.one[0] = t
	s.detours.Finish(noise.Piece{Number: s.pieces[rank]}, rank, s.one[:], work)
	s.pieces[rank]++
	return s.one[0]
}

// Next implements [Delays].
func (s *TrialNoise) Next(rank, own int) (transit, delay float64) {
	sender := rank*s.perRank + own*s.perSender
	event := s.counts[sender].events
	s.counts[sender].events++
	return s.events.Next(sender, int(event))
}

// Extra implements [Delays].
func (s *TrialNoise) Extra(rank, own int) float64 {
	sender := rank*s.perRank + own*s.perSender
	message := s.counts[sender].messages
	s.counts[sender].messages++
	return s.events.Extra(sender, int(message))
}

// NoiseFree is a [Host] without detours and [Delays] without events.
type NoiseFree struct{}

// Finish implements [Host].
func (NoiseFree) Finish(_ int, t, work float64) float64 { return t + work }

// Next implements [Delays].
func (NoiseFree) Next(int, int) (transit, delay float64) { return math.Inf(1), 0 }

// Extra implements [Delays].
func (NoiseFree) Extra(int, int) float64 { return 0 }
