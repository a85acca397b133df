package program

import (
	"container/heap"
	"errors"
	"math"
)

// mostPending is for how many calls of incomplete collectives there is memory at most.
const mostPending = 1 << 23

// Each calls visit for each collective that all recorded ranks of its communicator have called, in
// about the order of time. The n-th call of each rank on a communicator belongs to the n-th collective of
// that communicator. Calls whose others are not recorded, as of ranks that were killed, are left out,
// and it returns how many. It fails if calls do not match, or visit fails.
func (r *Recording) Each(visit func(*Instance) error) (left int, err error) {
	m := merger{r: r, visit: visit, of: make([]queue, len(r.Communicators)), open: map[startKey]*open{}}
	for i, c := range r.Communicators {
		m.of[i].last = math.MaxInt
		for _, rank := range c.Members {
			if r.Processes[rank] != nil {
				m.of[i].members++
			}
		}
	}
	buffer := max(4096, min(1<<18, 64<<20/len(r.sources)))
	for _, s := range r.sources {
		c := &cursor{source: s, records: s.open(buffer), before: math.NaN(), called: map[int]int{}}
		if m.advance(c) {
			m.cursors = append(m.cursors, c)
		}
	}
	heap.Init(&m)
	for len(m.cursors) > 0 {
		if err := m.step(); err != nil {
			return m.left, err
		}
	}
	for _, q := range m.of {
		for _, x := range q.items {
			if x != nil {
				m.left += x.have
			}
		}
	}
	for key := range m.open {
		m.drop(key)
	}
	return m.left, nil
}

// A merger puts the calls of ranks together.
type merger struct {
	r       *Recording
	visit   func(*Instance) error
	cursors []*cursor // a heap by entry
	of      []queue   // by communicator
	open    map[startKey]*open
	pending int // calls that there is memory for
	left    int // calls that are left out
}

// A cursor is at a call of a rank.
type cursor struct {
	*source
	records *records
	record  fileRecord
	entry   float64
	before  float64     // the exit of the call before
	called  map[int]int // how many calls were there, by communicator
	current own
}

// A queue is the collectives of a communicator that are incomplete.
type queue struct {
	members int // that are recorded
	started int // how many have started
	first   int // number of the first
	last    int // of which there is one at most, as a rank has ended
	items   []*item
}

// An item is an incomplete collective.
type item struct {
	Instance
	of   []Kind
	have int
}

// step takes the first call in time.
func (m *merger) step() error {
	c := m.cursors[0]
	at := c.current.communicator
	call := Call{Rank: c.rank, Entry: c.entry, Exit: max(c.entry, m.r.seconds(c.source, c.record.exit))}
	call.Computed = max(0, c.entry-c.before-seconds(c.record.written))
	if math.IsNaN(c.before) {
		call.Computed = math.NaN()
	}
	c.before = call.Exit
	var err error
	if c.record.kind&Completed != 0 {
		err = m.finish(c, call)
	} else {
		c.called[at]++
		err = m.put(&m.of[at], c.called[at]-1, c, call)
	}
	if m.advance(c) {
		heap.Fix(m, 0)
	} else {
		heap.Pop(m)
		m.close(c)
	}
	return err
}

// put adds a call to a collective, which it visits if it is complete.
func (m *merger) put(q *queue, number int, c *cursor, call Call) error {
	if number >= q.last {
		m.left++
		return nil
	}
	for number-q.first >= len(q.items) {
		q.items = append(q.items, nil)
	}
	x := q.items[number-q.first]
	if x == nil {
		size := len(m.r.Communicators[c.current.communicator].Members)
		x = &item{Instance: Instance{Communicator: c.current.communicator, Calls: make([]Call, size)}}
		x.of = make([]Kind, size)
		q.items[number-q.first] = x
		if err := m.reserve(size); err != nil {
			return err
		}
	}
	rank := c.current.rank
	if x.of[rank] == 0 {
		x.have++
	}
	x.Calls[rank], x.of[rank] = call, c.record.kind.known()
	if x.have == 1 || rank == 0 {
		x.Bytes, x.Kind, x.Rule = c.record.bytes, x.of[rank], c.record.rule
		x.Site = c.site()
	}
	for len(q.items) > 0 && q.items[0] != nil && q.items[0].have >= q.members {
		done := q.items[0]
		q.items[0] = nil
		q.items = q.items[1:]
		q.first++
		if err := m.complete(done); err != nil {
			return err
		}
	}
	return nil
}

// reserve counts calls that there is memory for, and fails if they are too many.
func (m *merger) reserve(n int) error {
	if m.pending += n; m.pending > mostPending {
		return errors.New("the calls of the ranks do not match: one of them is far behind the others")
	}
	return nil
}

// complete visits a collective. If its ranks called different ones, none is.
func (m *merger) complete(x *item) error {
	m.pending -= len(x.of)
	if x.Kind&Started != 0 {
		m.start(&x.Instance)
	}
	calls := x.Calls[:0]
	for i, c := range x.Calls {
		if x.of[i] == 0 {
			continue
		}
		if x.of[i] != x.Kind {
			m.left += x.have
			return nil
		}
		calls = append(calls, c)
	}
	x.Calls = calls
	m.checkOrder(&x.Instance)
	return m.visit(&x.Instance)
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

func (c *cursor) site() int {
	i, ok := c.sites[c.record.site]
	if !ok {
		return -1
	}
	return i
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
		q := &m.of[o.communicator]
		q.last = min(q.last, c.called[o.communicator])
		if keep := max(0, q.last-q.first); keep < len(q.items) {
			for _, x := range q.items[keep:] {
				if x != nil {
					m.pending -= len(x.of)
					m.left += x.have
				}
			}
			clear(q.items[keep:])
			q.items = q.items[:keep]
		}
	}
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (m *merger) Len() int           { return len(m.cursors) }
func (m *merger) Less(i, j int) bool { return m.cursors[i].entry < m.cursors[j].entry }
func (m *merger) Swap(i, j int)      { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }

// Push is never called: cursors only end.
func (m *merger) Push(any) {}

func (m *merger) Pop() any {
	last := len(m.cursors) - 1
	c := m.cursors[last]
	m.cursors = m.cursors[:last]
	return c
}
