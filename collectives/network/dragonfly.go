package network

// A Dragonfly is groups of routers that are all connected to each other, and
// groups that are all connected to each other too (Kim, Dally, Scott and Abts,
// "Technology-driven, highly-scalable dragonfly topology", ISCA 2008): with a =
// Routers in a group, each with h = Global links to other groups, there are
// a·h + 1 groups with one cable between every two of them. Each router has Nodes
// nodes.
//
// A message takes the least way: to the router with the cable to the receiver's
// group, across it, and to the receiver's router. Cable c of group g, at its router
// ⌊c/h⌋, leads to group g + c + 1, and around to 0.
type Dragonfly struct {
	NodesPerRouter, Routers, Global int
}

func newDragonfly(sides []int) (Topology, error) {
	d := Dragonfly{sides[0], sides[1], sides[2]}
	perRouter := 2*float64(d.NodesPerRouter) + float64(d.Routers) + float64(d.Global)
	if float64(d.Routers)*float64(d.Routers*d.Global+1)*perRouter > maxLinks {
		return nil, errLarge
	}
	return d, nil
}

// String implements [Topology].
func (d Dragonfly) String() string {
	return name("dragonfly", d.NodesPerRouter, d.Routers, d.Global)
}

func (d Dragonfly) groups() int { return d.Routers*d.Global + 1 }

// Nodes implements [Topology].
func (d Dragonfly) Nodes() int { return d.groups() * d.Routers * d.NodesPerRouter }

// Links implements [Topology].
func (d Dragonfly) Links() int {
	return 2*d.Nodes() + d.groups()*d.Routers*(d.Routers-1+d.Global)
}

// Diameter implements [Topology].
func (d Dragonfly) Diameter() int { return 5 }

// Route implements [Topology]. Links are numbered by what they lead from: nodes,
// routers to nodes, cables, routers to others of their group.
func (d Dragonfly) Route(links []int32, from, to int) []int32 {
	nodes, cables := d.Nodes(), d.Routers*d.Global
	router, toRouter := from/d.NodesPerRouter, to/d.NodesPerRouter
	group, toGroup := router/d.Routers, toRouter/d.Routers
	links = append(links, int32(from))
	if group != toGroup {
		groups := d.groups()
		out := (toGroup - group - 1 + groups) % groups
		in := (group - toGroup - 1 + groups) % groups
		links = d.local(links, router, group*d.Routers+out/d.Global)
		links = append(links, int32(2*nodes+group*cables+out))
		router = toGroup*d.Routers + in/d.Global
	}
	links = d.local(links, router, toRouter)
	return append(links, int32(nodes+to))
}

// local appends the link between two routers of a group.
func (d Dragonfly) local(links []int32, router, to int) []int32 {
	if router == to {
		return links
	}
	other := to % d.Routers // among the Routers−1 others
	if to > router {
		other--
	}
	first := 2*d.Nodes() + d.groups()*d.Routers*d.Global
	return append(links, int32(first+router*(d.Routers-1)+other))
}

var _ Topology = Dragonfly{}
