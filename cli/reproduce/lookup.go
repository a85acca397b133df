package reproduce

import (
	"fmt"
	"math"
)

// find returns the configurations by what tells those of interest apart.
func find[K comparable](configs []Config, key func(*Config) K) map[K]*Config {
	found := map[K]*Config{}
	for i := range configs {
		found[key(&configs[i])] = &configs[i]
	}
	return found
}

// extremes are the least and the greatest of some values, NaN of none.
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

// average is the mean of some values, NaN of none.
func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// tolerance is how far ours may be from what was measured on a real machine, or in a
// simulator of another kind, and still be said to hold.
const tolerance = 0.1

// near is the verdict of a published number whose counterpart is known to lie between low
// and high.
func near(low, high, published float64) Verdict {
	least, most := published*(1-tolerance), published*(1+tolerance)
	return within(low, high, min(least, most), max(least, most))
}

// spread writes the extremes of some values, or the value if they are the same.
func spread(format string, values []float64) string {
	low, high := extremes(values)
	first, last := fmt.Sprintf(format, low), fmt.Sprintf(format, high)
	if first == last {
		return first
	}
	return first + "–" + last
}

// untold is for claims of what is not played here.
func untold(*Results) (string, Verdict) { return "not played", Unclear }
