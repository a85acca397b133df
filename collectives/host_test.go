package collectives_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
)

func TestImpossibleHosts(t *testing.T) {
	for _, host := range []collectives.Host{
		{Overhead: -1}, {Gap: math.NaN()}, {Poll: math.Inf(1)}, {Polls: -1}, {Window: -1},
		{Interrupt: -1},
		{Progress: collectives.Async}, // and copies need memory
	} {
		for _, a := range collectives.Algorithms {
			p := collectives.Problem{Ranks: 4, Bytes: 8, Bandwidth: 1, Host: host,
				Redundancy: collectives.Redundancy{Sources: 1}}
			if _, err := a.Schedule(p); err == nil {
				t.Errorf("%s: %+v is not refused", a.Name, host)
			}
		}
	}
}
