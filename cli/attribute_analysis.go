package cli

import (
	"context"
	"fmt"
	"math"
	"time"

	"jitterfly/cli/results"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/collectives"
	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
)

// An answer is what the sources of one machine cost.
type answer struct {
	*attributeOptions
	study    *study.Study
	from     int // the first configuration of the machine's field
	decision montecarlo.Decision
	workers  int
	deadline time.Time // zero: no deadline

	sources []study.Source
	shorter map[int]float64 // factor of each source that --shorten names
	trials  int
	plain   design
	chosen  design
	runs    *sweep.Runs // of the plain and the chosen design for a program, or nil
	// start is the plain collective with all noise, and steps are the remedies tried from there on.
	start attribution.Outcome
	steps []attribution.Step
	// open says what is not certain; it is empty if all is.
	open    string
	configs []int // of the study, which the candidates of outcomes are among
}

// A design is a collective with R and T, and what the sources cost it.
type design struct {
	point study.Point
	T     int
	costs attribution.Costs
}

// String returns the design in words.
func (d design) String() string {
	return results.Design(d.point.Name(study.Collective), int64(d.point.Whole(study.Sources)), int64(d.T))
}

// redundant returns R and T.
func (d design) redundant() string { return fmt.Sprintf("%d, %d", d.point.Whole(study.Sources), d.T) }

// Numbers of trials: the first look, and the most that are kept in memory.
const (
	leastTrials = 128
	mostTrials  = 1 << 17
)

// find finds the answer.
func (a *answer) find(ctx context.Context) (err error) {
	base, star := a.decision.Choice.Base, a.decision.Choice.Star
	base.Config, star.Config = base.Config+a.from, star.Config+a.from
	a.plain, a.chosen = a.design(base), a.design(star)
	a.sources = a.study.SourcesOf(base.Config)
	games, each := []*attribution.Game{a.game(star)}, a.work(star)
	if star.Config != base.Config {
		games, each = append(games, a.game(base)), each+a.work(base)
	}
	a.shorter, _ = a.factors(a.sources) // they were checked before
	if len(a.sources) > attribution.MostExact && a.objective.P > 0 {
		return fmt.Errorf("--objective: with more than %d sources only the mean is divided among them; "+
			"there are %d", attribution.MostExact, len(a.sources))
	}
	for a.trials = leastTrials; ; a.trials *= 2 {
		begin := time.Now()
		for _, g := range games {
			if err := g.Run(ctx, a.trials, a.workers); err != nil {
				return err
			}
		}
		a.chosen.costs = games[0].Costs(star.T, a.objective)
		a.plain.costs = games[len(games)-1].Costs(base.T, a.objective)
		a.open = a.uncertain()
		if a.open == "" || a.trials == mostTrials || a.spent(time.Since(begin), float64(a.trials)*each) {
			break
		}
	}
	if a.calls > 0 {
		a.runs, err = sweep.RunsOf(ctx, a.study, []montecarlo.Candidate{base, star}, a.calls, a.workers)
		if err != nil {
			return err
		}
	}
	return a.remedies(ctx)
}

// spent reports whether the time or the effort does not allow twice the trials, and then the remedies,
// which take as long again.
func (a *answer) spent(took time.Duration, work float64) bool {
	late := !a.deadline.IsZero() && time.Until(a.deadline) < 3*took
	return late || a.study.Trials.Effort > 0 && 2*work > a.study.Trials.Effort
}

// work returns the messages that a trial of a candidate under all subsets of its sources takes, or in one
// order of many sources.
func (a *answer) work(c montecarlo.Candidate) float64 {
	conditions := float64(len(a.sources) + 1)
	if len(a.sources) <= attribution.MostExact {
		conditions = math.Exp2(float64(len(a.sources)))
	}
	return conditions * a.study.Configurations[c.Config].Work
}

// design returns the design of a candidate among the study's configurations, without costs.
func (a *answer) design(c montecarlo.Candidate) design {
	return design{point: a.study.Point(c.Config), T: c.T}
}

// game returns a candidate under all subsets of its sources.
func (a *answer) game(c montecarlo.Candidate) *attribution.Game {
	return &attribution.Game{
		Sources: len(a.sources), Seed: a.study.Seed,
		Config: func(s attribution.Set) (montecarlo.Config, error) {
			var removed []attribution.Remedy
			for i := range a.sources {
				if !s.Has(i) {
					removed = append(removed, attribution.Remedy{Action: attribution.Remove, Source: i})
				}
			}
			return a.study.Remedied(c.Config, removed, c.T)
		},
	}
}

// words returns a remedy in words.
func (a *answer) words(r attribution.Remedy) string {
	switch r.Action {
	case attribution.Remove:
		if a.sources[r.Source].Kind == study.ClassSource {
			return "drain " + a.sources[r.Source].Name
		}
		return "remove " + a.sources[r.Source].Name
	case attribution.Align:
		return "align " + a.sources[r.Source].Name
	case attribution.Shorten:
		return fmt.Sprintf("shorten %s to %.3g%%", a.sources[r.Source].Name, 100*r.Factor)
	case attribution.Spare:
		return fmt.Sprintf("spare %d of %d cores", a.spare, a.cores)
	}
	return "use redundancy"
}

// led returns the design that an outcome chooses.
func (a *answer) led(o attribution.Outcome) design {
	return a.design(montecarlo.Candidate{Config: a.configs[o.Choice.Config], T: o.Choice.T})
}

// uncertain returns in words what more trials would resolve; it is empty if that is nothing.
func (a *answer) uncertain() string {
	if len(a.sources) == 0 {
		return ""
	}
	all := []attribution.Costs{a.plain.costs, a.chosen.costs}
	whole := max(0, all[0].Total.Value, all[1].Total.Value)
	for _, c := range all {
		if c.Lead.Value >= a.resolution*c.Total.Value && !c.Lead.Certain() {
			return "which source costs most is not certain"
		}
	}
	for _, c := range all {
		for _, e := range c.Each {
			if e.Share.Half > a.resolution*whole {
				return "not all shares are certain"
			}
		}
	}
	return ""
}

// remedies looks for the best order of remedies.
func (a *answer) remedies(ctx context.Context) (err error) {
	base := a.decision.Choice.Base.Config
	a.configs = []int{a.from + base} // the plain collective, then the others that have been simulated
	for j, r := range a.decision.Results {
		if j != base && len(r.Summaries) > 0 {
			a.configs = append(a.configs, a.from+j)
		}
	}
	search := attribution.Search{
		Configs: func(remedies []attribution.Remedy) (all []montecarlo.Config, err error) {
			most := 0
			if attribution.Redundant(remedies) {
				most = collectives.AllExchanges
			}
			for _, config := range a.configs {
				c, err := a.study.Remedied(config, remedies, most)
				if err != nil {
					return nil, err
				}
				all = append(all, c)
				all[len(all)-1].Environment = all[0].Environment // all meet the same noise
			}
			return all, nil
		},
		Objective: a.objective, Seed: a.study.Seed,
		Trials: a.trials, Workers: a.workers, Least: leastGain,
	}
	add := func(r attribution.Remedy) { search.Remedies = append(search.Remedies, r) }
	add(attribution.Remedy{Action: attribution.Redundancy})
	for i, source := range a.sources {
		hypothetical := source.Kind == study.NetworkSource
		add(attribution.Remedy{Action: attribution.Remove, Source: i, Hypothetical: hypothetical})
		if source.Kind == study.JitterSource {
			add(attribution.Remedy{Action: attribution.Align, Source: i})
		}
		if a.shorter[i] > 0 {
			add(attribution.Remedy{Action: attribution.Shorten, Source: i, Factor: a.shorter[i]})
		}
	}
	if a.cores > 0 {
		add(attribution.Remedy{Action: attribution.Spare, Factor: float64(a.cores) / float64(a.cores-a.spare)})
	}
	a.start, a.steps, err = search.Run(ctx)
	return err
}
