package study

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// FindAxis returns the axis whose flag, path or column has the name, which a flag of the
// command line gave.
func FindAxis(flag, name string) (*Key, error) {
	for _, k := range Axes {
		if name == k.Flag || name == k.Path || name == k.Column {
			return k, nil
		}
	}
	meant := "write the name of a study's flag, such as ranks or latency"
	if similar := output.Similar(name, Flagged(Axes)); len(similar) > 0 {
		meant = "did you mean " + strings.Join(similar, " or ") + "?"
	}
	return nil, fmt.Errorf("%s: %q is not an axis; %s", flag, name, meant)
}

// Filters select the configurations of results that have given values of axes.
type Filters struct {
	flag string
	all  []filter
}

// A filter selects the configurations that have a value of an axis.
type filter struct {
	key       *Key
	text      string
	name      string  // the value, if it is a word
	number    float64 // the value in SI units, unless notNumber
	notNumber error
	passed    int // configurations that have passed the filter, and those before it
}

// ParseFilters reads conditions axis=value, which a flag of the command line gave, one or several
// with commas between them. It fails if no axis has the name.
func ParseFilters(flag string, texts []string) (*Filters, error) {
	var conditions []string
	for _, text := range texts {
		for i, part := range strings.Split(text, ",") {
			if i > 0 && !strings.Contains(part, "=") { // a comma in a value
				conditions[len(conditions)-1] += "," + part
			} else if !slices.Contains(conditions, part) {
				conditions = append(conditions, part)
			}
		}
	}
	f := &Filters{flag: flag}
	for _, text := range conditions {
		axis, value, ok := strings.Cut(text, "=")
		if !ok || value == "" {
			return nil, fmt.Errorf("%s: %q has no value; write for example latency=1us", flag, text)
		}
		k, err := FindAxis(flag, axis)
		if err != nil {
			return nil, err
		}
		x := filter{key: k, text: text, name: k.Name(value)}
		x.number, x.notNumber = units.Parse(k.Dimension, x.name)
		f.all = append(f.all, x)
	}
	return f, nil
}

// Most returns how many of n configurations pass at most, as far as is known before they are read.
func (f *Filters) Most(n int) int {
	if len(f.all) > 0 {
		return 0
	}
	return n
}

// Passes reports whether a configuration passes all filters.
func (f *Filters) Passes(c *datasets.ChoiceRow) bool {
	for i := range f.all {
		x := &f.all[i]
		v := valueOf(x.key.In(&c.Axes))
		if v.Name != x.name && (v.Name != "" || x.notNumber != nil || v.Number != x.number) {
			return false
		}
		x.passed++
	}
	return true
}

// Unmet returns the error that no configuration has passed all filters, and why if the value of a filter is
// malformed.
func (f *Filters) Unmet() error {
	at := slices.IndexFunc(f.all, func(x filter) bool { return x.passed == 0 })
	if at < 0 {
		return nil
	}
	x := &f.all[at]
	if x.notNumber != nil && x.key.Names == nil {
		axis, _, _ := strings.Cut(x.text, "=")
		return fmt.Errorf("%s: %s: %w", f.flag, axis, x.notNumber)
	}
	return fmt.Errorf("%s: no configuration has %s", f.flag, x.text)
}
