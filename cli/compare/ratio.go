package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/datasets"
)

// A Ratio is what the mean completion time of B is in units of A's, with its interval.
type Ratio struct{ Value, Low, High float64 }

// Differs reports whether the interval excludes that the means are equal.
func (r Ratio) Differs() bool { return r.Low > 1 || r.High < 1 }

// unpaired returns the ratio of two means of independent trials, from the means and the
// intervals in the summaries. Those account for noise that the trials have missed, which a
// standard deviation does not.
//
// The interval is that of the method of variance estimates recovery, on a logarithmic scale
// (Zou and Donner, "Construction of confidence limits about effect measures", Statistics in
// Medicine 27, 2008): each end is as far from the ratio as the two ends that push it there are
// from their means, added in squares.
func unpaired(a, b datasets.Measures) Ratio {
	r := b.Mean / a.Mean
	down := math.Hypot(math.Log(a.High/a.Mean), math.Log(b.Mean/b.Low))
	up := math.Hypot(math.Log(a.Mean/a.Low), math.Log(b.High/b.Mean))
	return Ratio{r, r * math.Exp(-down), r * math.Exp(up)}
}

// paired returns the ratio of two means [s] of trials that met the same noise, in pairs.
//
// The interval is Student's of the residuals b − ratio·a, relative to b's mean. Trials that have
// missed rare noise do not show how it would tell a from b, so the interval is widened by what
// those noise may add to each mean, missedA and missedB [s]: to A's at its lower end, and to B's
// at its upper end.
func paired(a, b []float64, missedA, missedB, level float64) Ratio {
	meanA, meanB := stat.Mean(a, nil), stat.Mean(b, nil)
	r := meanB / meanA
	residuals := make([]float64, len(a))
	for i := range a {
		residuals[i] = b[i] - float64(r*a[i])
	}
	half := student(len(a), level) * stat.StdDev(residuals, nil) / meanB
	return Ratio{
		Value: r,
		Low:   r * math.Exp(-half) / (1 + missedA/meanA),
		High:  r * math.Exp(half) * (1 + missedB/meanB),
	}
}

// missed returns what noise that n of the trials may have missed adds to the mean [s] at most:
// by how much the end of the mean's interval exceeds Student's, at the level of the interval.
// Where n is less than the trials of the summary more may be missed: the terms of that end fall
// with the number of trials, and none faster than its power of 3/2.
func missed(m datasets.Measures, n int, level float64) float64 {
	over := m.High - m.Mean - float64(student(int(m.Trials), level)*m.StdDev)
	return max(0, over) * math.Pow(float64(m.Trials)/float64(n), 1.5)
}

// student returns half the width of Student's interval of a mean of n numbers, in units of
// their standard deviation.
func student(n int, level float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	return t.Quantile((1+level)/2) / math.Sqrt(float64(n))
}
