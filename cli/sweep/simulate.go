package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"jitterfly/cli/internal/cost"
	"jitterfly/cli/internal/exit"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/internal/progress"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// An Execution says how the configurations of a directory are simulated, and where the
// user is told about it.
type Execution struct {
	Workers int
	Quiet   bool
	Errs    io.Writer
}

// AddFlags defines the flags that all commands have which simulate into a directory.
func (e *Execution) AddFlags(f *pflag.FlagSet) {
	cost.WorkersFlag(f, &e.Workers)
	f.BoolVar(&e.Quiet, "quiet", false, "no progress")
}

// Check returns an error if the number of workers is not positive.
func (e *Execution) Check() error { return cost.CheckWorkers(e.Workers) }

// Note prints a line that is not a result, unless the user asked for quiet.
func (e *Execution) Note(format string, args ...any) {
	if !e.Quiet {
		output.Remark(e.Errs, format, args...)
	}
}

// All stands for all shards in place of the number of one.
const All = -1

// Load finds what the directory has of a shard, or of [All]. It names parts that it
// cannot use, even with --quiet.
func (e *Execution) Load(dir *datasets.Dir, shard int) error {
	passedOver, err := dir.Load(shard)
	for _, reason := range passedOver {
		output.Remark(e.Errs, "%s", reason)
	}
	return exit.Failure(err)
}

// Clean removes what interrupted processes have left in the directory of a finished study. It
// notes if that fails, which takes nothing from the results.
func (e *Execution) Clean(dir *datasets.Dir) {
	if err := dir.Clean(); err != nil {
		e.Note("cannot remove what an interrupted process has left: %s", err)
	}
}

// Simulate simulates the configurations of a shard, or of [All], that the directory
// lacks. If ctx is cancelled it writes what is complete, and the trials so far of what is not,
// and returns an error with the code [exit.Stopped].
func (e *Execution) Simulate(ctx context.Context, s *study.Study, workers int,
	dir *datasets.Dir, shard int,
) error {
	count := progress.Count{What: "configurations"}
	kept := keptMessages(s, dir)
	expected := func(i int) progress.Range {
		r := cost.Range(s, i)
		return progress.Range{Least: max(0, r.Least-kept[i]), Most: max(0, r.Most-kept[i])}
	}
	skip := remaining(&count, len(s.Configurations), expected, dir, shard)
	if count.Done.Load() == int64(count.Total) {
		return nil
	}
	if err := dir.Writable(); err != nil {
		return exit.Failure(err)
	}
	if dir.Finished() {
		return nil // by another process
	}
	if !e.Quiet {
		stop := count.Show(e.Errs)
		defer stop()
	}
	defer exit.Saving(ctx)()
	saved := newSaver(s, dir)
	begin := time.Now()
	err := montecarlo.Run(ctx, &s.Study, s, montecarlo.Options{
		Workers:    workers,
		Skip:       func(i int) bool { return skip[i] },
		Resume:     func(i int) []montecarlo.Kept { return e.resume(dir, i) },
		Checkpoint: saved.checkpoint,
		Done: func(i int, d montecarlo.Decision) error {
			count.Finish(expected(i), cost.Simulated(s, i, d)-kept[i])
			return saved.done(i, d)
		},
		Progress: &count.Messages,
	})
	if flushErr := saved.flush(true); flushErr != nil {
		return exit.Failure(fmt.Errorf(
			"%w; what was complete before is kept, run the same command to resume", flushErr))
	}
	if errors.Is(err, context.Canceled) {
		return exit.With(exit.Stopped, fmt.Errorf(
			"stopped by a signal; %s has %d of %d configurations, run the same command to resume",
			dir.Path(), count.Done.Load(), count.Total))
	}
	if err != nil {
		return exit.Failure(err)
	}
	e.Clean(dir) // if another process has finished the study meanwhile
	e.Note("simulated up to %.3g messages in %s",
		float64(count.Messages.Load()), time.Since(begin).Round(time.Millisecond))
	return nil
}

// resume returns the trials that the directory has of a configuration to continue from.
func (e *Execution) resume(dir *datasets.Dir, config int) []montecarlo.Kept {
	kept, err := dir.Kept(config)
	if err != nil {
		output.Remark(e.Errs, "%s", err)
		return nil
	}
	completion, lowerBound := kept.Unpack()
	return []montecarlo.Kept{{Completion: completion, LowerBound: lowerBound}}
}

// keptMessages returns how many messages need not be simulated again, of the configurations of
// which the directory has trials to continue from.
func keptMessages(s *study.Study, dir *datasets.Dir) map[int]float64 {
	messages := map[int]float64{}
	for i, c := range s.Configurations {
		if n := dir.KeptTrials(i); n > 0 {
			messages[i] = float64(n) * c.Work
		}
	}
	return messages
}

// remaining counts what the directory has and lacks of a shard, or of [All], and returns which of
// the configurations are not to be simulated, of which the others are expected to take messages.
func remaining(count *progress.Count, configs int, expected func(int) progress.Range,
	dir *datasets.Dir, shard int,
) (skip []bool) {
	skip = make([]bool, configs)
	for i := range skip {
		mine := shard == All || dir.Owner(i) == shard
		skip[i] = !mine || dir.Has(i)
		switch {
		case mine && skip[i]:
			count.Total++
			count.Done.Add(1)
		case mine:
			count.Expect(expected(i))
		}
	}
	return skip
}
