package trace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// comb is a train of detours, of which each is there with the probability.
func comb(r *rand.Rand, span, frequency, length, jitter, present float64) []Detour {
	var ds []Detour
	first := r.Float64() / frequency
	for i := 0; ; i++ {
		start := first + float64(i)/frequency + jitter*r.Float64()
		if start > span-length {
			return ds
		}
		if r.Float64() < present {
			ds = append(ds, Detour{start, length * (0.9 + 0.2*r.Float64())})
		}
	}
}

// atRandom is detours of exponential lengths at exponential distances.
func atRandom(r *rand.Rand, span, rate, length float64) []Detour {
	var ds []Detour
	for t := r.ExpFloat64() / rate; t < span; t += r.ExpFloat64() / rate {
		ds = append(ds, Detour{t, length * r.ExpFloat64()})
	}
	return ds
}

// newTrace is one of ten seconds.
func newTrace(t *testing.T, cores ...[]Detour) Trace {
	t.Helper()
	var made Trace
	for i, ds := range cores {
		c, _, err := NewCore(i, 10, ds)
		if err != nil {
			t.Fatal(err)
		}
		made.Cores = append(made.Cores, c)
	}
	return made
}

func TestPeriodsAreFound(t *testing.T) {
	type part struct{ frequency, length, present float64 }
	for _, test := range []struct {
		name  string
		parts []part
		noise float64 // random detours per second
	}{
		{"Alps", []part{{1, 223e-6, 1}, {250, 3.2e-6, 1}}, 20},
		{"Azure HC44", []part{{1000, 3.2e-6, 1}, {5, 40e-6, 1}}, 100},
		{"one length", []part{{1000, 4.5e-6, 1}, {250, 4.5e-6, 1}}, 100},
		{"every other missing", []part{{100, 10e-6, 0.5}}, 50},
		{"a hundred in ten thousand", []part{{10, 100e-6, 1}}, 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var cores [2][]Detour
			for i := range cores {
				cores[i] = atRandom(r, 10, test.noise, 5e-6)
				for _, p := range test.parts {
					cores[i] = append(cores[i], comb(r, 10, p.frequency, p.length, 2e-6,
						p.present)...)
				}
			}
			got := newTrace(t, cores[:]...).Periods()
			for _, p := range got {
				t.Logf("%+v", p)
			}
			if len(got) != len(test.parts) {
				t.Errorf("%d periods, want %d", len(got), len(test.parts))
			}
			for _, want := range test.parts {
				found := false
				for _, p := range got {
					found = found || math.Abs(p.Period*want.frequency-1) < 1e-4 &&
						math.Abs(p.Length/want.length-1) < 0.1 &&
						math.Abs(p.Present-want.present) < 0.11 &&
						math.Abs(p.Overhead/(want.present*want.frequency*want.length)-1) < 0.2 &&
						p.Cores == 2
				}
				if !found {
					t.Errorf("%+v is not among them", want)
				}
			}
		})
	}
}

// Significance holds for each octave of lengths; of 50 traces with about ten of
// them one shows something by chance every other time.
func TestNoPeriodsAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for _, rate := range []float64{3, 30, 150} {
		seen := 0
		for seed := range uint64(50) {
			r := rand.New(rand.NewPCG(seed, 3))
			seen += len(newTrace(t, atRandom(r, 10, rate, 5e-6)).Periods())
		}
		if seen > 3 {
			t.Errorf("at %g/s %d periods in 50 traces at random", rate, seen)
		}
	}
}

// Bursts are far from Poisson and still have no period.
func TestNoPeriodsInBursts(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	seen := 0
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		var ds []Detour
		for _, burst := range atRandom(r, 9, 2, 1) {
			for _, d := range atRandom(r, 0.05, 1000, 5e-6) {
				ds = append(ds, Detour{burst.Start + d.Start, d.Length})
			}
		}
		got := newTrace(t, ds).Periods()
		seen += len(got)
		if len(got) > 0 {
			t.Log(seed, fmt.Sprintf("%+v", got))
		}
	}
	if seen > 2 {
		t.Errorf("%d periods in 50 traces of bursts", seen)
	}
}
