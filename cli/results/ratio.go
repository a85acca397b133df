package results

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// A Ratio is what the mean completion time of B is in units of A's, with its interval.
type Ratio struct{ Value, Low, High float64 }

// Differs reports whether the interval excludes that the means are equal.
func (r Ratio) Differs() bool { return r.Low > 1 || r.High < 1 }

// unpaired returns the ratio of two means of independent trials, from the means and the
// intervals in the summaries. Those account for noise that the trials have missed, which a
// standard deviation does not.
//
// The interval comes from the method of variance estimates recovery, on a logarithmic scale (Zou
// and Donner, "Construction of confidence limits about effect measures", Statistics in Medicine 27,
// 2008): each end is as far from the ratio as the two ends that push it there are from their means,
// added in squares.
func unpaired(a, b *config) Ratio {
	r := b.mean / a.mean
	down := math.Hypot(math.Log(a.high/a.mean), math.Log(b.mean/b.low))
	up := math.Hypot(math.Log(a.mean/a.low), math.Log(b.high/b.mean))
	return Ratio{r, r * math.Exp(-down), r * math.Exp(up)}
}

// paired returns the ratio of two means [s] of trials that met the same noise, in pairs. One hit
// of the noise delays a trial of A by hitA [s] at most, and one of B by hitB.
//
// The interval is Student's of the mean of the residuals b − ratio·a, on a logarithmic scale.
// Trials that have missed rare noise do not show how it affects a and b differently. So its lower
// end is moved to where it would be after one more pair in which a hit delays only a, and its upper
// end to where it would be after one in which a hit delays only b, as the intervals of summaries
// are.
func paired(a, b []float64, hitA, hitB, level float64) Ratio {
	meanB := stat.Mean(b, nil)
	r := meanB / stat.Mean(a, nil)
	residuals := make([]float64, len(a))
	for i := range a {
		residuals[i] = b[i] - float64(r*a[i])
	}
	width := student(len(a), level) * stat.StdDev(residuals, nil)
	beyond := func(hit float64) float64 { return endAfter(residuals, hit, level) - width }
	spread := math.Exp(width / meanB)
	return Ratio{
		Value: r,
		Low:   r / spread / (1 + max(0, beyond(r*hitA))/meanB),
		High:  r * spread * (1 + max(0, beyond(hitB))/meanB),
	}
}

// endAfter returns the upper end of Student's interval of residuals, whose mean is 0, after one
// more, a hit.
func endAfter(residuals []float64, hit, level float64) float64 {
	n := float64(len(residuals))
	sd := stat.StdDev(residuals, nil)
	squares := float64(sd*sd*(n-1)) + hit*hit*n/(n+1)
	return hit/(n+1) + float64(student(len(residuals)+1, level)*math.Sqrt(squares/n))
}

// hitOf returns the hit [s] that the upper end of an interval of the summary accounts for, at the
// level of the interval: the end is Student's after one more trial, delayed by that hit. Where
// lengths have no bound, the hit stands for longer ones too.
func hitOf(c *config, level float64) float64 {
	n := float64(c.trials)
	student, end := student(int(c.trials)+1, level), c.high-c.mean
	// end = hit/(n+1) + student·√((StdDev²·(n−1) + hit²·n/(n+1))/n), squared
	u := float64(student * student)
	square := 1/(n+1)/(n+1) - u/(n+1)
	half := -end / (n + 1)
	rest := float64(end*end) - u*float64(c.stddev*c.stddev)*(n-1)/n
	if square == 0 {
		return max(0, -rest/(2*half))
	}
	root := math.Sqrt(max(0, float64(half*half)-float64(square*rest)))
	return max(0, (-half-root)/square)
}

// student returns half the width of Student's interval of a mean of n numbers, in units of
// their standard deviation.
func student(n int, level float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	return t.Quantile((1+level)/2) / math.Sqrt(float64(n))
}

// sameNoise returns whether the trials of both configurations of a pair met the same noise: the
// random numbers have the same names.
func (c *Comparison) sameNoise() func(pair) bool {
	same := slices.Equal(c.A.results.Values[study.Seed.Path], c.B.results.Values[study.Seed.Path])
	var axes []int
	for x, k := range study.Axes {
		a, b := c.A.axes[x].values, c.B.axes[x].values
		if k.Environment && (len(a) > 1 || len(b) > 1 || a[0] != b[0]) {
			axes = append(axes, x)
		}
	}
	of, _ := classes(c.A, c.B, axes)
	return func(p pair) bool { return same && of[p[0]] == of[len(c.A.configs)+int(p[1])] }
}

// inPairs compares the rows trial by trial whose trials met the same noise, if both studies
// have kept them.
func (c *Comparison) inPairs() error {
	var same []*row
	meets := c.sameNoise()
	for i := range c.Rows {
		if r := &c.Rows[i]; meets(r.pair) {
			same = append(same, r)
		}
	}
	if len(same) == 0 {
		return nil
	}
	if !c.A.results.KeepTrials || !c.B.results.KeepTrials {
		c.note(fmt.Sprintf("%d of %d rows met the same noise: if both sweeps had --keep-trials, "+
			"they would be compared trial by trial, with narrower intervals",
			len(same), len(c.Rows)))
		return nil
	}
	a, err := c.A.results.OpenTrials()
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := c.B.results.OpenTrials()
	if err != nil {
		return err
	}
	defer b.Close()
	for _, r := range same {
		inA, inB := c.configs(r.pair)
		timesA, err := inA.trialsIn(a)
		if err != nil {
			return err
		}
		timesB, err := inB.trialsIn(b)
		if err != nil {
			return err
		}
		n := min(len(timesA), len(timesB))
		timesA, timesB = timesA[:n], timesB[:n]
		r.paired = int32(n)
		r.Ratio = paired(timesA, timesB, hitOf(inA, c.A.level), hitOf(inB, c.A.level), c.A.level)
		r.meanA, r.meanB = stat.Mean(timesA, nil), stat.Mean(timesB, nil)
	}
	return nil
}

// trialsIn returns the completion times [s] of the configuration in a table, valid until the next are read.
func (c *config) trialsIn(table *datasets.Trials) ([]float64, error) {
	return table.At(string(c.id[:]), int(c.t), c.row, int64(c.trials))
}
