package results

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

// A pair is a configuration of A and one of B, which are compared.
type pair [2]int32

// An axis distinguishes rows of a comparison.
type axis struct {
	*study.Key
	index int // in study.Axes
	side  *side
	of    int  // 0 or 1: the place of the side's configuration in pairs
	only  byte // 'A' or 'B', if the axis has several values there, none of which the other has
}

// Title returns the name of the axis in tables: its flag, with the side if only one side has it.
func (x axis) Title() string {
	if x.only != 0 {
		return fmt.Sprintf("%s (%c)", x.Flag, x.only)
	}
	return x.Flag
}

func (x axis) value(p pair) any { return x.side.value(int(p[x.of]), x.index) }

// match pairs the configurations of A and B that have the same values on their common axes: the
// axes that vary in one of them and have some value in both. On other axes they may differ, as that
// is what is compared; then one configuration can be in several pairs, but it fails if several of A
// would meet several of B.
func match(a, b *side) ([]pair, []axis, error) {
	both := append(a.varying(study.Preferred(a.results.Values)),
		b.varying(study.Preferred(b.results.Values))...)
	slices.Sort(both)
	both = slices.Compact(both)
	// Of axes that determine each other, like ranks and nodes, both sides keep the same.
	both = append(a.varying(both), b.varying(both)...)
	slices.Sort(both)
	var common, other []int
	for _, x := range slices.Compact(both) {
		known := func(code uint32) bool { return code != unknown }
		if slices.ContainsFunc(b.axes[x].in(&a.axes[x]), known) {
			common = append(common, x)
		} else {
			other = append(other, x)
		}
	}
	pairs, err := join(a, b, common, other)
	if err != nil {
		return nil, nil, err
	}
	return pairs, axesOf(a, b, pairs, common, other), nil
}

// join returns the pairs of configurations with the same values on the common axes, in the order
// of A and then of B.
func join(a, b *side, common, other []int) ([]pair, error) {
	of, n := classes(a, b, common)
	ofA, ofB := of[:len(a.configs)], of[len(a.configs):]
	inA, members := make([]int32, n), make([][]int32, n) // configurations of A, and those of B, by class
	for _, class := range ofA {
		inA[class]++
	}
	for j, class := range ofB {
		members[class] = append(members[class], int32(j))
	}
	pairs := make([]pair, 0, max(len(ofA), len(ofB)))
	for i, class := range ofA {
		met := members[class]
		if inA[class] > 1 && len(met) > 1 {
			return nil, ambiguous(a, b, other)
		}
		for _, j := range met {
			pairs = append(pairs, pair{int32(i), j})
		}
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s and %s have no configuration in common; compare studies "+
			"with the same ranks or other axes", a.name, b.name)
	}
	return pairs, nil
}

// classes returns the classes of the configurations of A and then of B, and their number: configurations
// with the same values on the axes, of whichever side, have the same.
func classes(a, b *side, axes []int) (of []int, n int) {
	inA := make([][]uint32, len(a.axes)) // codes of B's values
	for _, x := range axes {
		inA[x] = b.axes[x].in(&a.axes[x])
	}
	return datasets.Classes(len(a.configs)+len(b.configs), axes, func(row, x int) uint32 {
		if row < len(a.configs) {
			return a.axes[x].code(row)
		}
		return inA[x][b.axes[x].code(row-len(a.configs))]
	})
}

// ambiguous returns the error that several configurations of A would meet several of B.
func ambiguous(a, b *side, other []int) error {
	var names []string
	hint := ""
	for _, x := range other {
		k := study.Axes[x]
		names = append(names, k.Flag)
		if hint == "" && len(a.axes[x].values) > 1 {
			value := k.Format(a.value(0, x))
			hint = fmt.Sprintf("--where-a %s=%s", k.Flag, strings.ReplaceAll(value, " ", ""))
		}
	}
	return fmt.Errorf("several configurations of %s would meet several of %s: they have no "+
		"value of %s in common; keep one, for example with %s",
		a.name, b.name, strings.Join(names, " or "), hint)
}

// axesOf returns the axes that distinguish the pairs, the common ones first.
func axesOf(a, b *side, pairs []pair, common, other []int) []axis {
	var all []axis
	add := func(s *side, of int, axes []int, only byte) {
		for _, x := range axes {
			all = append(all, axis{study.Axes[x], x, s, of, only})
		}
	}
	add(a, 0, common, 0)
	add(a, 0, other, 'A')
	add(b, 1, other, 'B')
	return datasets.Varying(len(pairs), all, func(row int, x axis) uint32 {
		return x.side.axes[x.index].code(int(pairs[row][x.of]))
	})
}

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
	settings, err := settingsOf(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s := &side{name: dir, results: r, level: settings.Trials.Confidence, axes: make([]column, len(study.Axes))}
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
func (s *side) basis() []string { return basisOf(s.results, len(s.configs), s.value) }

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
