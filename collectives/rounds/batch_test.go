package rounds_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/noise"
)

// The trials of a batch, each under noise of its own, are what they are alone.
func TestBatch(t *testing.T) {
	batched := slices.DeleteFunc(slices.Clone(collectives.Algorithms), func(a collectives.Algorithm) bool {
		problem := newScene(3, 1, 0, collectives.Offload, 1).problem
		s, err := a.Schedule(problem)
		return err != nil || rounds.NewPlan(&s, problem).Batch() == 1
	})
	if len(batched) == 0 {
		t.Fatal("no algorithm simulates trials in batches")
	}
	rapid.Check(t, func(t *rapid.T) {
		first := drawScene(t, 0)
		problem := first.problem
		problem.Redundancy.Forward = rapid.Bool().Draw(t, "forward")
		a := rapid.SampledFrom(batched).Draw(t, "algorithm")
		s, err := a.Schedule(problem)
		exchanges := 0
		for _, round := range s.Rounds {
			exchanges = max(exchanges, round.Exchange+len(round.Sources))
		}
		if err != nil || rounds.NewPlan(&s, problem).Batch() == 1 || exchanges > len(first.delays) {
			t.Skip("not in batches")
		}
		row := first
		trials := make([]rounds.Trial, 1<<rapid.IntRange(0, 4).Draw(t, "trials"))
		var alone []rounds.Trial
		for n := range trials {
			scene := first
			if n > 0 {
				K := len(first.delays) / (problem.Redundancy.Sources + 1)
				scene = newScene(K, problem.Redundancy.Sources, 0, problem.Redundancy.Reception,
					rapid.Uint64().Draw(t, "noise"))
				row.detours = append(row.detours[:len(row.detours):len(row.detours)], scene.detours...)
				for i := range row.delays {
					row.delays[i] = append(row.delays[i][:len(row.delays[i]):len(row.delays[i])],
						scene.delays[i]...)
				}
			}
			simulator := rounds.NewSimulator(problem.Ranks)
			notListed := rounds.NewNoise(struct{ noise.Detours }{scene.detours},
				struct{ noise.Delays }{scene.delays})
			alone = append(alone, trial(t, simulator, roundByRound(s), problem, notListed))
			trials[n].Completion = make([]float64, len(s.Checkpoints))
		}
		simulator := rounds.NewSimulator(len(trials) * problem.Ranks)
		plan, given := rounds.NewPlan(&s, problem), rounds.NewNoise(row.detours, row.delays)
		if err := simulator.RunBatch(context.Background(), plan, given, trials); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(alone, trials); diff != "" {
			t.Errorf("%s, %d trials (-alone +in a batch):\n%s", a.Name, len(trials), diff)
		}
	})
}
