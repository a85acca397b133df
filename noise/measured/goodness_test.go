package measured

import (
	"math"
	"strings"
	"testing"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// Against exponential lengths, those of a component that is 30% longer have an
// overhead and a tail that are off by as much, and a distance that is known: where
// the densities meet, e^{−x/1.3} − e^{−x} = 0.0965, less what 5% of a length forgive.
func TestGoodness(t *testing.T) {
	const n = 100_000
	s := seen{lengths: sample(n, 1, noise.Exponential{Average: 4 * us}), span: 1000}
	off := func(by float64) *profile.Fit {
		p := profile.Profile{OS: []profile.Component{poissonOf(n/s.span, noise.Exponential{Average: 4 * us * by})}}
		return s.goodness(p, s.lengths)
	}
	if f := off(1); f.Verdict != profile.Good || f.Reason != "" || f.KS > 0.01 ||
		math.Abs(f.OverheadError) > 0.01 || math.Abs(f.P999Error) > 0.06 {
		t.Errorf("%+v", f)
	}
	f := off(1.3)
	if math.Abs(f.KS-0.080) > 0.005 || math.Abs(f.OverheadError-0.3) > 0.01 ||
		math.Abs(f.P999Error-0.3) > 0.08 {
		t.Errorf("%+v", f)
	}
	if f.Verdict != profile.ReplayIt || !strings.HasPrefix(f.Reason,
		"the lengths of the components are 0.08") {
		t.Errorf("%+v", f)
	}
	if f := off(1.1); !strings.HasPrefix(f.Reason, "the overhead of the components is off by 1") {
		t.Errorf("%+v", f)
	}
	rare := profile.Profile{OS: []profile.Component{poissonOf(n/s.span,
		noise.Exponential{Average: 4 * us}), poissonOf(0.3, noise.Constant(40*us))}}
	if f := s.goodness(rare, s.lengths); !strings.HasPrefix(f.Reason,
		"a thousandth of the components' detours") {
		t.Errorf("%+v", f)
	}
}

// Detours that meet are one: of 1000/s that take 0.1 ms each, a tenth of the time is
// busy, and a mean detour lasts 0.1 ms / (1 − 0.1).
func TestSimulatedDetoursMeet(t *testing.T) {
	x := simulated([]profile.Component{poissonOf(1000, noise.Constant(100*us))}, 1e5)
	if got, want := mean(x), 100*us/0.9; math.Abs(got/want-1) > 0.01 {
		t.Errorf("mean %g, want %g", got, want)
	}
}
