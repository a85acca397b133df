package alphabeta_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives/alphabeta"
	"jitterfly/noise"
)

// A trial that noise does not touch is the one without noise. Noise that comes when all is
// done, or not at all, does not touch it.
func TestUntouchedTrials(t *testing.T) {
	untouched, touched := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, p, os, network := drawFamily(t, rapid.IntRange(1, 70).Draw(t, "P"),
			rapid.IntRange(0, 2).Draw(t, "o"))
		if rapid.Bool().Draw(t, "hosts") {
			p.Host = drawHost(t, everyProgress...)
		}
		preempted := rapid.IntRange(-1, p.Ranks-1).Draw(t, "preempted")
		for r := range os {
			if r != preempted {
				os[r] = nil
			}
		}
		exchange := rapid.IntRange(-1, len(network)-1).Draw(t, "delayed exchange")
		to := rapid.IntRange(0, p.Ranks-1).Draw(t, "delayed to")
		for i := range network {
			for r := range network[i] {
				if i != exchange || r != to {
					network[i][r] = 0
				}
			}
		}
		simulator := alphabeta.NewSimulator(s.Ranks)
		none := alphabeta.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays(0))
		noiseFree := alphabeta.NewNoiseFree(alphabeta.NewPlan(&s, p), trial(t, simulator, s, p, none))
		if !noiseFree.IsTrial(none) {
			t.Error("the trial without noise is not itself")
		}
		given := alphabeta.NewNoise(os, network)
		if !noiseFree.IsTrial(given) {
			touched++
			return
		}
		untouched++
		if diff := cmp.Diff(noiseFree.Trial, trial(t, simulator, s, p, given)); diff != "" {
			t.Errorf("(-without noise +untouched)\n%s", diff)
		}
	})
	if untouched == 0 || touched == 0 {
		t.Errorf("%d trials were untouched, %d touched", untouched, touched)
	}
}
