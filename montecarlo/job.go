package montecarlo

import (
	"context"
	"slices"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/noise"

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
	index    int // of the configuration
	config   *Config
	schedule collectives.Schedule
	work     float64 // of one trial, in rank-rounds
	streams  rng.Key

	issued int // the next trial to hand out
	done   int // trials played, the quiet one included
	look   int // trials to play before the next look

	quiet      []float64 // completion of each T without noise
	completion []float64 // as in Result
	latest     []float64 // latest start of each trial
}

func newJob(index int, c *Config, seed uint64, trials Trials) (*job, error) {
	schedule, err := c.Algorithm.Schedule(c.Problem)
	if err != nil {
		return nil, err
	}
	j := &job{
		index: index, config: c, schedule: schedule, work: schedule.Work(), streams: c.streams(seed),
		issued: quietTrial,
		quiet:  make([]float64, len(schedule.Results)),
	}
	j.extend(trials.Min)
	return j, nil
}

// extend makes room for trials up to the look at n of them.
func (j *job) extend(n int) {
	j.look = n
	j.completion = slices.Grow(j.completion, n*len(j.quiet)-len(j.completion))[:n*len(j.quiet)]
	j.latest = slices.Grow(j.latest, n-len(j.latest))[:n]
}

// take hands out the next chunk of trials, empty if there are none before the
// next look.
func (j *job) take() (from, to int) {
	size := int(chunkWork / max(1, j.work))
	from = j.issued
	to = min(j.look, from+max(1, size))
	j.issued = to
	return from, to
}

// A player is one worker's state, reused from job to job.
type player struct {
	timeline *collectives.Timeline
	room     []float64
}

func newPlayer(ranks int) *player {
	return &player{collectives.NewTimeline(ranks), make([]float64, ranks)}
}

// play plays the trials [from, to) of the job.
func (p *player) play(ctx context.Context, j *job, from, to int) error {
	detours := j.config.OS.Detours(p.room[:j.schedule.Ranks])
	delays := j.config.Network.Delays()
	silent := noise.None{}
	for trial := from; trial < to; trial++ {
		if trial == quietTrial {
			out := collectives.Trial{Completion: j.quiet}
			err := p.timeline.Play(ctx, &j.schedule, j.config.Problem, silent.Detours(nil), silent.Delays(), &out)
			if err != nil {
				return err
			}
			continue
		}
		key := j.streams.Derive(uint64(trial))
		detours.Draw(key)
		delays.Draw(key)
		results := len(j.quiet)
		out := collectives.Trial{Completion: j.completion[trial*results : (trial+1)*results]}
		if err := p.timeline.Play(ctx, &j.schedule, j.config.Problem, detours, delays, &out); err != nil {
			return err
		}
		j.latest[trial] = out.LatestStart
	}
	return nil
}

// byT returns the completions so far as [T][trial].
func (j *job) byT() [][]float64 {
	columns := make([][]float64, len(j.quiet))
	for t := range columns {
		columns[t] = make([]float64, j.look)
		for i := range columns[t] {
			columns[t][i] = j.completion[i*len(columns)+t]
		}
	}
	return columns
}

// stop decides at a look whether the trials are enough, and why.
func (j *job) stop(columns [][]float64, trials Trials) (Stop, bool) {
	if trials.Max == trials.Min {
		return Fixed, true
	}
	precise := true
	half := halfWidth(j.look+1, trials.Confidence)
	for _, column := range columns {
		mean, stddev := stat.MeanStdDev(column, nil)
		if half*cautious(stddev, j.look, j.config.hit()) > trials.Precision*mean {
			precise = false
			break
		}
	}
	if precise {
		return Precise, true
	}
	return Exhausted, j.look == trials.Max
}

// result summarises the trials and chooses T.
func (j *job) result(stop Stop, columns [][]float64, trials Trials, tolerance float64) Result {
	floors := make([]float64, j.look)
	hop := hop(j.config.Problem, &j.schedule)
	for i, latest := range j.latest {
		floors[i] = max(j.quiet[0], latest+hop) // noise never helps
	}
	means := make([]float64, len(columns))
	for t, column := range columns {
		means[t] = stat.Mean(column, nil)
	}
	r := Result{
		Trials: j.look, Stop: stop,
		Choice:     choose(columns, means, tolerance, j.config.hit()),
		Completion: j.completion,
	}
	half, floor := halfWidth(j.look, trials.Confidence), stat.Mean(floors, nil)
	for t, column := range columns {
		s := summarise(column, half)
		s.Quiet, s.Floor = j.quiet[t], floor
		r.Summaries = append(r.Summaries, s)
	}
	return r
}
