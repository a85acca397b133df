package alphabeta

import (
	"context"

	"jitterfly/collectives"
	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// An Application is iterations of computing and calls of a collective under noise, which goes on
// through all of them. It implements [montecarlo.Model].
//
// Each rank r has a clock t[r], from 0, and an iteration is
//
//	t[r] = Finish_r(t[r], work of r)    computing
//	t    = the collective from t on     Calls times
//
// A call begins as soon as the rank has the processor, and returns when the rank has the result
// and has posted its redundant copies; messages of earlier calls delay nobody. An iteration takes
// from the last clock before it to the last one after it. The completion that is reported for a
// T is the mean of that over the iterations after the first Warmup; each T has clocks of its
// own, and draws the same noise and the same work.
type Application struct {
	Collective Model // of one call
	Iterations int   // at least 1
	Warmup     int   // the first iterations that are not counted, fewer than Iterations
	Calls      int   // of the collective in an iteration, at least 1
	Compute    Compute
}

// The checkpoints of an application, for each T in turn: the time [s] that the ranks spend in the
// calls of an iteration, waiting included, on average; and that of an iteration.
const (
	inCalls = iota
	iteration
	perRedundancy
)

// redundancies returns the schedule of one call at each T.
func (a *Application) redundancies() ([]collectives.Schedule, error) {
	whole, err := a.Collective.Algorithm.Schedule(a.Collective.Problem)
	if err != nil {
		return nil, err
	}
	var upTo []collectives.Schedule
	for i, c := range whole.Checkpoints {
		s := whole
		s.Checkpoints, s.Rounds = whole.Checkpoints[:i+1], whole.Rounds[:c.Rounds]
		upTo = append(upTo, s)
	}
	return upTo, nil
}

// Shape implements [montecarlo.Model]. Its error says why the algorithm has no schedule for the
// problem. The clocks fall with T as the completion of the collective does, but a difference of
// two of them need not, so that the shape is monotone only without warm-up.
func (a *Application) Shape() (montecarlo.Shape, error) {
	shape, err := a.Collective.Shape()
	if err != nil {
		return shape, err
	}
	schedules, err := a.redundancies()
	if err != nil {
		return shape, err
	}
	shape.Monotone = shape.Monotone && a.Warmup == 0 && !a.Compute.random()
	n, calls := float64(a.Iterations), float64(a.Calls)
	computing := n * float64(a.Collective.Problem.Ranks)
	shape.Checkpoints, shape.Work = nil, 0
	for i := range schedules {
		s := &schedules[i]
		shape.Work += n*calls*s.Work() + computing
		c := montecarlo.Checkpoint{T: s.Checkpoints[i].T, Messages: calls * s.Messages(i)}
		for range perRedundancy {
			shape.Checkpoints = append(shape.Checkpoints, c)
		}
	}
	counted := float64(a.Iterations - a.Warmup)
	shape.Hit /= counted
	shape.Tail = a.tail(&schedules[len(schedules)-1], shape.Hit)
	if _, ok := a.Collective.OS.(noise.Periodic); !ok {
		rate := a.Collective.OS.Excess(n*a.span(&schedules[0]), 0, 0) / max(1e-9, a.Collective.OS.Hit())
		shape.Memory += rate * noise.BytesPerList * float64(a.Collective.Problem.Ranks)
	}
	return shape, nil
}

// span returns how long an iteration takes without noise, about [s].
func (a *Application) span(s *collectives.Schedule) float64 {
	span := a.Compute.Mean
	for i := range s.Rounds {
		span += float64(a.Calls) * (s.Rounds[i].Transit(&a.Collective.Problem) + s.Rounds[i].Combine)
	}
	return span
}

// tail returns [montecarlo.Shape].Tail: a detour delays the mean of the counted iterations by its
// length over their number at most.
func (a *Application) tail(s *collectives.Schedule, hit float64) func(float64) float64 {
	m, p := &a.Collective, &a.Collective.Problem
	n, counted := float64(a.Iterations), float64(a.Iterations-a.Warmup)
	transits, messages := 0.0, 0
	for i := range s.Rounds {
		r := &s.Rounds[i]
		count := (r.Receivers.Hi - r.Receivers.Lo) * len(r.Sources)
		transits += float64(count) * r.Transit(p)
		messages += count
	}
	calls := n * float64(a.Calls)
	span, pieces := n*a.span(s), a.Iterations*(1+a.Calls*len(s.Rounds))
	tail := func(length float64) float64 {
		os := m.OS.Excess(span, pieces, counted*length)
		events := m.Network.Excess(calls*transits, int(calls)*messages, counted*length)
		return (float64(s.Ranks)*os + events) / counted
	}
	if tail(hit) == 0 {
		return nil
	}
	return tail
}

// LowerBound implements [montecarlo.Model].
func (a *Application) LowerBound() float64 {
	plan, err := a.Collective.plan()
	if err != nil {
		return 0
	}
	return a.least(plan)
}

// least returns a time [s] that no iteration of any trial is shorter than: the last rank
// computes, and what it contributes gets to another in each call.
func (a *Application) least(plan *Plan) float64 {
	return a.Compute.least() + float64(float64(a.Calls)*plan.hop())*(1-roundingMargin)
}

// Shown returns how much slower noise makes an iteration of a mean time [s], relative to the share
// of time that it takes from a processor: below 1 it is absorbed, above 1 amplified. It is NaN
// without detours.
func (a *Application) Shown(mean, noiseFree float64) float64 {
	return (mean/noiseFree - 1) / a.Duty()
}

// Duty returns the share of time that detours take from a processor.
func (a *Application) Duty() float64 { return a.Collective.OS.Excess(1, 0, 0) }

// Explain says in a few words which executors simulate the iterations.
func (a *Application) Explain() string {
	plan, err := a.Collective.plan()
	if err != nil {
		return err.Error()
	}
	way := "round by round"
	switch {
	case plan.pairs():
		way = "tiles of pairs"
	case plan.tiled():
		way = "tile by tile"
	}
	return "every iteration is simulated: the clocks differ when it begins; dense, " + way +
		"; one trial at a time, one T after the other until a larger one changes nothing"
}

// NewRunner implements [montecarlo.Model].
func (a *Application) NewRunner(old montecarlo.Runner) (montecarlo.Runner, error) {
	schedules, err := a.redundancies()
	if err != nil {
		return nil, err
	}
	m, ranks := &a.Collective, a.Collective.Problem.Ranks
	r := &applicationRunner{Application: a}
	for i := range schedules {
		r.plans = append(r.plans, NewPlan(&schedules[i], m.Problem))
	}
	if old, ok := old.(*applicationRunner); ok && ranks <= len(old.room) {
		r.room, r.simulator = old.room, old.simulator
	} else {
		r.room, r.simulator = make([]float64, ranks), NewSimulator(ranks)
	}
	r.noise = m.noise(r.room[:ranks], r.plans[0])
	r.work = a.Compute.work(ranks)
	r.trial.Completion = make([]float64, len(schedules))
	return r, nil
}

// An applicationRunner simulates the trials of an application on one worker.
type applicationRunner struct {
	*Application
	plans     []*Plan // of one call, at each T
	simulator *Simulator
	room      []float64 // one number a rank, for the noise
	noise     *Noise
	work      *work
	trial     Trial // of one call
}

// noiseFreeTrials are simulated without detours and events, if ranks differ in their shares: the
// time of the slowest of them differs from trial to trial.
const noiseFreeTrials = 8

// NoiseFree implements [montecarlo.Runner].
func (r *applicationRunner) NoiseFree(ctx context.Context, trial *montecarlo.Trial) error {
	none := NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays(0))
	trials := 1
	if r.Compute.Persistent > 0 {
		trials = noiseFreeTrials
	}
	one := montecarlo.Trial{Completion: make([]float64, len(trial.Completion))}
	clear(trial.Completion)
	for i := range trials {
		if err := r.run(ctx, none, rng.NewKey(0, "noise-free").Derive(uint64(i)), &one); err != nil {
			return err
		}
		for k, x := range one.Completion {
			trial.Completion[k] += x / float64(trials)
		}
	}
	return nil
}

// Run implements [montecarlo.Runner].
func (r *applicationRunner) Run(
	ctx context.Context, keys []rng.Key, trials []montecarlo.Trial,
) error {
	least := r.least(r.plans[0])
	for i, key := range keys {
		trials[i].LowerBound = least
		if err := r.run(ctx, r.noise, key, &trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// run simulates a trial at every T, one after the other. If no call would have used a further
// redundant exchange, and posting one delays nobody, then larger T give the same.
func (r *applicationRunner) run(
	ctx context.Context, n *Noise, key rng.Key, trial *montecarlo.Trial,
) error {
	r.work.draw(key)
	for T, plan := range r.plans {
		times := trial.Completion[T*perRedundancy:][:perRedundancy]
		settled, err := r.iterate(ctx, plan, n, key, times)
		if err != nil {
			return err
		}
		if settled {
			for at := (T + 1) * perRedundancy; at < len(trial.Completion); at += perRedundancy {
				copy(trial.Completion[at:], times)
			}
			break
		}
	}
	return nil
}

// callChild is the child of a trial's key whose children name the messages of calls after the
// first.
const callChild = 1 << 40

// drawCall draws the delays of a call's messages. The first has those of the collective alone.
func (n *Noise) drawCall(trial rng.Key, call int) {
	if delays, ok := n.Delays.(noise.Delays); ok {
		if call > 0 {
			trial = trial.Derive(callChild).Derive(uint64(call))
		}
		delays.Draw(trial)
	}
}

// iterate simulates all iterations with calls of the plan and writes their mean times. It
// reports whether a larger T would give the same.
func (r *applicationRunner) iterate(
	ctx context.Context, plan *Plan, n *Noise, key rng.Key, times []float64,
) (settled bool, err error) {
	s := r.simulator
	settled = plan.fixedCosts()
	if detours, ok := n.Detours.(noise.Detours); ok {
		detours.Draw(key) // again for each T, since gaps that are known do not go back in time
	}
	clock := func() []float64 { return s.clock[:plan.Ranks] }
	clear(clock())
	begin, inside := 0.0, 0.0
	for i := range r.Iterations {
		if i == r.Warmup {
			begin = vector.Most(clock())
		}
		r.work.compute(i, clock(), n.Detours)
		if i >= r.Warmup {
			inside -= sum(clock())
		}
		for c := range r.Calls {
			n.drawCall(key, i*r.Calls+c)
			unused, err := s.call(ctx, plan, n, c > 0, &r.trial)
			if err != nil {
				return false, err
			}
			settled = settled && unused
		}
		if i >= r.Warmup {
			inside += sum(clock())
		}
	}
	counted := float64(r.Iterations - r.Warmup)
	times[inCalls] = inside / (counted * float64(plan.Ranks))
	times[iteration] = (vector.Most(clock()) - begin) / counted
	return settled, nil
}

// fixedCosts reports whether redundant copies cost their senders nothing, so that one more that
// nobody uses changes nothing.
func (plan *Plan) fixedCosts() bool {
	return !plan.hosts && plan.problem.Redundancy.SendOverhead == 0
}

// call simulates a plan from the simulator's clocks on, and leaves there when each rank's call
// returns. With wait the ranks may be inside detours, and begin after them. It reports whether a
// further redundant exchange would have changed nothing, as far as that is known.
func (s *Simulator) call(
	ctx context.Context, plan *Plan, n *Noise, wait bool, trial *Trial,
) (unused bool, err error) {
	if wait {
		span := collectives.Span{Lo: 0, Hi: plan.Ranks}
		each(s.clock, span, func(lo int, now []float64) { n.Detours.Finish(lo, now, 0) })
	}
	s.tiles.invalidate()
	s.forwarding.begin(plan, n, plan.Ranks)
	s.forwarding.remember(0, 0, s.clock[:plan.Ranks], plan.Ranks)
	s.idle(plan)
	trial.Completion = trial.Completion[:len(plan.Checkpoints)]
	if err := s.resume(ctx, plan, n, trial, 0, 0); err != nil {
		return false, err
	}
	last := plan.Checkpoints[len(plan.Checkpoints)-1]
	unused = trial.Rounds < last.Rounds
	clock := s.clock[:plan.Ranks]
	if last.Copies > 0 && plan.problem.Host.Overhead > 0 {
		copy(clock, s.postCopies(last, clock, plan, n))
	}
	switch {
	case plan.nic:
		returns(clock, 0, last, n.Detours)
	case last.Post > 0:
		add(clock[last.Posters.Lo:last.Posters.Hi], last.Post)
	}
	return unused, nil
}

// sum returns the sum of times, always in the same order.
func sum(times []float64) float64 {
	var four [4]float64
	i := 0
	for ; i+4 <= len(times); i += 4 {
		four[0] += times[i]
		four[1] += times[i+1]
		four[2] += times[i+2]
		four[3] += times[i+3]
	}
	for ; i < len(times); i++ {
		four[0] += times[i]
	}
	return (four[0] + four[1]) + (four[2] + four[3])
}

// Record implements [montecarlo.Runner].
func (r *applicationRunner) Record(
	ctx context.Context, key rng.Key, checkpoint int,
) (*recording.Recording, error) {
	r.noise.Detours.(noise.Detours).Draw(key)
	r.work.draw(key)
	return r.record(ctx, r.plans[checkpoint/perRedundancy], r.noise, key)
}

var _ montecarlo.Model = (*Application)(nil)
