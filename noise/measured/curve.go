package measured

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/noise/measured/formats"
)

// A CurveSegment is a range of sizes of one protocol: a message of s bytes takes
// Alpha + Beta·s seconds.
type CurveSegment struct {
	From, To float64 // the smallest and the largest size, bytes
	Alpha    float64 // seconds
	Beta     float64 // seconds per byte
	// RMS and Largest are the root mean square and the maximum of the relative residuals.
	RMS, Largest float64
}

// A CurveFit is a latency curve in segments of ascending sizes.
type CurveFit []CurveSegment

// Constants of the choice of segments.
const (
	// MaxFit is the number of sizes that [FitCurve] takes at most.
	MaxFit = 1024
	// leastPoints is the least number of sizes in a segment, so that its two
	// parameters leave a residual.
	leastPoints = 3
	// maxSegments exceeds the number of protocols of any known library.
	maxSegments = 8
	// precision is the relative residual that rounding explains: tools print
	// microseconds with two digits after the point.
	precision = 0.005
)

// At returns the segment of messages of size bytes. A size between two segments belongs
// to the first of them.
func (f CurveFit) At(size float64) CurveSegment {
	at := f[0]
	for _, s := range f[1:] {
		if size >= s.From {
			at = s
		}
	}
	return at
}

// Seconds returns the time of a message of size bytes in the segment.
func (s CurveSegment) Seconds(size float64) float64 { return s.Alpha + s.Beta*size }

// FitCurve returns α and β of each protocol in a curve. They minimise the sum of the squares of the
// relative residuals, (α + β·s − t) / t, with neither negative: a curve that falls gets a β of 0.
//
// Of all ways to cut the n sizes into k segments of at least 3, FitCurve takes the cut
// with the least sum R, and of all k up to 8 the k that minimises
//
//	n·ln(R/n + 0.005²) + 3k·ln(n),
//
// which is the Bayesian information criterion (Schwarz 1978) with three parameters
// a segment, α, β and where it begins, and with residuals of half a percent as noise.
// A single outlier gets no segment, and appears in the largest residual. Points of the
// same size are averaged. It fails for fewer than two sizes, or more than [MaxFit].
func FitCurve(points []formats.Point) (CurveFit, error) {
	x, t, err := bySize(points)
	if err != nil {
		return nil, err
	}
	cuts := choose(len(x), costs(x, t))
	var f CurveFit
	for i, from := range cuts[:len(cuts)-1] {
		f = append(f, segmentOf(x[from:cuts[i+1]], t[from:cuts[i+1]]))
	}
	return f, nil
}

// bySize returns the sizes in ascending order, each once, and their times.
func bySize(points []formats.Point) (x, t []float64, err error) {
	for _, p := range formats.Pool([]formats.Curve{{Points: points}}).Points {
		if !(p.Seconds >= formats.LeastTrip && p.Seconds <= formats.MaxLength && p.Size >= 0 &&
			p.Size <= formats.MaxCount) {
			return nil, nil, fmt.Errorf("%g bytes take %g s, which no measurement gives", p.Size, p.Seconds)
		}
		x, t = append(x, p.Size), append(t, p.Seconds)
	}
	switch {
	case len(x) < 2:
		return nil, nil, fmt.Errorf("a fit of α and β needs two sizes, the curve has %d; measure more",
			len(x))
	case len(x) > MaxFit:
		return nil, nil, fmt.Errorf("a fit takes at most %d sizes, the curve has %d; leave some out", MaxFit,
			len(x))
	}
	return x, t, nil
}

// segmentOf returns the segment of points, which has the best α and β.
func segmentOf(x, t []float64) CurveSegment {
	var m moments
	for i := range x {
		m.add(x[i], t[i])
	}
	s, squares := CurveSegment{From: x[0], To: x[len(x)-1]}, 0.0
	s.Alpha, s.Beta, _ = m.best()
	for i := range x {
		r := math.Abs(s.Seconds(x[i])-t[i]) / t[i]
		squares += r * r
		s.Largest = max(s.Largest, r)
	}
	s.RMS = math.Sqrt(squares / float64(len(x)))
	return s
}

// moments are the moments of points with weights 1/t², about their means, so that they
// keep their precision when sizes are large.
type moments struct {
	w, x, t, xx, xt, tt float64
}

func (m *moments) add(x, t float64) {
	w := 1 / (t * t)
	m.w += w
	dx, dt := x-m.x, t-m.t
	m.x += dx * w / m.w
	m.t += dt * w / m.w
	m.xx += w * dx * (x - m.x)
	m.xt += w * dx * (t - m.t)
	m.tt += w * dt * (t - m.t)
}

// best returns the best line with neither parameter negative, and its sum of squares. With 1/t² as
// weights, that is the ordinary fit of a line; if this has a negative parameter, the best line has
// one that is zero.
func (m *moments) best() (alpha, beta, cost float64) {
	if m.xx > 0 {
		beta = m.xt / m.xx
	}
	if alpha = m.t - beta*m.x; alpha >= 0 && beta >= 0 {
		return alpha, beta, max(0, m.tt-beta*m.xt)
	}
	if around := m.xx + m.w*m.x*m.x; around > 0 { // the best β for α = 0
		slope := (m.xt + m.w*m.x*m.t) / around
		// Σw(t−bx)² = Σwt² − bΣwxt for the best b.
		steep := m.tt + m.w*m.t*m.t - slope*(m.xt+m.w*m.x*m.t)
		if slope > 0 && steep < m.tt {
			return 0, slope, max(0, steep)
		}
	}
	return m.t, 0, max(0, m.tt) // the best α for β = 0
}

// costs returns the function of the least sum of squares of a segment of the points
// from i up to but not including j.
func costs(x, t []float64) func(i, j int) float64 {
	n := len(x)
	c := make([]float64, n*(n+1))
	for i := range n {
		var m moments
		for j := i; j < n; j++ {
			m.add(x[j], t[j])
			_, _, c[i*(n+1)+j+1] = m.best()
		}
	}
	return func(i, j int) float64 { return c[i*(n+1)+j] }
}

// choose returns the indexes of the first points of the segments, and n.
func choose(n int, cost func(i, j int) float64) []int {
	least := min(n, leastPoints)
	// before[j] is the least sum of the first j points in k segments, left[j] in one more, and
	// from[k][j] is where the last of these begins.
	before := slices.Repeat([]float64{math.Inf(1)}, n+1)
	before[0] = 0
	var from [][]int
	best, segments, count := math.Inf(1), 0, float64(n)
	for k := range max(1, min(maxSegments, n/leastPoints)) {
		left := slices.Repeat([]float64{math.Inf(1)}, n+1)
		from = append(from, make([]int, n+1))
		for j := least; j <= n; j++ {
			for i := k * least; i <= j-least; i++ {
				if sum := before[i] + cost(i, j); sum < left[j] {
					left[j], from[k][j] = sum, i
				}
			}
		}
		score := count*math.Log(left[n]/count+precision*precision) + 3*float64(k+1)*math.Log(count)
		if score < best {
			best, segments = score, k
		}
		before = left
	}
	cuts := []int{n}
	for k := segments; k >= 0; k-- {
		cuts = append(cuts, from[k][cuts[len(cuts)-1]])
	}
	slices.Reverse(cuts)
	return cuts
}
