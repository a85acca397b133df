package measured

import (
	"math"
	"slices"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// coreOf is the first core of a machine's trace.
func coreOf(t *testing.T, span float64, sources ...source) noise.Core {
	t.Helper()
	cores, _ := begin(madeMachine{1, span, 0, sources}.trace(t, 1))
	return cores[0]
}

// at0 are short ticks at phase 0.
func at0(period float64) source {
	return func(_ rng.Stream, span float64) []noise.Detour {
		var d []noise.Detour
		for i := 0; float64(i)*period < span; i++ {
			d = append(d, noise.Detour{Start: float64(i) * period, Length: 1 * us})
		}
		return d
	}
}

func TestAccept(t *testing.T) {
	short := noise.Constant(1 * us)
	for _, c := range []struct {
		name      string
		core      noise.Core
		tolerance float64
		want      bool
	}{
		{"ticks", coreOf(t, 1, at0(4e-3)), us, true},
		{"ticks of which 5% are missing", coreOf(t, 10, missing(0.05, at0(4e-3))), us, true},
		{"ticks of which 20% are missing", coreOf(t, 10, missing(0.2, at0(4e-3))), us, false},
		{"seven ticks", coreOf(t, 28e-3, at0(4e-3)), us, false},
		{"ticks at double the period", coreOf(t, 10, at0(8e-3)), us, false},
		// Chance fills 98% of the cycles.
		{"many arrivals", coreOf(t, 10, arrivals(20000, short)), 100 * us, false},
		// A quarter of the ticks is within other detours, and a twentieth missing.
		{"ticks within others",
			coreOf(t, 30, missing(0.05, at0(4e-3)), arrivals(300, noise.Constant(1e-3))), us, true},
		// Every tick is within others.
		{"nothing but others", coreOf(t, 10, func(rng.Stream, float64) []noise.Detour {
			var d []noise.Detour
			for i := 1; i < 2500; i++ {
				d = append(d, noise.Detour{Start: float64(i)*4e-3 - 1e-3, Length: 2e-3})
			}
			return d
		}), us, false},
		// Two thirds of the ticks are within others.
		{"ticks mostly within others", coreOf(t, 10, func(rng.Stream, float64) []noise.Detour {
			var d []noise.Detour
			for i := 1; i < 2500; i++ {
				d = append(d, noise.Detour{Start: float64(i) * 4e-3, Length: 1 * us})
				if i%3 > 0 {
					d[i-1] = noise.Detour{Start: float64(i)*4e-3 - 1e-3, Length: 2e-3}
				}
			}
			return d
		}), us, false},
		// Chance would fill one with odds of 1 to 10.
		{"nine cycles within much", coreOf(t, 36e-3, at0(4e-3)), 200 * us, false},
		{"nine cycles within little", coreOf(t, 36e-3, at0(4e-3)), us, true},
	} {
		k := newComb(4e-3, c.tolerance, 0)
		if _, got := k.accept([]noise.Core{c.core}); got != c.want {
			t.Errorf("%s: accepted %t", c.name, got)
		}
	}
}

// A comb is on those cores only that have more of it than chance.
func TestAcceptCores(t *testing.T) {
	short := noise.Constant(1 * us)
	k := newComb(4e-3, 100*us, 0, 0, 0)
	cores := []noise.Core{coreOf(t, 10, at0(4e-3)), coreOf(t, 10, arrivals(20000, short)),
		coreOf(t, 10, at0(4e-3))}
	if on, ok := k.accept(cores); !ok || !slices.Equal(on, []bool{true, false, true}) {
		t.Errorf("%t on %t", ok, on)
	}
	cores[2] = cores[1]
	if _, ok := k.accept(cores); ok {
		t.Error("accepted on one core of three")
	}
}

// Three times the period is not the period.
func TestDivide(t *testing.T) {
	cores := []noise.Core{coreOf(t, 10, at0(4e-3), arrivals(100, noise.Constant(1*us)))}
	k, on := newComb(12e-3, us, 0).divide(cores, []bool{true})
	if math.Abs(k.period-4e-3) > 1e-12 || !on[0] {
		t.Errorf("period %g", k.period)
	}
}

// A comb of few starts that would miss the late ones is right about all of them
// after it was extended.
func TestExtend(t *testing.T) {
	var starts []float64
	for i := range 100_000 {
		starts = append(starts, 1e-3+float64(i)*4e-3)
	}
	k := newComb(4e-3*(1+1e-7), 2*us, 1e-3)
	k.extend([][]float64{starts}, 1000)
	if math.Abs(k.period/4e-3-1) > 1e-12 {
		t.Errorf("period off by %.2g", k.period/4e-3-1)
	}
}

// A candidate that is off by a thousandth is locked to the period.
func TestLock(t *testing.T) {
	starts := [][]float64{nil, nil}
	for i := range 5000 {
		starts[0] = append(starts[0], 1e-3+float64(i)*4e-3)
		starts[1] = append(starts[1], 3e-3+float64(i)*4e-3)
	}
	k, ok := candidate{period: 4.001e-3, width: 2 * us}.lock(starts, []float64{20, 20})
	if !ok || math.Abs(k.period/4e-3-1) > 1e-10 || math.Abs(k.phases[0]-1e-3) > 1e-9 ||
		math.Abs(k.phases[1]-3e-3) > 1e-9 {
		t.Errorf("%t %+v", ok, k)
	}
	if k.tolerance != leastTolerance {
		t.Errorf("tolerance %g", k.tolerance)
	}
}

// Ticks of 1 ms that were merged with others: the others are left, each with its own
// length, some time during the tick.
func TestExtract(t *testing.T) {
	c := noise.Core{Span: 10}
	for i := range 1000 {
		length := 1e-3
		if i%25 == 0 {
			length += 0.3e-3
		}
		c.Detours = append(c.Detours, noise.Detour{Start: float64(i) * 10e-3, Length: length})
		if i%25 == 12 { // as often others come elsewhere, so that chance explains those
			c.Detours = append(c.Detours, noise.Detour{Start: float64(i)*10e-3 + 6.3e-3, Length: 0.3e-3})
		}
	}
	// One began 0.1 ms before the tick that it met.
	c.Detours[7] = noise.Detour{Start: 69.9e-3, Length: 1.2e-3}
	cores := []noise.Core{c}
	k := newComb(10e-3, us, 0)
	got := k.extract(cores, []bool{true}, 0)
	if got.Kind != profile.Periodic || got.Period != 10e-3 ||
		math.Abs(got.Duration.Mean()-1e-3) > 1e-12 {
		t.Errorf("%+v", got)
	}
	left := cores[0].Detours
	left = slices.DeleteFunc(left, func(d noise.Detour) bool {
		return math.Mod(d.Start+1e-9, 10e-3) > 1.4e-3 && d.Start != 69.9e-3
	})
	if len(left) != 41 {
		t.Fatalf("%d are left", len(left))
	}
	during := map[int]int{}
	for _, d := range left {
		if d.Start == 69.9e-3 {
			if math.Abs(d.Length-0.2e-3) > 1e-12 {
				t.Errorf("one was left of %g s", d.Length)
			}
			continue
		}
		if math.Abs(d.Length-0.3e-3) > 1e-12 {
			t.Errorf("one was left of %g s", d.Length)
		}
		during[int(math.Mod(d.Start+1e-9, 10e-3)/0.1e-3)]++
	}
	for tenth := range 10 {
		if n := during[tenth]; n < 3 || n > 5 {
			t.Errorf("%d are left in tenth %d of the ticks", n, tenth)
		}
	}
}

// Long ticks that nothing else explains are the component's own, and nothing is left.
func TestExtractKeepsItsOwnLongDetours(t *testing.T) {
	c := noise.Core{Span: 10}
	for i := range 1000 {
		length := 1e-3
		if i%25 == 0 {
			length = 1.3e-3
		}
		c.Detours = append(c.Detours, noise.Detour{Start: float64(i) * 10e-3, Length: length})
	}
	cores := []noise.Core{c}
	k := newComb(10e-3, us, 0)
	got := k.extract(cores, []bool{true}, 0)
	if len(cores[0].Detours) != 0 || math.Abs(got.Duration.Quantile(1)/1.3e-3-1) > 1e-3 ||
		math.Abs(got.Duration.Mean()/1.012e-3-1) > 1e-9 {
		t.Errorf("%d are left; %+v", len(cores[0].Detours), got)
	}
}

// Runs whose clocks differ by 10 in 10^6 have one period, a comb of their own each, and no
// detour is left. With one comb, the last ticks would be 200 µs off.
func TestRunsWithClocksOfTheirOwn(t *testing.T) {
	var tr noise.Trace
	for run, period := range []float64{1e-3 * (1 - 1e-5), 1e-3, 1e-3 * (1 + 1e-5)} {
		c := noise.Core{ID: run, Span: 20}
		for at := 0.1e-3 * float64(1+run); at < 19.99; at += period {
			c.Detours = append(c.Detours, noise.Detour{Start: at, Length: 3 * us})
		}
		tr.Cores = append(tr.Cores, c)
	}
	p := FitTrace(tr, "runs")
	if p.Fit.Verdict != profile.Good || len(p.OS) != 1 || p.OS[0].Kind != profile.Periodic ||
		math.Abs(p.OS[0].Period/1e-3-1) > 1e-7 || len(p.Caveats) > 0 {
		t.Errorf("%s %s %q: %s", p.Fit.Verdict, p.Fit.Reason, p.Caveats, show(p))
	}
}

// newComb returns a comb whose cores have one clock.
func newComb(period, tolerance float64, phases ...float64) comb {
	k := comb{period: period, phases: phases, tolerance: tolerance}
	for range phases {
		k.periods = append(k.periods, period)
	}
	return k
}

// A step of the timer makes no outlier.
func TestOutlier(t *testing.T) {
	lengths := []float64{16, 17, 17, 17, 17, 17, 18, 30}
	for quantum, want := range map[float64]float64{0: 17.85, 1: 18.5} {
		if got := outlier(lengths, quantum); math.Abs(got-want) > 1e-9 {
			t.Errorf("with steps of %g outliers are from %g on, want %g", quantum, got, want)
		}
	}
}
