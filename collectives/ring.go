package collectives

import "fmt"

// maxRing bounds the ring, whose rounds are as many as its ranks: beyond, one
// trial takes minutes, and the list of its rounds much memory.
const maxRing = 1 << 18

// Ring is the allreduce around a ring of any number of ranks: P−1 rounds reduce
// and scatter P chunks, P−1 more gather them, each over the link from rank r−1
// to rank r (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
// clusters of workstations", 2009). In round i the message to rank r carries
// chunk r−1−i, then chunk r−i.
//
// No two ranks hold the same partial result before the very end, so there is no
// redundancy: R = 1, and T = 0 only.
func Ring(p Problem) (Schedule, error) {
	if err := p.check(1); err != nil {
		return Schedule{}, err
	}
	if p.Ranks > maxRing {
		return Schedule{}, fmt.Errorf("%d ranks are more than the %d around which a ring is played", p.Ranks, maxRing)
	}
	s := newSchedule(p.Ranks, p.Ranks)
	n := p.Bytes / float64(p.Ranks)
	round := Round{
		Receivers: Span{0, p.Ranks},
		Sources:   []Source{{Peers: Rotation{1, p.Ranks}}},
		Bytes:     n,
	}
	for i := range 2 * (p.Ranks - 1) {
		r := round
		first := i + 1 // of the chunks behind the receiver's own
		if i < p.Ranks-1 {
			r.Wait, r.Combine = Combined, p.Combine(n)
		} else {
			r.Wait, r.Reception = Delivered, p.Redundancy.Reception
			first = i - (p.Ranks - 1)
		}
		r.Carries = func(r int) (int, int) {
			chunk := (r - first + p.Ranks) % p.Ranks
			return chunk, chunk + 1
		}
		s.add(r)
	}
	s.done(Span{0, p.Ranks}, 0)
	return s, nil
}
