package rounds

import (
	"cmp"
	"context"
	"slices"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A course is the iterations of a trial at one T, or of a floor.
type course struct {
	of         iterating
	noise      *Noise
	iterations int
	next       int // the iteration to simulate

	compiled *Compiled // one call
	times    []float64 // as [Application.samples] has them
	sample   int       // the iteration to take
	settled  bool      // no call would have used a further redundant exchange, and posting one delays nobody
	bounds   bool      // the bound of the trial follows from this course

	// The last clock before the counted iterations and before the next one, and how long the ranks were in
	// the calls of counted ones [s].
	begin, before, inside float64

	span        float64 // of the iteration before the next one [s]
	least, most float64 // that a rank works for in the iteration computed last [s]

	// Of courses that take turns, what the simulator has of the one whose turn it is: the clocks of the
	// ranks, and when their links are free [s]; and what the detours know of the ranks.
	clock, links []float64
	known        noise.Known
}

// Iterating is what a course is of.
type iterating interface {
	// compute has ranks of a block from lo on, free at the times in now [s], compute in the next iteration.
	compute(c *course, lo int, now []float64)
	// iterate simulates the rest of the next iteration of a trial, from the simulator's clocks on.
	iterate(ctx context.Context, c *course, trial rng.Key) error
}

// set has a course begin a trial. It keeps the room that it has.
func (c *course) set(to course) {
	to.clock, to.links, to.known = c.clock, c.links[:0], c.known
	to.known.Forget()
	*c = to
}

func (c *course) ended() bool { return c.next == c.iterations }

// worked says what ranks of a block have worked for.
func (c *course) worked(p *part) {
	if p.lo == 0 {
		c.least, c.most = p.least, p.most
	}
	c.least, c.most = min(c.least, p.least), max(c.most, p.most)
}

// Courses are what courses that take turns need.
type courses struct {
	all    []course
	passed []float64 // what no course asks for any more [s]
	work   *work     // of the ranks
}

// workOf returns the work of the kit's ranks, which runners of the same work share, unless it was measured of
// ranks that are in other places of their schedules.
func (k *kit) workOf(c *Compute) *work {
	if c.Times != nil && k.place != nil {
		w := c.work(k.ranks)
		w.place = k.place
		return w
	}
	if w := k.courses.work; w == nil || *w.Compute != *c || w.ranks != k.ranks {
		k.courses.work = c.work(k.ranks)
	}
	return k.courses.work
}

// atLeast returns that many courses.
func (c *courses) atLeast(n int) []course {
	if more := n - len(c.all); more > 0 {
		c.all = append(c.all, make([]course, more)...)
	}
	return c.all[:n]
}

// clock returns the clocks of all ranks.
func (k *kit) clock() []float64 { return k.simulator.clock[:k.ranks] }

// takeWhole simulates a course from the launch on.
func (k *kit) takeWhole(ctx context.Context, c *course, trial rng.Key) error {
	clear(k.clock())
	k.simulator.links.free = k.simulator.links.free[:0]
	c.noise.Detours.Draw(k.ranks, trial)
	return k.iterateAll(ctx, c, trial)
}

// iterateAll simulates the iterations of a course.
func (k *kit) iterateAll(ctx context.Context, c *course, trial rng.Key) error {
	for !c.ended() {
		if c.next > 0 && c.noise.passing != nil {
			c.noise.passing.Pass(k.clock())
		}
		each(k.clock(), collectives.Span{Hi: k.ranks}, func(lo int, now []float64) { c.of.compute(c, lo, now) })
		if err := c.of.iterate(ctx, c, trial); err != nil {
			return err
		}
	}
	return nil
}

// takeTurns simulates courses with detours that are drawn once, as lists of them take long to draw. Courses
// that are behind in time have the next turn, so that the lists stay short. They compute together, block by
// block, as memory that was just used is fast.
func (k *kit) takeTurns(ctx context.Context, all []course, trial rng.Key) error {
	if len(all) == 1 {
		return k.takeWhole(ctx, &all[0], trial)
	}
	all[0].noise.Detours.Draw(k.ranks, trial)
	going := make([]*course, len(all))
	for i := range all {
		c := &all[i]
		if going[i] = c; len(c.clock) != len(k.simulator.clock) {
			c.clock = make([]float64, len(k.simulator.clock))
		}
		clear(c.clock[:k.ranks])
	}
	for len(going) > 0 {
		if going[0].next > 0 {
			k.pass(going)
		}
		behind := behindOf(going)
		for lo := 0; lo < k.ranks; lo += Block {
			for _, c := range behind {
				c.noise.passing.Swap(&c.known)
				c.of.compute(c, lo, c.clock[lo:min(lo+Block, k.ranks)])
				c.noise.passing.Swap(&c.known)
			}
		}
		for _, c := range behind {
			k.swap(c)
			before := c.before
			if err := c.of.iterate(ctx, c, trial); err != nil {
				return err
			}
			c.span = c.before - before
			k.swap(c)
		}
		going = slices.DeleteFunc(going, (*course).ended)
	}
	return nil
}

// behindOf returns the courses that are within an iteration of the last one.
func behindOf(going []*course) (behind []*course) {
	last := slices.MinFunc(going, func(a, b *course) int { return cmp.Compare(a.before, b.before) })
	for _, c := range going {
		if c.before <= last.before+last.span {
			behind = append(behind, c)
		}
	}
	return behind
}

// pass says which times courses do not ask for any more.
func (k *kit) pass(going []*course) {
	c := k.courses
	c.passed = append(c.passed[:0], going[0].clock[:k.ranks]...)
	for _, other := range going[1:] {
		vector.Earlier(c.passed, c.passed, other.clock, 0)
	}
	going[0].noise.passing.Pass(c.passed)
}

// swap exchanges what the simulator has with what a course keeps while others have their turns.
func (k *kit) swap(c *course) {
	s := k.simulator
	s.clock, c.clock = c.clock, s.clock
	s.links.free, c.links = c.links, s.links.free
	c.noise.passing.Swap(&c.known)
}

// mostTogether is how many ranks the courses have together that take turns: their clocks, links and gaps take
// some 64 MB.
const mostTogether = 1 << 21

// takesTurns is a runner whose courses take turns with those of others.
type takesTurns interface {
	handOver() *kit
	// turns returns how many courses take turns in a trial, 0 if the trial is simulated alone.
	turns() int
	// begin begins the courses of a trial.
	begin(all []course, key rng.Key, trial *montecarlo.Trial)
	// end completes a trial whose courses have ended.
	end(trial *montecarlo.Trial)
}

// RunJoint implements [montecarlo.JointRunner].
func (k *kit) RunJoint(
	ctx context.Context, key rng.Key, runners []montecarlo.Runner, trials []montecarlo.Trial,
) error {
	joint := together{kit: k, key: key}
	for i, runner := range runners {
		r, ok := runner.(takesTurns)
		if !ok || r.turns() == 0 || !k.shares(r.handOver()) {
			if err := runner.Run(ctx, []rng.Key{key}, trials[i:i+1]); err != nil {
				return err
			}
			continue
		}
		if (joint.turns+r.turns())*k.ranks > mostTogether {
			if err := joint.run(ctx); err != nil {
				return err
			}
		}
		joint.add(r, &trials[i])
	}
	return joint.run(ctx)
}

// Together are runners whose trials of a key are simulated together.
type together struct {
	*kit
	key     rng.Key
	runners []takesTurns
	trials  []*montecarlo.Trial
	turns   int
}

func (j *together) add(r takesTurns, trial *montecarlo.Trial) {
	j.runners, j.trials, j.turns = append(j.runners, r), append(j.trials, trial), j.turns+r.turns()
}

// run simulates the trials, and leaves no runners.
func (j *together) run(ctx context.Context) error {
	if j.turns == 0 {
		return nil
	}
	all, from := j.courses.atLeast(j.turns), 0
	for i, r := range j.runners {
		r.begin(all[from:][:r.turns()], j.key, j.trials[i])
		from += r.turns()
	}
	if err := j.takeTurns(ctx, all, j.key); err != nil {
		return err
	}
	for i, r := range j.runners {
		r.end(j.trials[i])
	}
	j.runners, j.trials, j.turns = j.runners[:0], j.trials[:0], 0
	return nil
}
