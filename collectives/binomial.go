package collectives

// Binomial is a reduction to rank 0 and a broadcast from it, each along a
// binomial tree of ⌈log2 P⌉ rounds. Of n ranks left, with h the largest power of
// two below n, rank r < n−h receives from rank r+h, which is then done; the
// broadcast goes the same way back, from rank r−h to rank r = h … 2h−1.
//
// In the broadcast all ranks below h have the result, so that with R > 1
// sources rank r may take it from r XOR h, r XOR h XOR 1, …. The redundant
// exchanges that follow go around the ring: see [Schedule.rotations].
func Binomial(p Problem) (Schedule, error) {
	top := core(p.Ranks - 1) // the largest power of two below P
	if err := p.check(top); err != nil {
		return Schedule{}, err
	}
	s := Schedule{Ranks: p.Ranks, Busy: p.Busy}
	for n, h := p.Ranks, top; n > 1; n, h = h, h/2 {
		s.add(p.combined(Span{0, n - h}, p.Bytes, Sender{Peers: shift(h)}))
	}
	for h := 1; h < p.Ranks; h *= 2 {
		s.add(p.delivered(Span{h, min(2*h, p.Ranks)}, p.Bytes, p.sources(h, p.Bytes)...))
	}
	s.rotations(p)
	return s, nil
}
