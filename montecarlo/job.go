package montecarlo

import (
	"slices"

	"jitterfly/internal/rng"

	"gonum.org/v1/gonum/stat"
)

// chunkWork is about how many rank-rounds a worker takes on at a time: long
// enough that handing out costs nothing, short enough that all stay busy.
const chunkWork = 1 << 18

// quietTrial is the number of the trial without noise, the first of every job.
const quietTrial = -1

// A job is a configuration whose trials are being played. What the workers
// share of it, they change under the pool's lock; the trials themselves each
// write their own part of completion.
type job struct {
	config  *Config
	model   model
	work    float64 // of one trial, in rank-rounds
	streams rng.Key

	issued int // the next trial to hand out
	look   int // up to which to play before the next look

	quiet      []float64 // completion of each T without noise
	completion []float64 // as in Result
	latest     []float64 // latest start of each trial
}

func newJob(c *Config, seed uint64) (*job, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	return &job{
		config: c, model: m, work: m.work(), streams: c.streams(seed),
		issued: quietTrial, look: quietTrial,
		quiet: make([]float64, m.results()),
	}, nil
}

// extend makes room for trials up to the look at n of them.
func (j *job) extend(n int) {
	j.look = n
	j.completion = slices.Grow(j.completion, n*len(j.quiet)-len(j.completion))[:n*len(j.quiet)]
	j.latest = slices.Grow(j.latest, n-len(j.latest))[:n]
}

// played says whether the job has trials at all.
func (j *job) played() bool { return j.look > 0 }

// take hands out the next chunk of trials, empty if there are none before the
// next look.
func (j *job) take() (from, to int) {
	size := int(chunkWork / max(1, j.work))
	from = j.issued
	to = min(j.look, from+max(1, size))
	j.issued = to
	return from, to
}

// completionOf is a trial's part of completion.
func (j *job) completionOf(trial int) []float64 {
	results := len(j.quiet)
	return j.completion[trial*results : (trial+1)*results]
}

// byT returns the completions so far as [T][trial]. Of a job without trials it
// is that of so many at what none would get below.
func (j *job) byT(trials int) [][]float64 {
	columns := make([][]float64, len(j.quiet))
	if !j.played() {
		bound := slices.Repeat([]float64{j.model.least()}, trials)
		for t := range columns {
			columns[t] = bound
		}
		return columns
	}
	for t := range columns {
		columns[t] = make([]float64, j.look)
		for i := range columns[t] {
			columns[t][i] = j.completion[i*len(columns)+t]
		}
	}
	return columns
}

// precise says whether the mean at every T is known to the precision asked for.
func (j *job) precise(columns [][]float64, trials Trials) bool {
	half := halfWidth(j.look+1, trials.Confidence)
	for _, column := range columns {
		mean, stddev := stat.MeanStdDev(column, nil)
		if half*cautious(stddev, j.look, j.config.hit()) > trials.Precision*mean {
			return false
		}
	}
	return true
}

// result summarises the trials; it sorts the columns.
func (j *job) result(columns [][]float64, confidence float64) Result {
	if !j.played() {
		return Result{}
	}
	hop, least, floor := j.model.hop(), j.model.floor(slices.Min(j.quiet)), 0.0
	for _, latest := range j.latest {
		floor += max(least, latest+hop)
	}
	half := halfWidth(j.look, confidence)
	r := Result{Trials: j.look, Completion: j.completion}
	for t, column := range columns {
		s := summarise(column, half)
		s.Quiet, s.Floor = j.quiet[t], floor/float64(j.look)
		r.Summaries = append(r.Summaries, s)
		r.Messages = append(r.Messages, j.model.messages(t))
	}
	return r
}
