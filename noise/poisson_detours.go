package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// PoissonDetours are detours at the moments of a Poisson process, Interval [s] apart on average,
// each of a length of its own.
type PoissonDetours struct {
	Interval float64
	Lengths  Length
}

// Rate implements [Generator].
func (a PoissonDetours) Rate() float64 { return 1 / a.Interval }

// Length implements [Generator].
func (a PoissonDetours) Length() Distribution { return a.Lengths }

// Shortened implements [Generator].
func (a PoissonDetours) Shortened(factor float64) Generator {
	return PoissonDetours{a.Interval, a.Lengths.Scaled(factor)}
}

func (a PoissonDetours) process(int) process { return &arriving{a.Interval, newDrawn(a.Lengths)} }

// arriving has no state, since a Poisson process has no memory.
type arriving struct {
	interval float64 // [s]
	lengths  *drawn
}

func (*arriving) draw(float64, Start) {}

// window lays the windows of all phases end to end and walks over them by exponential gaps.
func (a *arriving) window(stream rng.Stream, of phases, from, to float64, add addDetour) {
	width, last := to-from, math.Nextafter(to, from)
	for at := 0.0; ; {
		at += float64(stream.ExpFloat64() * a.interval)
		phase := at / width
		if !(phase < float64(of.n)) {
			return
		}
		i := int(phase)
		start := min(from+max(0, at-float64(float64(i)*width)), last)
		add(of.lo+i, start, a.lengths.draw(stream))
	}
}

var _ Generator = PoissonDetours{}
