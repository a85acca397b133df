package network

// A Bitset is a set of small numbers.
type Bitset []uint64

// NewBitset returns an empty set for numbers below n.
func NewBitset(n int) Bitset { return make(Bitset, (n+63)/64) }

// Has reports whether i is in the set.
func (b Bitset) Has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// Add adds i to the set.
func (b Bitset) Add(i int) { b[i/64] |= 1 << (i % 64) }

// Remove removes i from the set.
func (b Bitset) Remove(i int) { b[i/64] &^= 1 << (i % 64) }
