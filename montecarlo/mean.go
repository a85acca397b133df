package montecarlo

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// meanEvidence is Student's one-sided test that the mean of a difference is
// positive.
//
// Noise is rare and heavy: thirty trials without any have no
// variance, and say little of the mean. So to every sample is added one trial
// that went against the statement by one hit of the noise (the rule of
// succession, in the spirit of Laplace). It takes about hit/mean trials to
// outweigh it, which is what it takes to know that such a hit is rare enough.
type meanEvidence struct {
	n, mean, variance float64 // of the differences
	hit               float64
}

func testMean(worse, better []float64, a, b, hit float64) evidence {
	difference := make([]float64, len(worse))
	for i := range worse {
		difference[i] = float64(a*worse[i]) - float64(b*better[i])
	}
	mean, variance := stat.MeanVariance(difference, nil)
	return meanEvidence{float64(len(difference)), mean, variance, hit}
}

func (e meanEvidence) risk(times float64) float64 {
	n := e.n * times
	mean := (float64(n*e.mean) - e.hit) / (n + 1)
	gap := e.mean + e.hit
	squares := float64(e.variance*(n-1)) + float64(gap*gap)*n/(n+1)
	if squares == 0 {
		if mean >= 0 {
			return 0
		}
		return 1
	}
	t := mean / math.Sqrt(squares/n/(n+1))
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n}.CDF(-t)
}
