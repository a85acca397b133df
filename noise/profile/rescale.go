package profile

import (
	"errors"

	"jitterfly/noise"
)

// Rescaled returns the network with its measured latencies scaled so that their middle is the
// latency L. The shortest of them [s] is given, and the network's noise is what others take beyond
// it; middle returns the mean or the median of a length. De Sensi et al. ("Noise in the Clouds",
// 2022) do so where different tools measured L and the latencies. It fails if the network has no L
// or no measured latencies.
func (n Network) Rescaled(shortest float64, middle func(noise.Length) float64) (Network, error) {
	if n.Latency == nil || n.Noise == nil || n.Noise.Interval != 0 {
		return n, errors.New("there is no latency to which measured latencies could be scaled")
	}
	factor := *n.Latency / (shortest + middle(n.Noise.Duration))
	base := shortest * factor
	n.Latency, n.Noise = &base, &MessageNoise{Duration: n.Noise.Duration.Scaled(factor)}
	return n, nil
}

// Median returns the median of a length [s].
func Median(l noise.Length) float64 { return l.Quantile(0.5) }
