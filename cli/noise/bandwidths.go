package noise

import (
	"cmp"
	"fmt"
	"slices"

	"jitterfly/cli/internal/output"
	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/formats"
	"jitterfly/noise/profile"
)

// bulk is the size [bytes] from which repetitions of one size measure the bandwidth.
const bulk = 1 << 16

// addBandwidths takes the bandwidth from repetitions of one large size: 1/G is the fastest
// bandwidth, and what a byte takes beyond G is noise.
func (im *importer) addBandwidths(operation string, p formats.Point) {
	im.network.Bandwidth = new(rounded(p.Size / p.Base()))
	im.say("  %s, %s: 1/G = %s, of the fastest; on average %s", operation, sizeText(p.Size),
		units.Format(units.Rate, p.Size/p.Base(), 3), units.Format(units.Rate, p.Size/p.Mean, 3))
	if excess, ok := p.Excess(); ok {
		im.perByte = excess.Scaled(1 / p.Size).(noise.Empirical)
	}
}

// addNoiseOfBandwidth adds the noise of the bandwidth to the noise of messages, for messages of the
// size asked for: each takes its bytes times what a byte takes beyond G, drawn for it.
func (im *importer) addNoiseOfBandwidth(p *profile.Profile) {
	if im.perByte.Points == nil || im.bytes == 0 {
		return
	}
	n := &im.network
	more := im.perByte.Scaled(im.bytes).(noise.Empirical)
	size := sizeText(im.bytes)
	if n.Latency != nil && more.Most() < 0.01**n.Latency {
		im.say("noise of the bandwidth is less than 1%% of the latency in messages of %s, and left out; "+
			"--bytes is their size", size)
		return
	}
	if n.Noise != nil {
		if e, ok := n.Noise.Duration.(noise.Empirical); ok {
			more = sum(e, more)
		}
	}
	n.Noise = &profile.MessageNoise{Duration: more}
	im.say("noise of messages includes the noise of the bandwidth, for %s: %s on average", size,
		output.Seconds(more.Mean()))
	p.Caveats = append(p.Caveats, fmt.Sprintf("Noise of the network has noise of the bandwidth for "+
		"messages of %s; import again with --bytes for other sizes.", size))
}

// An atom is a time [s] and its probability.
type atom struct{ time, weight float64 }

// sum returns the distribution of the sum of two independent times.
func sum(a, b noise.Empirical) noise.Empirical {
	var all []atom
	for _, x := range atoms(a) {
		for _, y := range atoms(b) {
			all = append(all, atom{x.time + y.time, x.weight * y.weight})
		}
	}
	slices.SortFunc(all, func(x, y atom) int { return cmp.Compare(x.time, y.time) })
	values, weights := make([]float64, len(all)), make([]float64, len(all))
	for i, x := range all {
		values[i], weights[i] = x.time, x.weight
	}
	return noise.Measured(values, weights, 0.001)
}

// atoms returns several times between each two quantiles, in the middle of equal shares.
func atoms(e noise.Empirical) (all []atom) {
	const n = 8
	for i, q := range e.Points[1:] {
		p := e.Points[i]
		for k := range n {
			all = append(all, atom{p.Length + (q.Length-p.Length)*(float64(k)+0.5)/n,
				(q.Share - p.Share) / n})
		}
	}
	return all
}
