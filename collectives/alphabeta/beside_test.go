package alphabeta_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives"
)

// Trials side by side, each under noise of its own, are what they are alone.
func TestTrialsBesideOthers(t *testing.T) {
	besides := 0
	rapid.Check(t, func(t *rapid.T) {
		first := drawScene(t, 0, 2)
		problem := first.problem
		a := rapid.SampledFrom(collectives.Algorithms).Draw(t, "algorithm")
		s, err := a.Schedule(problem)
		exchanges := 0
		for _, round := range s.Rounds {
			exchanges = max(exchanges, round.Exchange+len(round.Sources))
		}
		if err != nil || s.Beside(&problem) == 1 || exchanges > len(first.delays) {
			return
		}
		besides++
		row := first
		trials := make([]collectives.Trial, 1<<rapid.IntRange(0, 4).Draw(t, "trials"))
		var alone []collectives.Trial
		for n := range trials {
			scene := first
			if n > 0 {
				K := len(first.delays) / (problem.Redundancy.Sources + 1)
				scene = newScene(K, problem.Redundancy.Sources, 0, problem.Redundancy.Reception, rapid.Uint64().Draw(t, "noise"))
				row.detours = append(row.detours[:len(row.detours):len(row.detours)], scene.detours...)
				for i := range row.delays {
					row.delays[i] = append(row.delays[i][:len(row.delays[i]):len(row.delays[i])], scene.delays[i]...)
				}
			}
			timeline := collectives.NewTimeline(problem.Ranks)
			alone = append(alone, trial(t, timeline, roundByRound(s), problem, struct{ collectives.Detours }{scene.detours}, struct{ collectives.Delays }{scene.delays}))
			trials[n].Completion = make([]float64, len(s.Results))
		}
		timeline := collectives.NewTimeline(len(trials) * problem.Ranks)
		if err := timeline.PlayBeside(context.Background(), &s, problem, row.detours, row.delays, trials); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(alone, trials); diff != "" {
			t.Errorf("%s, %d trials (-alone +beside others):\n%s", a.Name, len(trials), diff)
		}
	})
	if besides == 0 {
		t.Error("no trials were beside others")
	}
}
