package results

import (
	"fmt"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/cli/study"
)

// axisOf returns the axis of a key, as it is drawn.
func axisOf(k *study.Key) figures.Axis {
	return figures.Axis{
		Column: k.Column, Name: k.Flag, Label: k.Label(), Dimension: k.Dimension, Whole: k.Whole,
	}
}

// varyingAxis returns the axis of a name, and no axis if the name is empty. It fails if the
// axis has only one value.
func varyingAxis(flag, name string, data *figures.Data) (figures.Axis, error) {
	if name == "" {
		return figures.Axis{}, nil
	}
	k, err := study.FindAxis(flag, name)
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
