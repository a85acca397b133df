package collectives

import (
	"math"

	"jitterfly/internal/vector"
)

// Rounds of a sweep in which each rank goes on with one copy, which nothing but the network delays, are one pass
// over the ranks of two blocks: see [vector.Meeting].

// meeting is what a timeline needs for such a round.
type meeting struct {
	vector.Meeting
	here, there vector.Party
	late        [2]lateness // of the messages to each
}

// newMeeting returns room for blocks of up to so many ranks.
func newMeeting(block int) meeting {
	return meeting{
		here: vector.Party{Held: vector.NewHeld(block)}, there: vector.Party{Held: vector.NewHeld(block)},
		late: [2]lateness{{of: make([]float64, block)}, {of: make([]float64, block)}},
	}
}

// lateness is how late the messages of a round to the ranks of a block are: not at all, but where that is noted.
type lateness struct {
	of    []float64
	noted []int
	all   bool    // any may be
	most  float64 // of those noted
	note  func(i int, delay float64)
}

// plain says that a rank goes on with one copy, which nothing but the network delays.
func (r *Round) plain(p *Problem) bool {
	return len(r.Sources) == 1 && r.Sources[0].Peers != Xor(0) && p.Node.Ranks <= 1 && (r.Wait == Combined || r.Reception == Offload)
}

// exchange plays a plain round on two blocks, or on one.
func (t *Timeline) exchange(w *sweep, round *Round, lo, other int, here, there []float64) {
	m, wire := &t.sweeping.meeting, round.wire(w.problem)
	m.Mask, m.By = int(round.Sources[0].Peers.(Xor))&(len(here)-1), round.Sources[0].Post+wire
	x, y := &m.here, &m.here
	x.Clock, x.Late = here, m.late[0].of
	if other != lo {
		y = &m.there
		y.Clock, y.Late = there, m.late[1].of
	}
	if round.Wait == Spare && t.inVain(w, lo, other) {
		return
	}
	late := m.late[0].draw(w, round.Exchange, lo, len(here), wire)
	if other != lo {
		late = max(late, m.late[1].draw(w, round.Exchange, other, len(there), wire))
	}
	switch {
	case round.Wait == Spare:
		m.Earlier(x, y)
	case round.Wait == Delivered:
		m.Later(x, y)
	case w.gaps != nil:
		t.work(w, late, round.Combine, lo, other)
		return
	default:
		m.Later(x, y)
		w.detours.Finish(lo, here, round.Combine)
		if other != lo {
			w.detours.Finish(other, there, round.Combine)
		}
		t.sweeping.blocks[lo/Block], t.sweeping.blocks[other/Block] = unknown, unknown
		return
	}
	t.sweeping.blocks[lo/Block], t.sweeping.blocks[other/Block] = extent{x.Least, x.Most}, extent{y.Least, y.Most}
}

// inVain says that no copy of the meeting comes before what its receiver has, whether the network holds it or not, which
// then need not be drawn.
func (t *Timeline) inVain(w *sweep, lo, other int) bool {
	m := &t.sweeping.meeting
	a, b := t.extent(w, lo), t.extent(w, other)
	if a.first+m.By >= b.last && b.first+m.By >= a.last {
		return true
	}
	if other == lo {
		return !m.Helps(&m.here, &m.here)
	}
	return !m.Helps(&m.here, &m.there)
}

// work has the ranks of the meeting, of one block or of two, meet and then work in gaps that are known. When they are done
// is only noted as not later than a time. Messages are at most as late as that.
func (t *Timeline) work(w *sweep, late, work float64, lo, other int) {
	m, size := &t.sweeping.meeting, len(t.sweeping.meeting.here.Clock)
	last := max(t.farthest(w, lo), t.farthest(w, other)) + late + m.By + work
	gaps := w.gaps.Gaps(lo, size, last)
	x, y := &m.here, &m.here
	x.First, x.End = gaps.First[lo:], gaps.End[lo:]
	if other != lo {
		y = &m.there
		gaps = w.gaps.Gaps(other, size, last)
		y.First, y.End = gaps.First[other:], gaps.End[other:]
	}
	m.Train, m.Work = gaps.Train, work
	m.LaterAndWork(x, y)
	e := extent{math.Inf(-1), max(last, x.Most, y.Most)}
	t.sweeping.blocks[lo/Block], t.sweeping.blocks[other/Block] = e, e
}

// draw draws how late the messages to the n ranks from lo are, and returns how late the latest is.
func (l *lateness) draw(w *sweep, exchange, lo, n int, wire float64) float64 {
	l.forget()
	if l.all = w.rare == nil || !w.rare.Rare(wire); l.all {
		w.delays.Delay(exchange, lo, l.of[:n], wire)
		return vector.Most(l.of[:n])
	}
	if l.note == nil {
		l.note = func(i int, delay float64) {
			l.of[i] = delay
			l.noted = append(l.noted, i)
			l.most = max(l.most, delay)
		}
	}
	w.rare.Held(exchange, lo, n, wire, l.note)
	return l.most
}

func (l *lateness) forget() {
	if l.all {
		clear(l.of)
	}
	for _, i := range l.noted {
		l.of[i] = 0
	}
	l.noted, l.most = l.noted[:0], 0
}

// GapDetours know the gaps between detours. They remember where a trial has led each rank, and are
// drawn again before another one.
type GapDetours interface {
	Detours
	// Gaps returns the gaps of all ranks, of which those of the n from lo, of one block, count.
	// They may work up to a time: of a later one less need be known.
	Gaps(lo, n int, upto float64) vector.Gaps
}
