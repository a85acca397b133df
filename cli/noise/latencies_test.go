package noise

import (
	"math"
	"testing"

	"jitterfly/noise/measured"
)

// A G that netgauge fitted to a change of protocol is not that of the network.
func TestLogGP(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	im := importer{bytes: 8}
	im.addLogGP([]measured.LogGP{
		{Size: 1, L: 1.78e-6, Os: 1.6e-7, Or: 2.7e-7, Gs: nan, G: nan, Deviation: nan},
		{Size: 1025, L: 1.78e-6, Os: 3.9e-6, Or: 4e-6, Gs: 2.3e-7, G: 3.6e-9, Deviation: inf},
		{Size: 10241, L: 1.78e-6, Os: 3.9e-6, Or: 4e-6, Gs: 2.8e-6, G: 1.6e-10, Deviation: 1.02},
		{Size: 130049, L: 1.78e-6, Os: 16e-6, Or: 16e-6, Gs: 4.3e-6, G: 1e-10, Deviation: 0.89},
	})
	n := im.network
	if *n.Latency != 1.78e-6 || *n.Gap != 2.3e-7 || *n.Bandwidth != 1e10 {
		t.Errorf("%v, g %v, 1/G %v", *n.Latency, *n.Gap, *n.Bandwidth)
	}
	im.network.Bandwidth = nil
	im.addLogGP([]measured.LogGP{{Size: 1025, L: 1e-6, Gs: nan, G: 2e-9, Deviation: nan}})
	if *im.network.Bandwidth != 5e8 {
		t.Errorf("1/G %v, want the only one", *im.network.Bandwidth)
	}
}
