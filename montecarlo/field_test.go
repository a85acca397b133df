package montecarlo_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// deployment is all allreduces that can be used for a sum, from one to three
// sources; the plain butterfly is the first.
func deployment(ranks int) []setup {
	var setups []setup
	for _, a := range collectives.Algorithms {
		for sources := 1; sources <= 3; sources++ {
			config := reference(ranks)
			config.Algorithm = a
			config.Problem.Redundancy.Sources = sources
			if s, err := a.Schedule(config.Problem); err == nil && !s.Idempotent &&
				a.Operation == collectives.Allreduce {
				setups = append(setups, config)
			}
		}
	}
	return setups
}

func TestChoiceAmongCollectives(t *testing.T) {
	s := choosing(50, 100_000, field(deployment(2)...), field(deployment(12)...), field(deployment(256)...))
	one := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
	eight := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 8}))(t)
	if diff := tests.Diff(one, eight); diff != "" {
		t.Errorf("decisions (-1 worker +8 workers):\n%s", diff)
	}

	// At 256 ranks two sources are better than one by far, three are no
	// better, and a ring is so slow that no trial of it is simulated.
	setups, d := deployment(256), one[2]
	star := setups[d.Choice.Star.Config]
	if star.Algorithm.Name != "butterfly" || star.Problem.Redundancy.Sources != 2 ||
		d.Choice.Confidence < 0.95 || d.Stop != montecarlo.Chosen {
		t.Errorf("%s from %d sources with confidence %g by %v", star.Algorithm.Name,
			star.Problem.Redundancy.Sources, d.Choice.Confidence, d.Stop)
	}
	if d.Choice.Baseline < 4*d.Choice.Objective {
		t.Errorf("%g s, %g s at the baseline", d.Choice.Objective, d.Choice.Baseline)
	}
	for i, r := range d.Results {
		slow := slices.Contains([]string{"ring", "rabenseifner"}, setups[i].Algorithm.Name)
		if slow != (r.Trials == 0) {
			t.Errorf("%d trials of %s", r.Trials, setups[i].Algorithm.Name)
		}
		if setups[i].Algorithm.Name == "binomial" && r.Trials > s.Trials.Min {
			t.Errorf("%d trials of a broadcast that cannot win", r.Trials)
		}
		for T := 1; T < len(r.Checkpoints); T++ {
			if r.Checkpoints[T].Messages <= r.Checkpoints[T-1].Messages {
				t.Errorf("%s: %g messages at T = %d, %g at %d", setups[i].Algorithm.Name,
					r.Checkpoints[T].Messages, T, r.Checkpoints[T-1].Messages, T-1)
			}
		}
	}
	for _, n := range d.Choice.Near {
		if n.Objective > 1.0101*one[2].Results[d.Choice.Argmin.Config].Summaries[d.Choice.Argmin.T].Mean {
			t.Errorf("%+v is not near the best", n)
		}
	}
}

// A reference is simulated and not chosen, however good it is.
func TestReferenceIsNotChosen(t *testing.T) {
	good, bad := reference(64), reference(64)
	good.Reference = true
	bad.Problem.Redundancy.SendOverhead, bad.Problem.Latency = 1e-3, 1e-3
	s := equally(50, field(good, bad))
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
	c := results[0].Choice
	if c.Star != (montecarlo.Candidate{Config: 1}) || c.Baseline >= c.Objective/100 ||
		len(results[0].Results[0].Summaries) == 0 {
		t.Errorf("chose %+v", c)
	}
}

// The baseline is the best of the plain configurations at T = 0, though the first is another, and
// what is native is preferred to as good candidates with fewer messages.
func TestBaselineIsTheBestPlain(t *testing.T) {
	slow, fast, faster := reference(64), reference(64), reference(64)
	slow.Problem.Latency, faster.Problem.Latency = 9e-6, fast.Problem.Latency/2
	f := field(slow, fast, faster)
	f[0].Plain, f[1].Plain = true, true
	few, many := reference(64), reference(64)
	many.Problem.Redundancy.Sources = 2
	preferred := field(few, many)
	for _, native := range []bool{false, true} {
		preferred[1].Native = native
		s := equally(50, f, preferred)
		s.Tolerance = 1e9
		decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
		base, results := decisions[0].Choice, decisions[0].Results
		if base.Base != (montecarlo.Candidate{Config: 1}) || base.Baseline != results[1].Summaries[0].Mean {
			t.Errorf("the baseline is %+v, %g s", base.Base, base.Baseline)
		}
		if star := decisions[1].Choice.Star; (star.Config == 1) != native || star.T != 0 {
			t.Errorf("native %t: chose %+v", native, star)
		}
	}
}

// A field of several configurations is chosen from after any number of trials, of which a
// configuration whose lower bound seems best may have none yet.
func TestFewestTrials(t *testing.T) {
	for _, trials := range []int{2, 3, 5} {
		s := equally(trials, field(deployment(12)...), field(deployment(2)...))
		decisions, err := collect(t.Context(), t, s, montecarlo.Options{})
		if err != nil || decisions[0].Results[0].Trials != trials || decisions[1].Stop != montecarlo.Fixed {
			t.Errorf("%d trials: %+v, %v", trials, decisions[0].Choice, err)
		}
	}
}

// The effort bounds what is spent after the first analysis.
func TestEffort(t *testing.T) {
	s := choosing(20, 1_000_000, field(reference(1024)))
	s.Trials.Effort = 2e6
	var progress atomic.Int64
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 2, Progress: &progress}))(t)
	d := results[0]
	if d.Stop != montecarlo.Spent || d.Choice.Low.T >= d.Choice.Star.T || progress.Load() > 2e6 ||
		progress.Load() < 1e6 {
		t.Errorf("stopped by %v, %+v, after %d messages", d.Stop, d.Choice, progress.Load())
	}
	if d.Choice.Needed < 2*d.Results[0].Trials {
		t.Errorf("%d trials needed after %d", d.Choice.Needed, d.Results[0].Trials)
	}
}

// As many trials as are said to be needed make the choice about as certain as asked for, for
// most seeds.
func TestAsManyAsNeededAreNeeded(t *testing.T) {
	tests.OnlyWhole(t, "TestChoiceAmongCollectives chooses with fewer seeds")
	const seeds = 10
	for _, ranks := range []int{16, 256} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			choose := func(seed uint64, trials int) montecarlo.Choice {
				s := equally(trials, field(reference(ranks)))
				s.Seed = seed
				decisions, _ := collect(t.Context(), t, s, montecarlo.Options{})
				return decisions[0].Choice
			}
			right := 0
			for seed := range uint64(seeds) {
				c := choose(seed, 2000)
				if c.Low == c.Star || c.Needed <= 2000 {
					continue
				}
				fewer, more := choose(seed, c.Needed*2/5), choose(seed, c.Needed*4)
				if fewer.Low != fewer.Star && more.Low == more.Star {
					right++
				}
			}
			if right < seeds*6/10 {
				t.Errorf("for %d of %d seeds it took between 0.4 and 4 times as many as needed", right, seeds)
			}
		})
	}
}
