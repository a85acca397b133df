package montecarlo

import "context"

// Slowest returns which of the first trials of the configuration takes longest up to a checkpoint.
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
