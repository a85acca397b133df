package rounds_test

import (
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// A trial that noise does not touch is the one without noise. Noise that comes when all is
// done, or not at all, does not touch it.
func TestUntouchedTrials(t *testing.T) {
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
		simulator := rounds.NewSimulator(s.Ranks)
		none := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
		noiseFree := rounds.NewNoiseFree(rounds.Compile(&s, p), trial(t, simulator, s, p, none))
		if !noiseFree.IsTrial(none) {
			t.Error("the trial without noise is not itself")
		}
		given := rounds.NewNoise(os, network)
		if !noiseFree.IsTrial(given) {
			t.Skip("touched") // a test of skipped trials alone fails
		}
		if diff := tests.Diff(noiseFree.Trial, trial(t, simulator, s, p, given)); diff != "" {
			t.Errorf("(-without noise +untouched)\n%s", diff)
		}
	})
}

// A detour or a delay touches a trial if it comes while something is under way, and not after.
func TestTouchedTrials(t *testing.T) {
	p := collectives.Problem{
		Ranks: 4, Bytes: 1, Latency: 9, Bandwidth: 1, MemoryBandwidth: 1,
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	s := models.Schedule(t, "butterfly", p)
	simulator := rounds.NewSimulator(s.Ranks)
	none := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	noiseFree := rounds.NewNoiseFree(rounds.Compile(&s, p), trial(t, simulator, s, p, none))
	for _, c := range []struct {
		begin, delay float64 // of rank 2's detour, of the last message to rank 1
		touched      bool
	}{{100, 0, false}, {15, 0, true}, {0, 0, true}, {100, 1, true}} {
		os := preempted{nil, nil, {{c.begin, c.begin + 5}}, nil}
		network := delayed{make([]float64, 4), {0, c.delay, 0, 0}}
		if got := !noiseFree.IsTrial(rounds.NewNoise(os, network)); got != c.touched {
			t.Errorf("%+v: touched %t", c, got)
		}
	}
}
