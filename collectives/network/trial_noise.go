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
	// StartSkew is the maximum delay [s] of a node's start after the launch; the delay is drawn
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
	e := events{n.Network.Events(), senders, 1, make([]counts, p.ranks*senders)}
	if p.ByMessage() { // so that more messages leave the numbers of others as they are
		e.perNode, e.perSender = 1, p.ranks
	}
	detours := n.OS.Detours(make([]float64, p.ranks))
	return &TrialNoise{n, host{detours: detours, pieces: make([]int, p.ranks), order: order}, e}
}

// TrialNoise draws the noise of trials, one after the other.
type TrialNoise struct {
	noise  *Noise
	host   host
	events events
}

// counts are how many events and messages of a controller there have been.
type counts struct{ events, messages uint32 }

// startSkew is the child of a trial's key that names the starts of nodes.
const startSkew = 0x736b6577

// Draw returns the noise of the trial that the key names. It is valid until the next call.
func (s *TrialNoise) Draw(key rng.Key) (Host, Delays) {
	clear(s.events.counts)
	clear(s.host.pieces)
	s.host.detours.Draw(len(s.host.pieces), key)
	s.events.drawn.Draw(key)
	if s.noise.StartSkew == 0 {
		return &s.host, &s.events
	}
	return skewed{&s.host, key.Derive(startSkew), s.noise.StartSkew}, &s.events
}

// Again lets ranks ask for detours of the trial at earlier times than before.
func (s *TrialNoise) Again(key rng.Key) { s.host.detours.Draw(len(s.host.pieces), key) }

// host is the detours of every node.
type host struct {
	detours noise.Detours
	pieces  []int // of each node so far: the first is the launch
	order   []int32
	one     [1]float64
}

func (h *host) Finish(node int, t, work float64) float64 {
	if h.order != nil {
		node = int(h.order[node])
	}
	h.one[0] = t
	noise.Finish(h.detours, noise.Piece{Number: h.pieces[node]}, node, h.one[:], work)
	h.pieces[node]++
	return h.one[0]
}

// skewed is a host on which every node starts later.
type skewed struct {
	Host
	starts rng.Key
	skew   float64
}

func (s skewed) Finish(node int, t, work float64) float64 {
	return s.Host.Finish(node, max(t, float64(s.skew*s.starts.Uniform(node))), work)
}

// events are the events of each sender's messages. Senders have numbers of their own.
type events struct {
	drawn              noise.Events
	perNode, perSender int // from one number to the next
	counts             []counts
}

func (e *events) Next(node, own int) (transit, delay float64) {
	sender := node*e.perNode + own*e.perSender
	event := e.counts[sender].events
	e.counts[sender].events++
	return e.drawn.Next(sender, int(event))
}

func (e *events) Extra(node, own int) float64 {
	sender := node*e.perNode + own*e.perSender
	message := e.counts[sender].messages
	e.counts[sender].messages++
	return e.drawn.Extra(sender, int(message))
}

// NoiseFree is a [Host] without detours and [Delays] without events.
type NoiseFree struct{}

// Finish implements [Host].
func (NoiseFree) Finish(_ int, t, work float64) float64 { return t + work }

// Next implements [Delays].
func (NoiseFree) Next(int, int) (transit, delay float64) { return math.Inf(1), 0 }

// Extra implements [Delays].
func (NoiseFree) Extra(int, int) float64 { return 0 }

var (
	_ Host   = NoiseFree{}
	_ Delays = NoiseFree{}
)
