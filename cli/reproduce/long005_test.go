package reproduce

import (
	"math"
	"testing"
)

// For messages of 128 KiB the middle time of a byte is LogGP's G, and the middle latency is 3L.
func TestLengthened005KeepsTheMiddle(t *testing.T) {
	for _, s := range systems005 {
		p := preset005(s.Preset)
		n, err := p.Network.Rescaled(s.shortest, s.middle)
		if err != nil {
			t.Fatal(err)
		}
		long := lengthened005(n, s, true)
		if err := long.ByteNoise.Check(); err != nil {
			t.Errorf("%s: %v", s.Preset, err)
		}
		perByte := 1 / *long.Bandwidth + s.middle(long.ByteNoise)
		if G := 1 / *p.Network.Bandwidth; math.Abs(perByte/G-1) > 1e-9 {
			t.Errorf("%s: a byte takes %g s, want %g", s.Preset, perByte, G)
		}
		latency := *long.Latency + s.middle(long.Noise.Duration)
		if want := 3 * *p.Network.Latency; math.Abs(latency/want-1) > 1e-9 {
			t.Errorf("%s: the latency is %g s, want %g", s.Preset, latency, want)
		}
	}
}
