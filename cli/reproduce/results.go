package reproduce

import (
	"fmt"

	"jitterfly/datasets"
)

// Results are the results of a paper's studies.
type Results struct{ configs map[string][]Config }

// A Config is the results of one configuration.
type Config struct {
	datasets.Axes
	datasets.Pick
	T []datasets.Measures // by T
}

// Add adds the results of a study.
func (r *Results) Add(study string, tables *datasets.Results) {
	if r.configs == nil {
		r.configs = map[string][]Config{}
	}
	configs := make([]Config, len(tables.Choices))
	for i, c := range tables.Choices {
		configs[i] = Config{c.Axes, c.Pick, tables.Measures[i]}
	}
	r.configs[study] = configs
}

// Of returns the configurations of a study, in the order of its tables. It panics if the paper
// has no study of that name.
func (r *Results) Of(study string) []Config {
	configs, ok := r.configs[study]
	if !ok {
		panic(fmt.Sprintf("reproduce: no study is named %q", study))
	}
	return configs
}
