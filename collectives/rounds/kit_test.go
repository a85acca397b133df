package rounds_test

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// Runners of calls, of iterations and of floors take turns with what they share, whatever the others have
// simulated, and their trials are those of runners that share nothing.
func TestRunnersTakeTurns(t *testing.T) {
	names := []string{"butterfly", "dissemination", "rabenseifner", "leaders"}
	oses := []noise.OS{
		noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random}, randomStart(manySources), fleet,
		noise.Fleet{Node: 5, Classes: []noise.Class{
			{OS: randomStart(manySources), Share: 0.9}, {OS: noise.None{}, Share: 0.1, Speed: 0.5},
		}},
	}
	rapid.Check(t, func(t *rapid.T) {
		var of []montecarlo.Model
		for range rapid.IntRange(1, 4).Draw(t, "models") {
			m := model(rapid.SampledFrom([]int{40, 64}).Draw(t, "P"))
			m.Algorithm = tests.Must(collectives.Find(rapid.SampledFrom(names).Draw(t, "algorithm")))(t)
			m.Problem.Node = collectives.Node{Ranks: 8, Latency: 50e-9, Bandwidth: 1e10}
			m.Problem.Redundancy.Max = rapid.IntRange(0, 3).Draw(t, "T")
			m.Problem.Redundancy.Reception = collectives.CPU
			m.Problem.Host.Overhead = rapid.SampledFrom([]float64{0, 20e-9}).Draw(t, "o")
			m.Problem.Busy, m.Problem.Bytes = rapid.Bool().Draw(t, "busy"), 1<<14
			m.OS = rapid.SampledFrom(oses).Draw(t, "OS")
			a := rounds.Application{
				Collective: m, Iterations: 3, Calls: 1, Warmup: 1,
				Compute: rounds.Compute{Mean: 300e-6, Random: 0.03},
			}
			of = append(of, &m, &a, m.Floor(), a.Floor())
		}
		keys, turns := models.Keys("turns", 2), newTurns()
		for range rapid.IntRange(2, 20).Draw(t, "turns") {
			m := rapid.SampledFrom(of).Draw(t, "model")
			some := rapid.SampledFrom([][]rng.Key{keys, keys[:1], keys[1:]}).Draw(t, "keys")
			if turns.run(t, m, some); rapid.Bool().Draw(t, "jointly") {
				turns.runJointly(t, of, some[0])
			}
		}
	})
}

// So it is when the first one to take turns has fewer courses than the next ones.
func TestRunnersOfMoreCourses(t *testing.T) {
	var of []montecarlo.Model
	for _, T := range []int{1, 3, 0, 4} {
		m := model(64)
		m.Problem.Redundancy.Max, m.Problem.Host.Overhead = T, 20e-9
		m.OS = randomStart(manySources)
		of = append(of, &rounds.Application{
			Collective: m, Iterations: 3, Calls: 1, Warmup: 1,
			Compute: rounds.Compute{Mean: 300e-6, Random: 0.03},
		})
	}
	turns := newTurns()
	for _, key := range models.Keys("courses", 4) {
		for _, m := range of {
			turns.run(t, m, []rng.Key{key})
		}
	}
}

// turns are runners of models that share what a worker has.
type turns struct {
	last    montecarlo.Runner
	runners map[montecarlo.Model]montecarlo.Runner
}

func newTurns() *turns { return &turns{runners: map[montecarlo.Model]montecarlo.Runner{}} }

// of returns the runner of a model.
func (s *turns) of(t tests.Failer, m montecarlo.Model) montecarlo.Runner {
	t.Helper()
	if s.runners[m] == nil {
		s.last = tests.Must(m.NewRunner(s.last))(t)
		s.runners[m] = s.last
	}
	return s.runners[m]
}

// runJointly compares a trial of the runners of several models with those of runners that are alone.
func (s *turns) runJointly(t tests.Failer, of []montecarlo.Model, key rng.Key) {
	t.Helper()
	var runners []montecarlo.Runner
	var alone, trials []montecarlo.Trial
	for _, m := range of {
		runners = append(runners, s.of(t, m))
		alone = append(alone, models.Run(t, m, key)...)
		trials = append(trials, montecarlo.Trial{Completion: make([]float64, len(alone[len(alone)-1].Completion))})
	}
	joint := runners[0].(montecarlo.JointRunner)
	tests.NoError(t, joint.RunJoint(context.Background(), key, runners, trials))
	if !reflect.DeepEqual(trials, alone) {
		t.Fatal("alone ", alone, ", jointly ", trials)
	}
}

// run compares the trials of a model's runner with those of one that is alone.
func (s *turns) run(t tests.Failer, m montecarlo.Model, keys []rng.Key) {
	t.Helper()
	alone, trials := models.Run(t, m, keys...), models.Run(t, m, keys...)
	s.of(t, m)
	for i := range trials {
		clear(trials[i].Completion)
	}
	tests.NoError(t, s.runners[m].Run(context.Background(), keys, trials))
	if !reflect.DeepEqual(trials, alone) {
		t.Fatal("alone ", alone, ", after others ", trials)
	}
}
