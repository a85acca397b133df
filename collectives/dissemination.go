package collectives

import "math/bits"

// Dissemination makes rank r receive from rank r − 2^k in round k = 0 … ⌈log2 P⌉ − 1
// (Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization",
// 1988). It needs no folding; but unless P is a power of two, contributions are
// combined twice, which is right only for idempotent operations (a maximum, a barrier).
//
// All partial results differ, so that R = 1; the redundant exchanges that follow
// are [Schedule.rotations].
func Dissemination(p Problem) (Schedule, error) {
	if err := p.check(1); err != nil {
		return Schedule{}, err
	}
	twice := bits.OnesCount(uint(p.Ranks)) != 1
	s := Schedule{Ranks: p.Ranks, Busy: p.Busy, Idempotent: twice}
	for k := range bits.Len(uint(p.Ranks - 1)) {
		s.add(p.combined(Span{0, p.Ranks}, p.Bytes, Sender{Peers: rotation{1 << k, p.Ranks}}))
	}
	s.rotations(p)
	return s, nil
}
