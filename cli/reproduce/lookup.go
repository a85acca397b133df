package reproduce

import (
	"fmt"
	"math"
)

// find returns the configurations by a key that distinguishes them.
func find[K comparable](configs []Config, key func(*Config) K) map[K]*Config {
	found := map[K]*Config{}
	for i := range configs {
		found[key(&configs[i])] = &configs[i]
	}
	return found
}

// extremes returns the minimum and the maximum of values, NaN for none.
func extremes(values []float64) (low, high float64) {
	low, high = math.NaN(), math.NaN()
	for i, v := range values {
		if i == 0 {
			low, high = v, v
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// average returns the mean of values, NaN for none.
func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// spread returns the extremes of values as text, or one value if they are the same.
func spread(format string, values []float64) string {
	low, high := extremes(values)
	first, last := fmt.Sprintf(format, low), fmt.Sprintf(format, high)
	if first == last {
		return first
	}
	return first + "–" + last
}

// untold judges claims about what is not simulated here.
func untold(*Results) (string, Verdict) { return "not simulated", Unclear }
