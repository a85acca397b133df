package collectives

import (
	"fmt"
	"math/bits"
)

// Butterfly is the allreduce by recursive doubling, followed by redundant
// exchanges (Matsumoto and Suda, sections 3.1 and 3.2).
//
// With P = 2^K ranks, round k = 0 … K−1 exchanges partial results with rank
// r XOR 2^k; after round K−1 every rank has the result. Redundant exchange
// j = 0 … T−1 repeats the partners from the start, r XOR 2^j, and brings a
// second copy of the result. T is at most K, where every rank has been offered
// a copy by every other, directly or through others.
//
// With R = Redundancy.Sources > 1 redundancy is interleaved: after round k−1
// the 2^k ranks of a subcube hold the same partial result, so in round k rank r
// may take it from R of its partner's subcube: p, p XOR 1, p XOR 2, …. Round 0
// has one source only, and the exchanges that follow the K rounds use one each.
//
// Posting costs o = Redundancy.SendOverhead a redundant copy: the copy of
// exchange j leaves (j+1)·o after the result is there, the copy for the m-th
// source m·o after the first, and the call returns T·o after the result.
func Butterfly(p Problem) (Schedule, error) {
	if p.Ranks < 1 || p.Ranks&(p.Ranks-1) != 0 {
		return Schedule{}, fmt.Errorf("butterfly needs a power of two of ranks, not %d", p.Ranks)
	}
	if p.Redundancy.Sources < 1 {
		return Schedule{}, fmt.Errorf("an exchange needs at least one source, not %d", p.Redundancy.Sources)
	}
	rounds := bits.TrailingZeros(uint(p.Ranks)) // K
	extra := rounds                             // the largest T
	if p.Redundancy.Max != AllExchanges {
		extra = min(rounds, p.Redundancy.Max)
	}
	if largest := max(1, p.Ranks/2); p.Redundancy.Sources > largest {
		return Schedule{}, fmt.Errorf("%d sources are more than the %d ranks of the largest subcube", p.Redundancy.Sources, largest)
	}

	s := Schedule{Ranks: p.Ranks}
	for k := range rounds {
		partner := 1 << k
		r := Round{Bytes: p.Bytes, Wait: Needed, Combine: p.Combine(p.Bytes)}
		for m := range min(p.Redundancy.Sources, partner) {
			r.Sources = append(r.Sources, Source{Xor(partner | m), float64(m) * p.Redundancy.SendOverhead})
		}
		s.Rounds = append(s.Rounds, r)
	}
	s.Results = append(s.Results, Result{Rounds: rounds})
	for j := range extra {
		posted := float64(j+1) * p.Redundancy.SendOverhead
		s.Rounds = append(s.Rounds, Round{
			Sources:   []Source{{Xor(1 << j), posted}},
			Bytes:     p.Bytes,
			Wait:      Spare,
			Reception: p.Redundancy.Reception,
		})
		s.Results = append(s.Results, Result{Rounds: rounds + j + 1, Post: posted})
	}
	return s, nil
}
