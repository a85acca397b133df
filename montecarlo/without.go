package montecarlo

import (
	"math"
	"slices"

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

// bareOf returns the number of the job of a candidate's algorithm without its redundancy, or −1.
func (c *fieldRun) bareOf(star candidate) int {
	return slices.IndexFunc(c.jobs, func(j *job) bool {
		return j.config.Single && j.config.Algorithm == c.jobs[star.Config].config.Algorithm
	})
}

// withoutPrecision is the half-width of the interval of a gain, relative to the gain, for which the
// algorithm without redundancy gets trials.
const withoutPrecision = 0.02

// wantBare returns the job of a choice's algorithm without redundancy, and up to how many trials it gets, at
// most as many as the choice has, if these make its gain more precise, and the effort and the time allow
// them; or nil.
func (c *fieldRun) wantBare(
	star candidate, l *analysis, affordable func(work float64) bool,
) (bare *job, trials int) {
	i, most := c.bareOf(star), c.jobs[star.Config].target
	if i < 0 || c.jobs[i].target >= most {
		return nil, 0
	}
	if w := c.without(star, l); w.Known && w.Half <= withoutPrecision*w.Gain {
		return nil, 0
	}
	if trials = most; c.floor != nil { // these take long
		trials = min(most, max(2*withoutBatches, 2*c.jobs[i].target))
	}
	if !c.allows(c.jobs[i].workUpTo(trials), affordable) {
		return nil, 0
	}
	return c.jobs[i], trials
}

// without returns the algorithm of a candidate without its redundancy.
func (c *fieldRun) without(star candidate, l *analysis) Without {
	i := c.bareOf(star)
	if i < 0 || !c.jobs[i].simulated() {
		return Without{}
	}
	j, with := c.jobs[i], c.jobs[star.Config]
	bare := candidatesOf(i, j.shape.Checkpoints)[0]
	w := Without{Option: Option{bare.Candidate, j.value(l.objective, bare.checkpoint)}, Known: true}
	w.Gain = w.Objective / with.value(l.objective, star.checkpoint)
	if bare.Candidate != star.Candidate {
		w.Half = l.objective.ratioHalf(j.tested(l.objective, bare.checkpoint),
			with.tested(l.objective, star.checkpoint), c.study.Trials.Confidence)
	}
	return w
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
