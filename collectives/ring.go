package collectives

// maxRing is the largest number of pieces into which the ring cuts the vector. It has two
// rounds for each: with more, one trial takes minutes, and the list of rounds much memory.
const maxRing = 1 << 18

// ring outlines the allreduce around a ring of any number of ranks: P−1 steps reduce and scatter P
// chunks, P−1 more gather them, each over the link from rank r−1 to rank r (Patarasuk and Yuan,
// "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009). In step i the
// message to rank r carries chunk r−1−i, then chunk r−i.
//
// Each chunk is S = Segments pieces, and each step S rounds. A piece leaves its sender when that
// has done the piece of the step before, S rounds ago, and when the link is free of the message
// before; so pieces cross the link while others are combined. A message can find the link busy at
// S = 1 too: after a detour in which its sender was sent the next one.
//
// No two ranks hold the same partial result before the very end, so redundancy is impossible: R =
// 1, and T = 0 only.
func ring(p Problem) (Schedule, error) {
	if err := p.check(1); err != nil {
		return Schedule{}, err
	}
	segments := max(1, p.Segments)
	if p.Ranks > maxRing/segments {
		fault := ParameterSegments
		if segments == 1 {
			fault = ParameterRanks
		}
		return Schedule{}, fault.Invalid("%d ranks × %d segments are more than the %d pieces of a ring",
			p.Ranks, segments, maxRing)
	}
	pieces := p.Ranks * segments
	s := Schedule{Ranks: p.Ranks}
	n := p.Bytes / float64(pieces)
	everyone, sources := Span{0, p.Ranks}, []Sender{{Peers: rotation{1, p.Ranks}}}
	for _, r := range []Round{p.combined(everyone, n, sources...), p.delivered(everyone, n, sources...)} {
		r.Lag, r.Queue, r.Repeats = segments-1, true, pieces-segments-1
		if p.Ranks > 1 {
			s.add(r)
		}
	}
	s.done(everyone, 0, 0)
	return s, nil
}
