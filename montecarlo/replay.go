package montecarlo

import (
	"context"
	"errors"

	"jitterfly/collectives"
)

// Replay plays one trial of the configuration again, up to the result of T, and
// records what happens in it. A collective that is no schedule of rounds is not recorded.
func (c *Config) Replay(ctx context.Context, seed uint64, trial, T int) (*collectives.Recording, error) {
	j, err := newJob(c, seed)
	if err != nil {
		return nil, err
	}
	m, ok := j.model.(*rounds)
	if !ok {
		return nil, errors.New("its messages share links as they come, and are no rounds to record; only collectives in rounds are")
	}
	detours, delays := c.OS.Detours(make([]float64, c.Problem.Ranks)), c.Network.Delays()
	key := j.streams.Derive(uint64(trial))
	detours.Draw(key)
	delays.Draw(key)
	return collectives.Record(ctx, &m.schedule, m.problem, detours, delays, T)
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
