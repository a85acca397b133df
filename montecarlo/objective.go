package montecarlo

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/internal/vector"
)

// An Objective compares completion times: it is a functional of their distribution, estimated from
// a sample, and a test of one being larger than another.
type Objective struct {
	Name string
	// of estimates the objective from a sample.
	of func(sample []float64) float64
	// test weighs the evidence for a comparison; it is nil if trials cannot give any.
	test func(c comparison) evidence
	// sequential says that the test may be repeated with more trials as often as one likes.
	sequential bool
	// ofMeans says that the objective of samples is computed from the mean of each trial.
	ofMeans bool
	// p is the probability that the objective is the quantile of, if it is one.
	p float64
}

// Needs returns the number of trials that a statement with a confidence needs; 0 if no number is
// enough.
func (o *Objective) Needs(confidence float64) int {
	switch {
	case o.test == nil:
		return 0
	case o.p == 0:
		return 2
	}
	outside := outsideShare * (1 - confidence) * o.riskShare(1)
	return int(math.Ceil(math.Log(outside/2) / math.Log(o.p)))
}

// Quantile returns the probability that the objective is the quantile of, 0 for the mean. It is not
// ok for the maximum.
func (o *Objective) Quantile() (p float64, ok bool) { return o.p, o.p > 0 || o.ofMeans }

// outsideShare is the share of the risk that is allowed of a test of quantiles, that a quantile
// is where the test does not search for it.
const outsideShare = 0.1

// Objectives lists all objectives.
var Objectives = []Objective{
	{Name: "mean", of: mean, test: testMean, sequential: true, ofMeans: true},
	quantileObjective("p50", 0.5),
	quantileObjective("p95", 0.95),
	quantileObjective("p99", 0.99),
	quantileObjective("p99.9", 0.999),
	// The noise of infinitely many trials has no bound, so finitely many trials show nothing about
	// their maximum.
	{Name: "max", of: slices.Max[[]float64]},
}

// It adds up in order, as [meanStdDev].
func mean(sample []float64) float64 {
	sum := 0.0
	for _, x := range sample {
		sum += x
	}
	return sum / float64(len(sample))
}

func quantileObjective(name string, p float64) Objective {
	return Objective{
		Name: name,
		of:   func(sample []float64) float64 { return vector.Quantile(slices.Sorted(slices.Values(sample)), p) },
		test: func(c comparison) evidence { return testQuantile(c, p) },
		p:    p,
	}
}

// FindObjective returns the objective of that name.
func FindObjective(name string) (Objective, error) {
	i := slices.IndexFunc(Objectives, func(o Objective) bool { return o.Name == name })
	if i < 0 {
		return Objective{}, fmt.Errorf("no objective is named %q", name)
	}
	return Objectives[i], nil
}
