package montecarlo

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Choice is the redundancy that the trials favour.
type Choice struct {
	// Star is T*: the smallest T, 0 included, whose mean is within the
	// tolerance of the best T's.
	Star int
	// Argmin is the T with the smallest mean, the first of several.
	Argmin    int
	Objective float64 // mean completion at Star
	Baseline  float64 // mean completion at T = 0
	// Confidence is a lower bound of the probability that Star is what
	// infinitely many trials would choose; see [choose].
	Confidence float64
}

// choose picks T* from completion[T][trial], whose means are given.
//
// Star is right if the tolerance separates it from all that it was preferred
// to: every smaller T is worse than (1+tolerance) times the best, and Star
// itself is not worse than (1+tolerance) times any other. Each of these is a
// statement about the mean of differences between two T of the same trials,
// and its risk is the tail of Student's distribution beyond that mean. The
// confidence is one minus the sum of the risks (Bonferroni), at least 0.
// The distribution of completions is skewed, so with few trials the risks are
// approximate.
func choose(completion [][]float64, mean []float64, tolerance float64) Choice {
	c := Choice{Baseline: mean[0]}
	for t, m := range mean {
		if m < mean[c.Argmin] {
			c.Argmin = t
		}
	}
	for mean[c.Star] > (1+tolerance)*mean[c.Argmin] {
		c.Star++
	}
	c.Objective = mean[c.Star]

	difference := make([]float64, len(completion[0]))
	risk := 0.0
	separated := func(worse, better []float64, a, b float64) {
		for i := range difference {
			difference[i] = a*worse[i] - b*better[i]
		}
		risk += riskOfNegativeMean(difference)
	}
	for t := range completion {
		if t < c.Star {
			separated(completion[t], completion[c.Argmin], 1, 1+tolerance)
		}
		if t != c.Star {
			separated(completion[t], completion[c.Star], 1+tolerance, 1)
		}
	}
	c.Confidence = math.Max(0, 1-risk)
	return c
}

// riskOfNegativeMean is the one-sided p-value of Student's test that the mean
// of the population is not positive.
func riskOfNegativeMean(sample []float64) float64 {
	mean, stddev := stat.MeanStdDev(sample, nil)
	if stddev == 0 {
		if mean >= 0 {
			return 0
		}
		return 1
	}
	n := float64(len(sample))
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.CDF(-mean / stddev * math.Sqrt(n))
}
