package cost

import (
	"context"
	"time"

	"jitterfly/cli/study"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// probing is how long trials are simulated to find how fast that is, and patience how long one
// may take.
const probing, patience = 100 * time.Millisecond, 2 * time.Second

// Rate returns about how many messages a worker simulates in a second, from trials of the
// configuration of the study that has the fewest. Where one trial takes longer than [patience] the
// rate is at most what is returned.
func Rate(ctx context.Context, s *study.Study) (perSecond float64, err error) {
	least := 0
	for i, c := range s.Configurations {
		if c.Work < s.Configurations[least].Work {
			least = i
		}
	}
	config, err := s.Config(least)
	if err != nil {
		return 0, err
	}
	model := config.Model
	shape, err := model.Shape()
	if err != nil {
		return 0, err
	}
	runner, err := model.NewRunner(nil)
	if err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begin, trials := time.Now(), 0.
	trial := []montecarlo.Trial{{Completion: make([]float64, len(shape.Checkpoints))}}
	for time.Since(begin) < probing {
		key := rng.NewKey(s.Seed, "rate").Derive(uint64(trials))
		if err := runner.Run(limited, []rng.Key{key}, trial); err != nil {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			return s.Configurations[least].Work / patience.Seconds(), nil
		}
		trials++
	}
	return trials * s.Configurations[least].Work / time.Since(begin).Seconds(), nil
}

// Candidates returns the messages of some trials, and of one without noise, of all configurations
// that are likely to be simulated, and their number. It fails as [study.Study.Field] does.
func Candidates(s *study.Study, trials int) (messages float64, count int, err error) {
	for i := range s.Len() {
		field, err := s.Field(i)
		if err != nil {
			return 0, 0, err
		}
		var bounds []float64
		for _, c := range field {
			bounds = append(bounds, c.Model.LowerBound())
		}
		for j, c := range s.Of(i) {
			if bounds[j] <= montecarlo.Likely(bounds) {
				messages += c.Work * float64(trials+1)
				count++
			}
		}
	}
	return messages, count, nil
}
