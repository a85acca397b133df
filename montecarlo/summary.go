package montecarlo

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Summary describes the completion times [s] at one checkpoint.
type Summary struct {
	NoiseFree float64 // the completion without noise
	Mean      float64
	StdDev    float64 // of the sample, with n−1
	// LowerBound is the mean of [Trial.LowerBound].
	LowerBound float64
	Low, High  float64 // Student's interval of the mean
	Min, Max   float64
	P50        float64
	P90, P95   float64
	P99, P999  float64
}

// halfWidth is half of Student's interval of the mean of n numbers, at a level
// of confidence, in units of their standard deviation:
//
//	t_{n−1, (1+confidence)/2} / √n
//
// It takes long enough to be worth keeping.
func halfWidth(n int, confidence float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	return t.Quantile((1+confidence)/2) / math.Sqrt(float64(n))
}

// cautious returns the standard deviation of a sample of n numbers, which has the given one,
// and one number more that lies a hit of the noise above its mean.
// Noise is rare: a few trials that have met none do not vary, and a precision judged by them
// would be wrong.
func cautious(stddev float64, n int, hit float64) float64 {
	squares := float64(stddev*stddev*float64(n-1)) + hit*hit*float64(n)/float64(n+1)
	return math.Sqrt(squares / float64(n))
}

// summarise describes the completions of one T, given the half-width for their
// number. It sorts them.
func summarise(completion []float64, halfWidth float64) Summary {
	mean, stddev := stat.MeanStdDev(completion, nil)
	half := halfWidth * stddev
	slices.Sort(completion)
	return Summary{
		Mean: mean, StdDev: stddev,
		Low: mean - half, High: mean + half,
		Min: completion[0], Max: completion[len(completion)-1],
		P50:  quantile(completion, 0.5),
		P90:  quantile(completion, 0.9),
		P95:  quantile(completion, 0.95),
		P99:  quantile(completion, 0.99),
		P999: quantile(completion, 0.999),
	}
}

// quantile interpolates between the order statistics as NumPy does by default
// (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996),
// so that notebooks find the same number. gonum's interpolation is type 4. As
// everywhere, a conversion around a product that is added keeps compilers from
// fusing the two on some processors and not on others.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + float64((at-float64(below))*(sorted[above]-sorted[below]))
}
