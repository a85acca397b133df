package measured

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// sample draws n lengths, in ascending order.
func sample(n int, seed uint64, d noise.Length) []float64 {
	s := rng.New(rng.NewKey(seed, "lengths"))
	x := make([]float64, n)
	for i := range x {
		x[i] = d.Quantile(s.Uniform())
	}
	slices.Sort(x)
	return x
}

// Each family is told from the others, from 100 lengths on; fewer have their own quantiles,
// unless they are constant.
func TestFitLengthsTellsFamilies(t *testing.T) {
	for _, want := range []noise.Length{
		noise.Constant(3 * us),
		noise.Exponential{Average: 3 * us},
		noise.Lognormal{Median: 3 * us, Sigma: 0.3},
		noise.Lognormal{Median: 3 * us, Sigma: 0.8}, // which resembles an exponential one
		noise.Lognormal{Median: 3 * us, Sigma: 1.5},
		noise.Pareto{Least: 2 * us, Shape: 2.5},
		noise.Pareto{Least: 2 * us, Shape: 4},
	} {
		for _, n := range []int{20, 100, 20000} {
			wrong := 0
			for seed := range uint64(10) {
				got := fitLengths(sample(n, seed, want), 0)
				expected := want
				if _, ok := want.(noise.Constant); !ok && n < fewLengths {
					expected = noise.Empirical{}
				}
				if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", expected) {
					t.Logf("%d lengths of %T %v, seed %d: %T", n, want, want, seed, got)
					wrong++
				}
			}
			if wrong > 2 {
				t.Errorf("%d lengths of %T %v were taken for others in %d of 10 samples", n, want,
					want, wrong)
			}
		}
	}
}

// Parameters are those of maximum likelihood.
func TestFitLengthsParameters(t *testing.T) {
	const n = 100_000
	if d := fitLengths(sample(n, 1, noise.Lognormal{Median: 3 * us, Sigma: 0.3}),
		0).(noise.Lognormal); math.Abs(d.Median/(3*us)-1) > 3*0.3/math.Sqrt(n) ||
		math.Abs(d.Sigma-0.3) > 3*0.3/math.Sqrt(2*n) {
		t.Errorf("%+v", d)
	}
	if d := fitLengths(sample(n, 1, noise.Pareto{Least: 2 * us, Shape: 2.5}),
		0).(noise.Pareto); math.Abs(d.Least/(2*us)-1) > 1e-4 ||
		math.Abs(d.Shape-2.5) > 3*2.5/math.Sqrt(n) {
		t.Errorf("%+v", d)
	}
	if d := fitLengths(sample(n, 1, noise.Exponential{Average: 3 * us}),
		0).(noise.Exponential); math.Abs(d.Average/(3*us)-1) > 3/math.Sqrt(n) {
		t.Errorf("%+v", d)
	}
}

// Steps of a timer do not hide the family, and are found.
func TestFitLengthsInSteps(t *testing.T) {
	for _, want := range []noise.Length{noise.Exponential{Average: 2 * us},
		noise.Lognormal{Median: 3 * us, Sigma: 0.3}, noise.Constant(3.21 * us)} {
		x := sample(5000, 1, want)
		const step = 100e-9
		for i := range x {
			x[i] = math.Ceil(x[i]/step) * step
		}
		q := quantum(x)
		if _, ok := want.(noise.Constant); !ok && math.Abs(q-step) > 1e-12 {
			t.Errorf("%T: steps of %g s were found", want, q)
		}
		if got := fitLengths(x, q); fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) {
			t.Errorf("got %T, want %T", got, want)
		}
	}
	if q := quantum(sample(5000, 1, noise.Exponential{Average: us})); q != 0 {
		t.Errorf("steps of %g s where there are none", q)
	}
}

// Measured quantiles are a distribution, of the mean and close to the lengths, with few
// points.
func TestEmpirical(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) float64 {
		return rapid.SampledFrom([]float64{1, 1.5, 5, 20, 1000}).Draw(t,
			"cluster") * rapid.Float64Range(1, 1.1).Draw(t, "within") * us
	})
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(value, 1, 500).Draw(t, "lengths")
		slices.Sort(x)
		e := noise.Measured(x, nil, lengthsWithin)
		tests.NoError(t, e.Check())
		if math.Abs(e.Mean()/mean(x)-1) > 1e-9 {
			t.Fatalf("mean %g, want %g", e.Mean(), mean(x))
		}
		if len(e.Points) > 64 {
			t.Fatalf("%d points", len(e.Points))
		}
	})
}

func TestEmpiricalIsClose(t *testing.T) {
	x := append(sample(3000, 1, noise.Lognormal{Median: 5 * us, Sigma: 0.1}),
		sample(1000, 2, noise.Lognormal{Median: 50 * us, Sigma: 1})...)
	slices.Sort(x)
	e := noise.Measured(x, nil, lengthsWithin)
	for _, share := range []float64{0.01, 0.2, 0.5, 0.7, 0.8, 0.9, 0.99, 0.999} {
		if got, want := e.Quantile(share), at(x, share); math.Abs(got/want-1) > 0.06 {
			t.Errorf("quantile %g is %.4g, want %.4g", share, got, want)
		}
	}
	if d := distance(x, cdf(sample(1e5, 3, e)), 0.05, 0); d > 0.01 {
		t.Errorf("distance %g", d)
	}
}

// Of 1, 2 and 4 two thirds are below 4, where all of the uniform distribution on [0, 4]
// should be; if lengths may be off by 0.4, nine tenths.
func TestDistance(t *testing.T) {
	uniform := func(x float64) float64 { return min(1, max(0, x/4)) }
	for _, c := range []struct{ relative, absolute, want float64 }{
		{0, 0, 1. / 3}, {0.1, 0, 0.9 - 2./3}, {0, 0.4, 0.9 - 2./3}, {0, 4, 0},
	} {
		if got := distance([]float64{1, 2, 4}, uniform, c.relative,
			c.absolute); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("distance off by %g and %g: %g, want %g", c.relative, c.absolute, got, c.want)
		}
	}
}

// Lengths that a family describes but for one in five hundred, which take a fifth of the time
// by which lengths exceed 30 µs, are not of it.
func TestFitLengthsSeesTails(t *testing.T) {
	var lengths []float64
	for i := range 20000 {
		lengths = append(lengths, noise.Exponential{Average: 4 * us}.Quantile((float64(i)+0.5)/20000))
	}
	if got, ok := fitLengths(lengths, 0).(noise.Exponential); !ok {
		t.Errorf("%T, want exponential", got)
	}
	for i := range 40 {
		lengths[19900+i] = 60 * us
	}
	slices.Sort(lengths)
	e, ok := fitLengths(lengths, 0).(noise.Empirical)
	if !ok || math.Abs(e.Quantile(1)/lengths[19999]-1) > 0.01 {
		t.Errorf("%T, want measured quantiles up to %g s", fitLengths(lengths, 0), lengths[19999])
	}
}

// A tail so heavy that what is left of a detour at a random start has no mean is taken as measured.
func TestHeaviestTailIsMeasured(t *testing.T) {
	for seed := range uint64(10) {
		lengths := sample(1000, seed, noise.Pareto{Least: 2 * us, Shape: 1.7})
		length := fitLengths(lengths, 0)
		components := []noise.Component{{Generator: noise.PoissonDetours{Interval: 1, Lengths: length}}}
		if err := (noise.Superposition{Components: components, Start: noise.Random}).Check(); err != nil {
			t.Errorf("seed %d: %T: %v", seed, length, err)
		}
	}
}

// A component of few lengths with a heavy tail leaves time for work if they did.
func TestHeavyTailLeavesTime(t *testing.T) {
	for seed := range uint64(100) {
		lengths := sample(80, seed, noise.Lognormal{Median: 25 * us, Sigma: 2.5})
		s := seen{lengths: lengths, span: sum(lengths) / 0.7}
		if c := s.poisson(lengths); c.Overhead() >= 1 {
			t.Errorf("seed %d: %v takes %g of the time, the lengths 0.7", seed, c.Duration, c.Overhead())
		}
	}
}
