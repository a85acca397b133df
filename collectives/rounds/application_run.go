package rounds

import (
	"context"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// run simulates a trial at every T. If a course is settled, larger T give the same.
func (r *applicationRunner) run(
	ctx context.Context, n *Noise, key rng.Key, trial *montecarlo.Trial,
) error {
	all := r.courses.atLeast(len(r.calls))
	r.beginWith(n, all, key, trial)
	if n == r.noise && r.turns() > 0 {
		return r.takeTurns(ctx, all, key)
	}
	for T := range all {
		c := &all[T]
		if err := r.takeAlone(ctx, c, T, key); err != nil {
			return err
		}
		if c.settled {
			for _, larger := range all[T+1:] {
				copy(larger.times, c.times)
			}
			break
		}
	}
	return nil
}

// takeAlone simulates a course by itself.
func (r *applicationRunner) takeAlone(ctx context.Context, c *course, T int, key rng.Key) error {
	if r.caller == nil {
		return r.takeWhole(ctx, c, key)
	}
	clear(r.clock())
	named := &key
	if c.noise != r.noise { // without noise
		named = nil
	}
	r.caller.Begin(named, T, r.clock())
	return r.iterateAll(ctx, c, key)
}

// turns implements [takesTurns]. Courses that may be settled do not take turns.
func (r *applicationRunner) turns() int {
	if r.noise.passing == nil || r.caller != nil || r.settled() {
		return 0
	}
	return len(r.calls)
}

// begin implements [takesTurns].
func (r *applicationRunner) begin(all []course, key rng.Key, trial *montecarlo.Trial) {
	r.beginWith(r.noise, all, key, trial)
}

// beginWith begins the courses of a trial with some noise.
func (r *applicationRunner) beginWith(n *Noise, all []course, key rng.Key, trial *montecarlo.Trial) {
	r.work.draw(key)
	r.bound = r.newBound(r.calls[0])
	if r.caller != nil {
		r.bound.hop = r.caller.Hop
	}
	settled, per := r.settled(), r.perRedundancy()
	for T := range all {
		all[T].set(course{
			of: r, noise: n, iterations: r.Iterations, compiled: r.calls[T], settled: settled, bounds: T == 0,
			times: trial.Completion[T*per:][:per],
		})
	}
}

// end implements [takesTurns].
func (r *applicationRunner) end(trial *montecarlo.Trial) { trial.LowerBound = r.bound.time() }

// settled reports whether a redundant copy that nobody uses costs its sender nothing.
func (r *applicationRunner) settled() bool {
	c := r.calls[0]
	return r.caller == nil && !c.hosts && !c.Busy && c.problem.Redundancy.SendOverhead == 0
}

// callChild is the child of a trial's key whose children name the messages of calls after the
// first.
const callChild = 1 << 40

// drawCall begins a call and draws the delays of its messages. The first call has the delays of a
// single launch.
func (n *Noise) drawCall(trial rng.Key, call, ranks int) {
	n.call = call
	if call > 0 {
		trial = trial.Derive(callChild).Derive(uint64(call))
	}
	n.Delays.Draw(ranks, trial)
}

// iterate implements [iterating].
func (r *applicationRunner) iterate(ctx context.Context, c *course, key rng.Key) error {
	i, n, counted := c.next, c.noise, c.next >= r.Warmup
	c.next++
	if i == r.Warmup {
		c.begin = c.before
	}
	if counted {
		c.inside -= sum(r.clock())
	}
	for call := range r.Calls {
		if err := r.call(ctx, c, i, call, n, key); err != nil {
			return err
		}
	}
	last := vector.Most(r.clock())
	if counted {
		c.inside += sum(r.clock())
		if c.bounds { // the work is that of all
			r.bound.after(c.least, c.most)
		}
	}
	if i == r.sampled(c.sample) {
		c.sample++
		c.times[c.sample] = last - c.before
	}
	if c.before = last; c.ended() {
		n := float64(r.Iterations - r.Warmup)
		c.times[0] = c.inside / (n * float64(len(r.clock())))
		c.times[len(c.times)-1] = (c.before - c.begin) / n
	}
	return nil
}

// compute implements [iterating].
func (r *applicationRunner) compute(c *course, lo int, now []float64) {
	switch {
	case r.Overlap: // in the first call
	case r.caller != nil:
		c.worked(r.work.computeRanks(c.next, lo, now, r.caller.Finish))
	default:
		c.worked(r.work.compute(c.next, lo, now, c.noise))
	}
}

// call simulates a call of an iteration.
func (r *applicationRunner) call(
	ctx context.Context, c *course, iteration, call int, n *Noise, key rng.Key,
) error {
	if r.caller != nil {
		return r.caller.Call(ctx)
	}
	s := r.simulator
	s.overlap = nil
	if r.Overlap && call == 0 {
		s.overlap = func(now []float64) {
			entered := sum(now)
			each(now, collectives.Span{Hi: len(now)}, func(lo int, now []float64) {
				c.worked(r.work.compute(iteration, lo, now, n))
			})
			if iteration >= r.Warmup {
				c.inside -= sum(now) - entered
			}
		}
	}
	n.drawCall(key, iteration*r.Calls+call, len(r.clock()))
	unused, err := s.call(ctx, c.compiled, n, call > 0, &r.trial)
	c.settled = c.settled && unused
	return err
}

// sum returns the sum of times, always in the same order.
func sum(times []float64) float64 {
	var a, b, c, d float64 // one sum alone would wait for each addition
	for ; len(times) >= 4; times = times[4:] {
		a += times[0]
		b += times[1]
		c += times[2]
		d += times[3]
	}
	for _, t := range times {
		a += t
	}
	return (a + b) + (c + d)
}
