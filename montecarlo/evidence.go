package montecarlo

// A comparison compares two candidates in the same trials: is the objective of a·worse − slack
// above the mean of b·better?
type comparison struct {
	worse, better []float64 // completions [s], of the same trials
	a, b          float64
	slack         float64 // [s]
	// hit is how much [s] one hit of the noise can speak against it in a trial.
	hit float64
	// looks are numbers of trials, the first ones, after which bets are looked at, where they are above 0: as
	// many as both candidates have, and as the floor does. In the others one of them has its lower bound.
	looks [2]int
	// outside is how probably a quantile may be where its test does not search for it.
	outside float64
}

// Evidence is what trials say for a comparison.
type evidence interface {
	// risk bounds the probability that trials give as much evidence for a false statement, given times
	// as many trials of the same kind.
	risk(times float64) float64
}

// A fixedRisk is evidence of a risk that no trials change: 1 if they say nothing, 0 of a statement that is
// true by structure.
type fixedRisk float64

func (r fixedRisk) risk(float64) float64 { return float64(r) }

// atMost is evidence whose risk is at most the risk after fewer trials.
type atMost struct {
	evidence
	most float64
}

func (e atMost) risk(times float64) float64 { return min(e.most, e.evidence.risk(times)) }

// riskShare returns the share of the risk allowed that each analysis may take, from the first one
// at which the objective can be tested on; they sum to 1. A test that may be repeated for ever
// takes all of it at every analysis.
func (o *Objective) riskShare(analysis int) float64 {
	if o.sequential {
		return 1
	}
	l := float64(max(1, analysis))
	return 1 / (l * (l + 1))
}
