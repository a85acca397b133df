package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/study"
	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// threeSources are a timer, rare daemons and a long periodic source.
var threeSources = profile.Profile{Name: "three", OS: []profile.Component{
	{Kind: profile.Periodic, Period: 1e-3, Duration: noise.Constant(5e-6)},
	{Kind: profile.Poisson, Interval: 10e-3, Duration: noise.Constant(50e-6)},
	{Kind: profile.Periodic, Period: 100e-3, Duration: noise.Constant(1e-3)},
}}

// readStudy returns the study of a file on a profile.
func readStudy(t *testing.T, file string, p profile.Profile) *study.Study {
	t.Helper()
	s := tests.Must(study.Read(study.Input{
		Name: "test.yaml", File: []byte(file), Choose: true,
		Files: map[string][]byte{p.Name: tests.Must(profile.Write(p))(t)},
	}, 100))(t)
	return s
}

// An independent simulation of 3000 trials has these means [µs], with the error of their last
// digits, at T = 0, 1 and 2.
func TestCheckValues(t *testing.T) {
	s := readStudy(t, `{collective: butterfly, ranks: 256, bytes: 8B, assume: paper, redundancy: {max: 2},
		network: {latency: 1us, bandwidth: 1GB/s}, memory: {bandwidth: 1000000TB/s},
		noise: {profile: three, os: {launch: stationary}, network: {kind: none}}}`, threeSources)
	const a, b, c = 0, 1, 2
	for _, of := range []struct {
		name    string
		on      []int
		aligned []int
		mean    []float64
		off     []float64
	}{
		{"A", []int{a}, nil, []float64{12.861, 10.864, 10.627}, []float64{0.028, 0.027, 0.026}},
		{"B", []int{b}, nil, []float64{45.98, 30.74, 30.34}, []float64{0.55, 0.35, 0.34}},
		{"AB", []int{a, b}, nil, []float64{48.04, 31.90, 31.33}, []float64{0.53, 0.33, 0.33}},
		{"C", []int{c}, nil, []float64{1228, 679.1, 655.1}, []float64{11, 6, 5.4}},
		{"ABC", []int{a, b, c}, nil, []float64{1264, 693.7, 667}, []float64{11, 6, 5.4}},
		{"C aligned", []int{a, b, c}, []int{c}, []float64{53.8, 37.5, 37}, []float64{1.3, 1.2, 1.2}},
		{"all aligned", []int{a, b, c}, []int{a, b, c}, []float64{12.8}, []float64{1}},
	} {
		t.Run(of.name, func(t *testing.T) {
			var remedies []attribution.Remedy
			for source := range threeSources.OS {
				if !slices.Contains(of.on, source) {
					remedies = append(remedies, remove(source)...)
				}
			}
			for _, source := range of.aligned {
				remedies = append(remedies, attribution.Remedy{Action: attribution.Align, Source: source})
			}
			const trials = 3000
			times := simulate(t, change(t, s, remedies...), trials)
			for T, want := range of.mean {
				mean, deviation := stat.MeanStdDev(times[T], nil)
				off := math.Hypot(of.off[T], 1e6*deviation/math.Sqrt(trials))
				if got := 1e6 * mean; math.Abs(got-want) > 3*off {
					t.Errorf("T = %d: %.2f µs, not %.2f ± %.2f", T, got, want, off)
				}
			}
		})
	}
}

// simulate returns completion times of a configuration by T and trial.
func simulate(t *testing.T, c montecarlo.Config, trials int) (times [][]float64) {
	t.Helper()
	series := &attribution.Series{Config: c}
	tests.NoError(t, attribution.Extend(t.Context(), 1, []*attribution.Series{series}, trials, 2))
	shape := tests.Must(c.Model.Shape())(t)
	for T := range shape.Checkpoints[len(shape.Checkpoints)-1].T + 1 {
		times = append(times, series.Times(T))
	}
	return times
}

// remove returns the removals of sources.
func remove(sources ...int) (remedies []attribution.Remedy) {
	for _, i := range sources {
		remedies = append(remedies, attribution.Remedy{Action: attribution.Remove, Source: i})
	}
	return remedies
}

func change(t *testing.T, s *study.Study, remedies ...attribution.Remedy) montecarlo.Config {
	t.Helper()
	c := tests.Must(s.Remedied(0, remedies, collectives.AllExchanges))(t)
	c.Environment = "all" // of any profile
	return c
}

// noisy is three sources, and noise of the network.
func noisy() profile.Profile {
	p := threeSources
	p.Network.Noise = &profile.MessageNoise{Duration: noise.Exponential{Average: 1e-6}}
	return p
}

// Without all sources each trial takes the time without noise, to the last bit.
func TestWithoutAllSources(t *testing.T) {
	for keys, balanced := range map[string]string{ // imbalance is a source, and in the time without noise
		"noise: {profile: three}":                                                          "",
		"noise: {profile: three, os: {launch: quiet}}":                                     "",
		"noise: {os: {kind: poisson, period: 1ms, duration: 50us}, network: {kind: none}}": "",
		"noise: {profile: three}, topology: 'mesh:4x4', network: {engine: flow}":           "",
		"noise: {profile: three}, application: {compute: 50us, iterations: 5, " +
			"imbalance: {random: 20%}}": "noise: {profile: three}, application: {compute: 50us, iterations: 5}",
	} {
		const file = "{collective: butterfly, ranks: 16, redundancy: {max: 2}, %s}"
		s := readStudy(t, fmt.Sprintf(file, keys), noisy())
		whole := change(t, s)
		even := change(t, readStudy(t, fmt.Sprintf(file, cmp.Or(balanced, keys)), noisy()))
		runner := tests.Must(even.Model.NewRunner(nil))(t)
		const trials = 50
		noisy := simulate(t, whole, trials)
		shape := montecarlo.Result{Checkpoints: tests.Must(even.Model.Shape())(t).Checkpoints}
		quiet := montecarlo.Trial{Completion: make([]float64, len(shape.Checkpoints))}
		tests.NoError(t, runner.NoiseFree(t.Context(), 0.0015, &quiet))
		var all []int
		for source := range s.SourcesOf(0) {
			all = append(all, source)
		}
		for T, times := range simulate(t, change(t, s, remove(all...)...), trials) {
			for trial, got := range times {
				if want := quiet.Completion[shape.Final(T)]; got != want || slices.Max(noisy[T]) == want {
					t.Fatalf("%s: at T = %d trial %d takes %v s, without noise %v, with noise at most %v", keys, T,
						trial, got, want, slices.Max(noisy[T]))
				}
			}
		}
	}
}

// A source of a length that adds nothing to any time costs nothing, to the last bit, and nothing is
// taken from the others.
func TestSourceWithoutLength(t *testing.T) {
	p := threeSources
	p.OS = append(slices.Clone(p.OS), profile.Component{
		Kind: profile.Poisson, Interval: 1e-3, Duration: noise.Constant(1e-300),
	})
	s := readStudy(t, "{collective: butterfly, ranks: 16, redundancy: {max: 1}, noise: {profile: three, "+
		"network: {kind: none}}}", p)
	game := (&answer{study: s, sources: s.SourcesOf(0)}).game(montecarlo.Candidate{T: 1})
	tests.NoError(t, game.Run(t.Context(), 200, 2))
	for T := range 2 {
		for _, objective := range []attribution.Statistic{{}, {P: 0.9}} {
			c := game.Costs(T, objective)
			if none := (attribution.Cost{}); c.Each[3] != none || !(c.Each[0].Share.Value > 0) {
				t.Errorf("T = %d: %+v, the others %+v", T, c.Each[3], c.Each[:3])
			}
		}
	}
}

// Spare cores take what can move, and the others compute for longer.
func TestSpareCores(t *testing.T) {
	p := noisy()
	p.OS = slices.Clone(p.OS)
	p.OS[1].Name = "local_timer (likely)" // stays
	p.OS = append(p.OS, profile.Component{
		Name: "kworker", Kind: profile.Poisson, Interval: 2e-3, Duration: noise.Constant(1e-4),
	})
	file := "{collective: butterfly, ranks: 16, redundancy: {max: 1}, noise: {profile: three}, " +
		"application: {compute: %s, iterations: 5}}"
	s := readStudy(t, fmt.Sprintf(file, "70us"), p)
	spared := change(t, s, attribution.Remedy{Action: attribution.Spare, Factor: 8. / 7})
	longer := change(t, readStudy(t, fmt.Sprintf(file, "80us"), p), remove(3)...)
	longer.Environment = spared.Environment
	got, want := simulate(t, spared, 50), simulate(t, longer, 50)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	for T := range want {
		if !slices.EqualFunc(got[T], want[T], near) {
			t.Errorf("T = %d: %v, not %v", T, got[T][:3], want[T][:3])
		}
	}
}

// A drained class leaves what the profile without it has, to the last bit, as does one of share 0;
// and what it costs alone is 1/speed − 1 of the computing, in the trials in which some node is of
// it.
func TestClassesAreSources(t *testing.T) {
	own := profile.Component{Kind: profile.Poisson, Interval: 1e-3, Duration: noise.Constant(1e-4), Class: 2}
	usual := profile.Profile{Name: "fleet", OS: threeSources.OS[:2]}
	fleet := func(share float64) profile.Profile {
		return profile.Profile{Name: "fleet", OS: append(slices.Clone(usual.OS), own), Classes: []noise.Class{
			{Name: "most", Share: 1 - share}, {Name: "bad", Share: share, Speed: 0.5}}}
	}
	times := func(p profile.Profile, removed ...int) []float64 {
		s := readStudy(t, `{collective: butterfly, ranks: 32, bytes: 8B, assume: paper, redundancy: {max: 0},
			application: {compute: 1ms, iterations: 3}, network: {latency: 1us, bandwidth: 1GB/s},
			noise: {profile: fleet, network: {kind: none}}}`, p)
		all := simulate(t, change(t, s, remove(removed...)...), 400)
		return all[len(all)-1]
	}
	plain := times(usual)
	if !slices.Equal(plain, times(fleet(0))) || !slices.Equal(plain, times(fleet(0.02), 2)) {
		t.Error("a class without nodes, or a drained one, changes times")
	}
	if slices.Equal(plain, times(fleet(0.02))) {
		t.Error("a class changes nothing")
	}
	slower := fleet(0.02)
	slower.OS = usual.OS
	sum, quiet := 0.0, times(usual, 0, 1)
	for i, x := range times(slower, 0, 1) {
		sum += x - quiet[i]
	}
	p := 1 - math.Pow(0.98, 32)
	if want, off := 1e-3*p, 4e-3*math.Sqrt(p*(1-p)/400); math.Abs(sum/400-want) > off {
		t.Errorf("alone the class costs %g s, not %g ± %g", sum/400, want, off)
	}
}
