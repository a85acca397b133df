package montecarlo

import (
	"context"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// A Worker plays trials of one configuration as those of a sweep do.
type Worker struct {
	player *player
	job    *job
	trials int
}

// NewWorker returns one that plays so many trials at a time.
func NewWorker(c *Config, trials int) (*Worker, error) {
	j, err := newJob(c, 1)
	if err != nil {
		return nil, err
	}
	j.extend(trials)
	return &Worker{newPlayer(c.Problem.Ranks), j, trials}, nil
}

// Play plays those that the key names.
func (w *Worker) Play(key rng.Key) error {
	w.job.streams = key
	return w.player.play(context.Background(), w.job, 0, w.trials)
}

// Dense has every rank of every trial be computed, whatever noise touches: neither trials nor ranks are spared. The
// detours have to be periodic.
func (w *Worker) Dense() error {
	err := w.player.prepare(context.Background(), w.job)
	w.player.sparing.quiet = nil
	w.player.detours = dense{w.player.detours.(gapDetours)}
	return err
}

// dense are detours that do not say whom they strike.
type dense struct{ gapDetours }

type gapDetours interface {
	noise.Detours
	noise.Beside
	collectives.GapDetours
}
