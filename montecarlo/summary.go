package montecarlo

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/vector"
)

// A Summary describes the completion times [s] at one checkpoint; of a sample it is empty.
type Summary struct {
	NoiseFree float64 // the completion without noise
	Mean      float64
	StdDev    float64 // of the sample, with n−1
	// LowerBound is the mean of [Trial.LowerBound].
	LowerBound float64
	Low, High  float64 // interval of the mean
	// Quantiles are the quantiles of the sample for [Settings.Quantiles].
	Quantiles []float64
}

// hit returns the most [s] that one detour or event delays, by which a sample of n trials is
// judged, and by how much more [s] longer ones delay a trial on average. If lengths have no
// bound it returns the length at which both together widen an interval least.
func (s *Shape) hit(n int) (most, tail float64) {
	if s.Tail == nil {
		return s.Hit, 0
	}
	cost := func(length float64) float64 { return 3*length/float64(n) + s.Tail(length) }
	most = s.Hit
	for least := cost(most); ; most *= 1.1 {
		next := cost(1.1 * most)
		if !(next < least) {
			return most, s.Tail(most)
		}
		least = next
	}
}

// An interval is the confidence interval of a mean of n numbers. Noise is rare and heavy: a few
// trials that have met none hardly vary, and Student's interval of them does not cover the mean. So
// its upper end is Student's after one more trial, in which one more hit delays the mean; to that
// are added the hits that are longer. Its lower end is Student's, or a bound [s] of the mean if
// that is higher.
type interval struct {
	n          float64
	lower      float64 // Student's quantile over √n, for n numbers
	upper      float64 // the same for n + 1
	most, tail float64
}

func newInterval(n int, confidence float64, s *Shape) interval {
	student := func(n int) float64 {
		if n < 2 {
			return math.Inf(1)
		}
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
		// Rounded, since gonum's last digits depend on the processor.
		return math.Round(t.Quantile((1+confidence)/2)*0x1p40) * 0x1p-40 / math.Sqrt(float64(n))
	}
	i := interval{n: float64(n), lower: student(n), upper: student(n + 1)}
	i.most, i.tail = s.hit(n)
	return i
}

// of returns the interval [low, high] [s] of a mean that is at least bound.
func (i *interval) of(mean, stddev, bound float64) (low, high float64) {
	if i.n < 2 {
		return min(bound, mean), math.Inf(1)
	}
	squares := float64(stddev*stddev*(i.n-1)) + i.most*i.most*i.n/(i.n+1)
	more := math.Sqrt(squares / i.n) // the standard deviation after one more trial
	low = max(min(bound, mean), mean-float64(i.lower*stddev))
	return low, mean + i.most/(i.n+1) + float64(i.upper*more) + i.tail
}

// meanStdDev returns the mean and the standard deviation of a sample (T. Chan, G. Golub, R. LeVeque,
// "Algorithms for computing the sample variance", 1983), added up in order: gonum's adds in an order
// that depends on the processor, which changes the last digits.
func meanStdDev(sample []float64) (average, stddev float64) {
	n := float64(len(sample))
	average = mean(sample)
	squares, rest := 0.0, 0.0
	for _, x := range sample {
		d := x - average
		squares += float64(d * d)
		rest += d
	}
	return average, math.Sqrt((squares - float64(rest*rest/n)) / (n - 1))
}

// precise reports whether the interval of a sample's mean reaches no further above it than a
// relative precision.
func (i *interval) precise(sample []float64, precision float64) bool {
	mean, stddev := meanStdDev(sample)
	_, high := i.of(mean, stddev, 0)
	return high-mean <= float64(precision*mean)
}

// summarise describes the completions at one checkpoint, of a mean that is at least bound, and the
// quantiles of a sample, which it sorts.
func summarise(completion, sample []float64, i *interval, bound float64, shares []float64) Summary {
	mean, stddev := meanStdDev(completion)
	low, high := i.of(mean, stddev, bound)
	slices.Sort(sample)
	s := Summary{Mean: mean, StdDev: stddev, Low: low, High: high, Quantiles: make([]float64, len(shares))}
	for q, share := range shares {
		s.Quantiles[q] = vector.Quantile(sample, share)
	}
	return s
}
