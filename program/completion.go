package program

import "slices"

// A startKey is the number of a nonblocking or persistent collective among those of its communicator.
type startKey struct {
	communicator int
	number       uint64
}

// An open is such a collective that not all ranks have completed.
type open struct {
	Instance      // of the calls that complete it, by rank of the communicator
	known    bool // whether all have started it
	have     int
}

// mostOpen is how many collectives of a communicator are expected to be open at most. Of others it is
// not known when they are complete, as of those that Fortran starts.
const mostOpen = 1024

// opened returns a collective, and drops one that has been open for long.
func (m *merger) opened(key startKey) *open {
	if m.open[key] == nil {
		m.open[key] = &open{Instance: Instance{Communicator: key.communicator}}
		m.drop(startKey{key.communicator, key.number - mostOpen})
	}
	return m.open[key]
}

func (m *merger) start(x *Instance) {
	q := &m.of[x.Communicator]
	o := m.opened(startKey{x.Communicator, uint64(q.started)})
	q.started++
	o.known = true
	o.Kind, o.Bytes, o.Rule = x.Kind^Started|Completed, x.Bytes, x.Rule
	for _, c := range x.Calls {
		o.Started = max(o.Started, c.Entry)
	}
}

// finish adds a call that completes a collective, which it visits if that is the last.
func (m *merger) finish(c *cursor, call Call) error {
	key := startKey{c.current.communicator, c.record.bytes}
	o := m.opened(key)
	if o.Calls == nil {
		if err := m.reserve(len(m.r.Communicators[key.communicator].Members)); err != nil {
			return err
		}
		o.Calls = make([]Call, len(m.r.Communicators[key.communicator].Members))
		for i := range o.Calls {
			o.Calls[i].Rank = -1
		}
		o.Site = c.site()
	}
	if o.Calls[c.current.rank].Rank < 0 {
		o.have++
	}
	o.Calls[c.current.rank] = call
	if o.have < m.of[key.communicator].members {
		return nil
	}
	if !o.known {
		m.drop(key)
		return nil
	}
	m.pending -= len(o.Calls)
	delete(m.open, key)
	o.Calls = slices.DeleteFunc(o.Calls, func(c Call) bool { return c.Rank < 0 })
	return m.visit(&o.Instance)
}

// drop drops what not all have completed.
func (m *merger) drop(key startKey) {
	if o := m.open[key]; o != nil {
		m.left += o.have
		m.pending -= len(o.Calls)
		delete(m.open, key)
	}
}
