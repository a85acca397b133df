package montecarlo_test

import (
	"flag"
	"fmt"
	"testing"

	"jitterfly/collectives"
	"jitterfly/montecarlo"
)

var calibrate = flag.Bool("calibrate", false,
	"check on many seeds that choices are right as often as they are sure (minutes)")

// Of the choices that are 95 % sure, at least 95 % are right: on cases whose
// answer a million trials leave no doubt of, with 500 seeds each. docs/model.md
// has the table that it prints.
func TestCalibration(t *testing.T) {
	if !*calibrate {
		t.Skip("run with -calibrate")
	}
	const seeds, truth = 500, 1_000_000
	type change = func(*setup)
	asPublished := func(*setup) {}
	for _, c := range []struct {
		name      string
		ranks     int
		objective string
		tolerance float64
		change    change
	}{
		{"synchronized start", 4, "mean", 0.01, asPublished},
		{"synchronized start", 16, "mean", 0.01, asPublished},
		{"synchronized start", 64, "mean", 0.01, asPublished},
		{"synchronized start, 3 %", 128, "mean", 0.03, asPublished},
		{"random start", 16, "mean", 0.01, stationary},
		{"random start", 64, "mean", 0.01, stationary},
		{"posting takes 50 ns", 64, "mean", 0.01, func(c *setup) { c.Problem.Redundancy.SendOverhead = 50e-9 }},
		{"posting takes 1 µs", 64, "mean", 0.01, func(c *setup) { c.Problem.Redundancy.SendOverhead = 1e-6 }},
		{"received by the CPU", 64, "mean", 0.01, func(c *setup) { c.Problem.Redundancy.Reception = collectives.CPU }},
		{"synchronized start", 64, "p50", 0.01, asPublished},
		{"synchronized start", 64, "p95", 0.01, asPublished},
		{"synchronized start", 16, "p99", 0.01, asPublished},
		{"random start, 5 %", 64, "p95", 0.05, stationary},
	} {
		t.Run(fmt.Sprintf("%s/P=%d/%s", c.name, c.ranks, c.objective), func(t *testing.T) {
			config := reference(c.ranks)
			c.change(&config)
			objective, err := montecarlo.FindObjective(c.objective)
			if err != nil {
				t.Fatal(err)
			}
			decide := func(fields int, trials montecarlo.Trials) []montecarlo.Choice {
				s := &montecarlo.Study{Seed: 1, Trials: trials, Objective: objective, Tolerance: c.tolerance}
				for i := range fields {
					config.Environment = fmt.Sprint(fields, "/", i)
					s.Fields = append(s.Fields, field(config))
				}
				choices := make([]montecarlo.Choice, fields)
				err := montecarlo.Run(t.Context(), s, montecarlo.Options{Done: func(i int,
					d montecarlo.Decision) error {
					choices[i] = d.Choice
					return nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				return choices
			}
			known := decide(1, montecarlo.Trials{Min: truth, Max: truth, Confidence: 0.95})[0]
			if known.Confidence < 0.999 {
				t.Fatalf("the answer is not known: T* = %d with confidence %g", known.Star.T, known.Confidence)
			}
			for _, trials := range []montecarlo.Trials{
				{Min: 30, Max: 30, Confidence: 0.95},
				{Min: 1000, Max: 1000, Confidence: 0.95},
				{Min: 30, Max: 100_000, Until: montecarlo.UntilChosen, Confidence: 0.95},
			} {
				sure, right, rightAtAll := 0, 0, 0
				for _, choice := range decide(seeds, trials) {
					if choice.Star == known.Star {
						rightAtAll++
					}
					if choice.Confidence >= 0.95 {
						sure++
						if choice.Star == known.Star {
							right++
						}
					}
				}
				t.Logf("| %s | %d | %s | %d | %d to %d | %.1f %% | %.1f %% | %.1f %% |", c.name, c.ranks,
					c.objective, known.Star.T, trials.Min, trials.Max,
					100*float64(rightAtAll)/seeds, 100*float64(sure)/seeds,
					100*float64(right)/float64(max(1, sure)))
				if float64(right) < 0.95*float64(sure) {
					t.Errorf("%d to %d trials: of %d choices that are 95 %% sure %d are right", trials.Min,
						trials.Max, sure, right)
				}
			}
		})
	}
}
