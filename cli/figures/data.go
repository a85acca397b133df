// Package figures draws the results of studies, and recordings of single trials. Its input is
// rows and recordings, its output figures, which can be written as SVG, PNG and PDF.
package figures

import (
	"cmp"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

type config struct {
	choice  *datasets.ChoiceRow
	summary []datasets.Measures // of each T
}

func (c *config) value(axis *study.Key) any { return axis.In(&c.choice.Axes) }

func (c *config) plain() datasets.Measures { return c.summary[0] }

// best returns the measures at the estimate of T.
func (c *config) best() datasets.Measures { return c.summary[c.choice.Estimate] }

// Data are the results of a study.
type Data struct {
	Layout               // of their figures
	axes    []*study.Key // with several values
	configs []config
}

// NewData returns the results of a study over its possible axes, of which the first stand for others that
// they determine.
func NewData(axes []*study.Key, tables *datasets.Results) *Data {
	d := &Data{}
	for i := range tables.Choices {
		d.configs = append(d.configs, config{&tables.Choices[i], tables.Measures[i]})
	}
	for _, a := range axes {
		if d.count(a) > 1 {
			d.axes = append(d.axes, a)
		}
	}
	return d
}

// Has reports whether the axis has several values.
func (d *Data) Has(a *study.Key) bool { return slices.Contains(d.axes, a) }

// Varying returns the axes that vary, without axes that others determine, in descending order of
// their numbers of values.
func (d *Data) Varying() []*study.Key {
	free := d.varying(d.axes)
	slices.SortStableFunc(free, func(a, b *study.Key) int {
		return cmp.Compare(d.count(b), d.count(a))
	})
	return free
}

// varying returns which of the given axes vary without being determined by earlier ones.
func (d *Data) varying(of []*study.Key) []*study.Key {
	return datasets.Varying(len(d.configs), of, d.value)
}

// value returns the value of an axis of a configuration.
func (d *Data) value(config int, axis *study.Key) any { return d.configs[config].value(axis) }

// values returns the distinct values of an axis in their order, and their places in it.
func (d *Data) values(a *study.Key) (values []any, places map[any]int) {
	return datasets.Distinct(len(d.configs), func(i int) any { return d.configs[i].value(a) })
}

// count returns the number of distinct values of an axis.
func (d *Data) count(a *study.Key) int {
	_, places := d.values(a)
	return len(places)
}

// further returns the axes that distinguish configurations with the same values of those
// picked. An axis that others determine is not among them.
func (d *Data) further(picked ...*study.Key) []*study.Key {
	varying := d.varying(slices.Concat(picked, d.axes))
	return slices.DeleteFunc(varying, func(a *study.Key) bool { return slices.Contains(picked, a) })
}

type group struct {
	title   string
	configs []*config
}

// groups divides the configurations by their values of the axes.
func (d *Data) groups(axes []*study.Key) []group {
	classes, _ := datasets.Classes(len(d.configs), axes, d.value)
	of := vector.Groups(len(classes), func(i int) int { return classes[i] })
	return vector.Each(of, func(members []int) group {
		title := func(a *study.Key) string { return a.Label() + " " + a.Format(d.value(members[0], a)) }
		return group{strings.Join(vector.Each(axes, title), ", "),
			vector.Each(members, func(i int) *config { return &d.configs[i] })}
	})
}

// Panels returns the number of panels of figures over these axes.
func (d *Data) Panels(over ...*study.Key) int { return len(d.groups(d.further(over...))) }

// Plane returns the two axes of a heat map. It replaces nil axes by the axes with the most values
// that do not determine each other, if there are any.
func (d *Data) Plane(x, y *study.Key) (_, _ *study.Key) {
	given := slices.DeleteFunc([]*study.Key{x, y}, func(a *study.Key) bool { return a == nil })
	for _, a := range d.varying(slices.Concat(given, d.Varying())) {
		switch {
		case slices.Contains(given, a):
		case x == nil:
			x = a
		case y == nil:
			y = a
		}
	}
	return x, y
}
