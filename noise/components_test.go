package noise

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/rng"
)

// recorded notes the detours that a source begins in phases, by their blocks.
type recorded struct {
	Generator
	to map[int][]Detour
}

func (r recorded) Shortened(factor float64) Generator {
	return recorded{r.Generator.Shortened(factor), r.to}
}

func (r recorded) process(n int) process { return recording{r.Generator.process(n), r.to} }

type recording struct {
	process
	to map[int][]Detour
}

func (r recording) window(stream rng.Stream, of phases, from, to float64, all []drawn) []drawn {
	before := len(all)
	all = r.process.window(stream, of, from, to, all)
	for _, d := range all[before:] {
		r.to[int(d.phase)] = append(r.to[int(d.phase)], Detour{Start: d.start, Length: d.length})
	}
	return all
}

// What is done about a component changes no detour of another one, to the last bit: neither those
// that begin after the launch nor those under way.
func TestRemediesChangeNoOtherComponent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []Generator
		for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(sources))).Draw(t, "sources")[:4] {
			if sources[name] != nil {
				all = append(all, sources[name])
			}
		}
		ranks := rapid.SampledFrom([]int{60, 3*Block + 100}).Draw(t, "ranks")
		launch := rapid.SampledFrom([]Start{Synchronized, Random}).Draw(t, "launch")
		s := Superposition{Start: launch}
		for i := range all {
			shared := rapid.SampledFrom([]int{1, 8, 6, math.MaxInt}).Draw(t, fmt.Sprint("shared ", i))
			s.Components = append(s.Components, Component{Generator: all[i], Shared: shared})
		}
		changed := rapid.IntRange(0, len(all)-1).Draw(t, "changed")
		detours := func(r Remedy) (of []map[int][]Detour) {
			s := Superposition{Start: launch, Components: slices.Clone(s.Components)}
			for i := range s.Components {
				of = append(of, map[int][]Detour{})
				s.Components[i].Generator = recorded{s.Components[i].Generator, of[i]}
			}
			s.Components[changed].Remedy = r
			d := detoursOf(s, ranks, rng.NewKey(1, "remedies")).(*superposed)
			d.Preempts(3)
			return of
		}
		want := detours(Remedy{})
		for _, r := range []Remedy{{Aligned: true}, {Removed: true}, {Factor: 0.25}} {
			for i, got := range detours(r) {
				if i != changed && !agree(got, want[i]) {
					t.Fatalf("remedy %v of component %d changes component %d", r, changed, i)
				}
				if _, replay := all[i].(Replay); i != changed || r.Factor == 0 || replay {
					continue // a replay begins at another moment, so that it is not in a detour
				}
				for phase, detours := range want[i] {
					for j, d := range detours[:min(len(detours), len(got[phase]))] {
						d.Length *= r.Factor
						if now := got[phase][j]; now.Start != d.Start || math.Abs(now.Length-d.Length) > 1e-12 {
							t.Fatalf("detour %v of component %d becomes %v", detours[j], i, now)
						}
					}
				}
			}
		}
	})
}

// agree reports whether the detours of all phases are the same, as far as both are drawn: how far
// they are may depend on whether all ranks have the same.
func agree(a, b map[int][]Detour) bool {
	for phase := range a {
		n := min(len(a[phase]), len(b[phase]))
		if !slices.Equal(a[phase][:n], b[phase][:n]) {
			return false
		}
	}
	return true
}

// What is left of a component's detours at the launch does not depend on what is done about
// another: a rank that starts late with both components and not with the second alone starts as
// late with the first alone, unless a detour of the second begins meanwhile.
func TestRemediesKeepWhatIsUnderWay(t *testing.T) {
	const ranks = 20 * Block
	start := func(remedies ...Remedy) []float64 {
		s := Superposition{Start: Random, Components: Components(1,
			PoissonDetours{10, Constant(1)}, PoissonDetours{20, Constant(2)})}
		for i, r := range remedies {
			s.Components[i].Remedy = r
		}
		d := detoursOf(s, ranks, rng.NewKey(1, "under way"))
		at := finished(d, ranks, 0)
		return at
	}
	both, first, second := start(), start(Remedy{}, Remedy{Removed: true}), start(Remedy{Removed: true})
	late, longer := 0, 0
	for r, at := range both {
		if second[r] > 0 || at == 0 {
			continue
		}
		late++
		if at > first[r] {
			longer++
		}
		if at < first[r] || first[r] == 0 {
			t.Fatalf("rank %d starts at %g with both, and at %g with the first alone", r, at, first[r])
		}
	}
	if longer > late/10 {
		t.Errorf("%d of %d ranks start later than with the first alone", longer, late)
	}
	if want := 0.1 * (1 - 0.1) * ranks; math.Abs(float64(late)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d ranks wait for the first alone, want %.0f", late, want)
	}
	for i, at := range start(Remedy{Removed: true}, Remedy{Removed: true}) {
		if at != 0 {
			t.Fatalf("rank %d starts at %g without components", i, at)
		}
	}
}

// Components with scopes of their own preempt those ranks together, and each rank meets what it
// would of all.
func TestScopesOfComponents(t *testing.T) {
	const ranks, node = 3 * Block, 8
	together := func(shared ...int) (late []float64) {
		s := Superposition{}
		for i, n := range shared {
			s.Components = append(s.Components, Component{
				Generator: Ticks{1, Constant(1e-7 * math.Pow(3, float64(i)))}, Shared: n,
			})
		}
		d := detoursOf(s, ranks, rng.NewKey(1, "scopes"))
		late = make([]float64, ranks)
		finishAll(d, late, 0.5)
		return late
	}
	for _, shared := range [][]int{{1, node, math.MaxInt}, {node, math.MaxInt}, {1, math.MaxInt, 1}} {
		late := together(shared...)
		for i, n := range shared {
			met := 0.0
			for r, at := range late {
				length := 1e-7 * math.Pow(3, float64(i))
				hit := func(at float64) bool { // the detours are the digits of the delay
					return int(math.Round((at-0.5)/length))%3 == 1
				}
				if hit(at) {
					met++
				}
				if r%min(n, ranks) != 0 && hit(at) != hit(late[r-1]) {
					t.Fatalf("%v: ranks %d and %d do not share component %d", shared, r-1, r, i)
				}
			}
			groups := ranks / float64(min(n, ranks))
			if met /= ranks; n < ranks && math.Abs(met-0.5) > 5*0.5/math.Sqrt(groups)+0.08 {
				t.Errorf("%v: a share of %g meets component %d, want about a half", shared, met, i)
			}
		}
	}
}

// A component that is aligned, or removed, counts so in the tail and where ranks are neighbours.
func TestTailOfComponents(t *testing.T) {
	s := Superposition{Components: []Component{
		{Generator: PoissonDetours{10, Constant(2)}, Shared: 4},
		{Generator: PoissonDetours{5, Constant(3)}},
	}}
	for _, c := range []struct {
		remedies [2]Remedy
		want     float64
		grouped  bool
	}{
		{[2]Remedy{}, 100./4/10*1*7 + 100./5*2*7, true},
		{[2]Remedy{{Aligned: true}}, 1./10*1*7 + 100./5*2*7, false},
		{[2]Remedy{{}, {Removed: true}}, 100. / 4 / 10 * 1 * 7, true},
		{[2]Remedy{{Removed: true}, {Aligned: true}}, 1. / 5 * 2 * 7, false},
	} {
		for i, r := range c.remedies {
			s.Components[i].Remedy = r
		}
		if got := s.Tail(100, 7, 1, 1); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: tail %g, want %g", c.remedies, got, c.want)
		}
		if got := s.Grouped(100); got != c.grouped {
			t.Errorf("%v: grouped %t", c.remedies, got)
		}
	}
}
