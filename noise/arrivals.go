package noise

import "jitterfly/internal/rng"

// Arrivals are detours at the moments of a Poisson process, Interval [s] apart on average,
// each of a length of its own.
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

// arriving has no state, since a Poisson process has no memory.
type arriving struct{ Arrivals }

func (arriving) draw(float64, Start) {}

// window lays the windows of all phases end to end and walks over them by exponential gaps.
func (a arriving) window(stream rng.Stream, of phases, from, to float64, add addDetour) {
	width := to - from
	for at := 0.0; ; {
		at += float64(stream.ExpFloat64() * a.Interval)
		phase := at / width
		if !(phase < float64(of.n)) {
			return
		}
		i := int(phase)
		start := min(max(0, at-float64(float64(i)*width)), width)
		add(of.lo+i, from+start, draw(a.Lengths, stream))
	}
}

var _ Source = Arrivals{}
