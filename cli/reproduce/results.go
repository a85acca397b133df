package reproduce

import (
	"fmt"
	"maps"
	"slices"

	"jitterfly/datasets"
)

// Results are the results of a paper's studies.
type Results struct {
	configs map[string][]Config
	// Archive has the measurements that were replayed; nil if presets were simulated.
	Archive *Archive
}

// A Config is the results of one configuration.
type Config struct {
	datasets.Axes
	datasets.Pick
	T []datasets.Measures // by T
	// Trials are the completion times [s] by T and trial, of a study that keeps them.
	Trials [][]float64
}

// Add adds the results of a study. It fails if trials are kept and cannot be read.
func (r *Results) Add(study string, tables *datasets.Results) error {
	if r.configs == nil {
		r.configs = map[string][]Config{}
	}
	configs := make([]Config, len(tables.Choices))
	for i, c := range tables.Choices {
		configs[i] = Config{Axes: c.Axes, Pick: c.Pick, T: tables.Measures[i]}
	}
	r.configs[study] = configs
	if !tables.KeepTrials {
		return nil
	}
	return tables.Trials(func(config, _ int, completions []float64) {
		c := &configs[config]
		c.Trials = append(c.Trials, slices.Clone(completions))
	})
}

// with returns the results with the results of some studies in the place of others'. It panics if
// the paper has no study of that name.
func (r *Results) with(others map[string]string) *Results {
	changed := &Results{configs: maps.Clone(r.configs), Archive: r.Archive}
	for study, other := range others {
		changed.configs[study] = r.Of(other)
	}
	return changed
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

// config returns the first configuration of a study that is wanted. It panics if no configuration
// is wanted.
func (r *Results) config(study string, wanted func(*Config) bool) *Config {
	configs := r.Of(study)
	for i := range configs {
		if wanted(&configs[i]) {
			return &configs[i]
		}
	}
	panic(fmt.Sprintf("reproduce: %s has no such configuration", study))
}
