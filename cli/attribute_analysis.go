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
	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
)

// An answer is what the sources of one machine cost.
type answer struct {
	point   study.Point
	sources []study.Source
	trials  int
	plain   design
	chosen  design
	runs    *sweep.Runs // of the plain and the chosen design for a program, or nil
	// start is the plain collective with all noise, and steps are the remedies tried from there on.
	start attribution.Outcome
	steps []attribution.Step
	// open says what is not certain; it is empty if all is.
	open    string
	by      *analysis
	configs []int // of the field, which the candidates of outcomes are among
}

// An attributed study has the answer for each of its machines.
type attributed struct {
	study   *study.Study
	answers []answer
}

// A design is a collective with R and T, and what the sources cost it.
type design struct {
	point      study.Point
	collective string
	sources    int
	redundancy int
	costs      attribution.Costs
}

// String returns the design in words.
func (d design) String() string {
	return results.Design(d.collective, int64(d.sources), int64(d.redundancy))
}

// redundant returns R and T.
func (d design) redundant() string { return fmt.Sprintf("%d, %d", d.sources, d.redundancy) }

// An analysis finds the answer for a field of a study.
type analysis struct {
	*attributeOptions
	study    *study.Study
	field    int
	decision montecarlo.Decision
	workers  int
	deadline time.Time       // zero: no deadline
	shorter  map[int]float64 // factor of each source that --shorten names
}

// Numbers of trials: the first look, and the most that are kept in memory.
const (
	leastTrials = 128
	mostTrials  = 1 << 17
)

func (a *analysis) run(ctx context.Context) (answer, error) {
	first := a.study.First(a.field)
	base, star := a.decision.Choice.Base, a.decision.Choice.Star
	plain, chosen := a.design(base), a.design(star)
	answer := answer{
		by: a, point: a.study.Point(first + base.Config), sources: a.study.SourcesOf(first + base.Config),
	}
	configs := []int{first + star.Config}
	games := []*attribution.Game{a.game(first+star.Config, len(answer.sources), star.T)}
	if star.Config != base.Config {
		configs = append(configs, first+base.Config)
		games = append(games, a.game(first+base.Config, len(answer.sources), base.T))
	}
	var err error
	if a.shorter, err = a.factors(answer.sources); err != nil {
		return answer, err
	}
	if len(answer.sources) > attribution.MostExact && a.objective.P > 0 {
		return answer, fmt.Errorf("--objective: with more than %d sources only the mean is divided among them; "+
			"there are %d", attribution.MostExact, len(answer.sources))
	}
	for trials := leastTrials; ; trials *= 2 {
		begin := time.Now()
		for _, g := range games {
			if err := g.Run(ctx, trials, a.workers); err != nil {
				return answer, err
			}
		}
		answer.trials = trials
		chosen.costs = games[0].Costs(chosen.redundancy, a.objective)
		plain.costs = games[len(games)-1].Costs(plain.redundancy, a.objective)
		answer.open = a.uncertain(plain.costs, chosen.costs)
		work := float64(trials) * a.work(configs, len(answer.sources))
		if answer.open == "" || trials == mostTrials || a.spent(time.Since(begin), work) {
			break
		}
	}
	answer.plain, answer.chosen = plain, chosen
	if a.calls > 0 {
		designs := []montecarlo.Candidate{{Config: first + base.Config, T: base.T}, {Config: first + star.Config, T: star.T}}
		if answer.runs, err = sweep.RunsOf(ctx, a.study, designs, a.calls, a.workers); err != nil {
			return answer, err
		}
	}
	return answer, a.remedies(ctx, &answer)
}

// spent reports whether the time or the effort does not allow twice the trials, and then the remedies,
// which take as long again.
func (a *analysis) spent(took time.Duration, work float64) bool {
	late := !a.deadline.IsZero() && time.Until(a.deadline) < 3*took
	return late || a.study.Trials.Effort > 0 && 2*work > a.study.Trials.Effort
}

// work returns the messages that a trial of configurations under all subsets of their sources takes,
// or in one order of many sources.
func (a *analysis) work(configs []int, sources int) float64 {
	conditions := float64(sources + 1)
	if sources <= attribution.MostExact {
		conditions = math.Exp2(float64(sources))
	}
	work := 0.0
	for _, config := range configs {
		work += conditions * a.study.Configurations[config].Work
	}
	return work
}

// design returns the design of a candidate, without costs.
func (a *analysis) design(c montecarlo.Candidate) design {
	p := a.study.Point(a.study.First(a.field) + c.Config)
	return design{
		point: p, collective: p.Name(study.Collective), sources: int(p.Whole(study.Sources)), redundancy: c.T,
	}
}

// game returns the configuration up to a T under all subsets of its sources.
func (a *analysis) game(config, sources, most int) *attribution.Game {
	return &attribution.Game{
		Sources: sources, Seed: a.study.Seed,
		Config: func(s attribution.Set) (montecarlo.Config, error) {
			var removed []attribution.Remedy
			for i := range sources {
				if !s.Has(i) {
					removed = append(removed, attribution.Remedy{Action: attribution.Remove, Source: i})
				}
			}
			return a.remedied(config, removed, most)
		},
	}
}

// remedied returns a configuration after remedies, up to a T, or all with [collectives.AllExchanges].
func (a *analysis) remedied(config int, remedies []attribution.Remedy, most int) (montecarlo.Config, error) {
	c, err := a.study.Remedied(config, remedies)
	if err == nil && most != collectives.AllExchanges {
		c.Model.(rounds.Limited).Limit(most)
	}
	return c, err
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
		return fmt.Sprintf("spare %d of %d cores", a.by.spare, a.by.cores)
	}
	return "use redundancy"
}

// design returns the collective, R and T of an outcome's choice.
func (a *answer) design(c montecarlo.Candidate) design {
	return a.by.design(montecarlo.Candidate{Config: a.configs[c.Config], T: c.T})
}

// uncertain returns in words what more trials would resolve; it is empty if that is nothing.
func (a *analysis) uncertain(all ...attribution.Costs) string {
	whole := 0.0
	for _, c := range all {
		whole = max(whole, c.Total.Value)
	}
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
func (a *analysis) remedies(ctx context.Context, answer *answer) error {
	first, base := a.study.First(a.field), a.decision.Choice.Base.Config
	answer.configs = []int{base} // the plain collective, then the others that have been simulated
	for j := range a.decision.Results {
		if j != base && len(a.decision.Results[j].Summaries) > 0 {
			answer.configs = append(answer.configs, j)
		}
	}
	search := attribution.Search{
		Configs: func(remedies []attribution.Remedy) (all []montecarlo.Config, err error) {
			most := 0
			if attribution.Redundant(remedies) {
				most = collectives.AllExchanges
			}
			for _, j := range answer.configs {
				c, err := a.remedied(first+j, remedies, most)
				if err != nil {
					return nil, err
				}
				all = append(all, c)
				all[len(all)-1].Environment = all[0].Environment // all meet the same noise
			}
			return all, nil
		},
		Objective: a.objective, Seed: a.study.Seed,
		Trials: answer.trials, Workers: a.workers, Least: leastGain,
	}
	search.Remedies = append(search.Remedies, attribution.Remedy{Action: attribution.Redundancy})
	for i, source := range answer.sources {
		search.Remedies = append(search.Remedies, attribution.Remedy{
			Action: attribution.Remove, Source: i, Hypothetical: source.Kind == study.NetworkSource,
		})
		if source.Kind == study.JitterSource {
			search.Remedies = append(search.Remedies, attribution.Remedy{Action: attribution.Align, Source: i})
		}
		if a.shorter[i] > 0 {
			search.Remedies = append(search.Remedies, attribution.Remedy{
				Action: attribution.Shorten, Source: i, Factor: a.shorter[i],
			})
		}
	}
	if a.cores > 0 {
		search.Remedies = append(search.Remedies, attribution.Remedy{
			Action: attribution.Spare, Factor: float64(a.cores) / float64(a.cores-a.spare),
		})
	}
	var err error
	answer.start, answer.steps, err = search.Run(ctx)
	return err
}
