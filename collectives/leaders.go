package collectives

import "math/bits"

// Leaders is the hierarchical allreduce. In the memory of each node the first Problem.Leaders of its
// ranks combine the vectors of all, in ⌈log2 m⌉ steps of its m ranks: several cores do it together.
// Then the i-th leaders of all nodes do a [Butterfly], for every i the same one, and each rank takes
// the earliest result of its node's leaders. With Problem.Share the leaders of a node also take the
// earliest of their partial results after each round, so that a node is late only if all of them are.
//
// Sources and redundant exchanges are among leaders as they are among the ranks of a butterfly. A
// leader has the result as soon as its node does, and then sends its copies.
//
// All nodes have the same number of ranks. If links are busy, the leaders of a node share its link.
//
// In the schedule the leaders come first, node by node, and the other ranks after all leaders.
func Leaders(p Problem) (Schedule, error) {
	l := layout{leaders: max(1, p.Leaders), size: min(p.Node.size(), p.Ranks)}
	if l.nodes = p.Ranks / max(1, l.size); l.nodes*l.size != p.Ranks {
		return Schedule{}, ParameterNodeRanks.Invalid(
			"%d ranks do not fill nodes of %d; write a multiple", p.Ranks, l.size)
	}
	if err := p.check(max(1, core(l.nodes)/2)); err != nil {
		return Schedule{}, err
	}
	if l.leaders > l.size {
		return Schedule{}, ParameterLeaders.Invalid(
			"%d leaders are more than the %d ranks of a node", l.leaders, l.size)
	}
	between := p
	between.Ranks, between.Node = l.nodes, Node{}
	if p.Busy {
		between.Bandwidth /= float64(l.leaders)
	}
	butterfly, err := Butterfly(between)
	if err != nil {
		return Schedule{}, err
	}
	l.one = &butterfly
	s := hierarchy{layout: l, Schedule: Schedule{Ranks: p.Ranks, Busy: p.Busy}, problem: &p}
	if l.size > 1 || butterfly.Place != nil {
		s.Place = l.rank
	}
	if l.size > 1 {
		r := s.read(s.of(Span{0, s.nodes}), s.size, Combined)
		r.Every, r.Combine = true, float64(bits.Len(uint(s.size-1)))*p.Combine(p.Bytes)
	}
	s.among()
	return s.Schedule, nil
}

// A layout is where the ranks of the schedule of [Leaders] are.
type layout struct {
	nodes, leaders, size int       // size is the number of ranks of a node
	one                  *Schedule // of one leader of each node
}

func (l *layout) node(r int) (node, place int) {
	if r < l.nodes*l.leaders {
		return r / l.leaders, r % l.leaders
	}
	r -= l.nodes * l.leaders
	others := l.size - l.leaders
	return r / others, l.leaders + r%others
}

func (l *layout) at(node, place int) int {
	if place < l.leaders {
		return node*l.leaders + place
	}
	return l.nodes*l.leaders + node*(l.size-l.leaders) + place - l.leaders
}

// rank returns the program's rank for a rank of the schedule.
func (l *layout) rank(r int) int {
	node, place := l.node(r)
	return l.one.At(node)*l.size + place
}

// of returns the leaders of a span of nodes.
func (l *layout) of(nodes Span) Span { return Span{nodes.Lo * l.leaders, nodes.Hi * l.leaders} }

// A hierarchy is a schedule of [Leaders].
type hierarchy struct {
	layout
	Schedule
	problem *Problem
	shared  Span // of all leaders, those that have the earliest of their nodes
}

// read appends a round in which ranks take what the first of their node have written.
func (s *hierarchy) read(receivers Span, first int, wait Wait) *Round {
	r := Round{
		Receivers: receivers, Bytes: s.problem.Bytes, Medium: Memory, Wait: wait, Reception: CPU,
	}
	for place := range first {
		r.Sources = append(r.Sources, Sender{Peers: inNode{&s.layout, place}})
	}
	s.add(r)
	return &s.Rounds[len(s.Rounds)-1]
}

// share makes some leaders take the earliest result of the leaders of their node.
func (s *hierarchy) share(leaders Span) {
	if s.leaders > 1 {
		s.read(leaders, s.leaders, Spare)
	}
	s.shared = leaders
}

// hand gives all ranks the earliest result of their leaders.
func (s *hierarchy) hand() {
	leaders := s.of(Span{0, s.nodes})
	if s.shared != leaders {
		s.share(leaders)
	}
	if others := (Span{leaders.Hi, s.problem.Ranks}); others.Lo < others.Hi {
		wait := Delivered
		if len(s.Checkpoints) > 0 { // they have had one
			wait = Spare
		}
		s.read(others, s.leaders, wait)
	}
}

// among appends the schedule of one leader of each node, done by all leaders.
func (s *hierarchy) among() {
	numbers, at := map[int]int{}, 0 // of the exchanges of rounds that are sent again
	for _, c := range s.one.Checkpoints {
		for ; at < c.Rounds; at++ {
			s.between(s.one.Rounds[at], numbers)
		}
		s.hand()
		s.done(s.of(c.Posters), c.Copies, c.Post)
	}
}

// between appends a round of one leader of each node, done by all leaders. It has the numbers that
// the round's messages got when they were sent first.
func (s *hierarchy) between(r Round, numbers map[int]int) {
	of := r.Exchange
	r.Receivers, r.Medium = s.of(r.Receivers), Network
	if s.Busy && s.leaders > 1 {
		r.Slow = float64(s.leaders)
	}
	sources := make([]Sender, len(r.Sources))
	for m, source := range r.Sources {
		source.Peers = counterparts(source.Peers, s.leaders)
		sources[m] = source
	}
	r.Sources = sources
	if number, ok := numbers[of]; ok {
		r.Exchange = number
		s.Rounds = append(s.Rounds, r)
	} else {
		s.add(r)
		numbers[of] = s.Rounds[len(s.Rounds)-1].Exchange
	}
	s.shared = Span{}
	if s.problem.Share && r.Wait == Combined {
		s.share(r.Receivers)
	}
}

// inNode makes every rank receive from the rank at a given place of its node.
type inNode struct {
	*layout
	from int
}

func (p inNode) From(r int) int {
	node, _ := p.node(r)
	return p.at(node, p.from)
}

// To returns no rank, since many receive from one.
func (p inNode) To(int) int                       { return -1 }
func (p inNode) Nodes(int) (inside, outside bool) { return false, false }

func (p inNode) Gather(dst, clock []float64, lo int) {
	node, place := p.node(lo)
	begin, each := 0, p.leaders // of the node's ranks of one kind, since all of lo+i are of that
	if place >= p.leaders {
		begin, each = p.leaders, p.size-p.leaders
	}
	from, stride := p.at(node, p.from), p.at(1, p.from)-p.at(0, p.from)
	to := begin + each - place
	for at := 0; at < len(dst); from, to = from+stride, to+each {
		time, end := clock[from], min(to, len(dst))
		for ; at+4 <= end; at += 4 { // faster than one by one
			four := dst[at : at+4 : at+4]
			four[0], four[1], four[2], four[3] = time, time, time, time
		}
		for ; at < end; at++ {
			dst[at] = time
		}
	}
}

// groups divides ranks into groups of equal size: the rank at each place of a group receives from
// the rank at the same place of another group.
type groups struct {
	Peers
	each int
}

// counterparts returns the peers of the leaders of nodes, given the peers of nodes.
func counterparts(nodes Peers, leaders int) Peers {
	if x, ok := nodes.(Xor); ok && leaders&(leaders-1) == 0 {
		return Xor(int(x) * leaders)
	}
	return groups{nodes, leaders}
}

func (g groups) From(r int) int                   { return g.Peers.From(r/g.each)*g.each + r%g.each }
func (g groups) To(r int) int                     { return g.Peers.To(r/g.each)*g.each + r%g.each }
func (g groups) Nodes(int) (inside, outside bool) { return false, false }

func (g groups) Gather(dst, clock []float64, lo int) {
	for i := range dst {
		dst[i] = clock[g.From(lo+i)]
	}
}
