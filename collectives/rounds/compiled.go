// Package rounds simulates schedules of collectives in the alpha-beta model under
// noise: a message of n bytes takes α + βn, its combination γn, and detours and
// events in the network delay both. docs/model/ has the exact semantics.
//
// A [Model] is a collective, a machine and its noise, as package montecarlo runs it.
// Its schedule is compiled once into a [Compiled], which two executors simulate:
//
//   - [Simulator] (dense.go): a round is a few passes over blocks of the clocks of all ranks.
//     Rounds across the hypercube go tile by tile (tiles.go), those of pairs in one pass with
//     the kernels of package vector (pairs.go). Forwarded results take passes over all
//     ranks, and shortest paths from those that these help (forward.go).
//   - [Record] (reference.go): rank by rank, with a record of what each did. It draws timelines,
//     and the tests compare the other with it.
//
// Both give the same times, to the last bit. Where noise can list what it touches, a trial that
// it does not touch is not simulated (noisefree.go).
package rounds

import (
	"slices"

	"jitterfly/collectives"
	"jitterfly/noise"
)

// Block is the number of ranks that a pass treats together. A block of each of the few vectors
// that a round touches stays in the first-level cache.
const Block = noise.Block

// A Compiled is a schedule that is compiled for a machine: what follows from the two, but
// not from the noise. It is not changed afterwards, and workers may share it.
type Compiled struct {
	*collectives.Schedule
	problem collectives.Problem
	rounds  []round
	hosts   bool    // whether messages cost their hosts anything
	nic     bool    // whether calls return only when the processor is free
	forward bool    // whether ranks forward results: see [forwarding]
	shares  bool    // whether ranks go on with partial results of others while their own messages leave
	again   bool    // whether messages of rounds are sent again, which then have their places on the links
	whole   onLink  // of a message with the whole result
	longer  bool    // whether a forwarded result keeps a busy link longer than what it replaces
	drained float64 // for how long [s] redundant copies keep a rank's link busy
}

// A round is one of the schedule's, with what follows from it and the problem.
type round struct {
	*collectives.Round
	sources []source
	transit float64 // of a message through the network, undisturbed [s]
	// inside is how much longer a message between two ranks of a node takes [s];
	// it is mostly negative.
	inside float64
	// wholeTransit and wholeInside are the same of messages with the whole result.
	wholeTransit, wholeInside float64

	fastest float64 // as [fastest] says, if there are messages [s]
	flow    float64 // of a message's bytes through the network, undisturbed [s]
	take    float64 // processor time of receiving a message, without polls [s]
	cpu     bool    // whether receiving needs the processor
	recopy  float64 // processor time [s] for a message before its receive is posted
	soonest float64 // least time [s] from when a sender has the data to the arrival of its copy, or later ones
	// awaited are the ranks to which spare copies may come that are worth simulating, from this round on.
	awaited collectives.Span
	// all reports whether all ranks are receivers.
	all bool
	// touched is a span outside of which the round changes no clock, unless ranks compute meanwhile.
	touched collectives.Span
	// sent is for how long [s] the messages that each rank sends in the round keep its link
	// busy, before which it does not continue; 0 if links are free, or uneven, which says that
	// receivers send different numbers of messages, and other ranks may send too.
	sent   float64
	uneven bool
	// across are the bits in which a block and the one it receives from differ; it is -1
	// if the receivers are no whole power of two, receive from several blocks, or are uneven.
	across int
	// pairwise reports whether the round is one exchange with the XOR partner: one
	// source, no node-local messages, and no processor time on arrival. Only such
	// rounds have kernels.
	pairwise bool
}

// A source is one of a round's, and where its messages go.
type source struct {
	collectives.Sender
	across int     // the bits in which all ranks differ from their peers, if all receive; else -1
	inside bool    // all messages stay inside nodes
	mixed  bool    // some do, some do not
	kept   *inside // of a mixed source, if it is kept
	// within is how much longer a message between two ranks of a node takes [s]: where messages
	// cost their hosts nothing, from when one through the network would leave.
	within float64
	link   onLink // if the sender waits for that
	// apart is how much later a message leaves than the one of the source before [s], since that one
	// keeps the link busy, in rounds of messages from all sources.
	apart float64
	// senders is a span that has all ranks that send to the round's receivers, where messages cost
	// hosts; between them is none that does not, unless scattered says so.
	senders   collectives.Span
	scattered bool
}

// onLink is for how long a message keeps its link busy [s], to the network or inside a node.
type onLink struct{ network, node float64 }

func (o onLink) of(inside bool) float64 {
	if inside {
		return o.node
	}
	return o.network
}

// Compile compiles a schedule, or what an outline stands for, for a machine.
func Compile(s *collectives.Schedule, p collectives.Problem) *Compiled {
	expanded := s.Expand()
	compiled := compile(&expanded, p)
	compiled.drained = compiled.drain()
	return compiled
}

// An outline is a schedule that is compiled without being expanded: it has bounds, but no executor takes it.
type outline struct{ *Compiled }

// compile compiles an outline, or a schedule.
func compile(s *collectives.Schedule, p collectives.Problem) *Compiled {
	partial := func(r collectives.Round) bool { return r.Bytes != p.Bytes }
	again := func(r collectives.Round) bool { return r.Wait == collectives.Spare && r.Copies == 0 }
	compiled := &Compiled{
		Schedule: s, problem: p, rounds: make([]round, len(s.Rounds)),
		hosts: !p.Host.Free(), nic: p.Redundancy.Reception == collectives.NIC,
		forward: p.Redundancy.Forward && len(s.Checkpoints) > 1 && !s.Memory,
		longer:  s.Busy && slices.ContainsFunc(s.Rounds, partial),
		again:   slices.ContainsFunc(s.Rounds, again),
	}
	if s.Busy {
		compiled.whole.network, compiled.whole.node = p.OnLink(p.Bytes)
	}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		compiled.rounds[i] = compiled.round(r)
		compiled.shares = compiled.shares || s.Busy && !compiled.hosts && i+1 < s.Checkpoints[0].Rounds &&
			r.Medium == collectives.Memory && r.Wait == collectives.Spare
	}
	if s.Memory && p.Leaders > 1 {
		compiled.awaitAll()
	}
	compiled.keepInside()
	return compiled
}

// awaitAll has a round of spare copies await those of later rounds too. Ranks that read the result in the
// memory of their nodes may have it earlier than when they sent it to a folded rank: what they send that
// again comes earlier, though no copy before it does.
func (compiled *Compiled) awaitAll() {
	var later *round
	for i := range slices.Backward(compiled.rounds) {
		r := &compiled.rounds[i]
		if r.Wait != collectives.Spare || r.Medium == collectives.Memory {
			continue
		}
		if later != nil {
			r.awaited.Lo, r.awaited.Hi = min(r.awaited.Lo, later.awaited.Lo), max(r.awaited.Hi, later.awaited.Hi)
			r.soonest = min(r.soonest, later.soonest)
		}
		later = r
	}
}

func (compiled *Compiled) round(r *collectives.Round) round {
	p := &compiled.problem
	c := round{
		Round: r, transit: r.Transit(p), flow: r.Flow(p), across: -1, awaited: r.Receivers,
		all: r.Receivers == collectives.Span{Lo: 0, Hi: compiled.Ranks},
	}
	if c.wholeTransit = c.transit; r.Bytes != p.Bytes {
		c.wholeTransit = p.Wire(p.Bytes)
	}
	if p.Node.Ranks > 1 && r.Medium == collectives.Anything {
		c.inside = p.Node.Wire(r.Bytes) - c.transit
		c.wholeInside = p.Node.Wire(p.Bytes) - c.wholeTransit
	}
	c.charge(p)
	for _, s := range r.Sources {
		c.sources = append(c.sources, compiled.source(r.Medium, s, c.all))
	}
	if len(r.Sources) > 0 {
		c.fastest = fastest(p, r)
		c.soonest = r.Sources[0].Post + min(0, r.Sources[0].Inside) + c.fastest
		if !p.Host.Free() {
			c.soonest += (float64(r.Copies)*p.Host.Overhead + c.take) * (1 - roundingMargin)
		}
		c.across = c.acrossBlocks()
	}
	compiled.links(&c)
	compiled.touch(&c)
	c.pairwise = len(r.Sources) == 1 && r.Sources[0].Peers != collectives.Xor(0) &&
		(p.Node.Ranks <= 1 || r.Medium == collectives.Network) &&
		(r.Wait == collectives.Combined || r.Reception != collectives.CPU)
	return c
}

// touch sets which ranks the round touches, and which of them send.
func (compiled *Compiled) touch(r *round) {
	r.touched = r.Receivers
	if compiled.Lag > 0 || r.uneven && !compiled.costs(r) {
		r.touched = compiled.everyone()
	}
	if !compiled.costs(r) {
		return
	}
	for m := range r.sources {
		s := &r.sources[m]
		if s.senders = r.Receivers; !r.all {
			s.senders = collectives.Span{Lo: compiled.Ranks}
			for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
				from := s.Peers.From(rank)
				s.senders.Lo, s.senders.Hi = min(s.senders.Lo, from), max(s.senders.Hi, from+1)
			}
			// No two receive from one.
			s.scattered = s.senders.Hi-s.senders.Lo > r.Receivers.Hi-r.Receivers.Lo
		}
		r.touched.Lo, r.touched.Hi = min(r.touched.Lo, s.senders.Lo), max(r.touched.Hi, s.senders.Hi)
	}
}

// everyone returns the span of all ranks.
func (compiled *Compiled) everyone() collectives.Span { return collectives.Span{Hi: compiled.Ranks} }

// charge sets what receiving a message of the round costs its host.
func (r *round) charge(p *collectives.Problem) {
	r.cpu = r.Wait == collectives.Combined || r.Reception == collectives.CPU ||
		p.Host.Progress != collectives.Arrival
	if r.Medium == collectives.Memory {
		return
	}
	if r.cpu {
		receives := 1
		if r.Every {
			receives = len(r.Sources)
		}
		r.take = p.Host.Take(receives)
	}
	if p.Host.Progress != collectives.Arrival {
		r.recopy = p.Combine(r.Bytes) + p.Host.Match
	}
}

func (compiled *Compiled) source(over collectives.Medium, s collectives.Sender, all bool) source {
	c := source{Sender: s, across: -1}
	if mask, xor := s.Peers.(collectives.Xor); xor && all {
		c.across = int(mask)
	}
	switch n := compiled.problem.Node.Ranks; {
	case over == collectives.Memory:
		c.inside = true
	case n <= 1 || over == collectives.Network:
	case n >= compiled.Ranks:
		c.inside = true
	case compiled.Place != nil: // between two of which at least some messages stay inside
		c.mixed = true
	default:
		inside, outside := s.Peers.Nodes(n)
		c.inside, c.mixed = inside, !inside && !outside
	}
	return c
}

// links sets what follows from links between nodes and inside them, and from their being busy.
func (compiled *Compiled) links(r *round) {
	waits := compiled.awaited(r)
	mixed := false
	for m := range r.sources {
		s := &r.sources[m]
		if s.within = r.inside; !compiled.hosts {
			s.within += s.Inside
		}
		if m > 0 {
			s.apart = s.Post - r.sources[m-1].Post
			if s.inside {
				s.apart += s.Inside - r.sources[m-1].Inside
			}
		}
		if !waits {
			continue
		}
		s.link.network, s.link.node = r.OnLink(&compiled.problem)
		r.sent += s.link.of(s.inside)
		mixed = mixed || s.mixed
	}
	if r.uneven = waits && (mixed || !r.all && r.across < 0); r.uneven {
		r.sent, r.across = 0, -1
	}
}

// awaited reports whether the round's senders wait until their messages have left.
func (compiled *Compiled) awaited(r *round) bool {
	return compiled.Busy && r.Wait != collectives.Spare && r.Medium != collectives.Memory
}

// uniform reports whether each rank sends one message in the round, that keeps its link busy for r.sent, and
// none reads from sockets.
func (compiled *Compiled) uniform(r *round) bool {
	return r.all && len(r.sources) == 1 && !r.uneven && !compiled.problem.Host.Sockets()
}

// behind reports whether the round's redundant copies leave behind all that their sender has sent. If
// messages need no gap they do not: a rank that has got the result may still be sending its own.
func (compiled *Compiled) behind(r *round) bool {
	return compiled.Busy && r.Copies > 0 && compiled.problem.Host.Gap > 0
}

// costs reports whether the messages of the round cost their hosts anything, and fromSockets
// whether ranks read them from sockets.
func (compiled *Compiled) costs(r *round) bool {
	return compiled.hosts && r.Medium != collectives.Memory
}

func (compiled *Compiled) fromSockets(r *round) bool {
	return compiled.problem.Host.Sockets() && r.Medium != collectives.Memory
}

// linkOf returns for how long [s] a rank's message of a source keeps its link busy, if it waits for
// that.
func (compiled *Compiled) linkOf(s *source, from, to int) float64 {
	return s.link.of(compiled.stays(s, from, to))
}

// drain returns for how long [s] the redundant copies of the whole schedule keep a rank's link busy, with
// the gaps between them. An exchange of which some message leaves its node goes through the network.
func (compiled *Compiled) drain() float64 {
	most := 0.0
	for i := range compiled.rounds {
		if r := &compiled.rounds[i]; r.Copies > 0 {
			network, node := r.OnLink(&compiled.problem)
			gap := compiled.problem.Host.Gap
			most = max(most, float64(r.Copies)*(onLink{network, node}.of(compiled.allInside(r))+gap)-gap)
		}
	}
	return most
}

// allInside reports whether all messages of an exchange stay inside nodes.
func (compiled *Compiled) allInside(r *round) bool {
	s := &r.sources[0]
	if !s.mixed {
		return s.inside
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		if !compiled.stays(s, s.Peers.From(rank), rank) {
			return false
		}
	}
	return true
}

// acrossBlocks returns [round.across].
func (r *round) acrossBlocks() int {
	ranks := r.Receivers.Hi
	if r.Receivers.Lo != 0 || ranks&(ranks-1) != 0 || r.Every || r.Medium == collectives.Memory {
		return -1
	}
	across := -1
	for m, source := range r.Sources {
		mask, ok := source.Peers.(collectives.Xor)
		other := int(mask) &^ (Block - 1)
		if !ok || mask < 0 || int(mask) >= ranks || m > 0 && other != across {
			return -1
		}
		across = other
	}
	return across
}

// sameNode reports whether two ranks are on one node.
func (compiled *Compiled) sameNode(a, b int) bool {
	n := compiled.problem.Node.Ranks
	if compiled.Place != nil {
		a, b = compiled.Place(a), compiled.Place(b)
	}
	return n > 1 && a/n == b/n
}

// stays reports whether a source's message between two ranks stays inside a node.
func (compiled *Compiled) stays(s *source, from, to int) bool {
	return s.inside || s.mixed && compiled.sameNode(from, to)
}

// tileable reports whether rounds of the schedule may be simulated in tiles of at most some ranks. Where
// messages cost their hosts that is not faster if one tile has all ranks.
func (compiled *Compiled) tileable(tile int) bool {
	return !compiled.Queue && compiled.Lag == 0 && !compiled.problem.Host.Sockets() &&
		(!compiled.hosts || compiled.Ranks >= tile)
}

// explain describes the executor of most rounds. Of a schedule in which [Simulator.tiledFrom] can tile
// some rounds only, it is the one of the others.
func (compiled *Compiled) explain() string {
	local := func(r round) bool { return r.across < 0 }
	single := func(r round) bool { return !r.pairwise || compiled.hosts }
	switch {
	case len(compiled.rounds) == 0 || !compiled.tileable(defaultTile) ||
		slices.ContainsFunc(compiled.rounds, local):
		return "round by round"
	case slices.ContainsFunc(compiled.rounds, single):
		return "tile by tile"
	}
	return "tile by tile, in passes over pairs"
}

// blocks yields the parts of a span that are in one block each.
func blocks(s collectives.Span) func(yield func(collectives.Span) bool) {
	return func(yield func(collectives.Span) bool) {
		for lo := s.Lo; lo < s.Hi; {
			hi := min(s.Hi, (lo/Block+1)*Block)
			if !yield(collectives.Span{Lo: lo, Hi: hi}) {
				return
			}
			lo = hi
		}
	}
}

// each calls do for the part of v in every block of the span; lo is its first rank.
func each(v []float64, span collectives.Span, do func(lo int, block []float64)) {
	for block := range blocks(span) {
		do(block.Lo, v[block.Lo:block.Hi])
	}
}
