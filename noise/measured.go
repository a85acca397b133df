package noise

import (
	"math"
	"slices"
)

// mostPoints bounds the number of points of measured quantiles.
const mostPoints = 64

// Measured returns the quantiles of ascending values, each seen as often as counts says, or once
// if counts is nil. It has as few points as keep the straight lines between them within a share of
// every value, or of a tenth of their mean where values are below it; or within more if that takes
// more than 64 points. Jumps have a point on each
// side, so that as many values exceed each as were measured; the longest value keeps its share. The
// points are scaled to have the mean of the values.
func Measured(values, counts []float64, within float64) Empirical {
	if counts == nil {
		counts = slices.Repeat([]float64{1}, len(values))
	}
	total, sum := 0.0, 0.0
	for i, v := range values {
		total += counts[i]
		sum += v * counts[i]
	}
	curve := steps(values, counts, total)
	e := Empirical{}
	for {
		e.Points = simplify(curve, within, sum/total/10, nil)
		if len(e.Points) < mostPoints {
			break
		}
		within *= 1.25
	}
	e.Points = append(e.Points, curve[len(curve)-1])
	scale := sum / total / e.Mean()
	for i := range e.Points {
		e.Points[i].Length *= scale
	}
	return e
}

// steps returns a point just after the beginning of the share of each value and one just before
// its end.
func steps(values, counts []float64, total float64) []Quantile {
	curve := []Quantile{{Share: 0, Length: values[0]}}
	add := func(share, length float64) {
		if last := curve[len(curve)-1]; share > last.Share && share < 1 {
			curve = append(curve, Quantile{Share: share, Length: length})
		}
	}
	before := 0.0
	for i := 0; i < len(values); {
		here, j := 0.0, i
		for ; j < len(values) && values[j] == values[i]; j++ {
			here += counts[j]
		}
		edge := 1e-3 * here
		add((before+edge)/total, values[i])
		add((before+here-edge)/total, values[i])
		before += here
		i = j
	}
	return append(curve, Quantile{Share: 1, Length: values[len(values)-1]})
}

// simplify appends the first point of the curve to points, and those between it and
// the last that keep straight lines within the tolerance of the curve, relative to its lengths
// or to least where they are below it (Ramer, Douglas and Peucker).
func simplify(curve []Quantile, tolerance, least float64, points []Quantile) []Quantile {
	a, b := curve[0], curve[len(curve)-1]
	slope := (b.Length - a.Length) / (b.Share - a.Share)
	worst, at := 0.0, 0
	for i, q := range curve[1 : len(curve)-1] {
		off := math.Abs(a.Length+slope*(q.Share-a.Share)-q.Length) / max(q.Length, least)
		if off > worst {
			worst, at = off, i+1
		}
	}
	if worst <= tolerance {
		return append(points, a)
	}
	points = simplify(curve[:at+1], tolerance, least, points)
	return simplify(curve[at:], tolerance, least, points)
}
