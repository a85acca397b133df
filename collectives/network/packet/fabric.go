package packet

import "jitterfly/collectives/network"

// A fabric numbers the ports and channels of all routers.
//
// Port d < directions of a router serves travel up (even d) or down (odd d) dimension d/2: as an
// input what comes that way, as an output what goes that way. Port directions + c belongs to
// controller c, injection as an input and ejection as an output. Channel v of a port has the local
// number port·V + v. Channel i of router r has the number r·inputs + i; channels of ejection follow
// all others. An output of router r has the number r·ports + port.
type fabric struct {
	nodes, directions, controllers int
	ports                          int // of a router: directions + controllers
	channels                       int // V, of a port
	inputs                         int // channels of a router
	words                          int // of a set of a router's channels
	firstInjection                 int // local number of the first channel of injection
	firstEjection                  int // number of the first channel of ejection
	torus                          bool
	sides                          []int
	coordinates                    []int32 // of all nodes, one for each dimension
	next                           []int32 // first channel of what each output leads to, or -1
	portOf                         []uint8 // of a router's channels
}

func newFabric(grid *network.Grid, controllers, channels int) fabric {
	sides := grid.Sides()
	f := fabric{
		nodes: grid.Nodes(), directions: 2 * len(sides), controllers: controllers,
		ports: 2*len(sides) + controllers, channels: channels,
		torus: grid.Torus(), sides: sides,
	}
	f.inputs = f.ports * channels
	f.words = (f.inputs + 63) / 64
	f.firstInjection = f.directions * channels
	f.firstEjection = f.nodes * f.inputs
	for i := range f.inputs {
		f.portOf = append(f.portOf, uint8(i/channels))
	}
	f.coordinates = make([]int32, f.nodes*len(sides))
	f.next = make([]int32, f.nodes*f.ports)
	for r := range f.nodes {
		stride := 1
		for d, side := range sides {
			at := r / stride % side
			f.coordinates[r*len(sides)+d] = int32(at)
			f.next[r*f.ports+2*d] = f.neighbour(r, d, at, 1, stride)
			f.next[r*f.ports+2*d+1] = f.neighbour(r, d, at, -1, stride)
			stride *= side
		}
		for c := range controllers {
			f.next[r*f.ports+f.directions+c] =
				int32(f.firstEjection + (r*controllers+c)*channels)
		}
	}
	return f
}

// neighbour returns the first channel of the link from router r, at a coordinate of dimension d, to
// the next one up or down, whose number is a stride away, or -1 at an edge.
func (f *fabric) neighbour(r, d, at, step, stride int) int32 {
	side, to, port := f.sides[d], at+step, 2*d
	if step < 0 {
		port++
	}
	if to < 0 || to >= side {
		if !f.torus || side == 1 {
			return -1
		}
		to = (to + side) % side
	}
	r += (to - at) * stride
	return int32(r*f.inputs + port*f.channels)
}

// injection returns the first channel of a controller, whose slot is node·controllers + c.
func (f *fabric) injection(slot int) int {
	node := slot / f.controllers
	port := f.directions + slot - node*f.controllers
	return node*f.inputs + port*f.channels
}
