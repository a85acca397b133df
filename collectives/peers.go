package collectives

// Block is how many ranks the timeline treats at a time. A block of each of
// the few vectors that a round touches stays in the first-level cache.
const Block = 1024

// Xor are the partners across one or more dimensions of the hypercube: rank r
// and rank r XOR the mask hear from each other. The number of ranks must be a
// power of two above the mask.
type Xor int

// From implements [Peers].
func (x Xor) From(r int) int { return r ^ int(x) }

// Gather implements [Peers]. The high bits of the mask select another block;
// the low ones permute within it.
func (x Xor) Gather(dst, clock []float64, lo int) {
	n := len(dst) // a power of two, as the number of ranks is
	within := int(x) & (n - 1)
	src := clock[lo^(int(x)&^(n-1)):][:n]
	switch {
	case within == 0:
		copy(dst, src)
	case within == 1:
		for i := 0; i+1 < n; i += 2 {
			dst[i], dst[i+1] = src[i+1], src[i]
		}
	case within&(within-1) == 0:
		for i := 0; i < n; i += 2 * within {
			copy(dst[i:i+within], src[i+within:])
			copy(dst[i+within:i+2*within], src[i:])
		}
	default:
		for i := range dst {
			dst[i] = src[(i^within)&(n-1)]
		}
	}
}

var _ Peers = Xor(0)
