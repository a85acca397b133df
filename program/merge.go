package program

import (
	"container/heap"
	"errors"
	"math"

	"jitterfly/internal/queue"
)

// mostPending is for how many calls of incomplete collectives there is memory at most.
const mostPending = 1 << 23

// Each calls visit for each collective that all recorded ranks of its communicator have called, in
// about the order of time. The n-th call of each rank on a communicator belongs to the n-th collective of
// that communicator. Calls whose others are not recorded, as of ranks that were killed, are left out,
// and it returns how many. It fails if calls do not match, or visit fails.
func (r *Recording) Each(visit func(*Instance) error) (left int, err error) {
	m := merger{r: r, visit: visit, open: map[place]*open{}}
	for _, c := range r.communicators {
		c.recorded, c.started, c.last = 0, 0, math.MaxUint64
		for _, rank := range c.members {
			if r.Processes[rank] != nil {
				c.recorded++
			}
		}
	}
	buffer := max(4096, min(1<<18, 64<<20/len(r.sources)))
	for _, s := range r.sources {
		c := &cursor{source: s, records: s.open(buffer), before: math.NaN(), called: map[*communicator]uint64{}}
		if m.advance(c) {
			m.cursors = append(m.cursors, c)
		}
	}
	heap.Init(&m.cursors)
	for len(m.cursors) > 0 {
		if err := m.step(); err != nil {
			return m.left, err
		}
	}
	for at := range m.open {
		m.drop(at)
	}
	return m.left, nil
}

// A merger puts the calls of ranks together.
type merger struct {
	r       *Recording
	visit   func(*Instance) error
	cursors queue.Queue[*cursor]
	open    map[place]*open
	pending int // calls that there is memory for
	left    int // calls that are left out
}

// A cursor is at a call of a rank.
type cursor struct {
	*source
	records *records
	record  fileRecord
	entry   float64
	before  float64                  // the exit of the call before
	called  map[*communicator]uint64 // how many calls were there, by communicator
	current own
}

// A place is the number of a collective among those of its communicator. The calls that complete what
// others have started are a collective too, with the number among those that are started.
type place struct {
	*communicator
	number    uint64
	completes bool
}

// An open is a collective that not all ranks have called.
type open struct {
	Instance        // Calls are by rank of the communicator
	of       []Kind // what each rank has called, or 0
	have     int    // how many have
	known    bool   // of calls that complete: whether all have started it
}

// mostOpen is how many collectives of a communicator are expected to be started and not complete at
// most. Of others it is not known when they are complete, as of those that Fortran starts.
const mostOpen = 1024

// step takes the first call in time.
func (m *merger) step() error {
	c := m.cursors[0]
	at := place{c.current.communicator, c.record.bytes, true}
	if c.record.kind&Completed == 0 {
		at.number, at.completes = c.called[at.communicator], false
		c.called[at.communicator]++
	}
	call := Call{Rank: c.rank, Entry: c.entry, Exit: max(c.entry, m.r.seconds(c.source, c.record.exit))}
	call.Computed = max(0, c.entry-c.before-seconds(c.record.written))
	if math.IsNaN(c.before) {
		call.Computed = math.NaN()
	}
	c.before = call.Exit
	err := m.put(at, c, call)
	if m.advance(c) {
		heap.Fix(&m.cursors, 0)
	} else {
		heap.Pop(&m.cursors)
		m.close(c)
	}
	return err
}

// put adds a call to a collective, which it visits if it is complete. It fails if there are too many
// that are not.
func (m *merger) put(at place, c *cursor, call Call) error {
	if !at.completes && at.number >= at.last {
		m.left++
		return nil
	}
	x, rank := m.opened(at), c.current.rank
	if x.of == nil {
		size := len(x.Members)
		x.Calls, x.of, x.Site = make([]Call, size), make([]Kind, size), c.sites[c.record.site]
		if m.pending += size; m.pending > mostPending {
			return errors.New("the calls of the ranks do not match: one of them is far behind the others")
		}
	}
	if x.of[rank] == 0 {
		x.have++
	}
	x.Calls[rank], x.of[rank] = call, c.record.kind.known()
	if !at.completes && (x.have == 1 || rank == 0) {
		x.Bytes, x.Kind, x.Rule = c.record.bytes, x.of[rank], c.record.rule
		x.Site = c.sites[c.record.site]
	}
	if x.have < at.recorded {
		return nil
	}
	return m.complete(at, x)
}

// opened returns a collective, and drops one that has been started for long.
func (m *merger) opened(at place) *open {
	x := m.open[at]
	if x == nil {
		x = &open{Instance: Instance{Members: at.members}}
		m.open[at] = x
		if at.completes {
			m.drop(place{at.communicator, at.number - mostOpen, true})
		}
	}
	return x
}

// drop drops what not all have called, if it is there.
func (m *merger) drop(at place) {
	if x := m.open[at]; x != nil {
		m.left += x.have
		m.pending -= len(x.of)
		delete(m.open, at)
	}
}

// complete visits a collective. If its ranks called different ones, or have not started it, none is.
func (m *merger) complete(at place, x *open) error {
	if !at.completes && x.Kind&Started != 0 {
		m.start(at.communicator, x)
	}
	fits := !at.completes || x.known
	calls := x.Calls[:0]
	for i, c := range x.Calls {
		if x.of[i] != 0 {
			fits = fits && (at.completes || x.of[i] == x.Kind)
			calls = append(calls, c)
		}
	}
	if !fits {
		m.drop(at)
		return nil
	}
	m.pending -= len(x.of)
	delete(m.open, at)
	x.Calls = calls
	m.checkOrder(&x.Instance)
	return m.visit(&x.Instance)
}

// start notes what completes the collective of a communicator that has started.
func (m *merger) start(c *communicator, x *open) {
	o := m.opened(place{c, c.started, true})
	c.started++
	o.known = true
	o.Kind, o.Bytes, o.Rule = x.Kind^Started|Completed, x.Bytes, x.Rule
	for _, c := range x.Calls {
		o.Started = max(o.Started, c.Entry)
	}
}

// checkOrder notes a collective that a rank leaves before all have entered it.
func (m *merger) checkOrder(x *Instance) {
	if x.Kind != Barrier && (x.Kind != Allreduce || x.Bytes == 0) {
		return
	}
	enters, leaves := math.Inf(-1), math.Inf(1)
	for _, c := range x.Calls {
		if wrong := m.r.Processes[c.Rank].ClockError; wrong >= 0 { // not NaN
			enters, leaves = max(enters, c.Entry-wrong), min(leaves, c.Exit+wrong)
		}
	}
	if early := enters - leaves; early > 1e-9 {
		m.r.Early++
		m.r.Earliest = max(m.r.Earliest, early)
	}
}

// advance goes on to the next call on a communicator that is known; it returns false at the end.
func (m *merger) advance(c *cursor) bool {
	for {
		var ok bool
		if c.record, ok = c.records.next(); !ok {
			return false
		}
		if c.current, ok = c.members[c.record.communicator]; !ok {
			m.left++
			continue
		}
		c.entry = m.r.seconds(c.source, c.record.entry)
		return true
	}
}

// close notes that a rank calls nothing any more, and drops what waits for it.
func (m *merger) close(c *cursor) {
	for _, o := range c.members {
		o.last = min(o.last, c.called[o.communicator])
		for at := (place{o.communicator, o.last, false}); m.open[at] != nil; at.number++ {
			m.drop(at)
		}
	}
}

// Before reports whether the call of a cursor is earlier than another's.
func (c *cursor) Before(other *cursor) bool { return c.entry < other.entry }
