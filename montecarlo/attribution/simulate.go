package attribution

import (
	"context"

	"jitterfly/montecarlo"
)

// A Series is consecutive trials of one configuration.
type Series struct {
	montecarlo.Config
	result montecarlo.Result
}

// Times returns the completion times [s] with redundancy T, by trial.
func (s *Series) Times(T int) []float64 {
	times, each, final := make([]float64, len(s.result.LowerBound)), len(s.result.Checkpoints), s.result.Final(T)
	for i := range times {
		times[i] = s.result.Completion[i*each+final]
	}
	return times
}

// Extend simulates trials of every series until it has the given number of them, from 2 on.
func Extend(ctx context.Context, seed uint64, series []*Series, trials, workers int) error {
	study := montecarlo.Settings{
		Seed: seed, Tolerance: 1, // of choices, which are not used
		Trials: montecarlo.Trials{Min: trials, Max: trials, Confidence: 0.95},
	}
	var err error
	if study.Objective, err = montecarlo.FindObjective("max"); err != nil { // is not tested
		return err
	}
	field := func(i int) montecarlo.Field { return montecarlo.Field{series[i].Config} }
	return montecarlo.Run(ctx, &study, len(series), field, montecarlo.Options{
		Workers: workers,
		Resume:  func(i int) []montecarlo.Kept { return []montecarlo.Kept{series[i].result.Kept} },
		Done: func(i int, d montecarlo.Decision) error {
			series[i].result = d.Results[0]
			return nil
		},
	})
}
