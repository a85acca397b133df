package collectives

// Rabenseifner is the allreduce for long vectors: a reduce-scatter by recursive
// halving, after which rank r has chunk r of 2^K, and an allgather by recursive
// doubling (Rabenseifner, "Optimization of collective reduction operations",
// ICCS 2004). Each half moves N·(1 − 2^−K) bytes, where the butterfly moves K·N.
//
// Nothing is shared before the allgather, so that only there R > 1 sources can be asked: in its
// round j the 2^j ranks of a subcube hold the same chunks. The redundant exchanges that follow
// bring whole vectors, as in [Butterfly]. Other numbers of ranks are [folded].
func Rabenseifner(p Problem) (Schedule, error) {
	chunks := core(p.Ranks)
	if err := p.check(max(1, chunks/2)); err != nil {
		return Schedule{}, err
	}
	f := newFolded(p)
	chunk := p.Bytes / float64(chunks)
	for half := chunks / 2; half > 0; half /= 2 {
		f.add(p.combined(f.core, chunk*float64(half), Sender{Peers: Xor(half)}))
	}
	for block := 1; block < chunks; block *= 2 {
		n := chunk * float64(block)
		f.add(p.delivered(f.core, n, p.sources(block, n)...))
	}
	return f.finish(p), nil
}
