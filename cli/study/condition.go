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

// A Condition is one of configurations: that an axis has a value.
type Condition struct {
	Key Key

	flag, text string
	name       string  // the value, if it is a word
	number     float64 // the value in SI units, unless notNumber
	notNumber  error
}

// ParseCondition reads axis=value, which a flag of the command line gave. It fails if there
// is no such axis.
func ParseCondition(flag, text string) (Condition, error) {
	axis, value, ok := strings.Cut(text, "=")
	if !ok {
		return Condition{}, fmt.Errorf("%s: %q has no value; write for example latency=1us",
			flag, text)
	}
	k, err := FindAxis(flag, axis)
	if err != nil {
		return Condition{}, err
	}
	c := Condition{Key: k, flag: flag, text: text, name: k.Name(value)}
	c.number, c.notNumber = units.Parse(k.Dimension, c.name)
	return c, nil
}

// Meets reports whether a value of the axis, as results have it, is the one of the condition.
func (c *Condition) Meets(value any) bool {
	switch v := value.(type) {
	case int64:
		return c.notNumber == nil && float64(v) == c.number
	case float64:
		return c.notNumber == nil && v == c.number
	}
	return value == c.name
}

// Unmet returns the error that no configuration meets the condition, and why if its value is
// malformed.
func (c *Condition) Unmet() error {
	if c.notNumber != nil && c.Key.Names == nil {
		axis, _, _ := strings.Cut(c.text, "=")
		return fmt.Errorf("%s: %s: %w", c.flag, axis, c.notNumber)
	}
	return fmt.Errorf("%s: no configuration has %s", c.flag, c.text)
}
