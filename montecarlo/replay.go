package montecarlo

import (
	"context"

	"jitterfly/collectives/recording"
)

// Replay simulates one trial of the configuration again, up to a checkpoint, and returns what
// every rank did.
func (c *Config) Replay(
	ctx context.Context, seed uint64, trial, checkpoint int,
) (*recording.Recording, error) {
	runner, err := c.Model.NewRunner(nil)
	if err != nil {
		return nil, err
	}
	return runner.Record(ctx, c.streams(seed).Derive(uint64(trial)), checkpoint)
}

// Slowest returns which of the first so many trials takes longest up to a checkpoint.
func (c *Config) Slowest(
	ctx context.Context, seed uint64, trials, checkpoint int,
) (trial int, err error) {
	j, err := newJob(c, seed, Kept{})
	if err != nil {
		return 0, err
	}
	j.extend(trials)
	if err := new(worker).run(ctx, nil, j, 0, trials); err != nil {
		return 0, err
	}
	for i := range trials {
		if j.completionOf(i)[checkpoint] > j.completionOf(trial)[checkpoint] {
			trial = i
		}
	}
	return trial, nil
}
