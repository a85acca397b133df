package results

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// A pair is a configuration of A and one of B, which are compared.
type pair [2]int32

// An axis distinguishes rows of a comparison.
type axis struct {
	*study.Key
	index int // in study.Axes
	side  *side
	of    int  // 0 or 1: the place of the side's configuration in pairs
	only  byte // 'A' or 'B', if the axis has several values there, none of which the other has
}

// Title returns the name of the axis in tables: its flag, with the side if only one side has it.
func (x *axis) Title() string {
	if x.only != 0 {
		return fmt.Sprintf("%s (%c)", x.Flag, x.only)
	}
	return x.Flag
}

func (x *axis) value(p pair) any { return x.side.value(int(p[x.of]), x.index) }

// match pairs the configurations of A and B that have the same values on their common axes: the
// axes that vary in one of them and have some value in both. On other axes they may differ, as that
// is what is compared; then one configuration can be in several pairs, but it fails if several of A
// would meet several of B.
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
		known := func(code uint32) bool { return code != unknown }
		if slices.ContainsFunc(b.axes[x].in(&a.axes[x]), known) {
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

// join returns the pairs of configurations with the same values on the common axes, in the order
// of A and then of B.
func join(a, b *side, common, other []int) ([]pair, error) {
	of, n := classes(a, b, common)
	ofA, ofB := of[:len(a.configs)], of[len(a.configs):]
	inA, members := make([]int32, n), make([][]int32, n) // configurations of A, and those of B, by class
	for _, class := range ofA {
		inA[class]++
	}
	for j, class := range ofB {
		members[class] = append(members[class], int32(j))
	}
	pairs := make([]pair, 0, max(len(ofA), len(ofB)))
	for i, class := range ofA {
		met := members[class]
		if inA[class] > 1 && len(met) > 1 {
			return nil, ambiguous(a, b, other)
		}
		for _, j := range met {
			pairs = append(pairs, pair{int32(i), j})
		}
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s and %s have no configuration in common; compare studies "+
			"with the same ranks or other axes", a.name, b.name)
	}
	return pairs, nil
}

// classes returns the classes of the configurations of A and then of B, and their number: configurations
// with the same values on the axes, of whichever side, have the same.
func classes(a, b *side, axes []int) (of []int, n int) {
	inA := make([][]uint32, len(a.axes)) // codes of B's values
	for _, x := range axes {
		inA[x] = b.axes[x].in(&a.axes[x])
	}
	return datasets.Classes(len(a.configs)+len(b.configs), axes, func(row, x int) uint32 {
		if row < len(a.configs) {
			return a.axes[x].code(row)
		}
		return inA[x][b.axes[x].code(row-len(a.configs))]
	})
}

// ambiguous returns the error that several configurations of A would meet several of B.
func ambiguous(a, b *side, other []int) error {
	var names []string
	hint := ""
	for _, x := range other {
		k := study.Axes[x]
		names = append(names, k.Flag)
		if hint == "" && len(a.axes[x].values) > 1 {
			value := k.Format(a.value(0, x))
			hint = fmt.Sprintf("--where-a %s=%s", k.Flag, strings.ReplaceAll(value, " ", ""))
		}
	}
	return fmt.Errorf("several configurations of %s would meet several of %s: they have no "+
		"value of %s in common; keep one, for example with %s",
		a.name, b.name, strings.Join(names, " or "), hint)
}

// axesOf returns the axes that distinguish the pairs, the common ones first.
func axesOf(a, b *side, pairs []pair, common, other []int) []axis {
	var all []axis
	add := func(s *side, of int, axes []int, only byte) {
		for _, x := range axes {
			all = append(all, axis{study.Axes[x], x, s, of, only})
		}
	}
	add(a, 0, common, 0)
	add(a, 0, other, 'A')
	add(b, 1, other, 'B')
	return datasets.Varying(len(pairs), all, func(row int, x axis) uint32 {
		return x.side.axes[x.index].code(int(pairs[row][x.of]))
	})
}
