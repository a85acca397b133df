package measure

import "time"

// A Clock is what the loop reads.
type Clock struct {
	Name string  // TSC, CNTVCT or CLOCK_MONOTONIC
	Tick float64 // in seconds, on average
	read func() uint64
}

// calibrated returns a processor's counter with the tick that CLOCK_MONOTONIC gives
// it over a tenth of a second. Each end is the closest of some readings of both,
// so that the tick is right to about a millionth.
func calibrated(name string, read func() uint64) Clock {
	t0, c0 := together(read)
	time.Sleep(100 * time.Millisecond)
	t1, c1 := together(read)
	return Clock{name, t1.Sub(t0).Seconds() / float64(c1-c0), read}
}

// together reads both clocks at one moment.
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
