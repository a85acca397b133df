package results

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// A pair is a configuration of A and one of B, which are compared.
type pair struct{ a, b int32 }

// of returns the configuration of one side.
func (p pair) of(isA bool) int {
	if isA {
		return int(p.a)
	}
	return int(p.b)
}

// An axis distinguishes rows of a comparison.
type axis struct {
	*study.Key
	index int // in study.Axes
	side  *side
	isA   bool
	only  byte // 'A' or 'B', if the axis has several values there, none of which the other has
}

// Title returns the name of the axis in tables: its flag, with the side if only one side has it.
func (x *axis) Title() string {
	if x.only != 0 {
		return fmt.Sprintf("%s (%c)", x.Flag, x.only)
	}
	return x.Flag
}

func (x *axis) value(p pair) any { return x.side.value(p.of(x.isA), x.index) }

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
	ofA, ofB, classes := classes(a, b, common)
	inA, ends := make([]int32, classes), make([]int32, classes)
	for _, class := range ofA {
		inA[class]++
	}
	for _, class := range ofB {
		ends[class]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	next := append([]int32{0}, ends[:len(ends)-1]...) // begins of the classes in members
	begins := slices.Clone(next)
	members := make([]int32, len(ofB)) // configurations of B by class
	for j, class := range ofB {
		members[next[class]] = int32(j)
		next[class]++
	}
	pairs := make([]pair, 0, max(len(ofA), len(ofB)))
	for i, class := range ofA {
		met := members[begins[class]:ends[class]]
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

// classes returns the class of each configuration: configurations with the same values on the axes,
// of whichever side, have the same. It also returns the number of classes.
func classes(a, b *side, axes []int) (ofA, ofB []int32, n int) {
	ofA, ofB, n = make([]int32, len(a.configs)), make([]int32, len(b.configs)), 1
	for _, x := range axes {
		inA := b.axes[x].in(&a.axes[x])
		for i := range inA {
			if inA[i] == unknown {
				inA[i] -= uint32(i + 1) // its own
			}
		}
		refined := map[uint64]int32{}
		refine := func(of []int32, code func(row int) uint32) {
			for row, class := range of {
				key := uint64(class)<<32 | uint64(code(row))
				finer, ok := refined[key]
				if !ok {
					finer = int32(len(refined))
					refined[key] = finer
				}
				of[row] = finer
			}
		}
		refine(ofA, a.axes[x].code)
		refine(ofB, func(row int) uint32 { return inA[b.axes[x].code(row)] })
		n = len(refined)
	}
	return ofA, ofB, n
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
	add := func(s *side, axes []int, only byte) {
		for _, x := range axes {
			all = append(all, axis{Key: study.Axes[x], index: x, side: s, isA: s == a, only: only})
		}
	}
	add(a, common, 0)
	add(a, other, 'A')
	add(b, other, 'B')
	return datasets.Varying(len(pairs), all, func(row int, x axis) uint32 {
		return x.side.axes[x.index].code(pairs[row].of(x.isA))
	})
}
