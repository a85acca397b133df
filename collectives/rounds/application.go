package rounds

import (
	"context"
	"math"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// An Application is iterations of computing and calls of a collective under noise, which continues
// through all of them. It implements [montecarlo.Model].
//
// Each rank r has a clock t[r], from 0, and an iteration is
//
//	t[r] = Finish_r(t[r], work of r)    computing
//	t    = the collective from t on     Calls times
//
// A call begins as soon as the rank has the processor, and returns when the rank has the result and
// has posted its redundant copies; messages of earlier calls delay nobody, except copies on busy
// links, which delay their sender's next messages. An iteration takes from the last clock before it
// to the last one after it. The completion that is reported for a T is the mean of that over the
// iterations after the first Warmup; each T has clocks of its own, and draws the same noise and the
// same work.
type Application struct {
	Collective Model // of one call
	Iterations int   // at least 1
	Warmup     int   // the first iterations that are not counted, fewer than Iterations
	Calls      int   // of the collective in an iteration, at least 1
	Compute    Compute
	// Overlap has ranks compute inside the first call of an iteration, between posting and
	// waiting, in a round of messages from all sources, as with a non-blocking call. Over
	// sockets nothing is read meanwhile.
	Overlap bool
	// Network simulates the calls on links that messages share, in place of rounds, without Overlap;
	// nil for rounds.
	Network *network.Model
}

// MaxSamples is the most iterations of a trial that are reported by themselves. Of 30 trials they
// resolve the 99th percentile.
const MaxSamples = 40

// samples returns how many iterations of a trial are reported by themselves. For each T in turn the
// checkpoints are the time [s] that the ranks spend in the calls of an iteration, waiting included,
// on average; the times of some iterations; and the mean of all counted ones.
func (a *Application) samples() int { return min(MaxSamples, a.Iterations-a.Warmup) }

// perRedundancy returns the number of checkpoints of each T.
func (a *Application) perRedundancy() int { return a.samples() + 2 }

// sampled returns which iteration is the n-th sample: they are evenly spaced.
func (a *Application) sampled(n int) int {
	return a.Warmup + (n+1)*(a.Iterations-a.Warmup)/a.samples() - 1
}

// redundancies returns the outline of one call at each T, of an application that has a shape.
func (a *Application) redundancies() (upTo []collectives.Schedule) {
	whole, _ := a.Collective.Algorithm.Outline(a.Collective.Problem)
	for i, c := range whole.Checkpoints {
		s := whole
		s.Checkpoints, s.Rounds = whole.Checkpoints[:i+1], whole.Rounds[:c.Rounds]
		upTo = append(upTo, s)
	}
	return upTo
}

// Shown returns how much slower noise makes an iteration of a mean time [s], relative to the share
// of time that it takes from a processor: below 1 it is absorbed, above 1 amplified. It is NaN
// without detours.
func (a *Application) Shown(mean, noiseFree float64) float64 {
	return (mean/noiseFree - 1) / a.Duty()
}

// Duty returns the share of time that detours take from a processor.
func (a *Application) Duty() float64 { return a.Collective.OS.Tail(1, 1, 0, 0) }

// Explain names the executor of the iterations.
func (a *Application) Explain() string {
	if a.Network != nil {
		return "calls one after the other of flows that share the topology's links"
	}
	return a.Collective.Explain()
}

// NewRunner implements [montecarlo.Model].
func (a *Application) NewRunner(old montecarlo.Runner) (montecarlo.Runner, error) {
	schedules := a.redundancies()
	m := &a.Collective
	calls := make([]*Compiled, len(schedules))
	for i := range schedules {
		calls[i] = Compile(&schedules[i], m.Problem)
	}
	r := &applicationRunner{Application: a, kit: m.newKit(calls[0].Place, old)}
	r.calls = calls
	if a.Network != nil { // its clocks are in the order of the program
		r.caller, r.place = a.Network.Runner(), nil
	}
	r.work = r.workOf(&a.Compute)
	r.trial.Completion = make([]float64, len(schedules))
	return r, nil
}

// An applicationRunner simulates the trials of an application on one worker.
type applicationRunner struct {
	*Application
	kit
	calls  []*Compiled // at each T
	work   *work
	bound  iterationBound
	trial  Trial           // of one call
	caller *network.Runner // nil without a network
}

// If ranks differ, the time of the slowest of them differs from iteration to iteration, and if
// their shares persist or were measured from trial to trial. So up to maxNoiseFree trials are
// simulated without detours and events. The largest of thousands of normal numbers has about ofLargest
// of their standard deviation.
const maxNoiseFree, ofLargest = 8, 0.35

// noiseFreeTrials returns how many trials without detours and events their mean needs for a relative
// precision.
func (a *Application) noiseFreeTrials(precision float64) int {
	switch {
	case !a.Compute.random():
		return 1
	case a.Compute.drawn():
		return maxNoiseFree
	}
	deviation := ofLargest * a.Compute.Random / precision
	trials := math.Ceil(deviation * deviation / float64(a.Iterations-a.Warmup))
	return int(max(1, min(trials, maxNoiseFree)))
}

// NoiseFree implements [montecarlo.Runner].
func (r *applicationRunner) NoiseFree(ctx context.Context, precision float64, trial *montecarlo.Trial) error {
	none := NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	trials := r.noiseFreeTrials(precision)
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
	for i, key := range keys {
		if err := r.run(ctx, r.noise, key, &trials[i]); err != nil {
			return err
		}
		r.end(&trials[i])
	}
	return nil
}

// call simulates a schedule from the simulator's clocks on, and leaves there when each rank's call
// returns. With wait the ranks may be inside detours, and begin after them. It reports whether a
// further redundant exchange would have changed nothing, as far as that is known.
func (s *Simulator) call(
	ctx context.Context, compiled *Compiled, n *Noise, wait bool, trial *Trial,
) (unused bool, err error) {
	if wait {
		n.finishAll(piece{Kind: entering}, s.clock, compiled.everyone(), 0)
	}
	s.prepare(compiled, n)
	trial.Completion = trial.Completion[:len(compiled.Checkpoints)]
	if err := s.resume(ctx, compiled, n, trial); err != nil {
		return false, err
	}
	last := compiled.Checkpoints[len(compiled.Checkpoints)-1]
	unused = trial.Rounds < last.Rounds
	clock := s.clock[:compiled.Ranks]
	var result []float64
	if compiled.Busy && compiled.forward {
		result = s.next[:copy(s.next, clock)]
	}
	if last.Copies > 0 && compiled.problem.Host.Overhead > 0 {
		s.postCopies(last, clock, compiled, n)
	}
	if last.Post > 0 {
		posters := clock[last.Posters.Lo:last.Posters.Hi]
		vector.Shift(posters, posters, last.Post)
	}
	if compiled.Busy && last.Copies > 0 {
		s.links.leave(clock, last.Posters, compiled.drained)
		if result != nil {
			s.forwarding.drain(s.links.free, result, last.Posters, last.Post+compiled.drained)
		}
	}
	if compiled.nic {
		n.finishAll(piece{Kind: returning}, clock, compiled.everyone(), 0)
	}
	return unused, nil
}

var _ montecarlo.Model = (*Application)(nil)
