package rounds

import (
	"cmp"
	"context"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// A course is the iterations of a trial at one T.
type course struct {
	compiled *Compiled // one call
	times    []float64 // as [Application.samples] has them
	next     int       // the iteration to simulate
	sample   int       // the one to take
	settled  bool      // no call would have used a further redundant exchange, and posting one delays nobody

	// The last clock before the counted iterations and before the next one, and how long the ranks were in
	// the calls of counted ones [s].
	begin, before, inside float64

	// Of courses that take turns, what the simulator has of the one whose turn it is: the clocks of the
	// ranks, and when their links are free [s].
	clock, links []float64
}

// run simulates a trial at every T. If a course is settled, larger T give the same.
func (r *applicationRunner) run(
	ctx context.Context, n *Noise, key rng.Key, trial *montecarlo.Trial,
) error {
	r.work.draw(key)
	r.bound = r.newBound(r.calls[0])
	if r.caller != nil {
		r.bound.hop = r.caller.Hop
	}
	if more := len(r.calls) - len(*r.courses); more > 0 {
		*r.courses = append(*r.courses, make([]course, more)...)
	}
	courses, settled, per := (*r.courses)[:len(r.calls)], r.settled(), r.perRedundancy()
	for T := range courses {
		c := &courses[T]
		*c = course{compiled: r.calls[T], settled: settled, clock: c.clock, links: c.links[:0]}
		c.times = trial.Completion[T*per:][:per]
	}
	listed := n.passing != nil && r.caller == nil
	if listed && !settled && len(courses) > 1 {
		return r.takeTurns(ctx, courses, n, key)
	}
	for T := range courses {
		c := &courses[T]
		r.begin(T, n, key)
		for c.next < r.Iterations {
			if listed {
				n.passing.Pass(r.clock())
			}
			if err := r.iterate(ctx, c, n, key); err != nil {
				return err
			}
		}
		if c.settled {
			for _, larger := range courses[T+1:] {
				copy(larger.times, c.times)
			}
			break
		}
	}
	return nil
}

// settled reports whether a redundant copy that nobody uses costs its sender nothing.
func (r *applicationRunner) settled() bool {
	c := r.calls[0]
	return r.caller == nil && !c.hosts && !c.Busy && c.problem.Redundancy.SendOverhead == 0
}

// clock returns the clocks of all ranks.
func (r *applicationRunner) clock() []float64 { return r.simulator.clock[:r.calls[0].Ranks] }

// begin begins a course at clocks of 0. Detours are drawn again for each, since known gaps do not go back in
// time.
func (r *applicationRunner) begin(T int, n *Noise, key rng.Key) {
	clear(r.clock())
	if r.caller == nil {
		n.Detours.Draw(r.calls[T].Ranks, key)
		r.simulator.links.free = r.simulator.links.free[:0]
		return
	}
	named := &key
	if n != r.noise { // without noise
		named = nil
	}
	r.caller.Begin(named, T, r.clock())
}

// takeTurns simulates all courses with detours that are drawn once, as lists of them take long to draw. The
// course that is behind in time has the next turn, so that the lists stay short.
func (r *applicationRunner) takeTurns(ctx context.Context, courses []course, n *Noise, key rng.Key) error {
	ranks := len(r.clock())
	n.Detours.Draw(ranks, key)
	going := make([]*course, len(courses))
	for T := range courses {
		c := &courses[T]
		if going[T] = c; len(c.clock) != len(r.simulator.clock) {
			c.clock = make([]float64, len(r.simulator.clock))
		}
		clear(c.clock[:ranks])
	}
	for len(going) > 0 {
		c := slices.MinFunc(going, func(a, b *course) int { return cmp.Compare(a.before, b.before) })
		if c == going[0] { // now and then
			r.passed = append(r.passed[:0], c.clock[:ranks]...)
			for _, other := range going[1:] {
				vector.Earlier(r.passed, r.passed, other.clock, 0)
			}
			n.passing.Pass(r.passed)
		}
		r.swap(c)
		if err := r.iterate(ctx, c, n, key); err != nil {
			return err
		}
		r.swap(c)
		if c.next == r.Iterations {
			going = slices.DeleteFunc(going, func(other *course) bool { return other == c })
		}
	}
	return nil
}

// swap exchanges what the simulator has with what a course keeps while others have their turns.
func (r *applicationRunner) swap(c *course) {
	s := r.simulator
	s.clock, c.clock = c.clock, s.clock
	s.links.free, c.links = c.links, s.links.free
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

// iterate simulates the next iteration of a course, from the simulator's clocks on.
func (r *applicationRunner) iterate(ctx context.Context, c *course, n *Noise, key rng.Key) error {
	i, counted := c.next, c.next >= r.Warmup
	c.next++
	if i == r.Warmup {
		c.begin = c.before
	}
	r.compute(i, r.clock(), n)
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
		if c == &(*r.courses)[0] { // the work is that of all
			r.bound.after(r.work.least, r.work.most)
		}
	}
	if i == r.sampled(c.sample) {
		c.sample++
		c.times[c.sample] = last - c.before
	}
	if c.before = last; c.next == r.Iterations {
		n := float64(r.Iterations - r.Warmup)
		c.times[0] = c.inside / (n * float64(len(r.clock())))
		c.times[len(c.times)-1] = (c.before - c.begin) / n
	}
	return nil
}

// compute has all ranks compute in an iteration, unless they do so in its first call.
func (r *applicationRunner) compute(iteration int, clock []float64, n *Noise) {
	switch {
	case r.caller != nil:
		r.work.computeRanks(iteration, clock, r.caller.Finish)
	case !r.Overlap:
		r.work.compute(iteration, clock, n)
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
			if r.work.compute(iteration, now, n); iteration >= r.Warmup {
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
