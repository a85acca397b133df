package collectives

import "math/bits"

// few are the clocks of some ranks of many: a table that is looked up by rank, so that it is as
// small as they are few, and empty again at once.
type few struct {
	ranks []int  // whose clocks they are, in the order in which they came
	slots []slot // at least twice as many, a power of two
	era   uint32 // of the slots that are taken
}

type slot struct {
	rank, era uint32
	clock     float64
}

// clear empties the table.
func (f *few) clear() {
	f.ranks = f.ranks[:0]
	if f.era++; f.era == 0 || f.slots == nil {
		f.slots, f.era = make([]slot, max(64, len(f.slots))), 1
	}
}

// slot is the slot of a rank, or the one that it could take.
func (f *few) slot(r int) *slot {
	mask := uint64(len(f.slots) - 1)
	at := uint64(r) * 0x9e3779b97f4a7c15 >> (64 - bits.Len64(mask)) // Knuth's multiplicative hashing
	for {
		s := &f.slots[at&mask]
		if s.era != f.era || s.rank == uint32(r) {
			return s
		}
		at++
	}
}

// add has the table have a rank.
func (f *few) add(r int) {
	if 2*len(f.ranks) >= len(f.slots) {
		f.grow()
	}
	if s := f.slot(r); s.era != f.era {
		s.rank, s.era = uint32(r), f.era
		f.ranks = append(f.ranks, r)
	}
}

func (f *few) grow() {
	was, era := f.slots, f.era
	f.slots, f.era = make([]slot, 2*len(was)), 1
	for _, s := range was {
		if s.era == era {
			s.era = f.era
			*f.slot(int(s.rank)) = s
		}
	}
}
