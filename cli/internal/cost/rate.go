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
	for i, work := range s.Work {
		if work < s.Work[least] {
			least = i
		}
	}
	model := s.Configs[least].Model
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
			return s.Work[least] / patience.Seconds(), nil
		}
		trials++
	}
	return trials * s.Work[least] / time.Since(begin).Seconds(), nil
}

// Candidates returns the messages of some trials, and of one without noise, of all configurations
// that are likely to be simulated, and their number.
func Candidates(s *study.Study, trials int) (messages float64, count int) {
	at := 0
	for _, field := range s.Fields {
		var bounds []float64
		for _, c := range field {
			bounds = append(bounds, c.Model.LowerBound())
		}
		for i, bound := range bounds {
			if bound <= montecarlo.Likely(bounds) {
				messages += s.Work[at+i] * float64(trials+1)
				count++
			}
		}
		at += len(field)
	}
	return messages, count
}
