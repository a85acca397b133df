package attribute

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/study"
	"jitterfly/internal/rng"
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

// read returns the study of a file on a profile.
func read(t *testing.T, file string, p profile.Profile) *study.Study {
	t.Helper()
	s, err := study.Read(study.Input{
		Name: "test.yaml", File: []byte(file), Choose: true,
		Profile: func(string) (study.Measured, error) { return study.Measured{Profile: p, ID: p.Name}, nil },
	}, 100)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An independent simulation of 3000 trials has these means [µs], with the error of their last digits,
// at T = 0, 1 and 2.
func TestCheckValues(t *testing.T) {
	s := read(t, `{collective: butterfly, ranks: 256, bytes: 8B, assume: paper, redundancy: {max: 2},
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
			changed, err := s.Changed(0, study.Change{
				Removed: func(source int) bool { return !slices.Contains(of.on, source) },
				Aligned: func(source int) bool { return slices.Contains(of.aligned, source) },
			})
			if err != nil {
				t.Fatal(err)
			}
			const trials = 3000
			series := &attribution.Series{Model: changed.Model}
			key := func(trial int) rng.Key { return changed.Key(1, trial) }
			if err := attribution.Extend(t.Context(), key, []*attribution.Series{series}, trials, 2); err != nil {
				t.Fatal(err)
			}
			for T, want := range of.mean {
				mean, deviation := stat.MeanStdDev(series.Times[T], nil)
				off := math.Hypot(of.off[T], 1e6*deviation/math.Sqrt(trials))
				if got := 1e6 * mean; math.Abs(got-want) > 3*off {
					t.Errorf("T = %d: %.2f µs, not %.2f ± %.2f", T, got, want, off)
				}
			}
		})
	}
}
