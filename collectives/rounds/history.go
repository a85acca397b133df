package rounds

import (
	"cmp"
	"slices"
)

// A history has the clocks of all ranks before each of the rounds up to the first
// checkpoint: which messages a rank has not sent by some time, see [forwarding].
type history struct {
	rows []row
	used int // how many of the rows are of this trial
}

// A row has the clocks before a round: of all ranks, or of those few that are not the
// common one.
type row struct {
	all    []float64 // nil if only some are listed
	common float64
	listed []entry
	sorted bool // listed is, by rank
	room   []float64
}

// An entry is a rank and its clock [s].
type entry struct {
	rank  int
	clock float64
}

// begin empties the history for a trial of so many rounds and ranks.
func (h *history) begin(rounds, ranks int) {
	if len(h.rows) < rounds {
		h.rows = append(h.rows, make([]row, rounds-len(h.rows))...)
	}
	h.used = rounds
	for i := range h.rows[:rounds] {
		w := &h.rows[i]
		if cap(w.room) < ranks {
			w.room = nil
		}
		w.all, w.listed = nil, w.listed[:0]
	}
}

// dense returns the clocks before a round, of as many ranks, to be filled in; or nil if the
// history has no such row.
func (h *history) dense(round, ranks int) []float64 {
	if round >= h.used {
		return nil
	}
	w := &h.rows[round]
	if w.all == nil {
		if w.room == nil {
			w.room = make([]float64, ranks)
		}
		w.all = w.room[:ranks]
	}
	return w.all
}

// list sets the clocks before a round: the common one, but for some ranks.
func (h *history) list(round int, common float64, q *sparse) {
	if round >= h.used {
		return
	}
	w := &h.rows[round]
	w.common, w.sorted = common, false
	for _, r := range q.touched.ranks {
		w.listed = append(w.listed, entry{r, q.clockOf(r)})
	}
}

// before returns a rank's clock [s] before a round.
func (h *history) before(rank, round int) float64 {
	if all := h.rows[round].all; all != nil {
		return all[rank]
	}
	return h.rows[round].find(rank)
}

// later returns which of the ranks come to the row's round later than at their clocks, in the
// memory of ranks.
func (w *row) later(ranks []entry) []entry {
	n := 0
	for _, q := range ranks {
		ranks[n] = q
		before := 0.0
		if w.all != nil {
			before = w.all[q.rank]
		} else {
			before = w.find(q.rank)
		}
		if before > q.clock {
			n++
		}
	}
	return ranks[:n]
}

// find returns a rank's clock [s] of a row in which only some are listed.
func (w *row) find(rank int) float64 {
	byRank := func(e entry, rank int) int { return cmp.Compare(e.rank, rank) }
	if !w.sorted {
		slices.SortFunc(w.listed, func(a, b entry) int { return byRank(a, b.rank) })
		w.sorted = true
	}
	if i, ok := slices.BinarySearchFunc(w.listed, rank, byRank); ok {
		return w.listed[i].clock
	}
	return w.common
}
