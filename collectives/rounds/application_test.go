package rounds_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// fixedDetours are the same in every trial.
type fixedDetours struct {
	preempted
	noise.None
	pass bool
}

func (d fixedDetours) Detours([]float64) noise.Detours {
	if d.pass {
		return &passed{preempted: d.preempted}
	}
	return d.preempted
}

// passed panics if it is asked about times that it was told are not asked about any more.
type passed struct {
	preempted
	before []float64
}

func (d *passed) Draw(int, rng.Key) { d.before = d.before[:0] }
func (d *passed) Pass(t []float64)  { d.before = append(d.before[:0], t...) }
func (*passed) Swap(*noise.Known)   {}

func (d *passed) Finish(p noise.Piece, lo int, t []float64, work float64) {
	for i, start := range t {
		if lo+i < len(d.before) && start < d.before[lo+i] {
			panic("asked about the past")
		}
	}
	d.preempted.Finish(p, lo, t, work)
}

// fixedDelays are the same in every trial and every call.
type fixedDelays struct {
	of noise.Delays
	noise.None
}

func (d fixedDelays) Delays() noise.Delays { return d.of }

// workOf returns what each rank of a schedule computes in an iteration, from the streams that the model
// names. What was measured is of the program's ranks.
func workOf(c rounds.Compute, trial rng.Key, iteration int, s *collectives.Schedule) []float64 {
	ranks := s.Ranks
	factors := func(name uint64, deviation float64) []float64 {
		f, normals := make([]float64, ranks), trial.Derive(1<<40+1).Derive(name).Counter()
		for r := range f {
			f[r] = max(0, 1+deviation*normals.Normal(r))
		}
		return f
	}
	if t := c.Times; t != nil {
		draw := func(name uint64, i, n int) int {
			return int(trial.Derive(1<<40+1).Derive(name).Uniform(i) * float64(n))
		}
		if t.Resampled {
			iteration = draw(uint64(1+iteration), 0, t.Iterations)
		}
		work := make([]float64, ranks)
		for r := range work {
			from := s.At(r)
			if t.Ranks < ranks {
				from = draw(0, from, t.Ranks)
			}
			work[r] = t.Seconds[iteration*t.Ranks+from]
		}
		return work
	}
	share, random := factors(0, c.Persistent), factors(uint64(1+iteration), c.Random)
	work := make([]float64, ranks)
	for r := range work {
		work[r] = c.Mean * share[r] * random[r]
	}
	return work
}

// iterations simulates an application rank by rank at a T, by the oracle of one collective. It
// returns the mean time of an iteration, and of a rank in the calls of one.
func iterations(
	a *rounds.Application, s collectives.Schedule, T int, os preempted, network delayed,
	trial rng.Key,
) (inCalls, iteration float64, each []float64) {
	clock, begin := make([]float64, s.Ranks), 0.0
	links := slices.Repeat([]float64{math.Inf(-1)}, s.Ranks)
	end := s.Checkpoints[T]
	for i := range a.Iterations {
		if i == a.Warmup {
			begin = slices.Max(clock)
		}
		before := slices.Max(clock)
		work := workOf(a.Compute, trial, i, &s)
		entry := 0.0
		for r := range clock {
			if !a.Overlap {
				clock[r] = preempt(os[r], clock[r], work[r])
			}
			entry += clock[r]
		}
		for call := range a.Calls {
			f := newOracle(s, a.Collective.Problem, os, network)
			f.sent = links
			if a.Overlap && call == 0 {
				f.overlap = func() {
					for r, t := range f.now {
						f.now[r] = preempt(os[r], t, work[r])
						entry += f.now[r] - t
					}
				}
			}
			for r := range clock {
				if f.now[r] = clock[r]; call > 0 {
					f.now[r] = preempt(os[r], clock[r], 0)
				}
			}
			for n := range end.Rounds {
				f.past = append(f.past, slices.Clone(f.now))
				f.round(n)
			}
			for r := range clock {
				clock[r], links[r] = f.returns(end, r)
			}
		}
		exit := 0.0
		for _, t := range clock {
			exit += t
		}
		if i >= a.Warmup {
			inCalls += exit - entry
			each = append(each, slices.Max(clock)-before)
		}
	}
	n := float64(a.Iterations - a.Warmup)
	return inCalls / n / float64(s.Ranks), (slices.Max(clock) - begin) / n, each
}

// drawApplication draws iterations of any collective, and the noise of a trial.
func drawApplication(t *rapid.T) (
	a rounds.Application, s collectives.Schedule, os preempted, network delayed,
) {
	s, p, os, network := drawFamily(t, rapid.IntRange(1, 40).Draw(t, "P"),
		rapid.IntRange(0, 3).Draw(t, "c"), hostedIf(t, rapid.Bool().Draw(t, "hosts")))
	later := make(preempted, p.Ranks) // detours of the later iterations
	for r := range later {
		begin := 120.0 // when those of drawFamily have ended
		for range rapid.IntRange(0, 20).Draw(t, "detours") {
			begin += float64(rapid.IntRange(1, 60).Draw(t, "gap"))
			end := begin + float64(rapid.IntRange(1, 15).Draw(t, "length"))
			later[r] = append(later[r], detour{begin, end})
			begin = end
		}
	}
	later.apart(p)
	for r := range os {
		os[r] = append(os[r], later[r]...)
	}
	a = rounds.Application{
		Collective: scheduled(s, p, os, network),
		Iterations: rapid.IntRange(1, 8).Draw(t, "iterations"),
		Calls:      rapid.IntRange(1, 3).Draw(t, "calls"),
		Compute: rounds.Compute{
			Mean:       float64(rapid.IntRange(0, 30).Draw(t, "compute")),
			Random:     rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "random"),
			Persistent: rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "persistent"),
		},
	}
	a.Warmup = rapid.IntRange(0, a.Iterations-1).Draw(t, "warmup")
	if slices.ContainsFunc(s.Rounds, func(r collectives.Round) bool { return r.Every }) {
		a.Overlap = rapid.Bool().Draw(t, "overlap")
	}
	if rapid.Bool().Draw(t, "measured") {
		a.Compute = measured(t, a.Iterations)
	}
	a.Collective.OS = fixedDetours{preempted: os, pass: rapid.Bool().Draw(t, "pass")}
	return a, s, os, network
}

// scheduled returns the model of a schedule under detours and delays that are the same in every trial.
func scheduled(
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) rounds.Model {
	return rounds.Model{
		Algorithm: collectives.Algorithm{
			Outline: func(collectives.Problem) (collectives.Schedule, error) { return s, nil },
		},
		Problem: p, OS: fixedDetours{preempted: os}, Network: fixedDelays{of: network},
	}
}

// measured draws times to compute of some ranks in some iterations.
func measured(t *rapid.T, iterations int) rounds.Compute {
	m := &rounds.Times{
		Ranks: rapid.IntRange(1, 60).Draw(t, "ranks"), Iterations: rapid.IntRange(1, 8).Draw(t, "n"),
	}
	m.Resampled = m.Iterations < iterations
	for range m.Ranks * m.Iterations {
		m.Seconds = append(m.Seconds, float64(rapid.IntRange(0, 30).Draw(t, "seconds")))
	}
	return rounds.Compute{Mean: 1, Times: m}
}

// runOnce simulates a trial of an application, after which the runner simulates the same again.
func runOnce(t rapid.TB, a *rounds.Application, key rng.Key) []float64 {
	t.Helper()
	trials := models.Run(t, a, key, key)
	trial := trials[0]
	if !slices.Equal(trial.Completion, trials[1].Completion) {
		t.Errorf("the second trial of a runner is another one: %v, %v", trial, trials[1])
	}
	if least := slices.Min(iterationsOf(a, trial.Completion)); least < trial.LowerBound {
		t.Errorf("an iteration takes %g, below the bound %g", least, trial.LowerBound)
	}
	return trial.Completion
}

// iterationsOf returns the times of iterations of a trial at each T.
func iterationsOf(a *rounds.Application, completion []float64) []float64 {
	var times []float64
	for at := finalOf(a, 0); at < len(completion); at += finalOf(a, 0) + 1 {
		times = append(times, completion[at])
	}
	return times
}

// finalOf returns the checkpoint of the mean time of an iteration at a T.
func finalOf(a *rounds.Application, T int) int {
	return (T+1)*(min(40, a.Iterations-a.Warmup)+2) - 1
}

// checkApplication compares a simulated trial with [iterations].
func checkApplication(
	t rapid.TB, a *rounds.Application, s collectives.Schedule, os preempted, network delayed, key rng.Key,
) {
	t.Helper()
	var want []float64
	for T := range s.Checkpoints {
		inCalls, iteration, each := iterations(a, s, T, os, network, key)
		want = append(append(append(want, inCalls), each...), iteration)
	}
	if diff := tests.Diff(want, runOnce(t, a, key), close9); diff != "" {
		t.Fatalf("%v: expected (-) and simulator (+):\n%s", os, diff)
	}
}

func TestApplicationIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, s, os, network := drawApplication(t)
		checkApplication(t, &a, s, os, network, rng.NewKey(rapid.Uint64().Draw(t, "key"), ""))
	})
}

// A leader that goes on with what another leader of its node has sends again only when its own
// messages have left.
func TestSharingLeadersWaitForTheirLinks(t *testing.T) {
	p := collectives.Problem{
		Busy: true, Ranks: 16, Bytes: 256, Latency: 1, Bandwidth: 64, MemoryBandwidth: 128,
		Node:    collectives.Node{Ranks: 2, Latency: 2, Bandwidth: 128},
		Leaders: 2, Share: true, Segments: 1,
		Redundancy: collectives.Redundancy{Max: 2, Sources: 2},
	}
	s := tests.Must(collectives.Leaders(p))(t)
	network := noDelays(100, p.Ranks)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		os := make(preempted, p.Ranks)
		for r := range os {
			if begin := float64(random.IntN(80)); random.IntN(2) == 0 {
				os[r] = []detour{{begin, begin + float64(1+random.IntN(20))}}
			}
		}
		a := rounds.Application{
			Collective: scheduled(s, p, os, network), Iterations: 1, Calls: 2, Compute: rounds.Compute{Mean: 5},
		}
		checkApplication(t, &a, s, os, network, rng.NewKey(1, "links"))
	}
}

// What is recorded has the clocks of the simulator, to the last bit.
func TestApplicationIsRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, s, _, _ := drawApplication(t)
		a.Warmup = 0
		key := rng.NewKey(rapid.Uint64().Draw(t, "key"), "")
		times := iterationsOf(&a, runOnce(t, &a, key))
		for T := range s.Checkpoints {
			rec := models.Record(t, &a, key, finalOf(&a, T))
			if got := rec.End.Time / float64(a.Iterations); math.Abs(got-times[T]) > 1e-9*times[T] {
				t.Errorf("T = %d: recorded %g, simulated %g", T, got, times[T])
			}
		}
	})
}

// One iteration without computing is the collective at a random start.
func TestOneIterationIsTheCollective(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, ranks := range []int{5, 64, 1 << 10, 1 << 12} {
		m := model(ranks)
		m.OS = noise.Periodic{Period: 100e-6, Duration: 10e-6, Start: noise.Random}
		a := rounds.Application{Collective: m, Iterations: 1, Calls: 1}
		for range 20 {
			key := rng.NewKey(random.Uint64(), "")
			want := models.Run(t, &m, key)[0].Completion
			if diff := tests.Diff(want, iterationsOf(&a, runOnce(t, &a, key))); diff != "" {
				t.Errorf("%d ranks: collective (-) and iteration (+):\n%s", ranks, diff)
			}
		}
	}
}

func TestCutMean(t *testing.T) {
	normals := rng.NewKey(1, "cut").Counter()
	for _, deviation := range []float64{0, 0.2, 1, 3} {
		sum := 0.0
		const n = 1 << 20
		for i := range n {
			sum += max(0, 1+deviation*normals.Normal(i))
		}
		if got := rounds.CutMean(deviation); math.Abs(got-sum/n) > 5*max(1e-9, deviation)/math.Sqrt(n) {
			t.Errorf("deviation %g: mean %g, drawn %g", deviation, got, sum/n)
		}
	}
}

// Over whole blocks of ranks, with noise that is drawn, what is simulated at all T one after the
// other is what is recorded at each, to the last bit.
func TestApplicationInBlocksIsRecorded(t *testing.T) {
	for _, os := range []noise.OS{
		noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random},
		randomStart(manySources), randomStart(noise.Superposition{Components: noise.Components(0, replay)}),
		onNodes(noise.Superposition{Components: noise.Components(0, replay, noise.PoissonDetours{
			Interval: 1e-3, Lengths: noise.Constant(10e-6)})}),
		bernoulli, fleet,
	} {
		for _, imbalance := range []float64{0, 0.02} {
			a := application(1e-6, 50e-6, imbalance)
			a.Collective.OS, a.Collective.Network = os, model(2).Network
			a.Iterations, a.Warmup, a.Calls = tests.Part(12, 3), 0, 2
			a.Collective.Problem.Redundancy.Max = 3
			key := rng.NewKey(1, "blocks")
			for T, x := range iterationsOf(&a, runOnce(t, &a, key)) {
				rec := models.Record(t, &a, key, finalOf(&a, T))
				if got := rec.End.Time / float64(a.Iterations); got != x {
					t.Errorf("%T, imbalance %g, T = %d: recorded %g, simulated %g", os, imbalance, T, got, x)
				}
			}
		}
	}
}

// application is iterations of a butterfly of 8 B at 1 GB/s on 2^10 ranks, with detours of 10 µs
// every 1 ms and a network without noise.
func application(latency, compute, imbalance float64) rounds.Application {
	m := model(1 << 10)
	m.Problem.Latency = latency
	m.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random}
	m.Network = noise.None{}
	return rounds.Application{
		Collective: m, Iterations: 300, Warmup: 20, Calls: 1,
		Compute: rounds.Compute{Mean: compute, Random: imbalance},
	}
}

// timesOf returns the mean of an iteration at the largest T of an application over trials, its
// standard error, and that without noise [s].
func timesOf(t testing.TB, a rounds.Application, trials int) (mean, se, noiseFree float64) {
	t.Helper()
	free := models.NoiseFree(t, &a).Completion
	last := len(free) - 1
	mean, se = models.Mean(models.Run(t, &a, models.Keys(t.Name(), trials)...), last)
	return mean, se, free[last]
}

// The time without noise is the mean of as many trials as its precision needs.
func TestNoiseFreeIsAsPreciseAsWanted(t *testing.T) {
	a := application(1e-6, 100e-6, 0.03)
	a.Iterations, a.Warmup = 6, 1
	quiet := a
	quiet.Collective.OS = noise.None{}
	for _, c := range []struct {
		precision float64
		trials    int
	}{{0.0075, 1}, {0.004, 2}, {0.0015, 8}, {0, 8}} {
		runner, free := tests.Must(a.NewRunner(nil))(t), models.NoiseFree(t, &a)
		tests.NoError(t, runner.NoiseFree(t.Context(), c.precision, &free))
		keys := make([]rng.Key, c.trials)
		for i := range keys {
			keys[i] = rng.NewKey(0, "noise-free").Derive(uint64(i))
		}
		got, n := free.Completion[0], c.trials
		if want, _ := models.Mean(models.Run(t, &quiet, keys...), 0); math.Abs(got-want) > 1e-15 {
			t.Errorf("precision %g: %g, want the mean %g of %d trials", c.precision, got, want, n)
		}
	}
}

// The times of iterations are those that a simulation of its own gave, whose standard error is
// at most 0.13 µs.
func TestApplicationCheckValues(t *testing.T) {
	const µs = 1e-6
	type scheme struct{ sources, redundancy int }
	schemes := []scheme{{1, 0}, {1, 4}, {2, 2}, {3, 3}}
	for _, c := range []struct {
		latency, compute, imbalance float64
		noiseFree                   float64
		times                       []float64
	}{
		{1, 0, 0, 10.09, []float64{19.40, 15.74, 14.64, 14.21}},
		{1, 10, 0, 20.09, []float64{31.26, 28.14, 27.30, 26.65}},
		{1, 100, 0, 110.09, []float64{125.00, 120.03, 118.62, 118.06}},
		{1, 1000, 0, 1010.09, []float64{1031.26, 1028.14, 1027.30, 1026.65}},
		{1, 5000, 0, 5010.09, []float64{5074.06, 5069.46, 5068.26, 5067.63}},
		{1, 100, 0.02, 0, []float64{126.13, 122.45, 121.35}},
		{1, 100, 0.2, 0, []float64{174.32, 173.86, 173.33}},
		{0.1, 0, 0, 1.09, []float64{13.26, 9.60, 9.55}},
		{0.1, 100, 0, 101.09, []float64{119.48, 111.18, 110.93}},
	} {
		for i, want := range c.times {
			a := application(c.latency*µs, c.compute*µs, c.imbalance)
			a.Collective.Problem.Redundancy.Max = schemes[i].redundancy
			a.Collective.Problem.Redundancy.Sources = schemes[i].sources
			checkTime(t, a, want, c.noiseFree)
		}
	}
	for i, want := range []float64{31.25, 28.40, 27.41} {
		a := application(1*µs, 10*µs, 0)
		a.Collective.Problem.Redundancy = collectives.Redundancy{
			Max: schemes[i].redundancy, Sources: schemes[i].sources,
			SendOverhead: 50e-9, Reception: collectives.CPU,
		}
		checkTime(t, a, want, 0)
	}
}

// checkTime fails if the time of an iteration [µs] differs by more than three standard errors;
// without noise it is given to 10 ns, unless it is 0.
func checkTime(t *testing.T, a rounds.Application, want, noiseFree float64) {
	t.Helper()
	mean, se, free := timesOf(t, a, tests.Part(4, 2))
	mean, se, free = 1e6*mean, 1e6*se, 1e6*free
	if math.Abs(mean-want) > 3*math.Hypot(se, 0.13) {
		t.Errorf("%v, %+v: %.2f ± %.2f µs, want %.2f",
			a.Compute, a.Collective.Problem.Redundancy, mean, se, want)
	}
	if noiseFree > 0 && a.Collective.Problem.Redundancy.SendOverhead == 0 &&
		math.Abs(free-noiseFree) > 0.01 {
		t.Errorf("%v without noise: %.3f µs, want %.2f", a.Compute, free, noiseFree)
	}
}

// The lower bound of iterations is close to what they take where the wait for the slowest rank,
// or messages alone, make up an iteration, and it is never above.
func TestLowerBoundOfIterations(t *testing.T) {
	for _, c := range []struct{ compute, imbalance, persistent, share float64 }{
		{0, 0, 0, 0.99},
		{50e-6, 0, 0, 0.99},
		{100e-6, 0.2, 0, 0.9},
		{100e-6, 0, 0.2, 0.9},
		{100e-6, 0.01, 0, 0.9},
	} {
		a := application(1e-6, c.compute, c.imbalance)
		a.Compute.Persistent = c.persistent
		for _, os := range []noise.OS{noise.None{}, a.Collective.OS} {
			a.Collective.OS = os
			trial := models.Run(t, &a, rng.NewKey(1, "bound"))[0]
			times, bound := iterationsOf(&a, trial.Completion), trial.LowerBound
			if least := slices.Min(times); bound > least || bound < a.LowerBound() {
				t.Errorf("%+v: a bound of %g, between %g and %g", c, bound, a.LowerBound(), least)
			}
			if _, silent := os.(noise.None); silent && bound < c.share*times[0] {
				t.Errorf("%+v: a bound of %g, but an iteration takes %g", c, bound, times[0])
			}
		}
	}
}
