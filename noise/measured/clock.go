package measured

import "time"

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
