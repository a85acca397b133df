package compare

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/internal/columns"
)

// A pair is a configuration of A and one of B, which are compared.
type pair struct{ a, b int }

// An axis is one by which rows of a comparison can be told apart.
type axis struct {
	study.Key
	index  int  // in study.Axes
	only   byte // 'A' or 'B', if the axis has several values there, none of which the other has
	values []any
}

// Title returns the name of the axis.
func (x *axis) Title() string {
	if x.only != 0 {
		return fmt.Sprintf("%s (%c)", x.Flag, x.only)
	}
	return x.Flag
}

// match pairs the configurations of A and B that have the same values on their common axes:
// those that vary in one of them, and of which some value is in both. On other axes they may
// differ, as that is what is compared; then one configuration can be in several pairs, but it
// fails if several of A would meet several of B.
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
		if overlap(a.set(x), b.set(x)) {
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

func overlap(a, b map[any]bool) bool {
	for v := range a {
		if b[v] {
			return true
		}
	}
	return false
}

// join returns the pairs of configurations with the same values on the common axes, in the order
// of A and then of B.
func join(a, b *side, common, other []int) ([]pair, error) {
	key := func(s *side, config int) string {
		var k strings.Builder
		for _, x := range common {
			fmt.Fprintf(&k, "%v\n", s.values[config][x])
		}
		return k.String()
	}
	ofA, ofB := map[string][]int{}, map[string][]int{}
	for _, i := range a.configs {
		ofA[key(a, i)] = append(ofA[key(a, i)], i)
	}
	for _, i := range b.configs {
		ofB[key(b, i)] = append(ofB[key(b, i)], i)
	}
	var pairs []pair
	for _, i := range a.configs {
		k := key(a, i)
		if len(ofA[k]) > 1 && len(ofB[k]) > 1 {
			return nil, ambiguous(a, b, other)
		}
		for _, j := range ofB[k] {
			pairs = append(pairs, pair{i, j})
		}
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s and %s have no configuration in common; compare studies "+
			"with the same ranks or other axes", a.name, b.name)
	}
	return pairs, nil
}

// ambiguous returns the error that several configurations of A would meet several of B.
func ambiguous(a, b *side, other []int) error {
	var names []string
	hint := ""
	for _, x := range other {
		k := study.Axes[x]
		names = append(names, k.Flag)
		if hint == "" && len(a.set(x)) > 1 {
			value := k.Format(a.values[a.configs[0]][x])
			hint = fmt.Sprintf("--where-a %s=%s", k.Flag, strings.ReplaceAll(value, " ", ""))
		}
	}
	return fmt.Errorf("several configurations of %s would meet several of %s: they have no "+
		"value of %s in common; keep one, for example with %s",
		a.name, b.name, strings.Join(names, " or "), hint)
}

// axesOf returns the axes by which the pairs can be told apart, the common ones first.
func axesOf(a, b *side, pairs []pair, common, other []int) []axis {
	var all []axis
	add := func(s *side, axes []int, only byte, config func(pair) int) {
		for _, x := range axes {
			found := axis{Key: study.Axes[x], index: x, only: only}
			for _, p := range pairs {
				found.values = append(found.values, s.values[config(p)][x])
			}
			all = append(all, found)
		}
	}
	ofA, ofB := func(p pair) int { return p.a }, func(p pair) int { return p.b }
	add(a, common, 0, ofA)
	add(a, other, 'A', ofA)
	add(b, other, 'B', ofB)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	var needed []axis
	for _, i := range columns.Varying(len(pairs), order, func(row, i int) any {
		return all[i].values[row]
	}) {
		needed = append(needed, all[i])
	}
	return needed
}
