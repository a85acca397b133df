package montecarlo

import (
	"context"

	"jitterfly/collectives/recording"
)

// Replay plays one trial of the configuration again, up to the result of T, and
// records what happens in it.
func (c *Config) Replay(ctx context.Context, seed uint64, trial, T int) (*recording.Recording, error) {
	j, err := newJob(c, seed)
	if err != nil {
		return nil, err
	}
	detours, delays := c.OS.Detours(make([]float64, c.Problem.Ranks)), c.Network.Delays(c.Problem.Ranks)
	key := j.streams.Derive(uint64(trial))
	detours.Draw(key)
	delays.Draw(key)
	return j.model.record(ctx, detours, delays, T)
}

// Slowest is the trial of the first so many that takes longest at T.
func (c *Config) Slowest(ctx context.Context, seed uint64, trials, T int) (trial int, err error) {
	j, err := newJob(c, seed)
	if err != nil {
		return 0, err
	}
	j.extend(trials)
	if err := newPlayer(c.Problem.Ranks).play(ctx, j, 0, trials); err != nil {
		return 0, err
	}
	results := len(j.quiet)
	for i := range trials {
		if j.completion[i*results+T] > j.completion[trial*results+T] {
			trial = i
		}
	}
	return trial, nil
}
