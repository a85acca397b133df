package collectives

import (
	"math/bits"
	"slices"

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

// A shift makes rank r receive from rank r plus the shift.
type shift int

func (s shift) From(r int) int                      { return r + int(s) }
func (s shift) To(r int) int                        { return r - int(s) }
func (s shift) Nodes(n int) (inside, outside bool)  { return s == 0, max(int(s), -int(s)) >= n }
func (s shift) Gather(dst, clock []float64, lo int) { copy(dst, clock[lo+int(s):]) }

// A rotation makes rank r receive from rank r − By, around the ring of all ranks. By is from 0 to
// Ranks.
type rotation struct{ By, Ranks int }

func (c rotation) From(r int) int {
	if r < c.By {
		r += c.Ranks
	}
	return r - c.By
}

func (c rotation) To(r int) int { return rotation{c.Ranks - c.By, c.Ranks}.From(r) }

func (c rotation) Nodes(n int) (inside, outside bool) {
	return n >= c.Ranks, min(c.By, c.Ranks-c.By) >= n
}

func (c rotation) Gather(dst, clock []float64, lo int) {
	n := copy(dst, clock[c.From(lo):c.Ranks])
	copy(dst[n:], clock)
}

// An offset makes every rank of a grid receive from the rank that is By before it along each side,
// modulo the sides: rank x + X·(y + Y·(z + …)) is at (x, y, z, …).
type offset struct {
	Sides []int
	By    []int // for each side, at least 0 and below the side
}

func (o offset) From(r int) int { return o.move(r, -1) }
func (o offset) To(r int) int   { return o.move(r, 1) }

// move returns the rank at the offset times a sign from rank r.
func (o offset) move(r, sign int) int {
	to, stride := 0, 1
	for d, side := range o.Sides {
		to += (r%side + sign*o.By[d] + side) % side * stride
		r /= side
		stride *= side
	}
	return to
}

// Nodes knows of nodes that are the lines of the first side.
func (o offset) Nodes(n int) (inside, outside bool) {
	inside = !slices.ContainsFunc(o.By[1:], func(by int) bool { return by > 0 })
	return n == o.Sides[0] && inside, n == o.Sides[0] && !inside
}

// Gather copies line by line: each line of the first side is a rotation of another.
func (o offset) Gather(dst, clock []float64, lo int) {
	line := rotation{o.By[0], o.Sides[0]}
	for at := 0; at < len(dst); {
		place := (lo + at) % line.Ranks
		from, to := o.From(lo+at)-line.From(place), min(len(dst), at+line.Ranks-place)
		line.Gather(dst[at:to], clock[from:], place)
		at = to
	}
}
