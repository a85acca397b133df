package montecarlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/internal/tests"
)

// times returns a comparison of n trials, which take worse and better, except for the given others.
func times(n int, worse, better, hit float64, others map[int][2]float64) comparison {
	c := comparison{a: 1, b: 1, hit: hit}
	for i := range n {
		x := [2]float64{worse, better}
		if other, ok := others[i]; ok {
			x = other
		}
		c.worse, c.better = append(c.worse, x[0]), append(c.better, x[1])
	}
	return c
}

// The e-process is what the definition says: Σ w_j Π max(0, 1 + λ_j·G_i).
func TestWealthIsTheDefinition(t *testing.T) {
	others := map[int][2]float64{3: {9, 2}, 7: {4, 6}, 8: {2, 2}, 11: {2, 30}, 14: {5, 1}}
	c := times(16, 2, 1, 20, others) // one of its bets is lost in the trial 11
	c.a, c.slack = 1.01, 0.001
	want, shares := 0.0, 0.0
	for j := range 16 {
		stake := 0.99 * math.Pow(0.6, float64(j)) / c.hit
		share := 0.8
		if j > 0 {
			share = 0.2 / float64(j*(j+1))
		}
		value := share
		for i := range c.worse {
			value *= max(0, 1+stake*(c.a*c.worse[i]-c.better[i]-c.slack))
		}
		want += value
		shares += share
	}
	want /= shares
	if got := math.Exp(testMean(c).(*eProcess).mixture(1)); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("value %g, want %g", got, want)
	}
}

// So many trials that nothing touches prove that a hit is rare enough, as docs/model/proofs.md
// has it.
func TestWealthNeedsTrials(t *testing.T) {
	const hit, mean, tolerance = 100., 1., 0.01
	n := int(3.2 * hit / (tolerance * mean))
	for _, k := range []int{n * 96 / 100, n * 101 / 100} {
		c := times(k, mean, mean, hit, nil)
		c.a = 1 + tolerance
		if risk := testMean(c).risk(1); (k > n) != (risk <= 0.05) {
			t.Errorf("%d trials, of %d that are needed: risk %g", k, n, risk)
		}
	}
}

// A mean that is not positive is claimed to be for at most the allowed share of samples, whenever
// they are analysed: differences are small and rarely one hit, so that they cancel exactly, or are
// as often up as down.
func TestFalseClaimsAreRare(t *testing.T) {
	const n, level = 3000, 0.05
	samples := tests.Part(2000, 400)
	random := rand.New(rand.NewPCG(1, 1))
	for name, worse := range map[string]func() float64{
		"one hit in 1000":        func() float64 { return 1 - 1000*b2f(random.Float64() < 1e-3) },
		"one hit in 100":         func() float64 { return 0.1 - 10*b2f(random.Float64() < 1e-2) },
		"as often up as down":    func() float64 { return 10 * (1 - 2*b2f(random.Float64() < 0.5)) },
		"exponential":            func() float64 { return 1 - random.ExpFloat64() },
		"worse than it would be": func() float64 { return 0.09 - 10*b2f(random.Float64() < 1e-2) },
	} {
		verdicts := 0
		for range samples {
			c := comparison{a: 1, b: 1, hit: 1000}
			if name != "one hit in 1000" {
				c.hit = 10
			}
			for range n {
				c.worse, c.better = append(c.worse, 2000+worse()), append(c.better, 2000)
			}
			if testMean(c).risk(1) <= level {
				verdicts++
			}
		}
		if most := level*float64(samples) + 3*math.Sqrt(level*float64(samples)); float64(verdicts) > most {
			t.Errorf("%s: %d of %d false verdicts", name, verdicts, samples)
		}
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// A verdict that is true is made in the end, and more of the same trials make it more certain.
func TestTrueClaimsAreMade(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	c := comparison{a: 1, b: 1, hit: 10}
	for range 5000 {
		c.worse = append(c.worse, 2+0.2-10*b2f(random.Float64() < 0.01))
		c.better = append(c.better, 2)
	}
	few, many := c, c
	few.worse, few.better = c.worse[:100], c.better[:100]
	if a, b := testMean(few).risk(1), testMean(many).risk(1); a < 0.2 || b > 1e-4 {
		t.Errorf("risk %g after 100 trials, %g after 5000", a, b)
	}
}

// Without noise all trials are the same, and one is enough.
func TestNoNoiseIsCertain(t *testing.T) {
	for _, better := range []float64{0.5, 1, 1.001} {
		c := times(2, 1, better, 0, nil)
		if risk := testMean(c).risk(1); (risk == 0) != (better <= 1) {
			t.Errorf("1 and %g: risk %g", better, risk)
		}
	}
}

// Very large gains and losses of many trials neither overflow nor vanish.
func TestWealthDoesNotOverflow(t *testing.T) {
	c := times(100_000, 1, 0, 1e-3, nil)
	for i := range c.worse {
		c.worse[i] = float64(1 + i%3)
	}
	if risk := testMean(c).risk(1); risk != 0 {
		t.Errorf("risk %g", risk)
	}
	slices.Reverse(c.worse)
	c.worse, c.better = c.better, c.worse
	if risk := testMean(c).risk(1); risk != 1 {
		t.Errorf("risk %g of the opposite", risk)
	}
}
