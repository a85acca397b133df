package packet

// request fixes the output of the packet whose head is now the first of a channel: the first
// dimension in which it is not yet there, or its sender's port of ejection. From then on it waits
// for a channel of that output.
func (e *Engine) request(c int32) {
	ch := &e.channels[c]
	p := &e.packets[ch.packet]
	r := int(ch.router)
	output := e.fabric.directions + int(p.controller)
	dims := len(e.fabric.sides)
	at := e.fabric.coordinates[r*dims:][:dims]
	end := e.fabric.coordinates[int(p.to)*dims:][:dims]
	for d := range at {
		if at[d] == end[d] {
			continue
		}
		if int(p.dimension) != d {
			e.enter(p, d, int(at[d]), int(end[d]))
		}
		output = 2*d + int(p.down)
		break
	}
	ch.output = uint8(output)
	o := r*e.fabric.ports + output
	e.waiting[o*e.fabric.words+int(ch.local)/64] |= 1 << (ch.local % 64)
	e.routers[r].freed |= 1 << output
}

// enter fixes the direction and the class of a packet for all of a dimension: class 1 if its
// route there crosses the wrap link.
func (e *Engine) enter(p *parcel, d, at, end int) {
	p.dimension, p.down, p.class = int8(d), 0, 0
	up := e.scenario.grid().Up(d, at, end)
	if !up {
		p.down = 1
	}
	if up != (end > at) {
		p.class = 1
	}
}

// admissible returns the channels of an output that a packet may take: [from, to).
func (e *Engine) admissible(p *parcel, output int) (from, to int) {
	V := e.fabric.channels
	switch {
	case e.scenario.Rule == Destination:
		v := int(p.to) % V
		return v, v + 1
	case !e.fabric.torus || output >= e.fabric.directions:
		return 0, V
	case p.class == 0:
		return 0, V - V/2
	}
	return V - V/2, V
}
