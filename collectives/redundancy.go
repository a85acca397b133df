package collectives

import (
	"math/bits"
	"slices"
)

// check returns an error if an exchange has no source, or more than subcube, the largest number of ranks
// that have the same partial result.
func (p Problem) check(subcube int) error {
	switch {
	case p.Redundancy.Sources < 1:
		return ParameterSources.Invalid(
			"an exchange needs at least one source, not %d", p.Redundancy.Sources)
	case p.Redundancy.Sources > subcube:
		return ParameterSources.Invalid(
			"%d sources are more than the %d ranks that have the same partial result at %d ranks",
			p.Redundancy.Sources, subcube, p.Ranks)
	}
	return nil
}

// sources returns up to R ranks of the partner's subcube, for a rank whose partner is across
// the dimension of bit, for messages of the given bytes. A copy leaves when the copy before it is
// posted and has left the link.
func (p Problem) sources(bit int, bytes float64) []Sender {
	var sources []Sender
	network, node := p.OnLink(bytes)
	post := p.Redundancy.SendOverhead
	for m := range min(p.Redundancy.Sources, bit) {
		s := Sender{Peers: Xor(bit | m), Post: float64(m) * max(post, network)}
		s.Inside = float64(m)*max(post, node) - s.Post
		sources = append(sources, s)
	}
	return sources
}

// combined returns a round in which ranks combine messages of n bytes with what they have, and
// delivered one in which the messages replace it.
func (p Problem) combined(receivers Span, n float64, sources ...Sender) Round {
	return Round{Receivers: receivers, Sources: sources, Bytes: n, Wait: Combined, Combine: p.Combine(n)}
}

func (p Problem) delivered(receivers Span, n float64, sources ...Sender) Round {
	return Round{
		Receivers: receivers, Sources: sources, Bytes: n, Wait: Delivered, Reception: p.Redundancy.Reception,
	}
}

// redundant appends the first checkpoint and then, each with its checkpoint, redundant exchanges: in
// exchange j = 0 … T−1 all ranks of a span receive a copy of the result from the j-th peers. With busy
// links each copy leaves a gap after the one before it has left. After each exchange come messages of
// earlier rounds again, with the same delays.
func (s *Schedule) redundant(p Problem, span Span, peers []Peers, again ...Round) {
	s.done(span, 0, 0)
	network, node := p.OnLink(p.Bytes)
	for j, from := range peers {
		if j == p.Redundancy.Max {
			break
		}
		posted := float64(j+1) * p.Redundancy.SendOverhead
		source := Sender{Peers: from, Post: posted}
		if p.Busy {
			source.Post += float64(float64(j) * (network + p.Host.Gap))
			source.Inside = posted + float64(float64(j)*(node+p.Host.Gap)) - source.Post
		}
		r := p.delivered(span, p.Bytes, source)
		r.Wait, r.Copies = Spare, j+1
		s.add(r)
		s.Rounds = append(s.Rounds, again...)
		s.done(span, j+1, posted)
	}
}

// rotations appends redundant exchanges for any number of ranks to a schedule
// after which every rank has the result: in exchange j rank r receives a copy from rank
// r − 2^j, around the ring. ⌈log2 P⌉ of them reach everybody from everywhere.
func (s *Schedule) rotations(p Problem) {
	var peers []Peers
	for by := 1; by < p.Ranks; by *= 2 {
		peers = append(peers, rotation{by, p.Ranks})
	}
	s.redundant(p, Span{0, p.Ranks}, peers)
}

// core returns the largest power of two that is at most the number of ranks.
func core(ranks int) int { return 1 << (bits.Len(uint(max(1, ranks))) - 1) }

// folded is a schedule whose algorithm works on 2^K ranks, K = ⌊log2 P⌋, and into which the others
// are folded as in MPI libraries (Thakur, Rabenseifner and Gropp, "Optimization of collective
// communication operations in MPICH", 2005, section 4.5): of the first ranks of the program, two by
// two, rank 2i + 1 first sends its vector to rank 2i, and receives the result at the end. In the
// schedule they are ranks 2^K + i and i, and ranks without a partner follow the latter: so the 2^K
// are in the order of the program.
//
// Redundant exchanges are among the 2^K. The message to a folded rank leaves as soon as its sender
// has the result, before redundant copies are posted; its delay is the same at every T.
type folded struct {
	Schedule
	core, rest Span
}

func newFolded(p Problem) *folded {
	core := core(p.Ranks)
	s := Schedule{Ranks: p.Ranks, Busy: p.Busy}
	f := &folded{s, Span{0, core}, Span{core, p.Ranks}}
	if rest := p.Ranks - core; rest > 0 {
		f.Place = func(r int) int {
			switch {
			case r < rest:
				return 2 * r
			case r < core:
				return r + rest
			}
			return 2*(r-core) + 1
		}
		f.add(p.combined(Span{0, rest}, p.Bytes, Sender{Peers: shift(core)}))
	}
	return f
}

// finish appends the messages to folded ranks and the redundant exchanges.
func (f *folded) finish(p Problem) Schedule {
	var out []Round
	if f.rest.Lo < f.rest.Hi {
		f.add(p.delivered(f.rest, p.Bytes, Sender{Peers: shift(-f.core.Hi)}))
		out = slices.Clone(f.Rounds[len(f.Rounds)-1:])
		out[0].Wait = Spare
	}
	var peers []Peers
	for mask := 1; mask < f.core.Hi; mask *= 2 {
		peers = append(peers, Xor(mask))
	}
	f.redundant(p, f.core, peers, out...)
	return f.Schedule
}
