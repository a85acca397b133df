package network

// A dragonfly is a set of fully connected groups of fully connected routers (Kim, Dally, Scott and
// Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008). With a = Routers in a
// group, each with h = Global cables to other groups, there are a·h + 1 groups and one cable
// between any two of them. Each router has NodesPerRouter nodes.
//
// Routing is minimal: a message goes to the router with the cable to the receiver's group,
// across that cable, and to the receiver's router. Cable c of group g, at its router
// ⌊c/h⌋, leads to group g + c + 1 modulo the number of groups.
type dragonfly struct {
	shape
	NodesPerRouter, Routers, Global, groups int
}

// newDragonfly returns the dragonfly of the sides NodesPerRouter, Routers and Global. It fails
// if there are more links than 32 bits can number.
func newDragonfly(sides []int) (Topology, error) {
	d := &dragonfly{NodesPerRouter: sides[0], Routers: sides[1], Global: sides[2]}
	d.groups = d.Routers*d.Global + 1
	perRouter := 2*float64(d.NodesPerRouter) + float64(d.Routers) + float64(d.Global)
	if float64(d.Routers)*float64(d.groups)*perRouter > maxLinks {
		return nil, errLarge
	}
	routers := d.groups * d.Routers
	nodes := routers * d.NodesPerRouter
	d.shape = shape{name("dragonfly", sides...), nodes, 2*nodes + routers*(d.Routers-1+d.Global), 5}
	return d, nil
}

// Route implements [Topology]. Four groups of links are numbered one after the other: from
// nodes to routers, from routers to nodes, between groups, and between routers of a group.
func (d *dragonfly) Route(links []int32, from, to int) []int32 {
	nodes, cables := d.nodes, d.Routers*d.Global
	router, toRouter := from/d.NodesPerRouter, to/d.NodesPerRouter
	group, toGroup := router/d.Routers, toRouter/d.Routers
	links = append(links, int32(from))
	if group != toGroup {
		out := (toGroup - group - 1 + d.groups) % d.groups
		in := (group - toGroup - 1 + d.groups) % d.groups
		links = d.local(links, router, group*d.Routers+out/d.Global)
		links = append(links, int32(2*nodes+group*cables+out))
		router = toGroup*d.Routers + in/d.Global
	}
	links = d.local(links, router, toRouter)
	return append(links, int32(nodes+to))
}

// local appends the link between two routers of one group, or nothing if they are the same.
func (d *dragonfly) local(links []int32, router, to int) []int32 {
	if router == to {
		return links
	}
	other := to % d.Routers // position among the other routers of the group
	if to > router {
		other--
	}
	first := 2*d.nodes + d.groups*d.Routers*d.Global
	return append(links, int32(first+router*(d.Routers-1)+other))
}
