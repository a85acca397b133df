package results

import (
	"fmt"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/cli/study"
	"jitterfly/internal/units"
)

// axisOf returns the axis of a key, as it is drawn.
func axisOf(k study.Key) figures.Axis {
	return figures.Axis{
		Column: k.Column, Name: k.Flag, Label: k.Label(), Dimension: k.Dimension, Whole: k.Whole,
	}
}

// findAxis returns the key whose flag, path or column has the name.
func findAxis(flag, name string) (study.Key, error) {
	for _, k := range study.Axes {
		if name == k.Flag || name == k.Path || name == k.Column {
			return k, nil
		}
	}
	return study.Key{}, fmt.Errorf("%s: %q is no axis; "+
		"write the name of a study's flag, such as ranks or latency", flag, name)
}

// varyingAxis returns the axis of a name, and no axis if the name is empty. It fails if the
// axis has only one value.
func varyingAxis(flag, name string, data *figures.Data) (figures.Axis, error) {
	if name == "" {
		return figures.Axis{}, nil
	}
	k, err := findAxis(flag, name)
	if err != nil {
		return figures.Axis{}, err
	}
	if a := axisOf(k); data.Has(a) {
		return a, nil
	}
	names := []string{"none"}
	for i, a := range data.Varying() {
		names = append(names[:i], a.Name)
	}
	return figures.Axis{}, fmt.Errorf("%s: %s has one value only; axes with several: %s",
		flag, name, strings.Join(names, ", "))
}

// keep leaves only the configurations that meet a condition, axis=value. It fails if there
// are none.
func keep(data *figures.Data, condition string) error {
	name, text, ok := strings.Cut(condition, "=")
	if !ok {
		return fmt.Errorf("--where: %q has no value; write for example latency=1us", condition)
	}
	k, err := findAxis("--where", name)
	if err != nil {
		return err
	}
	text = k.Name(text)
	number, notNumber := units.Parse(k.Dimension, text)
	same := func(value any) bool {
		switch v := value.(type) {
		case int64:
			return float64(v) == number
		case float64:
			return v == number
		}
		return value == text
	}
	switch found := data.Where(axisOf(k), same); {
	case !found && notNumber != nil && k.Names == nil:
		return fmt.Errorf("--where: %s: %w", name, notNumber)
	case !found:
		return fmt.Errorf("--where: no configuration has %s", condition)
	}
	return nil
}
