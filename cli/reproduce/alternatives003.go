package reproduce

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/datasets"
)

// alternatives003 are other readings of sections 4.1.2 and 4.1.3.
var alternatives003 = []Alternative{
	{
		Name: "Mean wait of 1/period",
		Says: "\"1/period\" is taken literally, as a mean wait of 1000 s at a period of 1 ms and of " +
			"100 s at one of 10 ms (`noise.network.interval`): there is hardly any network noise. Planes " +
			"have up to 2^19 processors.",
		Change: literally,
	},
	{
		Name: "Separate trials for each T",
		Says: "Each T has 30 trials of its own, of Fig. 12 with its caption's values, so that the least " +
			"of K independent means is taken, rather than the least over the same trials. It is one " +
			"draw, as the paper's is.",
		Change: separately,
	},
	{
		Name: "Both", Says: "Hardly any network noise, and separate trials.",
		Change: func(r *Results) *Results { return separately(literally(r)) },
	},
}

// literally returns the results with the literal mean wait.
func literally(r *Results) *Results {
	others := map[string]string{}
	for _, study := range studies003() {
		others[study] = literal003(study)
	}
	return r.with(others)
}

// separately returns the results with separate trials.
func separately(r *Results) *Results {
	changed := r.with(nil)
	var configs []Config
	for _, c := range r.Of(lineTrials) {
		configs = append(configs, separated(c))
	}
	changed.configs[lineTrials] = configs
	return changed
}

// literal003 returns the name of a study with the literal mean wait.
func literal003(study string) string { return study + "-literal" }

// literals003 returns the studies with the literal mean wait.
func literals003() []Study {
	var studies []Study
	for _, s := range jittered003 {
		wait := "1000s"
		if slices.Contains([]string{latency100ns, period10ms}, s.Name) {
			wait = "100s"
		}
		set := append(slices.Clone(s.Set), "noise.network.interval="+wait)
		if s.Of == "" && !strings.HasPrefix(s.Name, "line") { // of planes 2^20 takes half of the time
			set = append(set, "ranks=2^1..2^19")
		}
		s.Name, s.Of, s.Set = literal003(s.Name), cmp.Or(s.Of, s.Name), set
		studies = append(studies, s)
	}
	return studies
}

// trials003 is how many trials the paper has of each T.
const trials003 = 30

// separated returns a configuration in which each T has trials that no other has. It panics if
// too few trials were kept.
func separated(c Config) Config {
	all := make([]datasets.Measures, len(c.T))
	for t, m := range c.T {
		all[t] = summed(m, c.Trials[t][t*trials003:(t+1)*trials003])
	}
	c.T = all
	return c
}

// summed returns measures with the mean of some completion times [s], and its 95% interval
// by Student's t. Noise never makes it less than without.
func summed(m datasets.Measures, completions []float64) datasets.Measures {
	mean, deviation := stat.MeanStdDev(completions, nil)
	n := float64(len(completions))
	half := student(n) * deviation / math.Sqrt(n)
	m.Mean, m.Low, m.High = mean, max(mean-half, m.NoiseFree), mean+half
	m.Slowdown = mean / m.NoiseFree
	return m
}
