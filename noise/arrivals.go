package noise

import (
	"math"

	"jitterfly/internal/rng"
)

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

// processes implements [Source]. The long lengths are a process of their own, if that takes
// fewer detours before a random launch, as only of those it matters what began long before.
func (a Arrivals) processes(int) []process {
	lengths := newDrawn(a.Lengths)
	part := func(from, to float64) *arriving {
		return &arriving{a.Interval / (to - from), lengths, from, to - from}
	}
	all := part(0, 1)
	parts, fewest := []process{all}, all.before()/2
	for _, share := range []float64{0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999} {
		short, long := part(0, share), part(share, 1)
		if n := short.before() + long.before(); n < fewest {
			parts, fewest = []process{short, long}, n
		}
	}
	return parts
}

// arriving is those arrivals whose lengths are the quantiles of shares between two. It has no
// state, since a Poisson process has no memory.
type arriving struct {
	interval    float64 // [s]
	lengths     *drawn
	from, width float64 // of the shares
}

// before returns how many detours of a phase begin before a random launch on average.
func (a *arriving) before() float64 { return a.lead() / a.interval }

func (a *arriving) lead() float64 {
	return 2 * a.lengths.Quantile(a.from+float64((1-rarelyLonger)*a.width))
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
		add(of.lo+i, start, a.lengths.draw(stream, a.from, a.width))
	}
}

var _ Source = Arrivals{}
