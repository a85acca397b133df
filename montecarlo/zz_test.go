package montecarlo_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"jitterfly/montecarlo"
	"jitterfly/noise"
)

func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	s := &montecarlo.Study{Seed: 1, Tolerance: 0.01, Trials: montecarlo.Trials{Min: 30, Max: 300000, Until: montecarlo.UntilChosen, Confidence: 0.95, Effort: 1e10}}
	var names []string
	for k := 1; k <= 16; k++ {
		for _, lat := range []float64{1e-6, 1e-7} {
			for _, d := range []float64{1e-5, 1e-4} {
				c := reference(1 << k)
				c.Problem.Latency = lat
				c.OS = noise.Periodic{Period: 1e-3, Duration: d}
				c.Network = noise.Poisson{Interval: 1e-3, Lengths: noise.Constant(d)}
				c.Environment = fmt.Sprint(k, lat, d)
				names = append(names, fmt.Sprintf("%d %g %g", 1<<k, lat, d))
				s.Fields = append(s.Fields, field(c))
			}
		}
	}
	begin := time.Now()
	total := 0
	montecarlo.Run(t.Context(), s, montecarlo.Options{Workers: 2, Done: func(i int, d montecarlo.Decision) error {
		c := d.Choice
		total += d.Results[0].Trials
		fmt.Printf("%-20s T %2d low %2d conf %.4f regret %.3g gain %.4g >= %.4g n %d %v need %d\n", names[i], c.Star.T, c.Low.T, c.Confidence, c.Regret, c.Baseline/c.Objective, c.GainLow, d.Results[0].Trials, d.Stop, c.Needed)
		return nil
	}})
	fmt.Println(total, time.Since(begin))
}
