package montecarlo

import "slices"

// A cost is what trials took: their messages, with what their noise is worth, and the seconds of workers.
type cost struct{ messages, seconds float64 }

// workOf returns the work [messages] of a trial of each of some jobs.
func workOf(jobs []*job) (work float64) {
	for _, j := range jobs {
		work += j.shape.Work
	}
	return work
}

// noiseOf returns the work [messages] of drawing the noise of a trial that some jobs share.
func noiseOf(jobs []*job) (noise float64) {
	for _, j := range jobs {
		noise = max(noise, j.shape.Noise)
	}
	return noise
}

// work returns the work [messages] of a chunk.
func (c *chunk) work() float64 { return float64(c.to-c.from) * workOf(c.jobs) }

// cost returns the work [messages] of a chunk with drawing its noise.
func (c *chunk) cost() float64 { return float64(c.to-c.from) * (workOf(c.jobs) + noiseOf(c.jobs)) }

// costOf returns the work [messages] of a trial of a job and of the floor, with drawing their noise.
func (f *floorRun) costOf(j *job) float64 { return j.shape.Work + f.shape.Work + j.shape.Noise }

// work returns the work [messages] of the trials that jobs get.
func (c *fieldRun) work(jobs []*job) float64 {
	work := 0.0
	for _, j := range jobs {
		work += j.workUpTo(c.upTo(j))
	}
	return work
}

// costUpTo returns the work [messages] of the trials that jobs lack of some number each, with drawing
// their noise, which those that lack the same trials share.
func costUpTo(jobs []*job, number func(*job) int) (cost float64) {
	for i, j := range jobs {
		n := number(j)
		cost += j.workUpTo(n)
		shared := slices.ContainsFunc(jobs[:i], func(other *job) bool { return other.target == j.target })
		if !shared {
			cost += float64(n-j.target) * j.shape.Noise
		}
	}
	return cost
}
