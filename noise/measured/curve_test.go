package measured

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/tests"
	"jitterfly/noise/measured/formats"
)

// curve returns points of sizes and microseconds in turn.
func curve(sizeTime ...float64) []formats.Point {
	var p []formats.Point
	for i := 0; i < len(sizeTime); i += 2 {
		p = append(p, formats.Point{Size: sizeTime[i], Seconds: sizeTime[i+1] / 1e6})
	}
	return p
}

// The root mean square of the residuals is at most the largest, whatever was measured.
func TestFitOfAnyCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) formats.Point {
			return formats.Point{
				Size:    float64(rapid.IntRange(0, 1<<20).Draw(t, "size")),
				Seconds: rapid.Float64Range(0, 1).Draw(t, "seconds"),
			}
		}), 0, 20).Draw(t, "points")
		fit, _ := FitCurve(points)
		for _, s := range fit {
			if !(s.RMS >= 0 && s.RMS <= s.Largest+1e-12) {
				t.Errorf("the fit of %v is %v", points, fit)
			}
		}
	})
}

// The α and β of each protocol, and the switch between them, are those with which
// the points were made.
func TestFitRecoversSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alpha := rapid.Float64Range(0.5e-6, 30e-6).Draw(t, "alpha")
		segments := rapid.IntRange(1, 3).Draw(t, "segments")
		var want []CurveSegment
		var points []formats.Point
		at, size := 0.0, 0.0
		for i := range segments {
			n := rapid.IntRange(4, 9).Draw(t, "points")
			s := CurveSegment{From: size, Alpha: alpha}
			last := size
			for range n {
				last = size
				size = max(1, 2*size)
			}
			s.To = last
			// A jump of 1.5 to 4 begins each but the first; the share of β at the
			// end of a segment is large enough to be seen in it.
			share := rapid.Float64Range(0.2, 20).Draw(t, "share")
			if i > 0 {
				at *= rapid.Float64Range(1.5, 4).Draw(t, "jump")
				if before := want[i-1].Seconds(s.From); math.Abs(at-before) < 0.05*before {
					t.Skip("the first point is on the line of the segment before")
				}
				s.Alpha = at / (1 + share*s.From/s.To)
			}
			s.Beta = s.Alpha * share / s.To
			for x, k := s.From, 0; k < n; x, k = max(1, 2*x), k+1 {
				at = s.Alpha + s.Beta*x
				points = append(points, formats.Point{Size: x, Seconds: at})
			}
			want = append(want, s)
		}
		got := tests.Must(FitCurve(points))(t)
		far := func(s CurveSegment) bool { return s.Largest > 0.1 }
		if len(got) > len(want) || slices.ContainsFunc(got, far) {
			t.Fatalf("%d segments made, fitted %+v", len(want), got)
		}
		if len(got) < len(want) {
			return // what is left is below what counts
		}
		for i, s := range got {
			w := want[i]
			if s.From != w.From || s.To != w.To ||
				math.Abs(s.Alpha-w.Alpha) > 1e-9*w.Alpha || math.Abs(s.Beta-w.Beta) > 1e-9*w.Beta ||
				s.Largest > 1e-9 || s.RMS > s.Largest {
				t.Errorf("segment %d is %+v, want %+v", i, s, w)
			}
		}
	})
}

// A real curve of two protocols falls before it rises: 8.7 µs at 0 bytes.
func TestFitOfACurveThatFalls(t *testing.T) {
	points := curve(0, 8.7, 1, 2.5, 2, 2.5, 4, 2.5, 8, 2.5, 16, 2.5, 32, 2.5, 64, 2.55, 128, 2.6,
		256, 2.6, 512, 2.6, 1024, 2.6,
		2048, 6, 4096, 7, 8192, 9, 16384, 13, 32768, 21, 65536, 37)
	fit := tests.Must(FitCurve(points))(t)
	last := fit[len(fit)-1]
	// 5 µs and a microsecond for each 2048 bytes.
	if last.From != 2048 || last.To != 65536 || math.Abs(last.Alpha-5e-6) > 1e-12 ||
		math.Abs(last.Beta-1e-6/2048) > 1e-16 {
		t.Errorf("the last segment is %+v", last)
	}
	for _, s := range fit {
		if s.Alpha < 0 || s.Beta < 0 {
			t.Errorf("a segment is %+v", s)
		}
	}
	// A single size that is off cannot have a segment of its own; it changes α
	// little, and shows in the largest residual: 1 − 2.58 / 8.7.
	first := fit[0]
	if len(fit) != 2 || first.To != 1024 || math.Abs(first.Alpha-2.58e-6) > 0.01e-6 ||
		math.Abs(first.Largest-0.703) > 0.001 {
		t.Errorf("the first segment is %+v", first)
	}
	if a, b := fit.At(1500).Seconds(1500), fit.At(2048).Seconds(2048); a > 3e-6 ||
		math.Abs(b-6e-6) > 1e-12 {
		t.Errorf("1500 bytes take %g s, 2048 bytes %g s", a, b)
	}
}

// No line with positive parameters fits better, whatever the points.
func TestLineIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		var x, y []float64
		for i := range n {
			x = append(x, float64(i)*rapid.Float64Range(1, 1000).Draw(t, "step"))
			y = append(y, rapid.Float64Range(1e-6, 1e-3).Draw(t, "t"))
		}
		slices.Sort(x)
		segment := segmentOf(x, y)
		alpha, beta, best := segment.Alpha, segment.Beta, float64(n)*segment.RMS*segment.RMS
		if alpha < 0 || beta < 0 {
			t.Fatalf("α %g, β %g", alpha, beta)
		}
		var m moments
		for i := range x {
			m.add(x[i], y[i])
		}
		if _, _, cost := m.best(); math.Abs(cost-best) > 1e-9*(1+best) {
			t.Errorf("the residual is %g, the cost %g", best, cost)
		}
		for range 20 {
			a := alpha*rapid.Float64Range(0, 2).Draw(t, "a") + rapid.Float64Range(0, 1e-6).Draw(t,
				"da")
			b := beta*rapid.Float64Range(0, 2).Draw(t, "b") + rapid.Float64Range(0, 1e-9).Draw(t,
				"db")
			other := 0.0
			for i := range x {
				r := (a+b*x[i])/y[i] - 1
				other += r * r
			}
			if other < best*(1-1e-9)-1e-12 {
				t.Errorf("α %g, β %g leaves %g, and α %g, β %g leaves %g", alpha, beta, best, a, b,
					other)
			}
		}
	})
}

// Cuts that are chosen leave no more than any others of the same number.
func TestCutsAreTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(6, 10).Draw(t, "n")
		var x, y []float64
		for i := range n {
			x = append(x, float64(int(1)<<i))
			y = append(y, rapid.Float64Range(1e-6, 1e-4).Draw(t, "t"))
		}
		cost := costs(x, y)
		cuts := choose(n, cost)
		left := 0.0
		for i := range len(cuts) - 1 {
			left += cost(cuts[i], cuts[i+1])
		}
		if len(cuts) == 3 {
			for i := leastPoints; i <= n-leastPoints; i++ {
				if other := cost(0, i) + cost(i, n); other < left-1e-12 {
					t.Errorf("the cuts %v leave %g, and %d leaves %g", cuts, left, i, other)
				}
			}
		}
	})
}

func TestFitRefuses(t *testing.T) {
	var many []formats.Point
	for i := range MaxFit + 1 {
		many = append(many, formats.Point{Size: float64(i), Seconds: 1})
	}
	for _, test := range []struct {
		points []formats.Point
		err    string
	}{
		{nil, "a fit of α and β needs two sizes, the curve has 0; measure more"},
		{curve(8, 1, 8, 2), "a fit of α and β needs two sizes, the curve has 1; measure more"},
		{curve(8, 1, 9, 0), "9 bytes take 0 s, which no measurement gives"},
		{curve(8, 1, 9, math.NaN()), "9 bytes take NaN s, which no measurement gives"},
		{many, fmt.Sprintf(
			"a fit takes at most %d sizes, the curve has %d; leave some out", MaxFit, MaxFit+1)},
	} {
		tests.Fails(t, "^"+test.err+"$")(FitCurve(test.points))
	}
	// Two sizes are a line, and points of one size their mean.
	fit, err := FitCurve(curve(8, 1, 8, 3, 16, 4))
	if err != nil || len(fit) != 1 || math.Abs(fit.At(8).Seconds(8)-2e-6) > 1e-18 ||
		math.Abs(fit.At(24).Seconds(24)-6e-6) > 1e-17 {
		t.Errorf("%+v, %v", fit, err)
	}
}
