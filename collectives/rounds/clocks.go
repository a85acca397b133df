package rounds

import "math/bits"

// A clockTable has the clocks of a few ranks of many: a hash table by rank, as large as
// they are few, which is emptied in constant time.
type clockTable struct {
	ranks []int  // whose clocks they are, in the order in which they were added
	slots []slot // at least twice as many, a power of two
	era   uint32 // of the slots that are taken
}

type slot struct {
	rank, era uint32
	clock     float64
}

// clear empties the table.
func (t *clockTable) clear() {
	t.ranks = t.ranks[:0]
	if t.era++; t.era == 0 || t.slots == nil {
		t.slots, t.era = make([]slot, max(64, len(t.slots))), 1
	}
}

// slot returns the slot of a rank, or the one that it would take.
func (t *clockTable) slot(r int) *slot {
	mask := uint64(len(t.slots) - 1)
	at := uint64(r) * 0x9e3779b97f4a7c15 >> (64 - bits.Len64(mask)) // Knuth's multiplicative hashing
	for {
		s := &t.slots[at&mask]
		if s.era != t.era || s.rank == uint32(r) {
			return s
		}
		at++
	}
}

// add adds a rank, unless it is there already.
func (t *clockTable) add(r int) {
	if 2*len(t.ranks) >= len(t.slots) {
		t.grow()
	}
	if s := t.slot(r); s.era != t.era {
		s.rank, s.era = uint32(r), t.era
		t.ranks = append(t.ranks, r)
	}
}

func (t *clockTable) grow() {
	was, era := t.slots, t.era
	t.slots, t.era = make([]slot, 2*len(was)), 1
	for _, s := range was {
		if s.era == era {
			s.era = t.era
			*t.slot(int(s.rank)) = s
		}
	}
}
