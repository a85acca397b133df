package noise

import "jitterfly/internal/rng"

// Arrivals are detours at the moments of a Poisson process, Interval apart on
// average, of lengths drawn for each.
type Arrivals struct {
	Interval float64
	Lengths  Length
}

// Rate implements [Source].
func (a Arrivals) Rate() float64 { return 1 / a.Interval }

// Length implements [Source].
func (a Arrivals) Length() Length { return a.Lengths }

func (a Arrivals) settled() bool { return false }

func (a Arrivals) process(int) process { return arriving{a} }

// arriving remembers nothing, as a Poisson process does.
type arriving struct{ Arrivals }

func (arriving) draw(float64, Launch) {}

// window lays the windows of all ranks end to end and walks over them by
// exponential gaps.
func (a arriving) window(stream rng.Stream, lo, n int, from, to float64, add func(rank int, start, length float64)) {
	width := to - from
	for at := 0.0; ; {
		at += float64(stream.ExpFloat64() * a.Interval)
		rank := at / width
		if !(rank < float64(n)) {
			return
		}
		i := int(rank)
		start := min(max(0, at-float64(float64(i)*width)), width)
		add(lo+i, from+start, draw(a.Lengths, stream))
	}
}

var _ Source = Arrivals{}
