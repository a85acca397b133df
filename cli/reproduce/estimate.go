package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/rng"
)

// An estimate is a number with its confidence interval of 95%.
type estimate struct{ mean, low, high float64 }

// exact returns a number without error.
func exact(v float64) estimate { return estimate{v, v, v} }

// rangeOf returns the range of values as an estimate, whose mean is not used.
func rangeOf(values []float64) estimate {
	return estimate{mean: math.NaN(), low: slices.Min(values), high: slices.Max(values)}
}

// of returns the ratio of two estimates, whose errors are independent.
func (e estimate) of(u estimate) estimate {
	half := math.Hypot((e.high-e.low)/2/e.mean, (u.high-u.low)/2/u.mean)
	return estimate{e.mean / u.mean, e.mean / u.mean * math.Exp(-half), e.mean / u.mean * math.Exp(half)}
}

// paired returns the ratio of the means of two lists of times, of trials that meet the same random
// numbers, with Student's interval.
func paired(a, b []float64) estimate {
	ratio, n := stat.Mean(a, nil)/stat.Mean(b, nil), float64(len(a))
	off := make([]float64, len(a))
	for i := range off {
		off[i] = (a[i] - ratio*b[i]) / stat.Mean(b, nil)
	}
	half := student(n) * stat.StdDev(off, nil) / math.Sqrt(n)
	return estimate{ratio, ratio - half, ratio + half}
}

// student returns by how many standard errors the mean of n numbers is off at most, at 95%.
func student(n float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
}

// byMean compares estimates by their means.
func byMean(a, b estimate) int { return cmp.Compare(a.mean, b.mean) }

// span returns the smallest and the largest of estimates as text.
func span(all []estimate, format string) string {
	low := slices.MinFunc(all, byMean).text(format, "")
	high := slices.MaxFunc(all, byMean).text(format, "")
	if low == high {
		return low
	}
	return low + " to " + high
}

// mid returns the average of estimates, whose errors are independent.
func mid(all ...estimate) estimate {
	var mean, square float64
	for _, e := range all {
		mean += e.mean
		square += (e.high - e.low) / 2 * (e.high - e.low) / 2
	}
	n := float64(len(all))
	half := math.Sqrt(square) / n
	return estimate{mean / n, mean/n - half, mean/n + half}
}

// percent returns a share as a percentage.
func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// number returns the number that a text is. It panics if it is not one.
func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("reproduce: " + err.Error())
	}
	return v
}

// spread returns the extremes of values as text, or one value if they are the same.
func spread(format string, values []float64) string {
	first := fmt.Sprintf(format, slices.Min(values))
	last := fmt.Sprintf(format, slices.Max(values))
	if first == last {
		return first
	}
	return first + "–" + last
}

// apart returns the largest relative difference of values from wanted ones.
func apart(values, wanted []float64) float64 {
	most := 0.0
	for i, v := range values {
		most = max(most, math.Abs(v/wanted[i]-1))
	}
	return most
}

// String returns the number with its interval.
func (e estimate) String() string { return e.text("%.3f", "") }

// factor returns a factor with its interval as text.
func (e estimate) factor() string { return e.text("%.3g", "×") }

// percent returns what a factor adds to one, in percent, with its interval as text.
func (e estimate) percent() string {
	return estimate{100 * (e.mean - 1), 100 * (e.low - 1), 100 * (e.high - 1)}.text("%.1f", "%")
}

// text returns the number in a format and with a unit, and its interval, or the number alone if
// that is all that the format shows.
func (e estimate) text(format, unit string) string {
	mean, low, high := fmt.Sprintf(format, e.mean), fmt.Sprintf(format, e.low), fmt.Sprintf(format, e.high)
	if low == high {
		return mean + unit
	}
	return fmt.Sprintf("%s%s (%s–%s)", mean, unit, low, high)
}

// A measured is a measure of a configuration with its confidence interval, nil if it has no
// interval.
type measured struct {
	of       func(*Config) float64
	interval func(*Config) (low, high float64)
}

// at returns the measure of a configuration.
func (m measured) at(c *Config) estimate {
	e := estimate{mean: m.of(c)}
	if e.low, e.high = e.mean, e.mean; m.interval != nil {
		e.low, e.high = m.interval(c)
	}
	return e
}

// A lens shows a measure of configurations: as it is, or as it could have been by chance.
type lens func(measured) func(*Config) float64

// draws is how often a statistic of many means is drawn for its interval.
const draws = 200

// estimated returns a statistic of measures of many configurations. Its interval is the middle
// 95% of it if each measure is drawn, log-normally, from what its own interval says.
func estimated(statistic func(lens) float64) estimate {
	e := estimate{mean: statistic(func(m measured) func(*Config) float64 { return m.of })}
	all := make([]float64, draws)
	for i := range all {
		normals, next := rng.NewKey(uint64(i), "estimated").Counter(), 0
		all[i] = statistic(func(m measured) func(*Config) float64 {
			drawn := map[*Config]float64{}
			return func(c *Config) float64 {
				v, ok := drawn[c]
				if !ok {
					v = m.at(c).drawn(normals.Normal(next))
					drawn[c] = v
					next++
				}
				return v
			}
		})
	}
	slices.Sort(all)
	e.low = min(e.mean, stat.Quantile(0.025, stat.LinInterp, all, nil))
	e.high = max(e.mean, stat.Quantile(0.975, stat.LinInterp, all, nil))
	return e
}

// drawn returns a number drawn from what the interval says, given a standard normal one.
func (e estimate) drawn(normal float64) float64 {
	if e.low == e.high {
		return e.mean
	}
	return e.mean * math.Exp(normal*math.Log(e.high/e.low)/(2*1.96))
}
