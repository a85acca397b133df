package collectives

// Butterfly is the allreduce by recursive doubling, followed by redundant
// exchanges (Matsumoto and Suda, sections 3.1 and 3.2).
//
// With P = 2^K ranks, round k = 0 … K−1 exchanges partial results with rank r XOR 2^k; after round
// K−1 every rank has the result. Redundant exchange j = 0 … T−1 repeats the partners from the
// start, r XOR 2^j, and brings a second copy of the result. T is at most K, where every rank has
// received a copy from every other, directly or through others.
//
// With R = Redundancy.Sources > 1 redundancy is interleaved: after round k−1
// the 2^k ranks of a subcube hold the same partial result, so in round k rank r
// may take it from R of its partner's subcube: p, p XOR 1, p XOR 2, …. Round 0
// has one source only, and the exchanges that follow the K rounds use one each.
//
// Posting costs c = Redundancy.SendOverhead a redundant copy: the copy of exchange j leaves (j+1)·c
// after the result is there, the copy for the m-th source m·c after the first, and the call returns
// T·c after the result. With busy links copies also leave one after the other.
//
// Other numbers of ranks are folded: see [folded].
func Butterfly(p Problem) (Schedule, error) {
	if err := p.check(max(1, core(p.Ranks)/2)); err != nil {
		return Schedule{}, err
	}
	f := newFolded(p)
	for partner := 1; partner < f.core.Hi; partner *= 2 {
		f.add(p.combined(f.core, p.Bytes, p.sources(partner, p.Bytes)...))
	}
	return f.finish(p), nil
}
