package montecarlo

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// An Objective is what completion times are compared by: a functional of their
// distribution, estimated from a sample, and a test of one being larger than
// another.
type Objective struct {
	Name string
	// of estimates the objective from a sample.
	of func(sample []float64) float64
	// test weighs the evidence that the objective of a·worse exceeds that of
	// b·better, which are of the same trials. hit is how much one event of the
	// noise can delay.
	test func(worse, better []float64, a, b, hit float64) evidence
	// Trials is how many are needed before anything can be told; no number is
	// enough if it is 0.
	Trials int
}

// Evidence is what a sample says for a statement.
type evidence interface {
	// risk bounds the probability of a sample that says as much for the
	// statement though it is false, were the sample so many times as large
	// and otherwise the same.
	risk(times float64) float64
}

// Objectives are all there are.
var Objectives = []Objective{
	{Name: "mean", of: mean, test: testMean, Trials: 2},
	quantileObjective("p50", 0.5),
	quantileObjective("p95", 0.95),
	quantileObjective("p99", 0.99),
	quantileObjective("p99.9", 0.999),
	// The noise of infinitely many trials knows no bound, so nothing can be
	// told of their largest from finitely many.
	{Name: "max", of: slices.Max[[]float64], test: testNothing},
}

func mean(sample []float64) float64 { return stat.Mean(sample, nil) }

func quantileObjective(name string, p float64) Objective {
	return Objective{
		Name: name,
		of:   func(sample []float64) float64 { return quantile(slices.Sorted(slices.Values(sample)), p) },
		test: func(worse, better []float64, a, b, _ float64) evidence {
			return testQuantile(worse, better, a, b, p)
		},
		Trials: int(math.Ceil(math.Log(outside/2) / math.Log(p))),
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

// nothing is no evidence.
type nothing struct{}

func (nothing) risk(float64) float64 { return 1 }

func testNothing([]float64, []float64, float64, float64, float64) evidence { return nothing{} }
