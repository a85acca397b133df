package collectives_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives"
)

// drawHost draws what messages cost, in whole numbers.
func drawHost(t *rapid.T, progress ...collectives.Progress) collectives.Host {
	whole := func(name string, most int) float64 { return float64(rapid.IntRange(0, most).Draw(t, name)) }
	return collectives.Host{
		Overhead: whole("o", 3), Gap: rapid.SampledFrom([]float64{0, 0, 1, 7, 40}).Draw(t, "g"),
		Progress: rapid.SampledFrom(progress).Draw(t, "progress"),
		Poll:     whole("poll", 2), Polls: whole("polls", 3), Window: rapid.SampledFrom([]float64{0, 3, 64, 100, 512}).Draw(t, "window"),
		Interrupt: whole("interrupt", 5),
	}
}

var everyProgress = []collectives.Progress{collectives.Arrival, collectives.Polling, collectives.Async}

func TestHostedPlayIsTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, os, network := drawFamily(t, rapid.IntRange(1, 70).Draw(t, "P"), rapid.IntRange(0, 3).Draw(t, "c"))
		p.Host = drawHost(t, everyProgress...)
		if diff := cmp.Diff(reference(s, p, os, network), playSchedule(t, s, p, os, network), close9, sameTimes); diff != "" {
			t.Errorf("reference (-) and timeline (+):\n%s", diff)
		}
	})
}
