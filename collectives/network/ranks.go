package network

// Ranks is a topology on each of whose nodes there are several ranks, which are what a pattern
// and an engine then call nodes: rank r is on node ⌊r / Each⌋. Messages between nodes share the
// topology's links, those of the ranks of one node its own. A message inside a node is alone on
// a link to its receiver.
type Ranks struct {
	On   Topology
	Each int // ranks on a node
}

// String implements [Topology]: it returns the name of the topology without ranks.
func (r Ranks) String() string { return r.On.String() }

// Nodes implements [Topology]: it returns the number of ranks.
func (r Ranks) Nodes() int { return r.On.Nodes() * r.Each }

// Links implements [Topology]. The last are those inside nodes, one for each rank.
func (r Ranks) Links() int { return r.On.Links() + r.Nodes() }

// Diameter implements [Topology].
func (r Ranks) Diameter() int { return r.On.Diameter() }

// Route implements [Topology].
func (r Ranks) Route(links []int32, from, to int) []int32 {
	if r.inside(from, to) {
		return append(links, int32(r.On.Links()+to))
	}
	return r.On.Route(links, from/r.Each, to/r.Each)
}

// inside reports whether two ranks are on one node.
func (r Ranks) inside(from, to int) bool { return from/r.Each == to/r.Each }

// A2ALevels is the 2-level ring of all ranks on a topology (Naruse et al., paper 000, fig. 7), in
// which the ranks of a node send to one node at a time: in phase p = j·n + k − 1 the rank at place
// l of node s sends to the one at place l + k of node s + j. With one rank on a node it is [A2A].
func A2ALevels(t Topology) (Pattern, error) {
	r, ok := t.(Ranks)
	if !ok {
		r = Ranks{t, 1}
	}
	return levels{r.On.Nodes(), r.Each}, checkSize("a2a-levels", t)
}

// levels are nodes and the ranks on each.
type levels struct{ count, size int }

// Nodes implements [Pattern].
func (l levels) Nodes() int { return l.count * l.size }

// Phases implements [Pattern].
func (l levels) Phases() int { return l.Nodes() - 1 }

// To implements [Pattern].
func (l levels) To(phase, rank int) int {
	node, place := (phase+1)/l.size, (phase+1)%l.size
	return l.at(rank/l.size+node, rank%l.size+place)
}

// From implements [Pattern].
func (l levels) From(phase, rank int) int {
	node, place := (phase+1)/l.size, (phase+1)%l.size
	return l.at(rank/l.size-node+l.count, rank%l.size-place+l.size)
}

// at returns the rank at a place of a node, both around their rings.
func (l levels) at(node, place int) int { return node%l.count*l.size + place%l.size }

// Messages implements [Pattern].
func (l levels) Messages() float64 { return float64(l.Nodes()) * float64(l.Phases()) }

var (
	_ Topology = Ranks{}
	_ Pattern  = levels{}
)
