package montecarlo_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

var calibrate = flag.Bool("calibrate", false,
	"check on many seeds that choices are as good as they are said to be (minutes)")

// Of the choices that are said to be good at 95%, at least 95% are: on cases whose answer long
// runs leave little doubt of. docs/model/proofs.md has the table that it prints.
func TestCalibration(t *testing.T) {
	if !*calibrate {
		t.Skip("run with -calibrate")
	}
	alone := func(ranks int, change func(*setup)) []setup {
		s := reference(ranks)
		change(&s)
		return []setup{s}
	}
	among := func(ranks int, change func(*setup)) []setup {
		all := deployment(ranks)
		for i := range all {
			change(&all[i])
		}
		return all
	}
	asPublished := func(*setup) {}
	posting := func(c *setup) { c.Problem.Redundancy.SendOverhead = 50e-9 }
	byCPU := func(c *setup) { c.Problem.Redundancy.Reception = collectives.CPU }
	pareto := func(c *setup) {
		c.OS = noise.Superposition{Components: noise.Components(0,
			noise.PoissonDetours{Interval: 1e-3, Lengths: noise.Pareto{Least: 5e-6, Shape: 2}})}
	}
	for _, c := range []calibration{
		{"synchronized start", alone(4, asPublished), "mean", 0.01},
		{"synchronized start", alone(16, asPublished), "mean", 0.01},
		{"synchronized start", alone(64, asPublished), "mean", 0.01},
		{"synchronized start, 3%", alone(128, asPublished), "mean", 0.03},
		{"random start", alone(16, stationary), "mean", 0.01},
		{"random start", alone(64, stationary), "mean", 0.01},
		{"received by the CPU", alone(64, byCPU), "mean", 0.01},
		{"posting takes 50 ns", alone(64, posting), "mean", 0.01},
		{"Pareto lengths, 3%", alone(64, pareto), "mean", 0.03},
		{"azure-hc44", measuredSetup(t, "azure-hc44", 64), "mean", 0.01},
		{"alps", measuredSetup(t, "alps", 64), "mean", 0.01},
		{"among allreduces", among(64, asPublished), "mean", 0.01},
		{"among allreduces, random start", among(64, stationary), "mean", 0.01},
		{"among allreduces, posting 50 ns", among(64, posting), "mean", 0.01},
		{"synchronized start", alone(64, asPublished), "p50", 0.01},
		{"synchronized start", alone(64, asPublished), "p95", 0.01},
		{"synchronized start", alone(16, asPublished), "p99", 0.01},
		{"random start, 5%", alone(64, stationary), "p95", 0.05},
		{"among allreduces, random start", among(64, stationary), "p95", 0.01},
	} {
		t.Run(fmt.Sprintf("%s/P=%d/%s", c.name, c.setups[0].Problem.Ranks, c.objective),
			func(t *testing.T) { c.run(t) })
	}
}

// A calibration is a case of TestCalibration: a field, what is chosen by, and the tolerance.
type calibration struct {
	name      string
	setups    []setup
	objective string
	tolerance float64
}

func (c *calibration) run(t *testing.T) {
	const seeds = 300
	truth := c.truth(t)
	best := slices.Min(slices.Concat(truth...))
	all := []montecarlo.Trials{
		{Min: 30, Max: 30, Confidence: 0.95},
		{Min: 1000, Max: 1000, Confidence: 0.95},
		{Min: 30, Max: 300_000, Until: montecarlo.UntilChosen, Confidence: 0.95, Effort: 1e9},
	}
	if few := all[2]; len(c.setups) > 1 { // as choose does
		few.Min = 2
		all = append(all, few)
	}
	for _, trials := range all {
		good, claimed, goodVerdicts, minimal := 0, 0, 0, 0
		var numbers []int
		for _, d := range c.decide(t, seeds, trials) {
			x := d.Choice
			isGood := truth[x.Star.Config][x.Star.T] <= (1+c.tolerance)*best
			if isGood {
				good++
			}
			if x.Warning == montecarlo.NoWarning {
				claimed++
				if isGood {
					goodVerdicts++
				}
			}
			if x.Low == x.Star {
				minimal++
			}
			numbers = append(numbers, d.Results[x.Star.Config].Trials)
		}
		slices.Sort(numbers)
		percent := func(n, of int) string {
			if of == 0 {
				return "–"
			}
			return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
		}
		t.Logf("| %s | %d | %s | %d to %d | %d | %s | %s | %s | %s |", c.name,
			c.setups[0].Problem.Ranks, c.objective, trials.Min, trials.Max, numbers[len(numbers)/2],
			percent(good, seeds), percent(claimed, seeds), percent(goodVerdicts, claimed),
			percent(minimal, seeds))
		if float64(goodVerdicts) < 0.95*float64(claimed) {
			t.Errorf("%d to %d trials: of %d choices said to be good %d are", trials.Min, trials.Max,
				claimed, goodVerdicts)
		}
	}
}

// truth returns the objective [s] of every candidate, by configuration and T, from long runs of
// the configurations that are not far too slow.
func (c *calibration) truth(t *testing.T) [][]float64 {
	const few, many = 2000, 400_000
	objective := func(s montecarlo.Summary) float64 {
		return map[string]float64{
			"mean": s.Mean, "p50": quantile(s, 0.5), "p95": quantile(s, 0.95), "p99": quantile(s, 0.99),
		}[c.objective]
	}
	var truth [][]float64
	best := 1.0
	for _, trials := range []int{few, many} {
		for i, config := range c.setups {
			config.Environment += " truth"
			if trials == many && slices.Min(truth[i]) > 1.5*best {
				continue
			}
			r, _ := run(t, trials, config)
			var values []float64
			for _, s := range r.Summaries {
				values = append(values, objective(s))
			}
			if trials == few {
				truth = append(truth, values)
			} else {
				truth[i] = values
			}
		}
		best = slices.Min(slices.Concat(truth...))
	}
	return truth
}

// decide returns the decisions of as many seeds.
func (c *calibration) decide(t *testing.T, seeds int, trials montecarlo.Trials,
) []montecarlo.Decision {
	objective := tests.Must(montecarlo.FindObjective(c.objective))(t)
	s := choosing(0, 0)
	s.Trials, s.Objective, s.Tolerance = trials, objective, c.tolerance
	for i := range seeds {
		var setups []setup
		for _, x := range c.setups {
			x.Environment = fmt.Sprint("seed ", i)
			setups = append(setups, x)
		}
		s.Fields = append(s.Fields, field(setups...))
	}
	decisions := make([]montecarlo.Decision, seeds)
	err := simulate(t.Context(), s, montecarlo.Options{
		Done: func(i int, d montecarlo.Decision) error {
			for j := range d.Results {
				d.Results[j].Kept = montecarlo.Kept{}
			}
			decisions[i] = d
			return nil
		},
	})
	tests.NoError(t, err)
	return decisions
}

// The paper's study, as it runs by default, has a good choice in each of its 64 cells: the bound
// that it prints is not below what a run of ten times as many trials finds.
func TestDefaultChoicesAreGood(t *testing.T) {
	if !*calibrate {
		t.Skip("run with -calibrate")
	}
	s, cells := defaultStudy()
	decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{}))(t)
	all, minimal := 0, 0
	for i, c := range cells {
		choice, trials := decisions[i].Choice, decisions[i].Results[0].Trials
		all += trials
		if choice.Low == choice.Star {
			minimal++
		}
		c.Environment += " long"
		long, _ := run(t, min(2_000_000, 10*max(1000, trials)), c)
		best := long.Summaries[len(long.Summaries)-1].Mean
		regret := long.Summaries[choice.Star.T].Mean/best - 1
		t.Logf("%s: T = %d is %.2f%% above the best, said to be at most %.2f%%, after %d trials",
			c.Environment, choice.Star.T, 100*regret, 100*choice.Regret, trials)
		if regret > 0.01 || choice.Warning != montecarlo.NoWarning {
			t.Errorf("%s: not good", c.Environment)
		}
	}
	t.Logf("%d trials; %d of %d choices are the smallest that may be good", all, minimal, len(cells))
}

// defaultStudy returns the study that runs by default, and its configurations.
func defaultStudy() (*plan, []setup) {
	s := choosing(30, 300_000)
	s.Trials.Effort = 1e10
	var cells []setup
	for k := 1; k <= 16; k++ {
		for _, latency := range []float64{1e-6, 100e-9} {
			for _, length := range []float64{10e-6, 100e-6} {
				c := reference(1 << k)
				c.Problem.Latency = latency
				c.OS = noise.Periodic{Period: 1e-3, Duration: length}
				c.Network = noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(length)}
				c.Environment = fmt.Sprint(k, latency, length)
				cells = append(cells, c)
				s.Fields = append(s.Fields, field(c))
			}
		}
	}
	return s, cells
}
