package measured

import "math"

// gapCounts is a histogram of the gaps between consecutive readings of a clock, in ticks. Gaps of
// len(counts) ticks or more are counted in total and shortest only.
//
// The shortest gap does not estimate the loop's time: on AMD processors two readings of the
// time-stamp counter are now and then one tick apart, in up to 5% of the gaps of an idle core,
// while all others are multiples of about 25.
type gapCounts struct {
	counts   [1 << 14]uint32
	total    int64
	shortest int64 // math.MaxInt64 before the first gap
	positive int64 // the shortest gap that is not 0; math.MaxInt64 if absent
}

func newGapCounts() *gapCounts { return &gapCounts{shortest: math.MaxInt64, positive: math.MaxInt64} }

// add counts one gap. The detector calls it between two readings, see [alone].
//
//go:nosplit
//go:norace
func (g *gapCounts) add(gap int64) {
	if uint64(gap) < uint64(len(g.counts)) {
		g.counts[gap]++
	}
	g.total++
	g.shortest = min(g.shortest, gap)
	if gap > 0 {
		g.positive = min(g.positive, gap)
	}
}

// loop returns the time of the loop without noise in ticks: the most frequent
// gap, or the shortest one where most gaps are too long to be counted one by
// one. A tick more or less makes no difference to those.
func (g *gapCounts) loop() int64 { return g.mode(0, g.shortest) }

// step returns by how many ticks the clock usually advances when it does, by the
// same rule. It is 0 if the clock has never advanced.
func (g *gapCounts) step() int64 {
	if g.positive == math.MaxInt64 {
		return 0
	}
	return g.mode(1, g.positive)
}

// mode returns the most frequent gap of at least from ticks, the shortest of
// several, or otherwise if at most half of those gaps were counted one by one.
func (g *gapCounts) mode(from int, otherwise int64) int64 {
	most, counted := from, int64(0)
	for gap := from; gap < len(g.counts); gap++ {
		counted += int64(g.counts[gap])
		if g.counts[gap] > g.counts[most] {
			most = gap
		}
	}
	total := g.total
	for _, n := range g.counts[:from] {
		total -= int64(n)
	}
	if 2*counted <= total {
		return otherwise
	}
	return int64(most)
}
