package rounds_test

import (
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
	}
	rapid.Check(t, func(t *rapid.T) {
		var of []montecarlo.Model
		for range rapid.IntRange(1, 3).Draw(t, "models") {
			m := model(rapid.SampledFrom([]int{16, 40}).Draw(t, "P"))
			m.Algorithm = tests.Must(collectives.Find(rapid.SampledFrom(names).Draw(t, "algorithm")))(t)
			m.Problem.Node = collectives.Node{Ranks: 8, Latency: 50e-9, Bandwidth: 1e10}
			m.Problem.Redundancy.Max, m.Problem.Redundancy.Reception = 2, collectives.CPU
			m.Problem.Host.Overhead = rapid.SampledFrom([]float64{0, 20e-9}).Draw(t, "o")
			m.OS = rapid.SampledFrom(oses).Draw(t, "OS")
			a := rounds.Application{
				Collective: m, Iterations: 3, Calls: 1, Warmup: 1,
				Compute: rounds.Compute{Mean: 300e-6, Random: 0.03},
			}
			of = append(of, &m, &a, m.Floor(), a.Floor())
		}
		keys := models.Keys("turns", 2)
		var last montecarlo.Runner
		runners := map[montecarlo.Model]montecarlo.Runner{}
		for range rapid.IntRange(2, 12).Draw(t, "turns") {
			m := rapid.SampledFrom(of).Draw(t, "model")
			some := rapid.SampledFrom([][]rng.Key{keys, keys[:1], keys[1:]}).Draw(t, "keys")
			alone, trials := models.Run(t, m, some...), models.Run(t, m, some...)
			if runners[m] == nil {
				last = tests.Must(m.NewRunner(last))(t)
				runners[m] = last
			}
			for i := range trials {
				clear(trials[i].Completion)
			}
			tests.NoError(t, runners[m].Run(t.Context(), some, trials))
			if !reflect.DeepEqual(trials, alone) {
				t.Fatalf("%v, after others %v", alone, trials)
			}
		}
	})
}
