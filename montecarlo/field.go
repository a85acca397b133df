package montecarlo

import (
	"cmp"
	"math"
	"slices"
)

// A contest is a field whose trials are being simulated.
//
// Its jobs get different numbers of trials: a job gets no more while the risk that it is the
// right one after all is negligible. A job without trials is judged by its lower bound. So
// what cannot be the best, like a ring of many ranks with a short vector, is never simulated.
type contest struct {
	index    int // of the field
	study    *Study
	jobs     []*job
	order    []place // of preference
	look     int     // the number of trials at the next look
	pending  int     // trials that are not simulated yet before the next look
	spent    float64 // simulated messages
	decision Decision
}

// A place is a candidate, and the checkpoint that its times are reported at.
type place struct {
	Candidate
	checkpoint int
	messages   float64
}

func newContest(index int, study *Study) (*contest, error) {
	c := &contest{index: index, study: study, look: study.Trials.Min}
	field := study.Fields[index]
	for i := range field {
		j, err := newJob(&field[i], study.Seed)
		if err != nil {
			return nil, err
		}
		c.jobs = append(c.jobs, j)
		if !field[i].Reference {
			c.order = append(c.order, candidates(i, j.shape.Checkpoints)...)
		}
	}
	slices.SortStableFunc(c.order, func(a, b place) int { return cmp.Compare(a.messages, b.messages) })
	c.extend(c.jobs[:1])
	return c, nil
}

// candidates returns those of a configuration: for each T the last checkpoint.
func candidates(config int, checkpoints []Checkpoint) []place {
	var places []place
	for k, c := range checkpoints {
		if k+1 == len(checkpoints) || checkpoints[k+1].T != c.T {
			places = append(places, place{Candidate{config, c.T}, k, c.Messages})
		}
	}
	return places
}

// extend gives jobs the trials up to the next look.
func (c *contest) extend(jobs []*job) {
	for _, j := range jobs {
		c.pending += c.look - j.look
		c.spent += float64(c.look-j.look) * j.shape.Work
		j.extend(c.look)
	}
}

// take hands out the next chunk of trials, empty if there are none before the
// next look.
func (c *contest) take() (j *job, from, to int) {
	for _, j := range c.jobs {
		if from, to := j.take(); from < to {
			return j, from, to
		}
	}
	return nil, 0, 0
}

// negligible is the share of the risk allowed below which a job gets no more trials.
const negligible = 0.01

// advance is called when all trials handed out are simulated. It returns the
// jobs that get more of them, up to c.look; if there are none, the decision is made.
func (c *contest) advance() []*job {
	trials := c.study.Trials
	columns := make([][][]float64, len(c.jobs))
	for i, j := range c.jobs {
		columns[i] = j.columns(c.look)
	}
	verdict, objectives := c.judge(columns)
	if behind := c.behind(&verdict); len(behind) > 0 {
		return behind
	}
	risk := verdict.risk(1) * trials.looks()
	stop := Exhausted
	switch {
	case trials.Max == trials.Min:
		stop = Fixed
	case trials.Until == UntilChosen && risk <= 1-trials.Confidence:
		stop = Chosen
	case trials.Until == UntilPrecise && c.jobs[0].precise(columns[0], trials):
		stop = Precise
	case c.look < trials.Max:
		before := c.look
		c.look = trials.next(c.look)
		behind := c.behind(&verdict)
		if work := c.work(behind); trials.Effort == 0 || c.spent+work <= trials.Effort {
			return behind
		}
		stop, c.look = Spent, before
	}
	c.decide(stop, &verdict, risk, objectives, columns)
	return nil
}

// judge chooses among the candidates.
func (c *contest) judge(columns [][][]float64) (verdict, []float64) {
	o := c.study.Objective
	var all [][]float64
	var objectives []float64
	for _, x := range c.order {
		column := columns[x.Config][x.checkpoint]
		all = append(all, column)
		objectives = append(objectives, o.of(column))
	}
	hit := 0.0
	for _, j := range c.jobs {
		most, _ := j.shape.hit(c.look)
		hit = max(hit, most)
	}
	return decide(all, objectives, o, c.study.Tolerance, hit), objectives
}

// behind returns the jobs that have fewer trials than the look and may be chosen.
func (c *contest) behind(v *verdict) []*job {
	risk := make([]float64, len(c.jobs))
	risk[c.order[v.star].Config] = 1
	risk[c.order[v.argmin].Config] = 1
	if len(c.jobs) > 1 {
		for _, s := range v.statements {
			risk[c.order[s.candidate].Config] += s.risk(1)
		}
	}
	bound := negligible * (1 - c.study.Trials.Confidence) / c.study.Trials.looks()
	var behind []*job
	for i, j := range c.jobs {
		if j.look < c.look && risk[i] > bound {
			behind = append(behind, j)
		}
	}
	return behind
}

// work returns what bringing jobs up to the look costs, in simulated messages.
func (c *contest) work(jobs []*job) float64 {
	work := 0.0
	for _, j := range jobs {
		work += float64(c.look-j.look) * j.shape.Work
	}
	return work
}

// decide makes the decision from what is known.
func (c *contest) decide(
	stop Stop, v *verdict, risk float64, objectives []float64, columns [][][]float64,
) {
	trials, o := c.study.Trials, c.study.Objective
	allowed := 1 - trials.Confidence
	choice := Choice{
		Star: c.order[v.star].Candidate, Argmin: c.order[v.argmin].Candidate,
		Objective:  objectives[v.star],
		Baseline:   o.of(columns[0][candidates(0, c.jobs[0].shape.Checkpoints)[0].checkpoint]),
		Confidence: math.Max(0, 1-risk),
		Warning:    o.warning(c.look, risk, allowed),
	}
	if choice.Warning != NoWarning {
		choice.Needed = o.trialsNeeded(v, c.look, allowed/trials.looks())
	}
	for i, x := range c.order {
		if c.jobs[x.Config].simulated() && objectives[i] <= (1+c.study.Tolerance)*objectives[v.argmin] {
			choice.Near = append(choice.Near, Option{x.Candidate, objectives[i]})
		}
	}
	c.decision = Decision{Stop: stop, Choice: choice}
	for i, j := range c.jobs {
		c.decision.Results = append(c.decision.Results, j.result(columns[i], trials.Confidence))
	}
}
