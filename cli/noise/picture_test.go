package noise

import (
	"math"
	"strings"
	"testing"

	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/profile"
)

func TestPictureCountsEveryTime(t *testing.T) {
	seen := measured.Histogram{Values: []float64{0, 3e-6, 2e-6, 5e-6, 1.2e-3}, Counts: []float64{9, 1, 2, 4, 1}}
	p := newPicture("x", seen, once([]float64{4e-6}))
	want := map[float64][2]float64{2e-6: {3. / 8, 1}, 5e-6: {4. / 8, 0}, 1e-3: {1. / 8, 0}}
	sum := 0.0
	for _, b := range p.bins {
		sum += b.measured
		for from, w := range want {
			if math.Abs(b.from-from) < 1e-12 && (b.measured != w[0] || b.drawn != w[1]) {
				t.Errorf("the bin %+v, want shares %v", b, w)
			}
		}
	}
	if first, last := p.bins[0], p.bins[len(p.bins)-1]; math.Abs(first.from-2e-6) > 1e-12 ||
		math.Abs(last.to-2e-3) > 1e-9 || math.Abs(sum-1) > 1e-12 || !p.drawn {
		t.Errorf("%+v", p)
	}
	if p := newPicture("x", measured.Histogram{Values: []float64{0}, Counts: []float64{5}},
		measured.Histogram{}); len(p.bins) > 0 {
		t.Errorf("of no times: %+v", p)
	}
	wide := newPicture("x", once([]float64{1e-9, 1.5e-9, 1}), measured.Histogram{})
	if len(wide.bins) != mostBins || wide.bins[0].from > 1e-9 ||
		math.Abs(wide.bins[0].measured-2./3) > 1e-12 {
		t.Errorf("%d bins, the first %+v", len(wide.bins), wide.bins[0])
	}
}

func TestPictureText(t *testing.T) {
	p := picture{title: "Lengths", drawn: true,
		bins: []bin{{1e-6, 2e-6, 0.5, 0}, {2e-6, 5e-6, 1, 0.25}}}
	want := []string{
		"Lengths:", "", strings.Repeat(" ", 34) + "measured   profile",
		"      1 µs – 2 µs      ████▌           50%         –",
		"      2 µs – 5 µs      █████████      100%       25%", "",
	}
	if got := p.text(52); got != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for share, want := range map[float64]string{
		0: "", 1e-9: "▏", 0.5: "████", 0.53: "████▎", 1: "████████",
	} {
		if got := bar(share, 8); got != want {
			t.Errorf("a bar of %g is %q, want %q", share, got, want)
		}
	}
}

// What is drawn has the rate and the overhead of the profile, and its gaps.
func TestDrawTrace(t *testing.T) {
	p := profile.Profile{OS: []profile.Component{
		{Kind: profile.Periodic, Period: 1e-3, Duration: noise.Constant(2e-6)},
		{Kind: profile.Poisson, Interval: 10e-3, Duration: noise.Constant(50e-6)},
	}}
	like := noise.Trace{Cores: []noise.Core{{Span: 60}, {Span: 40}}}
	got := drawTrace(p, like)
	if o := got.Overhead(); got.Cores[0].Span < 99 || math.Abs(o/p.Overhead()-1) > 0.05 ||
		math.Abs(got.Rate()/p.Rate()-1) > 0.02 {
		t.Errorf("%g s with %g detours a second take %g", got.Cores[0].Span, got.Rate(), o)
	}
	if n := len(gaps(got)); n != len(got.Cores[0].Detours)-1 {
		t.Errorf("%d gaps of %d detours", n, len(got.Cores[0].Detours))
	}
	like.Cores[0].Span = 1e6
	if n := len(drawTrace(p, like).Cores[0].Detours); n > 2e5*1.01 {
		t.Errorf("%d detours", n)
	}
}

// TestPictureOfOneTime has times that binary fractions and logarithms round to others.
func TestPictureOfOneTime(t *testing.T) {
	for e := -9; e < 3; e++ {
		for _, times := range []float64{1, 2, 5} {
			end := times * math.Pow(10, float64(e))
			for _, time := range []float64{math.Nextafter(end, 0), end, end * (1 - 5e-16)} {
				p := newPicture("x", once([]float64{time}), measured.Histogram{})
				if len(p.bins) != 1 || p.bins[0].measured != 1 {
					t.Errorf("of %v: %+v", time, p.bins)
				}
			}
		}
	}
}
