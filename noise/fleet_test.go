package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
)

// twice is a fleet in which nodes of a share are slower by a factor of two, without detours.
func twice(share float64, node int) Fleet {
	return Fleet{Node: node, Classes: []Class{
		{OS: None{}, Share: 1 - share}, {OS: None{}, Share: share, Speed: 0.5},
	}}
}

// worked returns how long each of some ranks takes for work of a second in a trial.
func worked(d Detours, ranks, trial int) []float64 {
	t := make([]float64, ranks)
	d.Draw(ranks, rng.NewKey(7, "fleet").Derive(uint64(trial)))
	finishAll(d, t, 1)
	return t
}

// Some of N nodes is of a class of share p with probability 1 − (1 − p)^N, and then the slowest
// rank is twice as slow. Ranks of a node are of one class, of which there are Np on average.
func TestSomeNodeIsOfAClass(t *testing.T) {
	const share, trials = 0.03, 5000
	for _, nodes := range []int{10, 100} {
		for _, node := range []int{1, 3} {
			ranks := nodes*node - node/2 // the last node may have fewer
			d, some, all := twice(share, node).Detours(make([]float64, ranks)), 0.0, 0.0
			for trial := range trials {
				times := worked(d, ranks, trial)
				for r, x := range times {
					if x != times[r/node*node] || x != 1 && x != 2 {
						t.Fatalf("ranks of a node take %v", times)
					}
					if r%node == 0 {
						all += x - 1
					}
				}
				some += slices.Max(times) - 1
			}
			p := 1 - math.Pow(1-share, float64(nodes))
			if off := 4 * math.Sqrt(p*(1-p)/trials); math.Abs(some/trials-p) > off {
				t.Errorf("%d nodes of %d: some is slow in %.4f of trials, not %.4f ± %.4f", nodes, node,
					some/trials, p, off)
			}
			mean := float64(nodes) * share
			if off := 4 * math.Sqrt(mean/trials); math.Abs(all/trials-mean) > off {
				t.Errorf("%d nodes: %.4f are slow, not %.4f ± %.4f", nodes, all/trials, mean, off)
			}
		}
	}
}

// detoured are models of a class's detours.
var detoured = map[string]OS{
	"none":     None{},
	"periodic": Periodic{Period: 10, Duration: 2, Start: Random},
	"node":     Periodic{Period: 10, Duration: 2, Shared: 4},
	"all":      Periodic{Period: 30, Duration: 2, Shared: math.MaxInt},
	"listed":   Superposition{Start: Random, Components: Components(1, sources["ticks"], sources["arrivals"])},
	"on nodes": Superposition{Components: Components(4, sources["arrivals"], sources["replay"])},
	"pieces":   Superposition{Pieces: []Bernoulli{{Probability: 0.3, Lengths: Constant(1)}}},
}

func anyClass(t *rapid.T, name string) Class {
	c := Class{Speed: rapid.SampledFrom([]float64{0, 1, 0.5}).Draw(t, name+" speed")}
	c.OS = detoured[rapid.SampledFrom([]string{"none", "periodic", "node", "all", "listed", "on nodes",
		"pieces"}).Draw(t, name)]
	return c
}

// histories returns when each rank has done several pieces of work, the n-th of length n, asked in
// pieces of a number of ranks.
func histories(f OS, ranks, at, trial int) [][]float64 {
	d := detoursOf(f, ranks, rng.NewKey(9, "histories").Derive(uint64(trial)))
	t, all := make([]float64, ranks), make([][]float64, ranks)
	for n := range 8 {
		for lo := 0; lo < ranks; lo += at {
			d.Finish(Piece{Kind: 1, Number: n}, lo, t[lo:min(lo+at, ranks)], float64(n))
		}
		for r := range all {
			all[r] = append(all[r], t[r])
		}
		if p, ok := d.(PassingDetours); ok && n%4 == 3 {
			p.Pass(t)
		}
	}
	return all
}

// A class without nodes changes no bit, wherever it stands; a class of all nodes is what its nodes
// have; ranks can be asked about one by one or in blocks; and a drained class leaves the others as
// they are, and gives its own nodes what the usual class has.
func TestFleetsThatAreAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SampledFrom([]int{20, 40, 60, 80, Block + 100}).Draw(t, "ranks")
		trial := rapid.IntRange(0, 1000).Draw(t, "trial")
		a, b, c := anyClass(t, "a"), anyClass(t, "b"), anyClass(t, "c")
		a.Share, b.Share, c.Share = 0.5, 0.2, 0.3
		fleet := func(classes ...Class) Fleet {
			return Fleet{Node: rapid.SampledFrom([]int{1, 4}).Draw(t, "node"), Classes: classes}
		}
		want := fleet(a, b, c)
		all := histories(want, ranks, Block, trial)
		if diff := tests.Diff(all, histories(want, ranks, 1, trial)); diff != "" {
			t.Fatalf("rank by rank: %s", diff)
		}
		empty := anyClass(t, "empty")
		at := rapid.IntRange(0, 3).Draw(t, "at")
		with := Fleet{Node: want.Node, Classes: slices.Insert(slices.Clone(want.Classes), at, empty)}
		if diff := tests.Diff(all, histories(with.Reduced(), ranks, Block, trial)); diff != "" {
			t.Fatalf("an empty class at %d: %s", at, diff)
		}
		one := a
		one.Share, one.Speed = 1, 1
		alone := Fleet{Node: want.Node, Classes: []Class{empty, one}}.Reduced()
		plain := histories(one.OS, ranks, Block, trial)
		if diff := tests.Diff(plain, histories(alone, ranks, Block, trial)); diff != "" {
			t.Fatalf("one class: %s", diff)
		}
		drained := Fleet{Node: want.Node, Classes: slices.Clone(want.Classes)}
		drained.Classes[1].Drained = true
		usual := drained
		usual.Classes = slices.Clone(usual.Classes)
		usual.Classes[2].Drained = true
		left, base := histories(drained, ranks, Block, trial), histories(usual, ranks, Block, trial)
		for r := range all {
			if !slices.Equal(left[r], all[r]) && !slices.Equal(left[r], base[r]) {
				t.Fatalf("rank %d of a drained fleet has %v, and %v before", r, left[r], all[r])
			}
		}
	})
}

// Nodes stay of a class if its share grows, and named nodes are always of theirs. If all nodes are
// drained but the usual ones, each has what it has without the fleet.
func TestMembersOfClasses(t *testing.T) {
	const ranks = 3 * Block
	before := make([]float64, ranks)
	for _, share := range []float64{0, 0.01, 0.1, 0.5, 0.9} {
		now := worked(twice(share, 4).Detours(make([]float64, ranks)), ranks, 0)
		for r := range now {
			if before[r] > now[r] {
				t.Fatalf("rank %d is no longer of the class at a share of %g", r, share)
			}
		}
		before = now
	}
	named := Fleet{Node: 2, Classes: []Class{
		{OS: None{}, Share: 1}, {OS: None{}, Nodes: []Span{{3, 3}, {10, 11}}, Speed: 0.5},
	}}
	for r, x := range worked(named.Detours(make([]float64, 40)), 40, 0) {
		if slow := r/2 == 3 || r/2 == 10 || r/2 == 11; slow != (x == 2) {
			t.Errorf("rank %d takes %g", r, x)
		}
	}
	os := detoured["listed"]
	fleet := Fleet{Classes: []Class{{OS: os, Share: 0.5}, {OS: detoured["periodic"], Share: 0.5, Drained: true}}}
	if diff := tests.Diff(histories(os, ranks, Block, 1), histories(fleet, ranks, Block, 1)); diff != "" {
		t.Error(diff)
	}
	if _, ok := fleet.Reduced().(Superposition); !ok {
		t.Error("a drained fleet is not reduced to its usual class")
	}
}

// The tail of a fleet is the classes' by their shares.
func TestTailOfFleets(t *testing.T) {
	f := twice(0.1, 1)
	if got := f.Slowness(); got != 1 || f.Tail(50, 3, 7, 0) != 0 {
		t.Errorf("the slowness is %g, not 1, and the tail %g", got, f.Tail(50, 3, 7, 0))
	}
	os := detoured["listed"]
	f.Classes[1] = Class{OS: os, Share: 0.1}
	for _, h := range []float64{0, 0.5} {
		if got, want := f.Tail(50, 3, 7, h), 0.1*os.Tail(50, 3, 7, h); math.Abs(got-want) > 1e-12 {
			t.Errorf("the tail beyond %g is %g, not %g", h, got, want)
		}
		if got, want := f.Underway(50, h), 0.1*os.Underway(50, h); math.Abs(got-want) > 1e-12 {
			t.Errorf("what is under way beyond %g is %g, not %g", h, got, want)
		}
	}
	f.Classes[1] = Class{OS: os, Nodes: []Span{{10, 14}, {48, 60}}}
	f.Classes[0].Share = 1
	if got, want := f.Tail(50, 3, 7, 0), 7./50*os.Tail(50, 3, 7, 0); math.Abs(got-want) > 1e-12 {
		t.Errorf("the tail of named nodes is %g, not %g", got, want)
	}
}

func BenchmarkFleet(b *testing.B) {
	const ranks = 1 << 14
	os := Superposition{Start: Random, Components: Components(1,
		Ticks{Period: 1e-3, Lengths: Constant(2e-6)},
		PoissonDetours{Interval: 10e-3, Lengths: Exponential{Average: 10e-6}})}
	other := os
	other.Components = append(Components(1, PoissonDetours{Interval: 1e-3, Lengths: Constant(20e-6)}),
		os.Components...)
	for _, share := range []float64{0, 0.01, 0.1, 0.5} {
		b.Run(fmt.Sprintf("share=%g", share), func(b *testing.B) {
			f := Fleet{Classes: []Class{{OS: os, Share: 1 - share}, {OS: other, Share: share}}}
			d, t := f.Reduced().Detours(make([]float64, ranks)), make([]float64, ranks)
			for i := range b.N {
				d.Draw(ranks, rng.NewKey(1, "bench").Derive(uint64(i)))
				clear(t)
				for range 14 {
					finishAll(d, t, 1e-6)
				}
			}
		})
	}
}
