package measured

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
