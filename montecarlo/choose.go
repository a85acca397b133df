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
	// Confidence is how sure it is that infinitely many trials would choose
	// Star too; see [choose].
	Confidence float64
}

// choose picks T* from completion[T][trial], whose means are given; hit is how
// much one event of the noise can delay.
//
// Star is right if the tolerance separates it from all that it was preferred
// to: every smaller T is worse than (1+tolerance) times the best, and Star
// itself is not worse than (1+tolerance) times any larger. Each of these is a
// statement that the mean of a difference between two T of the same trials is
// positive; its risk comes from [riskOfNegativeMean]. Statements of one kind are
// nested where means fall with T, as they do without send overhead, so of each
// kind the largest risk counts; the confidence is one minus their sum, at least
// 0. With send overhead that is an approximation.
func choose(completion [][]float64, mean []float64, tolerance, hit float64) Choice {
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

	difference := make([]float64, len(completion[0])+1)
	risk := func(worse, better []float64, a, b float64) float64 {
		for i := range worse {
			difference[i] = float64(a*worse[i]) - float64(b*better[i])
		}
		difference[len(worse)] = -hit
		return riskOfNegativeMean(difference)
	}
	tooSmall, tooLarge := 0.0, 0.0
	for t := range completion {
		switch {
		case t < c.Star:
			tooLarge = math.Max(tooLarge, risk(completion[t], completion[c.Argmin], 1, 1+tolerance))
		case t > c.Star:
			tooSmall = math.Max(tooSmall, risk(completion[t], completion[c.Star], 1+tolerance, 1))
		}
	}
	c.Confidence = math.Max(0, 1-tooLarge-tooSmall)
	return c
}

// riskOfNegativeMean is the one-sided p-value of Student's test that the mean
// of the population is not positive.
//
// Noise is rare and heavy: thirty trials in which nothing struck have no
// variance, and say little of the mean. So choose adds to every sample one
// trial that went against its statement by one hit of the noise (the rule of
// succession, in the spirit of Laplace). It takes about hit/mean trials to
// outweigh it, which is what it takes to know that such a hit is rare enough.
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
