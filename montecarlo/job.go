package montecarlo

import (
	"context"
	"math"
	"slices"
	"sync"

	"jitterfly/internal/rng"
)

// chunkWork is the approximate number of simulated messages in a worker's chunk: enough that
// handing out costs nothing, few enough that all workers stay busy.
const chunkWork = 1 << 18

// noiseFreeTrial is the number of the trial without noise, the first of every job.
const noiseFreeTrial = -1

// A job is a configuration whose trials are being simulated. Workers change its shared fields under
// the pool's lock; each trial writes its own part of completion and lowerBound.
type job struct {
	config  *Config
	model   Model // of the redundancies that are simulated so far
	shape   Shape // of the model
	streams rng.Key

	issued   int   // the next trial to hand out
	target   int   // the number of trials before the next analysis
	restored int   // the first trials are known from an earlier run
	lost     int   // this trial and later ones are not complete, as the time was over
	begun    []int // the first trials of chunks that are being simulated
	wanted   bool  // the trial without noise is to be handed out, though trials were

	noiseFree  []float64      // completion at each checkpoint without noise, NaN until it is known [s]
	completion []float64      // as in Result
	lowerBound []float64      // of each trial [s]
	fewer      *job           // as it was before more redundant exchanges were tried; nil if none were
	settled    float64        // the least tolerance at which more redundancy, or the job itself, did not help
	bound      func() float64 // of all completions [s], which may take long to find
	calls      func() float64 // of a [Floored] model: its LeastCalls [s]
}

// newJob returns a configuration with all of its redundancies, of which trials may be known.
func newJob(c *Config, seed uint64, known Kept) (*job, error) {
	return newJobUpto(math.MaxInt, c, seed, known)
}

// newJobUpto returns a configuration with at most the given number of redundant exchanges.
func newJobUpto(redundancy int, c *Config, seed uint64, known Kept) (*job, error) {
	model := c.Model
	shape, err := model.Shape()
	if err == nil && redundancy < shape.redundancy() {
		model = c.Upto(redundancy)
		shape, err = model.Shape()
	}
	if err != nil {
		return nil, err
	}
	j := &job{
		config: c, model: model, shape: shape, streams: c.streams(seed),
		issued: noiseFreeTrial, target: noiseFreeTrial, lost: math.MaxInt,
		noiseFree: make([]float64, len(shape.Checkpoints)), bound: sync.OnceValue(c.Model.LowerBound),
		settled: math.Inf(1),
	}
	if floored, ok := c.Model.(Floored); ok {
		j.calls = sync.OnceValue(floored.LeastCalls)
	}
	for i := range j.noiseFree {
		j.noiseFree[i] = math.NaN()
	}
	j.restore(known)
	return j, nil
}

// restore takes over known trials, unless they lack redundancies of the job.
func (j *job) restore(known Kept) {
	n, per := len(known.LowerBound), len(j.noiseFree)
	if n == 0 || len(known.Completion)%n != 0 {
		return
	}
	switch each := len(known.Completion) / n; {
	case each == per:
		j.completion = known.Completion
	case each > per:
		for i := range n {
			j.completion = append(j.completion, known.Completion[i*each:][:per]...)
		}
	default:
		return
	}
	j.restored, j.lowerBound = n, known.LowerBound
}

// deferNoiseFree has the trial without noise, if it is no bound, be simulated only if it is wanted later.
func (j *job) deferNoiseFree() {
	if !j.shape.NoiseOnlyDelays {
		j.issued, j.target = 0, 0
	}
}

// lacksNoiseFree reports whether the job has trials, but not the one without noise.
func (j *job) lacksNoiseFree() bool { return j.simulated() && math.IsNaN(j.noiseFree[0]) }

// want has the trial without noise be handed out if the job lacks it, and reports whether it does.
func (j *job) want() bool {
	j.wanted = j.lacksNoiseFree()
	return j.wanted
}

// extend makes room for the trials up to the analysis at n of them, and returns how many have to be
// simulated, the one without noise included.
func (j *job) extend(n int) int {
	missing := max(n, j.restored) - max(j.target, j.restored)
	if j.target == noiseFreeTrial {
		missing = max(n, j.restored) - j.restored + 1
	}
	j.target = n
	resize := func(x []float64, n int) []float64 { return slices.Grow(x, n-len(x))[:n] }
	known := max(n, j.restored)
	j.completion = resize(j.completion, known*len(j.noiseFree))
	j.lowerBound = resize(j.lowerBound, known)
	return missing
}

// workUpTo returns the work [messages] of the trials that the job lacks of n.
func (j *job) workUpTo(n int) float64 { return float64(n-j.target) * j.shape.Work }
func (j *job) simulated() bool        { return j.target > 0 }

// lowest returns a time [s] below which no trial completes.
func (j *job) lowest() float64 {
	if j.shape.NoiseOnlyDelays && !math.IsNaN(j.noiseFree[0]) {
		return slices.Min(j.noiseFree)
	}
	return j.bound()
}

// A chunk is the trials [from, to) of some jobs, at most of the one without noise of one. Those of a trial
// are simulated one job after the other, since they have the same noise.
type chunk struct {
	jobs     []*job
	from, to int
}

// next returns the trials that the job lacks before the next analysis, empty if it lacks none.
func (j *job) next() (from, to int) {
	if j.wanted {
		return noiseFreeTrial, 0
	}
	switch from, to = j.issued, j.target; {
	case from == noiseFreeTrial && j.restored > 0:
		to = min(to, 0)
	case from != noiseFreeTrial:
		from = max(from, j.restored)
	}
	return from, to
}

// take hands out the next trials, up to one.
func (j *job) take(to int) {
	if j.wanted {
		j.wanted = false
		return
	}
	from, _ := j.next()
	j.issued = to
	j.begun = append(j.begun, from)
}

// end says that the chunk of trials from one on is simulated.
func (j *job) end(from int) {
	j.begun = slices.DeleteFunc(j.begun, func(other int) bool { return other == from })
}

// kept returns the first trials, as many as are simulated without a gap.
func (j *job) kept() Kept {
	n := min(j.issued, j.lost)
	for _, from := range j.begun {
		n = min(n, from)
	}
	n = max(n, j.restored)
	return Kept{j.completion[:n*len(j.noiseFree)], j.lowerBound[:n]}
}

func (j *job) completionOf(trial int) []float64 {
	results := len(j.noiseFree)
	return j.completion[trial*results : (trial+1)*results]
}

// A worker simulates chunks of trials. It keeps runners of the field that it works on, which share memory,
// and the memory of a chunk.
type worker struct {
	field   *fieldRun
	runners map[*job]Runner
	work    float64 // of a trial of each of them [messages]
	memory  float64 // of those that share none [B]
	last    Runner  // the last one with shared memory, or nil
	keys    []rng.Key
	trials  []Trial
}

// noiseFreePrecision is the precision of times without noise, in units of the tolerance.
const noiseFreePrecision = 0.15

// keptWork is the work [messages] of a trial of each of the runners that a worker keeps, which says how long
// their schedules may be; one that has more is alone.
const keptWork = 1 << 32

// keptMemory is how many bytes of runners that share none a worker keeps; one that is larger is alone.
const keptMemory = 4 << 20

// runner returns the worker's runner of a field's job.
func (w *worker) runner(field *fieldRun, j *job) (Runner, error) {
	if r := w.runners[j]; r != nil {
		return r, nil
	}
	memory := j.shape.Memory
	if j.shape.Shared {
		memory = 0
	}
	full := w.work+j.shape.Work > keptWork || w.memory+memory > keptMemory
	if w.runners == nil || w.field != field || full {
		w.field, w.runners, w.work, w.memory = field, map[*job]Runner{}, 0, 0
	}
	r, err := j.model.NewRunner(w.last)
	if err != nil {
		return nil, err
	}
	if w.runners[j] = r; j.shape.Shared {
		w.last = r
	}
	w.work += j.shape.Work
	w.memory += memory
	return r, nil
}

// forget forgets the runners, of which one was interrupted.
func (w *worker) forget() { w.runners, w.last = nil, nil }

// simulate simulates a chunk of a field. If it returns an error, that was in a trial of one of the chunk's
// jobs, or of all from that one on.
func (w *worker) simulate(ctx context.Context, field *fieldRun, c chunk) (trial, job int, err error) {
	if len(c.jobs) == 1 {
		return c.from, 0, w.run(ctx, field, c.jobs[0], c.from, c.to)
	}
	for trial := c.from; trial < c.to; trial++ {
		if job, err := w.runAll(ctx, field, c.jobs, trial); err != nil {
			return trial, job, err
		}
	}
	return 0, 0, nil
}

// runAll simulates a trial of some of a field's jobs.
func (w *worker) runAll(ctx context.Context, field *fieldRun, jobs []*job, trial int) (job int, err error) {
	var runners []Runner
	for i, j := range jobs {
		r, err := w.runner(field, j)
		if err != nil {
			return i, err
		}
		runners = append(runners, r)
	}
	joint, ok := runners[0].(JointRunner)
	if !ok || !sameTrials(jobs) {
		for i, j := range jobs {
			if err := w.run(ctx, field, j, trial, trial+1); err != nil {
				return i, err
			}
		}
		return 0, nil
	}
	w.trials = w.trials[:0]
	for _, j := range jobs {
		w.trials = append(w.trials, Trial{Completion: j.completionOf(trial)})
	}
	if err := joint.RunJoint(ctx, jobs[0].key(trial), runners, w.trials); err != nil {
		return 0, err
	}
	for i, j := range jobs {
		j.lowerBound[trial] = w.trials[i].LowerBound
	}
	return 0, nil
}

// sameTrials reports whether the trials of some jobs have the same noise.
func sameTrials(jobs []*job) bool {
	return !slices.ContainsFunc(jobs, func(j *job) bool { return j.key(0) != jobs[0].key(0) })
}

// key returns the key of the random streams of a trial.
func (j *job) key(trial int) rng.Key { return j.streams.Derive(uint64(j.config.First + trial)) }

// run simulates the trials [from, to) of a field's job.
func (w *worker) run(ctx context.Context, field *fieldRun, j *job, from, to int) error {
	runner, err := w.runner(field, j)
	if err != nil {
		return err
	}
	if from == noiseFreeTrial && from < to {
		precision := noiseFreePrecision * field.study.Tolerance
		if err := runner.NoiseFree(ctx, precision, &Trial{Completion: j.noiseFree}); err != nil {
			return err
		}
		from++
	}
	w.keys, w.trials = w.keys[:0], w.trials[:0]
	for trial := from; trial < to; trial++ {
		w.keys = append(w.keys, j.key(trial))
		w.trials = append(w.trials, Trial{Completion: j.completionOf(trial)})
	}
	if err := runner.Run(ctx, w.keys, w.trials); err != nil {
		return err
	}
	for i, trial := range w.trials {
		j.lowerBound[from+i] = trial.LowerBound
	}
	return nil
}

// column returns the completions of the trials that the job has, at a checkpoint.
func (j *job) column(checkpoint int) []float64 {
	column := make([]float64, max(0, j.target))
	for i := range column {
		column[i] = j.completion[i*len(j.noiseFree)+checkpoint]
	}
	return column
}

// spread returns the times of the distribution at a checkpoint: its samples, or else its
// completions.
func (j *job) spread(checkpoint int) []float64 {
	n := samplesOf(j.shape.Checkpoints, checkpoint)
	if n == 0 {
		return j.column(checkpoint)
	}
	all := make([]float64, 0, max(0, j.target)*n)
	for i := range max(0, j.target) {
		all = append(all, j.completionOf(i)[checkpoint-n:checkpoint]...)
	}
	return all
}

// independent returns a time of each trial that has the distribution at a checkpoint: of samples,
// which depend on each other, one.
func (j *job) independent(checkpoint int) []float64 {
	n := samplesOf(j.shape.Checkpoints, checkpoint)
	if n == 0 {
		return j.column(checkpoint)
	}
	one := make([]float64, max(0, j.target))
	for i := range one {
		one[i] = j.completionOf(i)[checkpoint-n+i%n]
	}
	return one
}

// tested returns, for each trial, the number that tests of an objective use.
func (j *job) tested(o *Objective, checkpoint int) []float64 {
	if o.ofMeans {
		return j.column(checkpoint)
	}
	return j.independent(checkpoint)
}

func (j *job) value(o *Objective, checkpoint int) float64 {
	if o.ofMeans {
		return o.of(j.column(checkpoint))
	}
	return o.of(j.spread(checkpoint))
}

// precise reports whether the mean at every checkpoint is known to a relative precision.
func (j *job) precise(precision, confidence float64) bool {
	i := newInterval(j.target, confidence, &j.shape)
	for k, c := range j.shape.Checkpoints {
		if !c.Sample && !i.precise(j.column(k), precision) {
			return false
		}
	}
	return true
}

// result returns what is reported of the job: its trials, and their summaries.
func (j *job) result(s *Settings) Result {
	if !j.simulated() {
		return Result{Kept: j.kept()}
	}
	interval, bound := newInterval(j.target, s.Trials.Confidence, &j.shape), 0.0
	for _, least := range j.lowerBound[:j.target] {
		bound += least
	}
	r := Result{Trials: j.target, Kept: j.kept(), Checkpoints: j.shape.Checkpoints}
	r.Messages = float64(j.target) * j.shape.Work
	if !j.lacksNoiseFree() {
		r.Messages += j.shape.Work
	}
	bound /= float64(j.target)
	for k, c := range j.shape.Checkpoints {
		if c.Sample {
			r.Summaries = append(r.Summaries, Summary{})
			continue
		}
		column, least := j.column(k), j.lowest()  // the trials' own bound varies as their mean does
		if slices.Min(column) >= j.noiseFree[k] { // else noise can make it faster
			least = max(least, j.noiseFree[k])
		}
		summary := summarise(column, j.spread(k), &interval, least, s.Quantiles)
		summary.NoiseFree, summary.LowerBound = j.noiseFree[k], bound
		r.Summaries = append(r.Summaries, summary)
	}
	return r
}
