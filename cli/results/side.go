package results

import (
	"fmt"

	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

// A side is one of the two finished studies, with what is compared of its configurations. There can
// be millions.
type side struct {
	name    string
	results *datasets.Results
	level   float64  // of its intervals
	axes    []column // in the order of study.Axes
	configs []config
	row     int64 // of the next configuration in the table of trials
}

type config struct {
	id                      [idLength]byte
	t, star, trials         int32 // t is −1 if the configuration lacks the T that is compared
	row                     int64 // of the first trial at t in the table of trials
	mean, stddev, low, high float64
}

// idLength is the length of a configuration's ID.
const idLength = 16

// bytesPerConfig is about what a configuration of one side takes in memory.
const bytesPerConfig = 224

// readSide reads what is compared at a T, or at the T that the study has chosen, of the configurations in a
// directory that meet the conditions of a flag. It fails if the results cannot be read or there is no
// memory for them, or if no configuration is left.
func readSide(dir, flag string, conditions []string, at int) (*side, error) {
	filters, err := study.ParseFilters(flag, conditions)
	if err != nil {
		return nil, err
	}
	r, err := datasets.OpenResults(dir)
	if err != nil {
		return nil, err
	}
	n := filters.Most(r.Configurations)
	what := fmt.Sprintf("%s: its %d configurations and as many", dir, n)
	if err := sweep.Fits(what, 2*bytesPerConfig*float64(n)); err != nil {
		return nil, fmt.Errorf("%w; keep some, with %s", err, flag)
	}
	level, err := share(r, study.TrialsConfidence)
	s := &side{name: dir, results: r, level: level, axes: make([]column, len(study.Axes))}
	if err != nil || !(level > 0 && level < 1) {
		return nil, fmt.Errorf("%s: run.json lacks the study's trials.confidence", dir)
	}
	// The least room, as a growing slice leaves its smaller ones behind.
	s.configs = make([]config, 0, n)
	err = r.Each(func(_ int, c *datasets.ChoiceRow, measures []datasets.Measures) error {
		passes := filters.Passes(c)
		if passes {
			s.add(c, measures, at)
		}
		for _, m := range measures {
			s.row += m.Trials
		}
		return nil
	})
	if err == nil && len(s.configs) == 0 {
		err = filters.Unmet()
	}
	return s, err
}

func (s *side) add(c *datasets.ChoiceRow, measures []datasets.Measures, at int) {
	x := config{star: int32(c.Star), t: int32(at), row: s.row}
	copy(x.id[:], c.ConfigID)
	if at == star {
		x.t = x.star
	}
	if int(x.t) >= len(measures) {
		x.t = -1
	} else {
		m := measures[x.t]
		x.trials, x.mean, x.stddev, x.low, x.high = int32(m.Trials), m.Mean, m.StdDev, m.Low, m.High
		for _, before := range measures[:x.t] {
			x.row += before.Trials
		}
	}
	for i, value := range datasets.Fields(c.Axes)[1:] { // the first is the config_id
		s.axes[i].add(len(s.configs), cap(s.configs), value)
	}
	s.configs = append(s.configs, x)
}

func (s *side) value(config, axis int) any {
	x := &s.axes[axis]
	return x.values[x.code(config)]
}

// basis returns the lines that say what the study rests on.
func (s *side) basis() []string {
	return basisOf(s.results, func(yield func(study.Point) bool) {
		for i := range s.configs {
			if !yield(study.PointFrom(func(axis int) any { return s.value(i, axis) })) {
				return
			}
		}
	})
}

// varying returns the axes that distinguish configurations; of axes that determine each other it
// prefers the first.
func (s *side) varying(axes []int) []int {
	return datasets.Varying(len(s.configs), axes, func(row, axis int) uint32 {
		return s.axes[axis].code(row)
	})
}

// A column has the values of an axis, each once, and the codes of the rows: their places among the
// values. It has no codes while all rows have the first value.
type column struct {
	values []any
	codes  []uint32
	places map[any]uint32
}

// add adds the value of a row, which must be the next; rows is about how many there will be.
func (c *column) add(row, rows int, value any) {
	code, ok := c.places[value]
	if !ok {
		if c.places == nil {
			c.places = map[any]uint32{}
		}
		code = uint32(len(c.values))
		c.places[value] = code
		c.values = append(c.values, value)
	}
	if c.codes == nil && code > 0 {
		c.codes = make([]uint32, row, rows)
	}
	if c.codes != nil {
		c.codes = append(c.codes, code)
	}
}

func (c *column) code(row int) uint32 {
	if c.codes == nil {
		return 0
	}
	return c.codes[row]
}

// in returns the code in another column of each value, and unknown for values that it lacks.
func (c *column) in(other *column) []uint32 {
	codes := make([]uint32, len(c.values))
	for i, value := range c.values {
		code, ok := other.places[value]
		if !ok {
			code = unknown
		}
		codes[i] = code
	}
	return codes
}

// unknown is the code of a value that a column lacks.
const unknown = 1<<32 - 1
