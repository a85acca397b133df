package figures

import (
	"math"
	"math/bits"
	"strconv"

	"gonum.org/v1/plot"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

// A scale maps values to positions on an axis. Plots receive positions, so that they are
// linear for every scale.
type scale struct {
	at       func(value float64) float64
	low, top float64 // positions of the ends
	ticks    []plot.Tick
}

// share returns the position of a value from 0 at the low end to 1 at the top.
func (s *scale) share(value float64) float64 { return (s.at(value) - s.low) / (s.top - s.low) }

// identity is the mapping of linear scales.
func identity(v float64) float64 { return v }

// ratio is the ratio of the largest to the smallest value from which a scale is logarithmic.
const ratio = 8

// newScale returns a scale for values of a dimension: logarithmic if they are positive and
// the ratio of the largest to the smallest is large, else linear.
func newScale(d units.Dimension, whole bool, values []float64) scale {
	low, top := extent(values)
	switch {
	case low > 0 && top >= ratio*low && (whole || d == units.Size):
		return binary(d, low, top)
	case low > 0 && top >= ratio*low:
		return decimal(d, low, top)
	}
	return linear(d, low, top)
}

// extent returns the minimum and the maximum of the finite values, or 0 and 1 if no value is
// finite.
func extent(values []float64) (low, top float64) {
	low, top = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			low, top = min(low, v), max(top, v)
		}
	}
	if low > top {
		return 0, 1
	}
	return low, top
}

// finite reports whether a number is neither infinite nor NaN.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// mostTicks is the number of labels that have room on an axis.
const mostTicks = 9

// binary returns a logarithmic scale with ticks at powers of two.
func binary(d units.Dimension, low, top float64) scale {
	s := scale{at: math.Log2, low: math.Log2(low), top: math.Log2(top)}
	first, last := int(math.Ceil(s.low-1e-9)), int(math.Floor(s.top+1e-9))
	step := (last - first + mostTicks) / mostTicks
	for e := first; e <= last; e++ {
		label := units.Format(d, math.Ldexp(1, e), 6)
		switch {
		case (e-first)%step > 0:
			label = ""
		case d == units.Number && last > 12:
			label = units.PowerOfTwo(e)
		}
		s.ticks = append(s.ticks, plot.Tick{Value: float64(e), Label: label})
	}
	return s
}

// decimal returns a logarithmic scale with ticks at powers of ten, and at 2 and 5 times these
// if there are few.
func decimal(d units.Dimension, low, top float64) scale {
	s := scale{at: math.Log10, low: math.Log10(low), top: math.Log10(top)}
	decades := s.top - s.low
	every := max(1, int(math.Ceil(decades/(mostTicks-1))))
	for e := int(math.Floor(s.low)); e <= int(math.Ceil(s.top)); e++ {
		for m := 1; m < 10; m++ {
			value := float64(m) * math.Pow10(e)
			place := math.Log10(value)
			if place < s.low-1e-9 || place > s.top+1e-9 || m > 1 && decades > 6 {
				continue
			}
			label := ""
			if m == 1 && e%every == 0 || decades < 2.5 && (m == 2 || m == 5) {
				label = units.Format(d, value, 6)
			}
			s.ticks = append(s.ticks, plot.Tick{Value: place, Label: label})
		}
	}
	return s
}

// linear returns a linear scale with ticks at multiples of 1, 2 or 5 times a power of ten.
func linear(d units.Dimension, low, top float64) scale {
	if low == top {
		low, top = low-math.Abs(low)/10, top+math.Abs(top)/10
		if low == top {
			low, top = -1, 1
		}
	}
	s := scale{at: identity, low: low, top: top}
	step := math.Pow10(int(math.Ceil(math.Log10((top - low) / mostTicks))))
	for _, finer := range []float64{5, 2} {
		if (top-low)*finer/step <= mostTicks-1 {
			step /= finer
			break
		}
	}
	first, last := math.Ceil(low/step-1e-9), math.Floor(top/step+1e-9)
	for n := range mostTicks + 1 {
		if value := (first+float64(n))*step + 0; first+float64(n) <= last { // + 0: not −0
			s.ticks = append(s.ticks, plot.Tick{Value: value, Label: units.Format(d, value, 6)})
		}
	}
	return s
}

// whole returns a linear scale with ticks at whole numbers, which are multiples of a power of
// two: at most one more than most.
func whole(low, top, most float64) scale {
	s := scale{at: identity, low: low, top: top}
	step := 1.0
	for top-low > most*step {
		step *= 2
	}
	for v := math.Ceil(low/step)*step + 0; v <= top; v += step {
		s.ticks = append(s.ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', 0, 64)})
	}
	if low == top {
		s.low, s.top = low-0.5, top+0.5
	}
	return s
}

// Labels returns short labels of values of an axis in their order: of powers of two, if some are large.
func Labels(a *study.Key, values []any) []string {
	labels := vector.Each(values, a.Format)
	if a.Dimension != units.Number || datasets.Number(values[len(values)-1]) <= 1<<12 {
		return labels
	}
	powers := make([]string, len(values))
	for i, v := range values {
		n, ok := v.(int64)
		if !ok || n < 1 || n&(n-1) != 0 {
			return labels
		}
		powers[i] = units.PowerOfTwo(bits.TrailingZeros64(uint64(n)))
	}
	return powers
}

// categories returns a scale on which the n-th value is at n, counted from 0.
func categories(a *study.Key, values []any) scale {
	s := scale{at: identity, low: -0.5, top: float64(len(values)) - 0.5}
	every := (len(values) + 19) / 20
	for i, label := range Labels(a, values) {
		if i%every > 0 {
			label = ""
		}
		s.ticks = append(s.ticks, plot.Tick{Value: float64(i), Label: label})
	}
	return s
}

// scaleOf returns a scale for values of an axis of the study, and the position of each value. Names
// are categories, and so are numbers with a zero that would need a logarithmic scale.
func scaleOf(a *study.Key, values []any) (s scale, places map[any]float64) {
	places = map[any]float64{}
	var numbers []float64
	for i, v := range values {
		places[v] = float64(i)
		numbers = append(numbers, datasets.Number(v))
	}
	last := numbers[len(numbers)-1]
	if math.IsNaN(last) || numbers[0] <= 0 && len(values) > 2 && last >= ratio*numbers[1] {
		return categories(a, values), places
	}
	s = newScale(a.Dimension, a.Whole, numbers)
	for i, v := range values {
		places[v] = s.at(numbers[i])
	}
	return s, places
}

// padded returns the scale extended by a share of its length at each end.
func (s scale) padded(share float64) scale {
	room := share * (s.top - s.low)
	s.low, s.top = s.low-room, s.top+room
	return s
}
