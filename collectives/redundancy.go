package collectives

import "math/bits"

// check returns an error if no algorithm can be asked for this; subcube is the largest number
// of ranks that have the same partial result.
func (p Problem) check(subcube int) error {
	switch {
	case p.Ranks < 1:
		return ParameterRanks.Invalid("a collective needs at least one rank, not %d", p.Ranks)
	case p.Redundancy.Sources < 1:
		return ParameterSources.Invalid(
			"an exchange needs at least one source, not %d", p.Redundancy.Sources)
	case p.Redundancy.Sources > subcube:
		return ParameterSources.Invalid(
			"%d sources are more than the %d ranks that have the same partial result at %d ranks",
			p.Redundancy.Sources, subcube, p.Ranks)
	}
	return p.Host.check(p.MemoryBandwidth)
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

// extra returns the number of redundant exchanges, given how many the algorithm can use.
func (p Problem) extra(most int) int {
	if p.Redundancy.Max == AllExchanges {
		return most
	}
	return min(most, p.Redundancy.Max)
}

// spare returns redundant exchange j, a copy of the result for every rank of the span, and
// the time [s] that its sender has then spent on posting copies. With busy links each copy leaves a
// gap after the one before it has left.
func (p Problem) spare(j int, receivers Span, from Peers) (r Round, posted float64) {
	posted = float64(j+1) * p.Redundancy.SendOverhead
	s := Sender{Peers: from, Post: posted}
	if p.Busy {
		network, node := p.OnLink(p.Bytes)
		s.Post += float64(float64(j) * (network + p.Host.Gap))
		s.Inside = posted + float64(float64(j)*(node+p.Host.Gap)) - s.Post
	}
	r = p.delivered(receivers, p.Bytes, s)
	r.Wait, r.Copies = Spare, j+1
	return r, posted
}

// rotations appends redundant exchanges for any number of ranks to a schedule
// after which every rank has the result: in exchange j rank r receives a copy from rank
// r − 2^j, around the ring. ⌈log2 P⌉ of them reach everybody from everywhere.
func (s *Schedule) rotations(p Problem) {
	everyone := Span{0, p.Ranks}
	s.done(everyone, 0, 0)
	for j := range p.extra(bits.Len(uint(p.Ranks - 1))) {
		r, posted := p.spare(j, everyone, rotation{1 << j, p.Ranks})
		s.add(r)
		s.done(everyone, j+1, posted)
	}
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

func newFolded(p Problem, chunks int) *folded {
	core := core(p.Ranks)
	s := Schedule{Ranks: p.Ranks, Chunks: chunks, Busy: p.Busy}
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
	unfold := func() {}
	if f.rest.Lo < f.rest.Hi {
		f.add(p.delivered(f.rest, p.Bytes, Sender{Peers: shift(-f.core.Hi)}))
		out := f.Rounds[len(f.Rounds)-1]
		out.Wait = Spare
		unfold = func() { f.again(out) }
	}
	f.done(f.core, 0, 0)
	for j := range p.extra(bits.TrailingZeros(uint(f.core.Hi))) {
		r, posted := p.spare(j, f.core, Xor(1<<j))
		f.add(r)
		unfold()
		f.done(f.core, j+1, posted)
	}
	return f.Schedule
}
