package montecarlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/tests"
)

// The order statistics are those of the exact binomial distribution: no larger
// rank below, and no smaller one above, would do.
func TestOrderStatistics(t *testing.T) {
	const outside = 1e-4
	for _, c := range []struct {
		n int
		p float64
	}{{100, 0.5}, {1000, 0.95}, {10_000, 0.99}, {9899, 0.999}, {20_000, 0.999}} {
		l, u, ok := orderStatistics(c.n, c.p, outside)
		if !ok {
			t.Errorf("n = %d, p = %g: too few", c.n, c.p)
			continue
		}
		// The quantile is below the l-th if fewer than l are below it, and
		// above the u-th if u or more are.
		number := distuv.Binomial{N: float64(c.n), P: c.p}
		below := func(l int) float64 { return number.CDF(float64(l - 1)) }
		above := func(u int) float64 { return number.Survival(float64(u - 1)) }
		if below(l) > outside/2 || below(l+1) <= outside/2 {
			t.Errorf("n = %d, p = %g: below rank %d with probability %g, and %d with %g", c.n, c.p, l,
				below(l), l+1, below(l+1))
		}
		if above(u) > outside/2 || above(u-1) <= outside/2 {
			t.Errorf("n = %d, p = %g: above rank %d with probability %g, and %d with %g", c.n, c.p, u,
				above(u), u-1, above(u-1))
		}
	}
}

// An objective knows how many trials it takes before anything can be told at the
// first analysis that can resolve it.
func TestObjectivesNeedTrials(t *testing.T) {
	const confidence = 0.95
	for _, o := range Objectives[1:5] {
		needs := o.Needs(confidence)
		allowed := (1 - confidence) / 2 // of the first analysis
		outside := outsideShare * allowed
		if _, _, ok := orderStatistics(needs, o.p, outside); !ok {
			t.Errorf("%s: %d trials are too few", o.Name, needs)
		}
		if _, _, ok := orderStatistics(needs-1, o.p, outside); ok {
			t.Errorf("%s: %d trials would do too", o.Name, needs-1)
		}
		one := slices.Repeat([]float64{1}, needs)
		for _, n := range []int{needs - 1, needs} {
			c := comparison{worse: one[:n], better: one[:n], a: 2, b: 1, outside: outside}
			if risk := o.test(c).risk(1); (n == needs) != (risk < allowed) {
				t.Errorf("%s: %d trials at 2 and 1: risk %g", o.Name, n, risk)
			}
		}
	}
}

// What is false is believed no more often than its risk says: for pairs whose
// quantiles are the same, however they depend on each other, the risk is small
// as rarely as that.
func TestRiskOfFalseStatementsAboutQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	n, repetitions := 400, tests.Part(1000., 250)
	for name, pair := range map[string]func() (a, b float64){
		"independent": func() (a, b float64) { return random.ExpFloat64(), random.ExpFloat64() },
		"the same but for a little": func() (a, b float64) {
			x := random.ExpFloat64()
			return x + 0.01*random.NormFloat64(), x + 0.01*random.NormFloat64()
		},
		"opposite": func() (a, b float64) {
			x := random.Float64()
			return x, 1 - x
		},
		"of few values": func() (a, b float64) {
			return float64(random.IntN(3)),
				float64(random.IntN(3))
		},
	} {
		for _, p := range []float64{0.5, 0.9} {
			small := map[float64]int{0.05: 0, 0.2: 0}
			for range int(repetitions) {
				a, b := make([]float64, n), make([]float64, n)
				for i := range a {
					a[i], b[i] = pair()
				}
				risk := testQuantile(comparison{worse: a, better: b, a: 1, b: 1, outside: 1e-4}, p).risk(1)
				for level := range small {
					if risk <= level {
						small[level]++
					}
				}
			}
			for level, count := range small {
				if most := level*repetitions + 4*math.Sqrt(level*(1-level)*repetitions); float64(count) > most {
					t.Errorf("%s, p = %g: risk up to %g in %d of %g", name, p, level, count, repetitions)
				}
			}
		}
	}
}

// What is true by far is believed, and pairs tell more than two samples would:
// here one is 1% larger in every pair, which their spread would hide.
func TestPairsTellQuantilesApart(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	const n = 1500
	a, b := make([]float64, n), make([]float64, n)
	for i := range a {
		b[i] = 1 + random.Float64()
		a[i] = 1.01 * b[i]
	}
	paired := testQuantile(comparison{worse: a, better: b, a: 1, b: 1, outside: 1e-4}, 0.9).risk(1)
	random.Shuffle(n, func(i, j int) { a[i], a[j] = a[j], a[i] })
	if unpaired := testQuantile(comparison{worse: a, better: b, a: 1, b: 1, outside: 1e-4},
		0.9).risk(1); paired > 1e-3 || unpaired < 0.05 {
		t.Errorf("risk %g of pairs and %g of others, want next to none and more", paired, unpaired)
	}
}

// More trials of the same kind are what a larger sample of the same kind is.
func TestTimesIsALargerSample(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	a, b := make([]float64, 1000), make([]float64, 1000)
	for i := range a {
		b[i] = random.ExpFloat64()
		a[i] = 1.02*b[i] + 0.5*random.NormFloat64()
	}
	for _, o := range []Objective{Objectives[0], quantileObjective("p90", 0.9)} {
		c := comparison{worse: a, better: b, a: 1.05, b: 1, hit: 5, outside: 1e-4}
		one := o.test(c).risk(4)
		c.worse, c.better = slices.Repeat(a, 4), slices.Repeat(b, 4)
		four := o.test(c).risk(1)
		if math.Abs(one-four) > 0.02*four {
			t.Errorf("%s: risk %g of four times a sample, %g of one so large", o.Name, one, four)
		}
	}
}
