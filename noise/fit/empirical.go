package fit

import (
	"math"

	"jitterfly/noise"
)

// mostPoints bounds the number of points of measured quantiles.
const mostPoints = 64

// empirical returns the quantiles of ascending lengths, with as few points as keep
// the straight lines between them within 2% of every length, or within more if
// that takes more than [mostPoints]. They are scaled to have the mean of the
// lengths.
func empirical(lengths []float64) noise.Empirical {
	counts := make([]float64, len(lengths))
	for i := range counts {
		counts[i] = 1
	}
	return quantiles(lengths, counts)
}

// quantiles returns the same of ascending values with the number of times that each
// was seen.
func quantiles(values, counts []float64) noise.Empirical {
	curve := quantileCurve(values, counts)
	e := noise.Empirical{}
	for tolerance := 0.02; ; tolerance *= 1.5 {
		e.Points = simplify(curve, tolerance, nil)
		if len(e.Points) < mostPoints {
			break
		}
	}
	e.Points = append(e.Points, curve[len(curve)-1])
	total, weight := 0.0, 0.0
	for i, v := range values {
		total += v * counts[i]
		weight += counts[i]
	}
	scale := total / weight / e.Mean()
	for i := range e.Points {
		e.Points[i].Length *= scale
	}
	return e
}

// quantileCurve returns a point in the middle of the share of each value, and both
// ends. A value of more than a thousandth has a point at the beginning of its share
// and one at the end.
func quantileCurve(values, counts []float64) []noise.Quantile {
	total := sum(counts)
	curve := []noise.Quantile{{Share: 0, Length: values[0]}}
	add := func(share, length float64) {
		if last := curve[len(curve)-1]; share > last.Share && share < 1 {
			curve = append(curve, noise.Quantile{Share: share, Length: length})
		}
	}
	before := 0.0
	for i := 0; i < len(values); {
		here := 0.0
		j := i
		for ; j < len(values) && values[j] == values[i]; j++ {
			here += counts[j]
		}
		if here/total > 1e-3 {
			edge := 1e-3 * here
			add((before+edge)/total, values[i])
			add((before+here-edge)/total, values[i])
		} else {
			add((before+here/2)/total, values[i])
		}
		before += here
		i = j
	}
	return append(curve, noise.Quantile{Share: 1, Length: values[len(values)-1]})
}

// simplify appends the first point of the curve to points, and those between it and
// the last that keep straight lines within the relative tolerance of the curve
// (Ramer, Douglas and Peucker).
func simplify(curve []noise.Quantile, tolerance float64, points []noise.Quantile) []noise.Quantile {
	a, b := curve[0], curve[len(curve)-1]
	slope := (b.Length - a.Length) / (b.Share - a.Share)
	worst, at := 0.0, 0
	for i, q := range curve[1 : len(curve)-1] {
		if off := math.Abs(a.Length+slope*(q.Share-a.Share)-q.Length) / q.Length; off > worst {
			worst, at = off, i+1
		}
	}
	if worst <= tolerance {
		return append(points, a)
	}
	points = simplify(curve[:at+1], tolerance, points)
	return simplify(curve[at:], tolerance, points)
}
