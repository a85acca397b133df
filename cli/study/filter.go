package study

import (
	"fmt"
	"strings"

	"jitterfly/internal/units"
)

// FindAxis returns the axis whose flag, path or column has the name, which a flag of the
// command line gave.
func FindAxis(flag, name string) (Key, error) {
	for _, k := range Axes {
		if name == k.Flag || name == k.Path || name == k.Column {
			return k, nil
		}
	}
	return Key{}, fmt.Errorf("%s: %q is no axis; "+
		"write the name of a study's flag, such as ranks or latency", flag, name)
}

// A Filter selects the configurations that have a value of an axis.
type Filter struct {
	Key Key

	flag, text string
	name       string  // the value, if it is a word
	number     float64 // the value in SI units, unless notNumber
	notNumber  error
}

// ParseFilter reads axis=value, which a flag of the command line gave. It fails if there
// is no such axis.
func ParseFilter(flag, text string) (Filter, error) {
	axis, value, ok := strings.Cut(text, "=")
	if !ok {
		return Filter{}, fmt.Errorf("%s: %q has no value; write for example latency=1us",
			flag, text)
	}
	k, err := FindAxis(flag, axis)
	if err != nil {
		return Filter{}, err
	}
	f := Filter{Key: k, flag: flag, text: text, name: k.Name(value)}
	f.number, f.notNumber = units.Parse(k.Dimension, f.name)
	return f, nil
}

// Passes reports whether a value of the axis, as results have it, is the one of the filter.
func (f *Filter) Passes(value any) bool {
	switch v := value.(type) {
	case int64:
		return f.notNumber == nil && float64(v) == f.number
	case float64:
		return f.notNumber == nil && v == f.number
	}
	return value == f.name
}

// Unmet returns the error that no configuration passes the filter, and why if its value is
// malformed.
func (f *Filter) Unmet() error {
	if f.notNumber != nil && f.Key.Names == nil {
		axis, _, _ := strings.Cut(f.text, "=")
		return fmt.Errorf("%s: %s: %w", f.flag, axis, f.notNumber)
	}
	return fmt.Errorf("%s: no configuration has %s", f.flag, f.text)
}
