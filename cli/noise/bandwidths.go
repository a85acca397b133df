package noise

import (
	"jitterfly/internal/units"
	"jitterfly/noise/measured/formats"
)

// bulk is the size [bytes] from which repetitions of one size measure the bandwidth.
const bulk = 1 << 16

// addBandwidths takes the bandwidth, 1/G, from the mean of repetitions of one large size.
func (im *importer) addBandwidths(operation string, p formats.Point) {
	im.network.Bandwidth = new(rounded(p.Size / p.Mean))
	im.say("  %s, %s: 1/G = %s, on average; of the fastest %s", operation, sizeText(p.Size),
		units.Format(units.Rate, p.Size/p.Mean, 3), units.Format(units.Rate, p.Size/p.Base(), 3))
}
