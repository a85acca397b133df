package montecarlo_test

import (
	"math"
	"testing"

	"jitterfly/datasets"
	"jitterfly/internal/rng"
	"jitterfly/noise"
	"jitterfly/noise/fit"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// recorded is what a tool would see of a jitter: each core works for the span
// without pause, and what interrupts it is noted.
func recorded(t *testing.T, os noise.OS, cores int, span float64) trace.Trace {
	t.Helper()
	detours := os.Detours(make([]float64, cores))
	detours.Draw(rng.NewKey(1, "recorded"))
	var seen trace.Trace
	for core := range cores {
		var ds []trace.Detour
		for at := 0.0; at < span; {
			begin, end := next(detours, core, at, span)
			if begin < span {
				ds = append(ds, trace.Detour{Start: begin, Length: end - begin})
			}
			at = end
		}
		c, _, err := trace.NewCore(core, span, ds)
		if err != nil {
			t.Fatal(err)
		}
		seen.Cores = append(seen.Cores, c)
	}
	return seen
}

// next finds the first detour of a core that begins after a time, by bisection: work
// is on time if and only if it is done before that.
func next(detours noise.Detours, core int, at, span float64) (begin, end float64) {
	late := func(work float64) float64 {
		one := []float64{at}
		detours.Finish(core, one, work)
		return one[0] - (at + work)
	}
	low, high := 0.0, 1e-5
	for ; late(high) == 0; high *= 2 {
		if low = high; at+low > span {
			return span, span
		}
	}
	for range 60 {
		if middle := (low + high) / 2; late(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	// Work that ends a little after the beginning is done as much after the end.
	one := []float64{at}
	detours.Finish(core, one, high)
	return at + low, one[0]
}

// slowdown is that of the plain butterfly of 1024 ranks, launched at any moment.
func slowdown(t *testing.T, os noise.OS) float64 {
	t.Helper()
	config := reference(1 << 10)
	config.OS, config.Network = os, noise.None{}
	r, _ := run(t, 4000, config)
	return r.Summaries[0].Mean / r.Summaries[0].NoiseFree
}

func jitter(t *testing.T, p profile.Profile) noise.OS {
	t.Helper()
	os, err := p.Jitter(noise.Random, 1, func(string) (trace.Trace, error) {
		return trace.Trace{},
			nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return os
}

// The jitter of a machine, the trace that is recorded of it, and the profile that is
// fitted to the trace slow a butterfly down alike.
func TestFitsSlowDownAsTheirTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const µs = 1e-6
	machines := map[string]profile.Profile{
		"two ticks": {OS: []profile.Component{
			{Kind: profile.Periodic, Period: 4000 * µs, Duration: noise.Constant(3 * µs)},
			{Kind: profile.Periodic, Period: 1, Duration: noise.Constant(200 * µs)},
		}},
		"ticks and tail": {OS: []profile.Component{
			{Kind: profile.Periodic, Period: 1000 * µs,
				Duration: noise.Lognormal{Median: 4 * µs, Sigma: 0.2}},
			{Kind: profile.Poisson, Interval: 10000 * µs, Duration: noise.Pareto{Least: 8 * µs, Shape: 2.5}},
		}},
	}
	for _, preset := range datasets.Presets() {
		p, err := profile.Read(preset.YAML, preset.Name)
		if err != nil {
			t.Fatal(err)
		}
		machines[preset.Name] = p
	}
	for name, machine := range machines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := recorded(t, jitter(t, machine), 4, 30)
			fitted, err := fit.Trace(seen, name)
			if err != nil {
				t.Fatal(err)
			}
			replay := noise.Superposition{Sources: []noise.Source{noise.Replay{Trace: seen}},
				Start: noise.Random}
			truth, traced, fits := slowdown(t, jitter(t, machine)), slowdown(t, replay), slowdown(t,
				jitter(t, fitted))
			t.Logf("| %s | %.1f | %.1f | %.1f | %d of %d | %s |", name, truth, traced, fits, len(fitted.OS),
				len(machine.OS), fitted.Fit.Verdict)
			if fitted.Fit.Verdict != profile.Good {
				t.Errorf("verdict %s: %s", fitted.Fit.Verdict, fitted.Fit.Reason)
			}
			if math.Abs(fits/traced-1) > 0.1 {
				t.Errorf("a slow-down of %.2f with the profile, and of %.2f with the trace", fits, traced)
			}
		})
	}
}
