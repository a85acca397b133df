package rounds_test

import (
	"testing"

	"pgregory.net/rapid"
)

// Rare noise, and numbers of ranks at which all do the same: what the sparse executor is
// for. That all executors agree is checked wherever a trial is simulated.
func TestSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		K := rapid.IntRange(1, 7).Draw(t, "K")
		s, p, os, network := drawFamily(t, 1<<K, rapid.IntRange(0, 2).Draw(t, "o"))
		rare := rapid.IntRange(1, 30).Draw(t, "one of so many is hit")
		from := rapid.IntRange(0, 30).Draw(t, "from")
		for r := range os {
			if (r+from)%rare > 0 {
				os[r] = nil
			}
		}
		for i := range network {
			for r := range network[i] {
				if (i+r+from)%(3*rare) > 0 {
					network[i][r] = 0
				}
			}
		}
		if rapid.Bool().Draw(t, "hosts") {
			p.Host = drawHost(t, everyProgress...)
			p.Host.Gap = 0 // else no trial is sparse
		}
		simulateSchedule(t, s, p, os, network)
	})
}
