package cli

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/measured/formats"
)

const (
	message  = 1e-6
	period   = 1e-4
	duration = 2e-5
)

// afterDetour returns a time, or the end of the detour that it is in, with detours from a phase on.
func afterDetour(at, phase float64) float64 {
	if into := math.Mod(at-phase+period, period); into < duration {
		return at + duration - into
	}
	return at
}

// exchange returns how long two ranks take to exchange a message at a random time.
func exchange(random *rand.Rand) float64 {
	a, b := random.Float64()*period, random.Float64()*period
	x, y := afterDetour(0, a), afterDetour(0, b)
	return max(afterDetour(max(x, y+message), a), afterDetour(max(y, x+message), b))
}

// made returns a benchmark of n noisy operations of two ranks, which take factor times as long as
// predicted.
func made(n int, factor float64) *formats.Bench {
	random := rand.New(rand.NewPCG(1, 2))
	b := &formats.Bench{Ranks: 2, Latency: message, Period: period, Duration: duration, Random: true}
	s := formats.Scheme{Bytes: 8, Sources: 1}
	for i := range int64(n) {
		wobble := 1 + 0.1*random.Float64()
		b.Operations = append(b.Operations,
			formats.Operation{Number: 2 * i, Scheme: s, Seconds: message * wobble},
			formats.Operation{Number: 2*i + 1, Scheme: s, Noisy: true,
				Seconds: factor * (exchange(random) + message*(wobble-1))})
	}
	return b
}

// validated returns the verdicts of all statistics.
func validated(t *testing.T, b *formats.Bench) *validation {
	t.Helper()
	os := noise.Periodic{Period: b.Period, Duration: b.Duration, Start: noise.Random}
	return tests.Must(validate(t.Context(), predictor{b, os, noise.None{}, 10000, 1}, 0.1))(t)
}

// What two ranks measure is predicted; what takes half as long again is not, and of few
// operations nothing is known.
func TestVerdicts(t *testing.T) {
	if v := validated(t, made(4000, 1)); v.count(agrees) != 4 || len(v.rows) != 4 {
		t.Errorf("%+v", v.rows)
	}
	if v := validated(t, made(4000, 1.5)); v.count(differs) != 4 {
		t.Errorf("half as long again: %+v", v.rows)
	}
	if v := validated(t, made(40, 1)); v.count(unresolved) != len(v.rows) || len(v.rows) != 2 {
		t.Errorf("of 40 operations: %+v", v.rows)
	}
}

// The intervals of the mean contain 1 for about 95% of benchmarks.
func TestIntervalsContainTheRatio(t *testing.T) {
	b, inside, all := made(20000, 1), 0, tests.Part(40, 20)
	for i := range all {
		part := *b
		part.Operations = b.Operations[i*1000 : (i+1)*1000]
		if r := validated(t, &part).rows[0]; r.low <= 1 && 1 <= r.high {
			inside++
		}
	}
	if inside < tests.Part(31, 14) { // P(fewer of 40, or of 20, at 93%) is below 10^-3
		t.Errorf("%d of %d intervals contain 1", inside, all)
	}
}

// Loops are predicted as iterations of an application.
func TestLoops(t *testing.T) {
	b := made(0, 1)
	s := formats.Scheme{Bytes: 8, Sources: 1, Iterations: 50, Compute: 1e-5}
	for i := range int64(100) {
		share := duration / period
		b.Operations = append(b.Operations,
			formats.Operation{Number: 2 * i, Scheme: s, Seconds: s.Compute + message},
			formats.Operation{Number: 2*i + 1, Scheme: s, Noisy: true,
				Seconds: (s.Compute + message) / (1 - share)})
	}
	v := validated(t, b)
	// An iteration takes longer than the share of time that detours leave a rank alone, and
	// no longer than if those of both ranks never overlapped.
	if r := v.rows[0]; r.predicted < r.measured || r.predicted > (s.Compute+message)/(1-0.4)*1.05 {
		t.Errorf("an iteration is predicted to take %g s", r.predicted)
	}
}

// What loops save has the range of pairs of loops under the same noise: 80% of other pairs are in it.
func TestLoopsSave(t *testing.T) {
	plain := formats.Scheme{Bytes: 8, Sources: 1, Iterations: 50, Compute: 1e-5}
	with := plain
	with.Copies = 1
	b := &formats.Bench{
		Ranks: 8, Latency: message, SendOverhead: 1e-8, Period: period, Duration: duration, Random: true,
	}
	os := noise.Periodic{Period: period, Duration: duration, Start: noise.Random}
	const quiet, loops = 1.4e-5, 1000
	times := map[formats.Scheme][]float64{}
	for _, s := range []formats.Scheme{plain, with} {
		delays, err := (&predictor{b, os, noise.None{}, loops * s.Iterations, 2}).delays(t.Context(), s, quiet)
		if err != nil || len(delays) != loops {
			t.Fatal(len(delays), err)
		}
		for i, d := range delays {
			times[s] = append(times[s], quiet+d)
			n := int64(2 * i)
			b.Operations = append(b.Operations, formats.Operation{Number: n, Scheme: s, Seconds: quiet},
				formats.Operation{Number: n + 1, Scheme: s, Noisy: true, Seconds: quiet + d})
		}
	}
	v := tests.Must(validate(t.Context(), predictor{b, os, noise.None{}, loops * plain.Iterations, 1}, 0.1))(t)
	x, inside := v.saved(with), 0
	for i, base := range times[plain] {
		if saved := base - times[with][i]; x.low <= saved && saved <= x.high {
			inside++
		}
	}
	slices.Sort(times[plain])
	if x.high-x.low > times[plain][loops*9/10]-times[plain][loops/10] {
		t.Errorf("%+v is wider than what loops take without redundancy: their noise differs", x)
	}
	if inside < 750 || inside > 850 || math.Abs(x.mean-x.measured) > 0.1*(x.high-x.low) ||
		len(v.savings()) != 1 {
		t.Errorf("%d of %d pairs are in %+v, and %q", inside, loops, x, v.savings())
	}
}

// What cannot be compared is noted, and nothing to compare is an error.
func TestNothingToCompare(t *testing.T) {
	few, p := made(5, 1), predictor{nil, noise.None{}, noise.None{}, 1000, 1}
	p.Bench = few
	tests.Fails(t, "too few")(validate(t.Context(), p, 0.1))
	p.Bench = made(50, 1)
	p.SendOverhead = 1
	for i := range p.Operations {
		p.Operations[i].Copies = 1
	}
	tests.Fails(t, "posting copies alone")(validate(t.Context(), p, 0.1))
}

// Pictures show both distributions of each scheme.
func TestPicture(t *testing.T) {
	f := validated(t, made(2000, 1)).figure("made.csv")
	svg, err := f.Bytes("svg")
	if err != nil || !bytes.Contains(svg, []byte(">R = 1, T = 0, 8 B, predicted<")) {
		t.Errorf("%v, %.300s", err, svg)
	}
}
