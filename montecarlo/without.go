package montecarlo

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Without is the algorithm of a choice without its redundancy, and what the redundancy gains.
type Without struct {
	Option
	// Gain is how many times the objective of the choice its objective is, plus or minus Half with
	// the confidence asked for, from trials with the same noise. Half is infinite if there are too
	// few trials.
	Gain, Half float64
	// Known says that the candidate is one of the field, and has trials.
	Known bool
}

// withoutBatches is the number of batches whose ratios give the interval of a gain.
const withoutBatches = 10

// estimate returns the first candidate that is within the tolerance of the best as far as is known.
func (c *fieldRun) estimate(l *analysis) Option {
	i := l.within(l.tolerance)
	return Option{c.order[i].Candidate, l.values[i]}
}

// without returns the algorithm of a candidate without its redundancy.
func (c *fieldRun) without(star candidate, l *analysis) Without {
	for i := range c.jobs {
		j := c.jobs[i]
		if !j.config.Single || j.config.Algorithm != c.jobs[star.Config].config.Algorithm || !j.simulated() {
			continue
		}
		bare := candidatesOf(i, j.shape.Checkpoints)[0]
		w := Without{Option: Option{bare.Candidate, j.value(l.objective, bare.checkpoint)}, Known: true}
		w.Gain = w.Objective / c.jobs[star.Config].value(l.objective, star.checkpoint)
		if bare.Candidate != star.Candidate {
			w.Half = l.objective.ratioHalf(j.tested(l.objective, bare.checkpoint),
				c.jobs[star.Config].tested(l.objective, star.checkpoint), c.study.Trials.Confidence)
		}
		return w
	}
	return Without{}
}

// ratioHalf returns half of the interval of the ratio of two objectives, given the times of trials
// with the same noise, from the ratios of batches of them (batch means). It is infinite if the batches
// have too few trials.
func (o *Objective) ratioHalf(a, b []float64, confidence float64) float64 {
	size := min(len(a), len(b)) / withoutBatches
	if size < 2 {
		return math.Inf(1)
	}
	var ratios []float64
	for i := range withoutBatches {
		from, to := i*size, (i+1)*size
		ratios = append(ratios, o.of(a[from:to])/o.of(b[from:to]))
	}
	t := distuv.StudentsT{Sigma: 1, Nu: withoutBatches - 1}.Quantile((1 + confidence) / 2)
	return t * stat.StdDev(ratios, nil) / math.Sqrt(withoutBatches)
}
