package noise

import (
	"jitterfly/internal/units"
	"jitterfly/noise/formats"
)

// bulk is the size [bytes] from which repetitions of one size measure the bandwidth.
const bulk = 1 << 16

// addBandwidths takes the bandwidth from repetitions of one large size: 1/G is the fastest
// bandwidth, and what a byte takes beyond G is noise.
func (im *importer) addBandwidths(operation string, p formats.Point) {
	im.network.Bandwidth = new(rounded(p.Size / p.Base()))
	im.say("  %s, %s: 1/G = %s, of the fastest; on average %s", operation, sizeText(p.Size),
		units.Format(units.Rate, p.Size/p.Base(), 3), units.Format(units.Rate, p.Size/p.Mean, 3))
	excess, ok := p.Excess()
	if !ok {
		return
	}
	for i := range excess.Points {
		excess.Points[i].Length = rounded(excess.Points[i].Length / p.Size)
	}
	im.network.ByteNoise = excess
	im.say("  %s: noise of the bandwidth is what exceeds the fastest; the slowest takes %.3g× as long",
		operation, 1+excess.Most()*p.Size/p.Base())
}
