package noise

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// A Distribution is how long noise lasts [s].
type Distribution interface {
	// Quantile returns the length that a share p of all does not exceed, 0 ≤ p ≤ 1: at 1 the
	// largest, +Inf if unbounded.
	Quantile(p float64) float64
	// Mean returns the expected length.
	Mean() float64
	// Excess returns E[max(0, L − h)], by how much lengths exceed h ≥ 0 on average.
	Excess(h float64) float64
	// squaredExcess returns E[max(0, L − h)²], h ≥ 0; +Inf if the variance is infinite.
	squaredExcess(h float64) float64
}

// A Length is a distribution with parameters. It is drawn by its quantile function.
type Length interface {
	Distribution
	// Scaled returns the distribution of the lengths times a factor above 0, which has the quantiles
	// times the factor.
	Scaled(factor float64) Length
	// residual returns what is left of a detour [s] at a random moment during it, drawn by two
	// independent numbers that are uniform in [0, 1): its density at x is
	// P(L > x)/E[L]. It is a share u of a length that is drawn, by v, in proportion to
	// length, as a random moment is in long detours more often than in short ones.
	residual(u, v float64) float64
	// Check returns an error if a parameter is out of range.
	Check() error
}

// Constant is a length that is always the same.
type Constant float64

// Quantile implements [Distribution].
func (c Constant) Quantile(float64) float64 { return float64(c) }

// Mean implements [Distribution].
func (c Constant) Mean() float64 { return float64(c) }

// Excess implements [Distribution].
func (c Constant) Excess(h float64) float64 { return max(0, float64(c)-h) }

func (c Constant) squaredExcess(h float64) float64 { return c.Excess(h) * c.Excess(h) }

// Scaled implements [Length].
func (c Constant) Scaled(factor float64) Length { return Constant(factor * float64(c)) }

func (c Constant) residual(u, _ float64) float64 { return u * float64(c) }

// Check implements [Length].
func (c Constant) Check() error { return Positive("a length", float64(c)) }

// Exponential lengths have no memory; Average is their mean [s].
type Exponential struct{ Average float64 }

// Quantile implements [Distribution].
func (e Exponential) Quantile(p float64) float64 { return -e.Average * math.Log1p(-p) }

// Mean implements [Distribution].
func (e Exponential) Mean() float64 { return e.Average }

// Excess implements [Distribution].
func (e Exponential) Excess(h float64) float64 { return e.Average * math.Exp(-h/e.Average) }

func (e Exponential) squaredExcess(h float64) float64 { return 2 * e.Average * e.Excess(h) }

// Scaled implements [Length].
func (e Exponential) Scaled(factor float64) Length { return Exponential{factor * e.Average} }

func (e Exponential) residual(u, _ float64) float64 { return e.Quantile(u) }

// Check implements [Length].
func (e Exponential) Check() error {
	return Positive("the mean of an exponential length", e.Average)
}

// Pareto lengths exceed x ≥ Least [s] with probability (Least/x)^Shape: their tail is heavy.
type Pareto struct{ Least, Shape float64 }

// Quantile implements [Distribution].
func (d Pareto) Quantile(p float64) float64 { return d.Least * math.Pow(1-p, -1/d.Shape) }

// Mean implements [Distribution].
func (d Pareto) Mean() float64 { return d.Least * d.Shape / (d.Shape - 1) }

// Excess implements [Distribution].
func (d Pareto) Excess(h float64) float64 {
	if h < d.Least {
		return d.Mean() - h
	}
	return h / (d.Shape - 1) * math.Pow(d.Least/h, d.Shape)
}

func (d Pareto) squaredExcess(h float64) float64 {
	if d.Shape <= 2 {
		return math.Inf(1)
	}
	if h < d.Least {
		beyond := d.squaredExcess(d.Least)
		return beyond + float64((d.Least-h)*(d.Excess(d.Least)+d.Excess(h)))
	}
	return 2 * h / (d.Shape - 2) * d.Excess(h)
}

// Scaled implements [Length].
func (d Pareto) Scaled(factor float64) Length { return Pareto{factor * d.Least, d.Shape} }

func (d Pareto) residual(u, v float64) float64 {
	return u * Pareto{d.Least, d.Shape - 1}.Quantile(v)
}

// Check implements [Length].
func (d Pareto) Check() error {
	if !(d.Shape > 1 && d.Shape <= math.MaxFloat64) {
		return fmt.Errorf("a Pareto length of shape %g has no mean; the shape must exceed 1", d.Shape)
	}
	return Positive("the least Pareto length", d.Least)
}

// Lognormal lengths have a logarithm that is normal, with standard deviation Sigma around the
// logarithm of Median [s].
type Lognormal struct{ Median, Sigma float64 }

// Quantile implements [Distribution].
func (d Lognormal) Quantile(p float64) float64 {
	if d.Sigma == 0 {
		return d.Median
	}
	return d.Median * math.Exp(d.Sigma*math.Sqrt2*math.Erfinv(2*p-1))
}

// Mean implements [Distribution].
func (d Lognormal) Mean() float64 { return d.Median * math.Exp(d.Sigma*d.Sigma/2) }

// Excess implements [Distribution].
func (d Lognormal) Excess(h float64) float64 {
	if d.Sigma == 0 {
		return max(0, d.Median-h)
	}
	z := math.Log(d.Median/h) / d.Sigma
	return max(0, float64(d.Mean()*normal(z+d.Sigma))-float64(h*normal(z)))
}

func (d Lognormal) squaredExcess(h float64) float64 {
	if d.Sigma == 0 {
		return Constant(d.Median).squaredExcess(h)
	}
	z := math.Log(d.Median/h) / d.Sigma
	square := d.Mean() * d.Mean() * math.Exp(d.Sigma*d.Sigma)
	once := float64(square*normal(z+2*d.Sigma)) - float64(h*d.Mean()*normal(z+d.Sigma))
	return max(0, once-float64(h*d.Excess(h)))
}

// normal returns the share of a standard normal distribution below x.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// Scaled implements [Length].
func (d Lognormal) Scaled(factor float64) Length { return Lognormal{factor * d.Median, d.Sigma} }

func (d Lognormal) residual(u, v float64) float64 {
	return u * Lognormal{d.Median * math.Exp(d.Sigma*d.Sigma), d.Sigma}.Quantile(v)
}

// Check implements [Length].
func (d Lognormal) Check() error {
	if !(d.Sigma >= 0 && d.Sigma <= 10) {
		return fmt.Errorf("the sigma of a lognormal length is %g, which must be from 0 to 10", d.Sigma)
	}
	return Positive("the median of a lognormal length", d.Median)
}

// Empirical lengths have measured quantiles, and straight lines between them: a share
// Points[i].Share does not exceed Points[i].Length. The shares ascend from 0 to 1, the lengths
// do not descend.
type Empirical struct{ Points []Quantile }

// A Quantile is a length [s] that a share of all does not exceed.
type Quantile struct{ Share, Length float64 }

// Quantile implements [Distribution].
func (e Empirical) Quantile(p float64) float64 {
	i := sort.Search(len(e.Points)-1, func(i int) bool { return e.Points[i+1].Share > p })
	if i == len(e.Points)-1 {
		return e.Points[i].Length
	}
	return between(e.Points[i], e.Points[i+1], p)
}

// between returns the length at a share between the shares of two quantiles.
func between(a, b Quantile, p float64) float64 {
	return a.Length + float64((b.Length-a.Length)*((p-a.Share)/(b.Share-a.Share)))
}

// Mean implements [Distribution].
func (e Empirical) Mean() float64 { return e.Excess(0) }

// Excess implements [Distribution].
func (e Empirical) Excess(h float64) float64 {
	sum := 0.0
	for i, b := range e.Points[1:] {
		a, share := e.Points[i], b.Share-e.Points[i].Share
		switch {
		case h <= a.Length:
			sum += float64(share * ((a.Length+b.Length)/2 - h))
		case h < b.Length:
			above := b.Length - h
			sum += share * above * above / (2 * (b.Length - a.Length))
		}
	}
	return sum
}

func (e Empirical) squaredExcess(h float64) float64 {
	sum := 0.0
	for i, b := range e.Points[1:] {
		a, share := e.Points[i], b.Share-e.Points[i].Share
		low, high := a.Length-h, b.Length-h
		switch {
		case low >= 0:
			sum += share * (float64(low*low) + float64(low*high) + float64(high*high)) / 3
		case high > 0:
			sum += share * high * high * high / (3 * (high - low))
		}
	}
	return sum
}

// Scaled implements [Length].
func (e Empirical) Scaled(factor float64) Length {
	points := slices.Clone(e.Points)
	for i := range points {
		points[i].Length *= factor
	}
	return Empirical{points}
}

func (e Empirical) residual(u, v float64) float64 {
	left := v * e.Mean()
	for i, b := range e.Points[1:] {
		a := e.Points[i]
		part := (b.Share - a.Share) * (a.Length + b.Length) / 2
		if left < part {
			squares := float64(b.Length*b.Length) - float64(a.Length*a.Length)
			return u * math.Sqrt(float64(a.Length*a.Length)+float64(squares*(left/part)))
		}
		left -= part
	}
	return u * e.Quantile(1)
}

// Check implements [Length].
func (e Empirical) Check() error {
	if n := len(e.Points); n < 2 || e.Points[0].Share != 0 || e.Points[n-1].Share != 1 {
		return fmt.Errorf("measured quantiles must go from a share of 0 to one of 1")
	}
	for i, b := range e.Points[1:] {
		if a := e.Points[i]; !(a.Share < b.Share && a.Length <= b.Length) {
			return fmt.Errorf("measured quantiles must be in ascending order, each share once")
		}
	}
	if e.Points[0].Length < 0 {
		return fmt.Errorf("a measured quantile is %g s", e.Points[0].Length)
	}
	return Positive("the longest measured length", e.Points[len(e.Points)-1].Length)
}

// longest returns the largest length, or if unbounded one that few exceed.
func longest(l Distribution) float64 {
	if most := l.Quantile(1); !math.IsInf(most, 1) {
		return most
	}
	return l.Quantile(0.99)
}

// Positive returns an error that names a time [s] unless it is finite and more than 0.
func Positive(what string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return fmt.Errorf("%s is %g s, which must exceed 0", what, x)
	}
	return nil
}

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

// A table is a quantile function that is looked up. A part of the shares between whose ends there are no
// measured quantiles is a straight line. The others are looked up in smaller parts, which have the first
// piece between measured quantiles that they meet.
type table struct {
	Length
	constant bool
	lines    vector.Lines
	pieces   []piece // none if the lengths are not measured
	first    [smallerParts * len(vector.Lines{})]int32
}

// smallerParts is how many smaller parts a part has.
const smallerParts = 16

// A piece is a straight line between two measured quantiles.
type piece struct{ share, length, shares, lengths float64 } // of the first, and to the next

func tabulate(length Length) table {
	t := table{Length: length}
	_, t.constant = length.(Constant)
	var points []Quantile
	if measured, ok := length.(Empirical); ok {
		points = measured.Points
	}
	for i, b := range points[min(1, len(points)):] {
		a := points[i]
		t.pieces = append(t.pieces, piece{a.Share, a.Length, b.Share - a.Share, b.Length - a.Length})
	}
	n := len(t.lines)
	for i := range t.lines {
		from, to := float64(i)/float64(n), float64(i+1)/float64(n)
		inside := func(q Quantile) bool { return from < q.Share && q.Share < to }
		if points == nil || slices.ContainsFunc(points, inside) {
			t.lines[i].At = math.NaN()
			continue
		}
		middle := (from + to) / 2
		low, high := length.Quantile(from), length.Quantile(middle)
		slope := (high - low) / (middle - from)
		t.lines[i] = vector.Line{At: low - float64(slope*from), Slope: slope}
	}
	for i, k := 0, 0; i < len(t.first); i++ {
		for k+1 < len(t.pieces) && t.pieces[k+1].share <= float64(i)/float64(len(t.first)) {
			k++
		}
		t.first[i] = int32(k)
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
	if t.pieces == nil {
		return t.Quantile(p)
	}
	i := int(t.first[uint(p*float64(len(t.first)))%uint(len(t.first))])
	for i+1 < len(t.pieces) && t.pieces[i+1].share <= p {
		i++
	}
	x := &t.pieces[i]
	return x.length + float64(x.lengths*((p-x.share)/x.shares))
}

// draw draws the lengths of detours, as [draw] does.
func (t *table) draw(stream rng.Stream, all []drawn) {
	for i := range all {
		all[i].length = t.share(stream)
	}
	t.lengthen(all)
}

// share draws the share that a length is to be the quantile of.
func (t *table) share(stream rng.Stream) float64 {
	if t.constant {
		return 0
	}
	return stream.Uniform()
}

// lengthen replaces shares by their lengths.
func (t *table) lengthen(all []drawn) {
	for i := range all {
		all[i].length = t.quantile(all[i].length)
	}
}

// draw draws a length [s]. A constant one takes no random number.
func draw(length Length, stream rng.Stream) float64 {
	if c, ok := length.(Constant); ok {
		return float64(c)
	}
	return length.Quantile(stream.Uniform())
}
