package compare

import (
	"fmt"
	"slices"
	"strconv"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/columns"
)

// A side is one of the two finished studies.
type side struct {
	name    string
	results *datasets.Results
	level   float64 // of its intervals
	configs []int   // those that are compared, in the order of the results
	values  [][]any // of every configuration, in the order of study.Axes
}

// readSide reads the results in a directory, and keeps the configurations that pass all
// filters. It fails if the results cannot be read, or no configuration passes.
func readSide(dir string, filters []study.Filter) (*side, error) {
	r, err := datasets.ReadResults(dir)
	if err != nil {
		return nil, err
	}
	s := &side{name: dir, results: r}
	if level := r.Values["trials.confidence"]; len(level) == 1 {
		s.level, err = strconv.ParseFloat(level[0], 64)
	}
	if err != nil || !(s.level > 0 && s.level < 1) {
		return nil, fmt.Errorf("%s: run.json lacks the study's trials.confidence", dir)
	}
	for i, c := range r.Choices {
		s.values = append(s.values, datasets.Fields(c.Axes)[1:]) // the first is the config_id
		s.configs = append(s.configs, i)
	}
	for _, f := range filters {
		axis := slices.IndexFunc(study.Axes, func(k study.Key) bool { return k.Path == f.Key.Path })
		s.configs = slices.DeleteFunc(s.configs, func(i int) bool {
			return !f.Passes(s.values[i][axis])
		})
		if len(s.configs) == 0 {
			return nil, f.Unmet()
		}
	}
	return s, nil
}

// varying returns those of the axes by which the configurations can be told apart; of axes that
// determine each other it prefers the first.
func (s *side) varying(axes []int) []int {
	return columns.Varying(len(s.configs), axes, func(row, axis int) any {
		return s.values[s.configs[row]][axis]
	})
}

// set returns the different values of an axis.
func (s *side) set(axis int) map[any]bool {
	set := map[any]bool{}
	for _, i := range s.configs {
		set[s.values[i][axis]] = true
	}
	return set
}
