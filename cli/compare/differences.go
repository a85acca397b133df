package compare

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/internal/units"
)

// A Difference is a key of the study, or the version of the program, that differs between A and
// B: what a comparison is of.
type Difference struct{ Name, A, B string }

// differences returns what differs between the studies besides the axes of the rows: the values
// of other axes in the pairs, and settings of the studies. It leaves out axes that follow others.
func differences(a, b *side, pairs []pair, shown []axis) []Difference {
	var found []Difference
	add := func(name string, of func(s *side) string) {
		if of(a) != of(b) {
			found = append(found, Difference{name, of(a), of(b)})
		}
	}
	for _, k := range study.Keys {
		isShown := func(x axis) bool { return x.Path == k.Path }
		x := slices.IndexFunc(study.Axes, func(axis *study.Key) bool { return axis == k })
		valuesA, valuesB := a.results.Values[k.Path], b.results.Values[k.Path]
		switch {
		case slices.ContainsFunc(shown, isShown):
		case x < 0:
			add(k.Flag, func(s *side) string { return setting(k, s.results.Values[k.Path]) })
		case len(valuesA) > 1 || !slices.Equal(valuesA, valuesB): // else it follows from others
			met := map[*side]string{a: list(k, a, x, pairs, true), b: list(k, b, x, pairs, false)}
			add(k.Flag, func(s *side) string { return met[s] })
		}
	}
	add("version", func(s *side) string { return s.results.Version })
	return found
}

// setting returns values of a key that is no axis as people write them.
func setting(k *study.Key, values []string) string {
	texts := slices.Clone(values)
	if k.Dimension != units.Number {
		for i, text := range texts {
			if v, err := units.Parse(units.Number, text); err == nil {
				texts[i] = units.Format(k.Dimension, v, 6)
			}
		}
	}
	return strings.Join(texts, ", ")
}

// list returns the values of an axis that one side has in the pairs.
func list(k *study.Key, s *side, x int, pairs []pair, isA bool) string {
	var texts []string
	axis := &s.axes[x]
	met := make([]bool, len(axis.values))
	for _, p := range pairs {
		code := axis.code(p.of(isA))
		if met[code] {
			continue
		}
		met[code] = true
		if text := k.Format(axis.values[code]); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	const most = 6
	if n := len(texts); n > most {
		return fmt.Sprintf("%s, …, %s (%d values)", strings.Join(texts[:2], ", "), texts[n-1], n)
	}
	return strings.Join(texts, ", ")
}
