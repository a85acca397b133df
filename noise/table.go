package noise

import (
	"math"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// A table is a quantile function that is looked up. A part of the shares between whose ends there
// are no measured quantiles is a straight line. For the others it has the first pair of measured
// quantiles that they are between.
type table struct {
	Length
	lines  vector.Lines
	points []Quantile // none if the lengths are not measured
	first  [len(vector.Lines{})]int32
}

func tabulate(length Length) table {
	t := table{Length: length}
	if measured, ok := length.(Empirical); ok {
		t.points = measured.Points
	}
	n := len(t.lines)
	for i := range t.lines {
		from, to := float64(i)/float64(n), float64(i+1)/float64(n)
		inside := func(q Quantile) bool { return from < q.Share && q.Share < to }
		if t.points == nil || slices.ContainsFunc(t.points, inside) {
			t.lines[i].At = math.NaN()
		} else {
			middle := (from + to) / 2
			low, high := length.Quantile(from), length.Quantile(middle)
			slope := (high - low) / (middle - from)
			t.lines[i] = vector.Line{At: low - float64(slope*from), Slope: slope}
		}
		for k, q := range t.points {
			if q.Share <= from && k+1 < len(t.points) {
				t.first[i] = int32(k)
			}
		}
	}
	return t
}

// quantile returns what Quantile does, up to rounding. It is never negative.
func (t *table) quantile(p float64) float64 {
	if x, ok := t.lines.Of(p); ok {
		return x
	}
	return t.bent(p)
}

// bent returns Quantile of a share that is on no line.
func (t *table) bent(p float64) float64 {
	if t.points == nil {
		return t.Quantile(p)
	}
	i := int(t.first[uint8(p*float64(len(t.first)))])
	for i+2 < len(t.points) && t.points[i+1].Share <= p {
		i++
	}
	return between(t.points[i], t.points[i+1], p)
}

// drawn are lengths that are drawn often: a constant, or a table. A constant one takes no random
// number.
type drawn struct {
	constant float64 // [s]
	varies   bool
	table
}

func newDrawn(length Length) *drawn {
	if c, ok := length.(Constant); ok {
		return &drawn{constant: float64(c), table: table{Length: length}}
	}
	return &drawn{varies: true, table: tabulate(length)}
}

// draw draws a length [s].
func (d *drawn) draw(stream rng.Stream) float64 {
	if !d.varies {
		return d.constant
	}
	return d.quantile(stream.Uniform())
}

// draw draws a length [s]. A constant one takes no random number.
func draw(length Length, stream rng.Stream) float64 {
	if c, ok := length.(Constant); ok {
		return float64(c)
	}
	return length.Quantile(stream.Uniform())
}
