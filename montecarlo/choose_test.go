package montecarlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// chosen decides among columns[T][trial] by their means, under noise of that
// hit, and how sure it is.
func chosen(tolerance, hit float64, columns ...[]float64) (v verdict, confidence float64) {
	means := make([]float64, len(columns))
	for T, column := range columns {
		means[T] = stat.Mean(column, nil)
	}
	v = decide(columns, means, Objectives[0], tolerance, hit)
	return v, 1 - v.risk(1)
}

// always is a hundred trials that all take so long.
func always(x float64) []float64 {
	column := make([]float64, 100)
	for i := range column {
		column[i] = x
	}
	return column
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name         string
		columns      [][]float64
		star, argmin int
	}{
		{"only T = 0", [][]float64{always(3)}, 0, 0},
		{"all the same", [][]float64{always(3), always(3), always(3)}, 0, 0},
		{"the first of the best", [][]float64{always(9), always(3), always(3)}, 1, 1},
		{"T = 0 is best", [][]float64{always(5), always(6), always(7)}, 0, 0},
		{"T = 0 within tolerance of the best", [][]float64{always(100.9), always(101), always(100)}, 0,
			2},
		{"T = 1 within tolerance of the best", [][]float64{always(101.1), always(100.9), always(100)}, 1,
			2},
		{"none within tolerance of the best", [][]float64{always(103), always(102), always(100),
			always(104)}, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, sure := chosen(0.01, 0, c.columns...)
			if sure < 0.999 {
				t.Errorf("confidence %g of what never varies", sure)
			}
			if got.star != c.star || got.argmin != c.argmin {
				t.Errorf("chose %d, the least being %d; want %d and %d", got.star, got.argmin, c.star, c.argmin)
			}
		})
	}
}

// Nine differences of two columns and the hit against them have the mean
// 2.262157·s/√10, which Student's test with n = 10 gives a risk of 2.5 %.
func TestConfidenceIsStudents(t *testing.T) {
	differences := []float64{-2, -1, 0, 1, 2, 2, 1, 0, -1, -2}
	_, s := stat.MeanStdDev(differences, nil)
	mean := 2.262157 * s / math.Sqrt(10)
	hit := -(differences[9] + mean)
	best, worse, muchWorse := make([]float64, 9), make([]float64, 9), make([]float64, 9)
	for i := range best {
		best[i] = float64(10_000 + 100*i) // what they have in common must not matter
		worse[i] = best[i] + differences[i] + mean
		muchWorse[i] = 1.5*best[i] + differences[i] + mean
	}
	// The risk that T = 1 is the better one.
	if c, sure := chosen(0, hit, best, worse); c.star != 0 || math.Abs(sure-0.975) > 1e-4 {
		t.Errorf("T* = %d with confidence %g, want 0 with 0.975", c.star, sure)
	}
	// The risk that T = 0 is within tolerance after all.
	if c, sure := chosen(0.5, hit, muchWorse, best); c.star != 1 || math.Abs(sure-0.975) > 1e-4 {
		t.Errorf("T* = %d with confidence %g, want 1 with 0.975", c.star, sure)
	}
}

func TestTieIsNoRisk(t *testing.T) {
	if c, sure := chosen(0, 0, always(3), always(3)); c.star != 0 || sure != 1 {
		t.Errorf("T* = %d with confidence %g, want 0 with 1", c.star, sure)
	}
}

// That nothing has struck yet says little, if what may strike is large.
func TestConfidenceNeedsTrials(t *testing.T) {
	same := slices.Repeat([]float64{1}, 1_000_000)
	for _, c := range []struct {
		trials   int
		from, to float64
	}{{30, 0, 0.5}, {1_000_000, 0.999, 1}} {
		_, sure := chosen(0.01, 10, same[:c.trials], same[:c.trials])
		if sure < c.from || sure > c.to {
			t.Errorf("%d trials, all alike: confidence %g, want %g to %g", c.trials, sure, c.from, c.to)
		}
	}
}

func TestConfidenceNeedsSeparation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const n = 30
	slow, faster, alike := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		slow[i] = 100 + 30*random.NormFloat64()
		faster[i] = slow[i] - 10 + random.NormFloat64() // in every trial
		alike[i] = slow[i] - 1 + float64(i%2*10-5)      // 1 % on average, give or take
	}
	if c, sure := chosen(0.01, 1, slow, faster); c.star != 1 || sure < 0.999 {
		t.Errorf("separated in every pair: T* = %d with confidence %g, want 1 with almost 1", c.star,
			sure)
	}
	if c, sure := chosen(0.01, 1, slow, alike); sure > 0.8 {
		t.Errorf("not separated: T* = %d with confidence %g", c.star, sure)
	}
}
