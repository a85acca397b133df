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

// tolerance is the relative difference up to which our number agrees with one measured on a
// real machine, or in a simulator of another kind.
const tolerance = 0.1

// near returns the verdict of a published number whose counterpart has a confidence interval
// from low to high.
func near(low, high, published float64) Verdict {
	least, most := published*(1-tolerance), published*(1+tolerance)
	return within(low, high, min(least, most), max(least, most))
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
