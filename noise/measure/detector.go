package measure

// A detector watches one core: it reads a clock again and again, and notes where
// more time passes between two readings than its loop takes. All its times are
// in ticks of the clock.
//
// Its methods run where nothing of Go's runtime may be called, see [alone]: they
// allocate nothing, call nothing but the clock, and neither grow the stack nor
// are instrumented.
type detector struct {
	clock func() uint64
	work  uint64 // steps of work between two readings

	least     int64 // the loop's own time
	step      int64 // the least that the clock was seen to advance
	threshold int64 // the shortest length that is noted

	begin, end uint64
	stop       *uint32 // not 0: end now
	notes      []note  // what was found, of the room that there is

	last   uint64 // reading; begin, if nothing was watched
	near   int64  // time lost in lengths between half the threshold and it
	result uint64 // of the work, so that it is done
}

// A note is a detour in ticks.
type note struct {
	start  uint64
	length int64
}

// toil does the work: products that each need the one before, so that its time
// does not depend on what else the core could do at once.
func toil(x, steps uint64) uint64 {
	for ; steps > 0; steps-- {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// calibrate runs the loop until the clock is at end, for its own time and for
// the clock's step.
//
//go:nosplit
//go:norace
func (d *detector) calibrate(end uint64) {
	least, step := int64(1)<<62, int64(1)<<62
	x := d.result
	for last := d.clock(); last < end; {
		x = toil(x, d.work)
		now := d.clock()
		gap := int64(now - last)
		least = min(least, gap)
		if gap > 0 {
			step = min(step, gap)
		}
		last = now
	}
	d.least, d.step, d.result = least, step, x
}

// watch waits for begin and then notes detours until end, until it is told to
// stop, or until there is no more room. The length of a detour is the time
// between two readings less the loop's own. A core that is not there at begin
// has a detour from begin on.
//
//go:nosplit
//go:norace
func (d *detector) watch() {
	clock, notes, work := d.clock, d.notes[:cap(d.notes)], d.work
	least, threshold, half := d.least, d.threshold, (d.threshold+1)/2
	x, n, near := d.result, 0, int64(0)
	for now := clock(); now < d.begin; now = clock() {
		x = toil(x, 0)
	}
	last := d.begin
	// Calling the clock, which the compiler cannot see into, has stop read anew
	// each time.
	for last < d.end && n < len(notes) && *d.stop == 0 {
		x = toil(x, work)
		now := clock()
		if length := int64(now-last) - least; length >= half {
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
