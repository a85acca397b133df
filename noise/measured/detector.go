package measured

import (
	"math"
	"time"
)

// A detector measures one core: it reads a clock in a loop, and records where more time passes
// between two readings than the loop takes. All its times are in ticks of the clock.
//
// Its methods run where nothing of Go's runtime may be called, see [alone]: they allocate nothing,
// call nothing but the clock and each other, and neither grow the stack nor are instrumented.
type detector struct {
	clock func() uint64
	work  uint64 // steps of work between two readings

	gaps      *gapCounts // what calibrate counts
	loop      int64      // time of the loop without noise
	step      int64      // by which the clock usually advances
	threshold int64      // the shortest length that is recorded

	begin, end uint64
	stop       *uint32 // not 0: end now
	notes      []note  // detours found so far; there is no room beyond the capacity

	last   uint64 // reading; begin, if nothing was watched
	near   int64  // sum of the lengths from half the threshold up to it
	result uint64 // of the work, so that the compiler keeps it
}

// A note is a detour in ticks.
type note struct {
	start  uint64
	length int64
}

// multiply returns x after the given number of steps, products that each need the one before, so
// that their time does not depend on what else the core could do at once.
func multiply(x, steps uint64) uint64 {
	for ; steps > 0; steps-- {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// calibrate counts the gaps between readings until the clock is at end and it has counted the least
// number of gaps, since the core may be taken away until end.
//
//go:nosplit
//go:norace
func (d *detector) calibrate(end uint64, least int64) {
	x := d.result
	for last := d.clock(); last < end || d.gaps.total < least; {
		x = multiply(x, d.work)
		now := d.clock()
		d.gaps.add(int64(now - last))
		last = now
	}
	d.result = x
}

// watch waits for begin and then records detours until end, until stop is set, or until its room is
// full. The length of a detour is the time between two readings minus the time of the loop. A core
// that is taken away at begin has a detour from begin on.
//
//go:nosplit
//go:norace
func (d *detector) watch() {
	clock, notes, work := d.clock, d.notes[:cap(d.notes)], d.work
	loop, threshold, half := d.loop, d.threshold, (d.threshold+1)/2
	x, n, near := d.result, 0, int64(0)
	for now := clock(); now < d.begin; now = clock() {
		x = multiply(x, 0)
	}
	last := d.begin
	// The compiler cannot see into the clock, so that it reads stop each time.
	for last < d.end && n < len(notes) && *d.stop == 0 {
		x = multiply(x, work)
		now := clock()
		if length := int64(now-last) - loop; length >= half {
			if length >= threshold {
				notes[n] = note{last, length}
				n++
			} else {
				near += length
			}
		}
		last = now
	}
	d.notes, d.last, d.near, d.result = notes[:n], last, near, x
}

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

// A Clock is the clock that the loop reads.
type Clock struct {
	Name string  // TSC, CNTVCT or CLOCK_MONOTONIC
	Tick float64 // in seconds, on average
	read func() uint64
}

// calibrated returns the clock of a processor's counter, with its tick by
// CLOCK_MONOTONIC over a tenth of a second. Each end is the closest of some readings of
// both, so that the tick is correct to about a millionth.
func calibrated(name string, read func() uint64) Clock {
	t0, c0 := together(read)
	time.Sleep(100 * time.Millisecond)
	t1, c1 := together(read)
	return Clock{name, t1.Sub(t0).Seconds() / float64(c1-c0), read}
}

// together returns readings of both clocks at the same time.
func together(read func() uint64) (t time.Time, c uint64) {
	closest := ^uint64(0)
	for range 100 {
		before := read()
		now := time.Now()
		if after := read(); after-before < closest {
			closest, t, c = after-before, now, before+(after-before)/2
		}
	}
	return t, c
}
