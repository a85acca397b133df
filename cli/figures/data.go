// Package figures draws the results of studies, and recordings of single trials. Its input is
// rows and recordings, its output figures, which can be written as SVG, PNG and PDF.
package figures

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"jitterfly/datasets"
	"jitterfly/internal/columns"
	"jitterfly/internal/units"
)

// An Axis is a column of the results by which configurations differ.
type Axis struct {
	Column    string
	Name      string // as in flags
	Label     string // in pictures
	Dimension units.Dimension
	Whole     bool
}

// text returns a value of the axis with its unit.
func (a Axis) text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		if a.Dimension == units.Number {
			return fmt.Sprint(v)
		}
		return units.Format(a.Dimension, float64(v), 6)
	case float64:
		return units.Format(a.Dimension, v, 6)
	}
	return fmt.Sprint(v)
}

// A config is the rows of one configuration.
type config struct {
	columns map[string]datasets.Column[datasets.Axes] // of all configurations
	choice  *datasets.ChoiceRow
	summary []datasets.Measures // of each T
}

// value returns the value of a column of the axes.
func (c *config) value(column string) any { return c.columns[column](&c.choice.Axes) }

// star returns the summary at T*.
func (c *config) star() datasets.Measures { return c.summary[c.choice.Star] }

// Data are the results of a study.
type Data struct {
	Layout         // of their figures
	axes    []Axis // with several values
	configs []config
}

// NewData returns the results of a study over its possible axes. It fails if a value of an axis
// is not finite.
func NewData(axes []Axis, tables *datasets.Results) (*Data, error) {
	columns := map[string]datasets.Column[datasets.Axes]{}
	for _, name := range datasets.Columns[datasets.Axes]() {
		columns[name] = datasets.ColumnOf[datasets.Axes](name)
	}
	d := &Data{}
	for i := range tables.Choices {
		c := config{columns: columns, choice: &tables.Choices[i], summary: tables.Measures[i]}
		for name := range columns {
			if v := c.value(name); !finite(number(v)) {
				return nil, fmt.Errorf("the %s of configuration %q is %v", name, c.choice.ConfigID, v)
			}
		}
		d.configs = append(d.configs, c)
	}
	for _, a := range axes {
		if len(d.values(a)) > 1 {
			d.axes = append(d.axes, a)
		}
	}
	return d, nil
}

// Has reports whether the axis has several values.
func (d *Data) Has(a Axis) bool { return slices.Contains(d.axes, a) }

// Configurations returns the values of the axes of each configuration.
func (d *Data) Configurations() iter.Seq[datasets.Axes] {
	return func(yield func(datasets.Axes) bool) {
		for _, c := range d.configs {
			if !yield(c.choice.Axes) {
				return
			}
		}
	}
}

// Varying returns the axes that vary, without those that others determine; those with the
// most values come first.
func (d *Data) Varying() []Axis {
	free := d.free()
	slices.SortStableFunc(free, func(a, b Axis) int {
		return cmp.Compare(len(d.values(b)), len(d.values(a)))
	})
	return free
}

// free returns the axes that vary, without those that others determine: of two that
// determine each other it has words rather than numbers, or else the first.
func (d *Data) free() []Axis {
	var words, numbers []Axis
	for _, a := range d.axes {
		if _, ok := d.configs[0].value(a.Column).(string); ok {
			words = append(words, a)
		} else {
			numbers = append(numbers, a)
		}
	}
	free := d.varying(append(words, numbers...))
	follows := func(a Axis) bool { return !slices.Contains(free, a) }
	return slices.DeleteFunc(slices.Clone(d.axes), follows)
}

// varying returns those of some axes that vary and that the ones before do not determine.
func (d *Data) varying(of []Axis) []Axis {
	order := make([]int, len(of))
	for i := range of {
		order[i] = i
	}
	var varying []Axis
	value := func(config, axis int) any { return d.configs[config].value(of[axis].Column) }
	for _, i := range columns.Varying(len(d.configs), order, value) {
		varying = append(varying, of[i])
	}
	return varying
}

// values returns the distinct values of an axis, numbers in ascending order, names in the
// order of their first occurrence.
func (d *Data) values(a Axis) []any {
	var values []any
	seen := map[any]bool{}
	for i := range d.configs {
		if v := d.configs[i].value(a.Column); !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	slices.SortStableFunc(values, func(x, y any) int {
		return cmp.Compare(number(x), number(y))
	})
	return values
}

// number returns a value as a number, 0 for names.
func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// further returns the axes that distinguish configurations with the same values of those
// picked. An axis that others determine is not among them.
func (d *Data) further(picked ...Axis) []Axis {
	varying := d.varying(slices.Concat(picked, d.free(), d.axes))
	return slices.DeleteFunc(varying, func(a Axis) bool { return slices.Contains(picked, a) })
}

// key returns a text that is the same for configurations with the same values of the axes.
func (c *config) key(axes []Axis) string {
	var b strings.Builder
	for _, a := range axes {
		fmt.Fprintf(&b, "%v\x00", c.value(a.Column))
	}
	return b.String()
}

// A group is the configurations of one panel.
type group struct {
	title   string
	configs []*config
}

// groups divides the configurations by their values of the axes.
func (d *Data) groups(axes []Axis) []group {
	var groups []group
	at := map[string]int{}
	for i := range d.configs {
		c := &d.configs[i]
		key := c.key(axes)
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			var titles []string
			for _, a := range axes {
				titles = append(titles, a.Label+" "+a.text(c.value(a.Column)))
			}
			groups = append(groups, group{title: strings.Join(titles, ", ")})
		}
		g := &groups[at[key]]
		g.configs = append(g.configs, c)
	}
	return groups
}

// Panels returns the number of panels of figures over these axes.
func (d *Data) Panels(over ...Axis) int { return len(d.groups(d.further(over...))) }

// Plane returns the two axes of a heat map. It replaces those without a column by the axes
// with the most values that do not determine each other, if there are any.
func (d *Data) Plane(x, y Axis) (Axis, Axis) {
	given := slices.DeleteFunc([]Axis{x, y}, func(a Axis) bool { return a.Column == "" })
	for _, a := range d.varying(slices.Concat(given, d.Varying())) {
		switch {
		case slices.Contains(given, a):
		case x.Column == "":
			x = a
		case y.Column == "":
			y = a
		}
	}
	return x, y
}
