package attribution

import (
	"context"

	"golang.org/x/sync/errgroup"

	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A Series is consecutive trials of one model.
type Series struct {
	Model montecarlo.Model
	// First is the number of the first trial.
	First int
	// Times are the completion times [s], by checkpoint of the model's [montecarlo.Shape] and by
	// trial.
	Times [][]float64

	complete []int // the checkpoints at which the collective is complete, by T
}

// piece is how many trials a worker simulates before it looks for others: enough that to compile a
// model costs little.
const piece = 32

// Extend simulates trials of every series until it has the given number of them. The key names the
// random numbers of a trial, which are the same for all models, however many workers there are.
func Extend(ctx context.Context, key func(trial int) rng.Key, series []*Series, trials, workers int) error {
	type job struct {
		*Series
		from, to int
	}
	jobs := make(chan job)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		for _, s := range series {
			from, err := s.grow(trials)
			if err != nil {
				return err
			}
			for ; from < trials; from += piece {
				select {
				case jobs <- job{s, from, min(from+piece, trials)}:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
	for range max(1, workers) {
		group.Go(func() (err error) {
			var runner montecarlo.Runner
			var of montecarlo.Model
			for j := range jobs {
				if of != j.Model {
					if runner, err = j.Model.NewRunner(runner); err != nil {
						return err
					}
					of = j.Model
				}
				if err := j.run(ctx, runner, key, j.from, j.to); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// grow makes room for the given number of trials, and returns how many there are.
func (s *Series) grow(trials int) (have int, err error) {
	if s.Times == nil {
		shape, err := s.Model.Shape()
		if err != nil {
			return 0, err
		}
		s.Times = make([][]float64, len(shape.Checkpoints))
		for k, c := range shape.Checkpoints {
			if k+1 == len(shape.Checkpoints) || shape.Checkpoints[k+1].T != c.T {
				s.complete = append(s.complete, k)
			}
		}
	}
	have = len(s.Times[0])
	for k, times := range s.Times {
		s.Times[k] = append(times, make([]float64, max(0, trials-have))...)
	}
	return have, nil
}

// run simulates the trials from … to−1 of the series.
func (s *Series) run(ctx context.Context, runner montecarlo.Runner, key func(trial int) rng.Key,
	from, to int,
) error {
	keys, trials := make([]rng.Key, to-from), make([]montecarlo.Trial, to-from)
	for i := range keys {
		keys[i] = key(s.First + from + i)
		trials[i].Completion = make([]float64, len(s.Times))
	}
	if err := runner.Run(ctx, keys, trials); err != nil {
		return err
	}
	for i, trial := range trials {
		for k, t := range trial.Completion {
			s.Times[k][from+i] = t
		}
	}
	return nil
}
