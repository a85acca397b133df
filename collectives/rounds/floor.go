package rounds

import (
	"context"
	"slices"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A floor is what no collective that needs what each rank contributes completes before, under the
// same noise: a call returns on no rank before the last has entered, and where it needs the processor,
// not before the end of a detour that the rank is in then. Between calls the ranks compute. It has no
// messages, and one piece of work a call and rank.
type floor struct{ *Application }

// Floor implements [montecarlo.Floored].
func (m *Model) Floor() montecarlo.Model {
	return (&Application{Collective: *m, Iterations: 1, Calls: 1}).Floor()
}

// Floor implements [montecarlo.Floored]. Over a warm-up what is below on average are the counted
// iterations of both, once they are steady: the clocks are, in every trial. There is no floor if ranks
// compute within a call, if the last copy may be delivered during a detour, or if detours
// depend on the piece of work.
func (a *Application) Floor() montecarlo.Model {
	pieces := slices.ContainsFunc(a.Collective.OS.Superpositions(), func(s noise.Superposition) bool {
		return len(s.Pieces) > 0
	})
	offload := a.Collective.Problem.Redundancy.Reception == collectives.Offload
	if a.Network != nil || a.Overlap || offload || pieces {
		return nil
	}
	return floor{a}
}

// LeastCalls implements [montecarlo.Floored].
func (m *Model) LeastCalls() float64 { return m.outline().lowerBound() * (1 - roundingMargin) }

// LeastCalls implements [montecarlo.Floored]: from the first entry into a call to the first return from
// it, and so from one iteration to the next, the clock of the first rank takes as long as
// [Compiled.lowerBound] says, after what the ranks compute at least.
func (a *Application) LeastCalls() float64 { return float64(a.Calls) * a.Collective.LeastCalls() }

// pieceWork is about how many messages take as long to simulate as a piece of work.
const pieceWork = 4

// Shape implements [montecarlo.Model].
func (f floor) Shape() (montecarlo.Shape, error) {
	ranks := float64(f.Collective.Problem.Ranks)
	return montecarlo.Shape{
		Checkpoints: make([]montecarlo.Checkpoint, 1),
		Work:        pieceWork * ranks * float64(f.Iterations*(1+f.Calls)),
		Memory:      ranks * (4*8 + f.Collective.OS.BytesPerRank()), Shared: true,
	}, nil
}

// LowerBound implements [montecarlo.Model].
func (f floor) LowerBound() float64 { return 0 }

// NewRunner implements [montecarlo.Model].
func (f floor) NewRunner(old montecarlo.Runner) (montecarlo.Runner, error) {
	r := &floorRunner{floor: f, kit: f.Collective.newKit(nil, old)}
	r.work = r.workOf(&f.Compute)
	return r, nil
}

// A floorRunner simulates the trials of a floor on one worker.
type floorRunner struct {
	floor
	kit
	work  *work
	least float64 // what ranks work at least in the counted iterations of a trial, summed [s]
}

// NoiseFree implements [montecarlo.Runner].
func (r *floorRunner) NoiseFree(ctx context.Context, _ float64, trial *montecarlo.Trial) error {
	quiet := *r
	quiet.noise = NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	return quiet.run(ctx, rng.NewKey(0, "noise-free"), trial)
}

// Run implements [montecarlo.Runner].
func (r *floorRunner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		if err := r.run(ctx, key, &trials[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *floorRunner) run(ctx context.Context, key rng.Key, trial *montecarlo.Trial) error {
	one := r.courses.atLeast(1)
	r.begin(one, key, trial)
	err := r.takeWhole(ctx, &one[0], key)
	r.end(trial)
	return err
}

// turns implements [takesTurns].
func (r *floorRunner) turns() int {
	if r.noise.passing == nil {
		return 0
	}
	return 1
}

// begin implements [takesTurns].
func (r *floorRunner) begin(all []course, key rng.Key, trial *montecarlo.Trial) {
	r.work.draw(key)
	r.least = 0
	all[0].set(course{of: r, noise: r.noise, iterations: r.Iterations, times: trial.Completion})
}

// end implements [takesTurns].
func (r *floorRunner) end(trial *montecarlo.Trial) {
	trial.LowerBound = r.least / float64(r.Iterations-r.Warmup)
}

// compute implements [iterating].
func (r *floorRunner) compute(c *course, lo int, now []float64) {
	c.worked(r.work.compute(c.next, lo, now, c.noise))
}

// iterate implements [iterating].
func (r *floorRunner) iterate(ctx context.Context, c *course, _ rng.Key) error {
	clock := r.clock()
	everyone := collectives.Span{Hi: len(clock)}
	if c.next == r.Warmup {
		c.begin = c.before
	}
	if c.next >= r.Warmup {
		r.least += c.least
	}
	for range r.Calls {
		c.noise.finishAll(piece{Kind: entering}, clock, everyone, 0)
		last := vector.Most(clock)
		for rank := range clock {
			clock[rank] = last
		}
		c.noise.finishAll(piece{Kind: returning}, clock, everyone, 0)
	}
	c.before = vector.Most(clock)
	if c.next++; c.ended() {
		c.times[0] = (c.before - c.begin) / float64(r.Iterations-r.Warmup) * (1 - roundingMargin)
	}
	return ctx.Err()
}

var _ montecarlo.Floored = (*Model)(nil)
