package results

import (
	"slices"
	"strings"

	"jitterfly/cli/study"
)

// A difference is a key of the study, or the version of the program, whose values A and B differ
// between two studies.
type difference struct{ Name, A, B string }

// differences returns what differs between the studies besides the axes that both vary along the
// rows: the values of other axes in the pairs, and settings of the studies. It leaves out axes that
// follow others.
func differences(a, b *side, pairs []pair, shown []axis) []difference {
	var found []difference
	add := func(name string, of func(s *side) string) {
		if of(a) != of(b) {
			found = append(found, difference{Name: name, A: of(a), B: of(b)})
		}
	}
	for _, k := range study.Keys {
		isShown := func(x axis) bool { return x.Path == k.Path && x.only == 0 }
		x := slices.IndexFunc(study.Axes, func(axis *study.Key) bool { return axis == k })
		valuesA, valuesB := a.results.Values[k.Path], b.results.Values[k.Path]
		switch {
		case slices.ContainsFunc(shown, isShown):
		case x < 0:
			add(k.Flag, func(s *side) string {
				return strings.Join(inUnits(k, s.results.Values[k.Path]), ", ")
			})
		case len(valuesA) > 1 || !slices.Equal(valuesA, valuesB): // else it follows from others
			met := map[*side]string{a: list(k, a, x, pairs, true), b: list(k, b, x, pairs, false)}
			add(k.Flag, func(s *side) string { return met[s] })
		}
	}
	add("version", func(s *side) string { return s.results.Version })
	return found
}

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
	return shorten(texts, 6)
}
