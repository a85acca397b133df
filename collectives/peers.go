package collectives

import (
	"math/bits"

	"jitterfly/internal/vector"
)

// Xor are partners across one or more dimensions of the hypercube: rank r receives from rank
// r XOR the mask.
type Xor int

// From implements [Peers].
func (x Xor) From(r int) int { return r ^ int(x) }

// To implements [Peers].
func (x Xor) To(r int) int { return r ^ int(x) }

// Nodes implements [Peers]. The least distance is the highest bit of the mask minus all lower ones.
func (x Xor) Nodes(n int) (inside, outside bool) {
	if n&(n-1) == 0 {
		return int(x) < n, int(x) >= n
	}
	return x == 0, 1<<bits.Len(uint(x))-max(1, int(x)) >= n
}

// Gather implements [Peers]. The high bits of the mask select another block;
// the low ones permute within it.
func (x Xor) Gather(dst, clock []float64, lo int) {
	n := len(dst)
	if bits.OnesCount(uint(n)) != 1 || lo&(n-1) != 0 { // not a subcube
		for i := range dst {
			dst[i] = clock[(lo+i)^int(x)]
		}
		return
	}
	vector.Exchange(dst, clock[lo^(int(x)&^(n-1)):][:n], int(x)&(n-1))
}

// A Shift makes rank r receive from rank r plus the shift.
type Shift int

// From implements [Peers].
func (s Shift) From(r int) int { return r + int(s) }

// To implements [Peers].
func (s Shift) To(r int) int { return r - int(s) }

// Nodes implements [Peers].
func (s Shift) Nodes(n int) (inside, outside bool) { return s == 0, max(int(s), -int(s)) >= n }

// Gather implements [Peers].
func (s Shift) Gather(dst, clock []float64, lo int) { copy(dst, clock[lo+int(s):]) }

// A Rotation makes rank r receive from rank r − By, around the ring of all ranks.
type Rotation struct{ By, Ranks int }

// From implements [Peers]. By is from 0 to Ranks.
func (c Rotation) From(r int) int {
	if r < c.By {
		r += c.Ranks
	}
	return r - c.By
}

// To implements [Peers].
func (c Rotation) To(r int) int { return Rotation{c.Ranks - c.By, c.Ranks}.From(r) }

// Nodes implements [Peers].
func (c Rotation) Nodes(n int) (inside, outside bool) {
	return n >= c.Ranks, min(c.By, c.Ranks-c.By) >= n
}

// Gather implements [Peers].
func (c Rotation) Gather(dst, clock []float64, lo int) {
	n := copy(dst, clock[c.From(lo):c.Ranks])
	copy(dst[n:], clock)
}

// Levels are a rotation of nodes and, inside each, of ranks: the rank at place l of node s
// receives from the one at place l − Place of node s − Node.
type Levels struct {
	Node, Place int
	Count, Size int // of nodes, and of the ranks on each
}

// From implements [Peers].
func (l Levels) From(r int) int {
	node := Rotation{l.Node, l.Count}.From(r / l.Size)
	return node*l.Size + Rotation{l.Place, l.Size}.From(r%l.Size)
}

// To implements [Peers].
func (l Levels) To(r int) int {
	return Levels{l.Count - l.Node, l.Size - l.Place, l.Count, l.Size}.From(r)
}

// Nodes implements [Peers].
func (l Levels) Nodes(n int) (inside, outside bool) {
	return n == l.Size && l.Node == 0, n == l.Size && l.Node > 0
}

// Gather implements [Peers].
func (l Levels) Gather(dst, clock []float64, lo int) {
	for at := lo; at < lo+len(dst); {
		first := at - at%l.Size // of the node
		from := l.From(first) - Rotation{l.Place, l.Size}.From(0)
		for ; at < min(lo+len(dst), first+l.Size); at++ {
			dst[at-lo] = clock[from+Rotation{l.Place, l.Size}.From(at-first)]
		}
	}
}

var (
	_ Peers = Xor(0)
	_ Peers = Shift(0)
	_ Peers = Rotation{}
	_ Peers = Levels{}
)
