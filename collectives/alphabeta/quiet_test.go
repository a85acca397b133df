package alphabeta_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/noise"
)

// A trial that noise leaves alone is the quiet one. Noise that comes when all is done, or not
// at all, leaves it alone.
func TestUntouchedTrials(t *testing.T) {
	untouched, touched := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, p, os, network := drawFamily(t, rapid.IntRange(1, 70).Draw(t, "P"), rapid.IntRange(0, 2).Draw(t, "o"))
		if rapid.Bool().Draw(t, "hosts") {
			p.Host = drawHost(t, everyProgress...)
		}
		struck := rapid.IntRange(-1, p.Ranks-1).Draw(t, "struck")
		for r := range os {
			if r != struck {
				os[r] = nil
			}
		}
		heldIn, heldOf := rapid.IntRange(-1, len(network)-1).Draw(t, "held in"), rapid.IntRange(0, p.Ranks-1).Draw(t, "held of")
		for i := range network {
			for r := range network[i] {
				if i != heldIn || r != heldOf {
					network[i][r] = 0
				}
			}
		}
		timeline, silent := collectives.NewTimeline(s.Ranks), noise.None{}
		none := silent.Detours(nil)
		quiet := collectives.NewQuiet(&s, &p, trial(t, timeline, s, p, none, silent.Delays(0)))
		if !quiet.Untouched(none, silent.Delays(0)) {
			t.Error("no noise at all touches a trial")
		}
		if !quiet.Untouched(os, network) {
			touched++
			return
		}
		untouched++
		if diff := cmp.Diff(quiet.Trial, trial(t, timeline, s, p, os, network)); diff != "" {
			t.Errorf("(-quiet +untouched)\n%s", diff)
		}
	})
	if untouched == 0 || touched == 0 {
		t.Errorf("%d trials were untouched, %d touched", untouched, touched)
	}
}
