package noise

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// listed is a source whose detours are given for each phase.
type listed struct {
	rate    float64
	detours [][]Detour
}

func (l listed) Rate() float64               { return l.rate }
func (l listed) Length() Distribution        { return Constant(1) }
func (l listed) process(int) process         { return l }
func (l listed) Shortened(float64) Generator { return l }
func (l listed) draw(float64, Start)         {}

func (l listed) window(_ rng.Stream, of phases, from, to float64, all []drawn) []drawn {
	for phase := of.lo; phase < of.lo+of.n; phase++ {
		for _, d := range l.detours[phase] {
			if from <= d.Start && d.Start < to {
				all = append(all, drawn{int32(phase), d.Start, d.Length})
			}
		}
	}
	return all
}

// queued is the preemption rule step by step, for detours in the order of time
// of which each waits for the end of those before it.
func queued(detours []Detour, start, work float64) float64 {
	left := work
	t, i := math.Inf(-1), 0
	for ; ; i++ {
		// Until the next detour begins the processor works, if it may.
		next := math.Inf(1)
		if i < len(detours) {
			next = detours[i].Start
		}
		begin := max(t, start)
		if begin < next && begin+left <= next {
			return begin + left
		}
		if begin < next {
			left -= next - begin
		}
		if i == len(detours) {
			return begin + left
		}
		t = max(t, next) + detours[i].Length
	}
}

// All times are multiples of one power of two, so that everything is exact.
func TestSuperpositionIsTheIteratedRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const phases = 3
		shared := rapid.IntRange(1, 2).Draw(t, "shared")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		s := Superposition{}
		all := make([][]Detour, phases)
		for range rapid.IntRange(1, 3).Draw(t, "sources") {
			source := listed{rate: rapid.SampledFrom([]float64{0.01, 0.5}).Draw(t, "rate"),
				detours: make([][]Detour, phases)}
			for p := range all {
				for range random.IntN(8) {
					source.detours[p] = append(source.detours[p],
						Detour{Start: float64(random.IntN(60)), Length: float64(random.IntN(6))})
				}
				all[p] = append(all[p], source.detours[p]...)
			}
			s.Components = append(s.Components, Component{Generator: source, Shared: shared})
		}
		for _, detours := range all {
			slices.SortStableFunc(detours, func(a, b Detour) int {
				return cmp.Compare(a.Start,
					b.Start)
			})
		}
		d := detoursOf(s, phases*shared, rng.NewKey(1, "iterated"))
		for range 50 {
			rank, start, work := random.IntN(phases*shared), float64(random.IntN(100)), float64(random.IntN(30))
			got := []float64{start}
			d.Finish(Piece{}, rank, got, work)
			if want := queued(all[rank/shared], start, work); got[0] != want {
				t.Fatalf("%g of work of rank %d from %g is done at %g, want %g: %v", work, rank, start, got[0],
					want, all[rank/shared])
			}
		}
	})
}

var sources = map[string]Generator{
	"ticks":    Ticks{1, Exponential{0.02}},
	"arrivals": PoissonDetours{0.7, Constant(0.05)},
	"pareto":   PoissonDetours{3, Pareto{0.1, 2.5}},
	"replay": Replay{Trace: Trace{Cores: []Core{{Span: 5,
		Detours: []Detour{{Start: 0.5, Length: 0.1}, {Start: 3, Length: 0.2}}}}}},
	"replay, 2 cores": Replay{Trace: Trace{Cores: []Core{{Span: 1,
		Detours: []Detour{{Start: 0.2, Length: 0.4}}}, {Span: 3,
		Detours: []Detour{{Start: 0, Length: 0.3}, {Start: 2, Length: 0.9}}}}}},
	"ticks and others": nil,
}

func superposition(name string, launch Start, shared int) Superposition {
	s := Superposition{Start: launch, Components: Components(shared, sources[name])}
	if sources[name] == nil {
		s.Components = Components(shared,
			sources["ticks"], sources["arrivals"], sources["pareto"], sources["replay"])
	}
	return s
}

// Of long work noise takes as much as is expected, and a stationary launch is at a
// moment like any other.
func TestSourcesTakeTheirShare(t *testing.T) {
	const n, work = 4000, 30.0
	for name := range sources {
		for _, launch := range []Start{Synchronized, Random} {
			s := superposition(name, launch, 1)
			d := detoursOf(s, n, rng.NewKey(1, name))
			share := expected(s.Components)

			start := finished(d, n, 0)
			delayed := 0.0
			for _, x := range start {
				if x > 0 {
					delayed++
				}
			}
			if want := float64(launch) * share * n; math.Abs(delayed-want) > 0.05*want+4*math.Sqrt(want) {
				t.Errorf("%s, launch %d: %g of %d start late, want %.0f", name, launch, delayed, n, want)
			}
			end := finished(d, n, work)
			sum := 0.0
			for _, x := range end {
				sum += x
			}
			if got, want := sum/n, work/(1-share); math.Abs(got/want-1) > 0.02 {
				t.Errorf("%s, launch %d: %g s of work take %g s on average, want %g", name, launch, work, got,
					want)
			}
		}
	}
}

// Who asks first, for how much and in which order changes nothing.
func TestSuperpositionRemembersNothing(t *testing.T) {
	const n = 2*Block + 5
	for name := range sources {
		for _, shared := range []int{1, 3} {
			s := superposition(name, Random, shared)
			d := s.Detours(make([]float64, n))
			random := rand.New(rand.NewPCG(1, 1))
			for trial := range 3 {
				key := rng.NewKey(uint64(trial), name)
				d.Draw(n, key)
				fresh := detoursOf(s, n, key)
				at, want := make([]float64, n), make([]float64, n)
				for i := range at {
					at[i] = 20 * random.Float64()
				}
				copy(want, at)
				finishAll(fresh, want, 0.3)
				for range 500 {
					rank := random.IntN(n)
					if rank%50 == 0 {
						d.(SparseDetours).Preempts(at[rank])
					}
					got := []float64{at[rank]}
					d.Finish(Piece{}, rank, got, 0.3)
					if got[0] != want[rank] {
						t.Fatalf("%s, trial %d: rank %d done at %v, want %v", name, trial, rank, got[0], want[rank])
					}
				}
			}
		}
	}
}

// Preempts is true where a rank is delayed, and not in many other trials.
func TestSuperpositionPreempts(t *testing.T) {
	const n, upto, trials = 5, 5e-3, 2000
	for name := range sources {
		for _, launch := range []Start{Synchronized, Random} {
			d := superposition(name, launch, 1).Detours(make([]float64, n))
			preempted, delayed := 0, 0
			for trial := range uint64(trials) {
				d.Draw(n, rng.NewKey(trial, name))
				may := d.(SparseDetours).Preempts(upto)
				is := slices.Max(finished(d, n, upto)) > upto
				if is && !may {
					t.Errorf("%s: in trial %d a rank is delayed and none preempted", name, trial)
				}
				if may {
					preempted++
				}
				if is {
					delayed++
				}
			}
			if preempted > delayed+delayed/2+10 {
				t.Errorf("%s: ranks are preempted in %d trials, and delayed in %d", name, preempted, delayed)
			}
		}
	}
}

// Ranks that share their detours have the same, and other ranks others.
func TestSuperpositionShared(t *testing.T) {
	const n, shared = 50, 7
	for name := range sources {
		d := detoursOf(superposition(name, Synchronized, shared), n, rng.NewKey(3, name))
		end := make([]float64, n)
		d.Finish(Piece{}, 0, end, 11.3)
		different := 0
		for r := 1; r < n; r++ {
			if same := end[r] == end[r-1]; r%shared != 0 && !same {
				t.Fatalf("%s: ranks %d and %d differ", name, r-1, r)
			} else if !same {
				different++
			}
		}
		if different == 0 {
			t.Errorf("%s: all ranks are the same", name)
		}
	}
}

// A superposition of one source of ticks of one length is the periodic source, to the
// last bit, and one of two with no other length is so but for rounding and chance.
func TestSuperpositionOfOneIsPeriodic(t *testing.T) {
	const n = 2*Block + 100
	for _, launch := range []Start{Synchronized, Random} {
		for _, shared := range []int{0, 1, 4, n} {
			p := Periodic{1, 0.2, launch, shared}
			s := Superposition{Start: launch, Components: Components(shared, Ticks{1, Constant(0.2)})}
			one, other := p.Detours(make([]float64, n)), s.Detours(make([]float64, n))
			one.Draw(n, rng.NewKey(1, "one"))
			other.Draw(n, rng.NewKey(1, "one"))
			got, want := make([]float64, n), make([]float64, n)
			finishAll(one, want, 7)
			finishAll(other, got, 7)
			if !slices.Equal(got, want) {
				t.Errorf("launch %d, shared %d: other bits", launch, shared)
			}
		}
	}
	// Lengths that are the same by another name.
	var mean [2]float64
	for i, length := range []Length{Constant(0.2), Lognormal{0.2, 0}} {
		d := detoursOf(Superposition{Components: Components(0, Ticks{1, length})}, 100*Block, rng.NewKey(1, "mean"))
		end := finished(d, 100*Block, 0.5)
		for _, x := range end {
			mean[i] += x / float64(len(end))
		}
	}
	if math.Abs(mean[0]-mean[1]) > 0.002 {
		t.Errorf("half a second takes %g s with ticks of one length, and %g with lengths that are all "+
			"the same", mean[0], mean[1])
	}
}

// What is replayed is the trace, from any moment, over and over.
func TestReplay(t *testing.T) {
	core := Core{Span: 8, Detours: []Detour{{Start: 1, Length: 0.5},
		{Start: 2, Length: 0.25}, {Start: 7.5, Length: 0.125}}}
	const n = 300
	r := Replay{Trace: Trace{Cores: []Core{core}}}.process(n)
	r.draw(-4, Synchronized)
	starts, lengths := make([][]float64, n), make([][]float64, n)
	stream := rng.New(rng.NewKey(1, "replay"))
	all := r.window(stream, phases{0, 0, n}, -4, 3, nil)
	for _, d := range r.window(stream, phases{0, 0, n}, 3, 20, all) {
		starts[d.phase], lengths[d.phase] = append(starts[d.phase], d.start), append(lengths[d.phase], d.length)
	}
	firsts := map[float64]int{}
	for rank := range n {
		if len(starts[rank]) != 9 {
			t.Fatalf("rank %d has %d detours in three spans", rank, len(starts[rank]))
		}
		firsts[lengths[rank][0]]++
		for i := range 8 {
			gap := map[float64]float64{0.5: 1, 0.25: 5.5, 0.125: 1.5}[lengths[rank][i]]
			if got := starts[rank][i+1] - starts[rank][i]; math.Abs(got-gap) > 1e-9 {
				t.Fatalf("rank %d: %g after one of %g, want %g", rank, got, lengths[rank][i], gap)
			}
		}
	}
	// The chance of the first is that of the gap before it.
	for length, gap := range map[float64]float64{0.5: 1.5, 0.25: 1, 0.125: 5.5} {
		if want := n * gap / 8; math.Abs(float64(firsts[length])-want) > 4*math.Sqrt(want) {
			t.Errorf("%d of %d begin with %g, want %.0f", firsts[length], n, length, want)
		}
	}
}

// What is over at the launch is left out where no other component can be delayed by it, and nothing
// else changes.
func TestReplayFromBeforeTheLaunch(t *testing.T) {
	type detour struct{ start, length float64 }
	const n = 300
	trace := Replay{Trace: Trace{Cores: []Core{
		{Span: 1, Detours: []Detour{{Start: 0, Length: 0.125}, {Start: 0.5, Length: 0.5}}},
		{Span: 3, Detours: []Detour{{Start: 1.1, Length: 0.2}, {Start: 2, Length: 0.3}}},
		{Span: 2},
	}}}
	for _, origin := range []float64{-0.3, -1, -7.7} {
		drawn := func(alone bool) (detours [n][]detour, all int) {
			r := trace.process(n).(*replaying)
			r.alone = alone
			r.draw(origin, Random)
			for _, window := range [][2]float64{{origin, 0}, {0, 0.1}, {0.1, 4}} {
				stream := rng.New(rng.NewKey(1, "replay"))
				for _, d := range r.window(stream, phases{0, 0, n}, window[0], window[1], nil) {
					if all++; d.start+d.length > 0 {
						detours[d.phase] = append(detours[d.phase], detour{d.start, d.length})
					}
				}
			}
			return detours, all
		}
		want, more := drawn(false)
		got, all := drawn(true)
		if !reflect.DeepEqual(got, want) || all >= more {
			t.Errorf("from %g s: %d detours of %d, other ones", origin, all, more)
		}
	}
}

// The lengths of a trace, which may be millions, are sorted once.
func TestReplaySortsOnce(t *testing.T) {
	core := Core{Span: 8, Detours: []Detour{{Start: 1, Length: 0.5}, {Start: 2, Length: 0.25}}}
	r := NewReplay(Trace{Cores: []Core{core}})
	for _, r := range []Generator{r, r.Shortened(0.5)} {
		a, b := r.Length().(replayedLengths), r.Length().(replayedLengths)
		if &a[0] != &b[0] || !slices.IsSorted(a) || a.Quantile(1) != 2*a.Quantile(0) {
			t.Errorf("the lengths are %v and %v", a, b)
		}
	}
}

// A core without noise is one as well.
func TestReplayOfQuietCores(t *testing.T) {
	const n = 1000
	d := Superposition{Components: Components(0, Replay{Trace: Trace{Cores: []Core{
		{Span: 3}, {Span: 1, Detours: []Detour{{Start: 0.5, Length: 0.2}}},
	}}})}.Detours(make([]float64, n))
	d.Draw(n, rng.NewKey(1, "quiet"))
	end := make([]float64, n)
	d.Finish(Piece{}, 0, end, 2)
	quiet := 0
	for _, x := range end {
		if x == 2 {
			quiet++
		}
	}
	if quiet < 700 || quiet > 800 {
		t.Errorf("%d of %d ranks have no noise, want 750", quiet, n)
	}
}

func TestOverload(t *testing.T) {
	for _, s := range []Superposition{
		{Components: Components(0, Ticks{1, Constant(0.6)}, PoissonDetours{1, Constant(0.4)})},
		{Components: Components(0, PoissonDetours{0, Constant(1)})},
		{Components: Components(0, PoissonDetours{math.NaN(), Constant(1)})},
		{Components: Components(0, Replay{})},
		{Components: Components(0, PoissonDetours{1, Pareto{0.1, 2}}), Start: Random},
		{Components: Components(0, Ticks{1, Pareto{0.1, 1.5}}), Start: Random},
	} {
		if s.Check() == nil {
			t.Errorf("%+v passes", s)
		}
	}
	for _, s := range []Superposition{
		superposition("ticks and others", Synchronized, 1), superposition("ticks and others", Random, 1),
		{Components: Components(0, PoissonDetours{1, Pareto{0.1, 2}})},
	} {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// What has passed is dropped: the rest is as if it were not, and the list does not grow with
// time.
func TestPass(t *testing.T) {
	for _, shared := range []int{1, 7, 2000} {
		s := Superposition{Start: Random, Components: Components(shared,
			PoissonDetours{Interval: 1e-3, Lengths: Constant(10e-6)},
			Ticks{Period: 4e-3, Lengths: Constant(50e-6)})}
		const ranks = 2000
		all := s.Detours(make([]float64, ranks)).(*superposed)
		passing := s.Detours(make([]float64, ranks)).(*superposed)
		key := rng.NewKey(1, "pass")
		all.Draw(ranks, key)
		passing.Draw(ranks, key)
		want, got, most := make([]float64, ranks), make([]float64, ranks), 0
		for i := range 400 {
			passing.Pass(got)
			for lo := 0; lo < ranks; lo += Block {
				hi := min(ranks, lo+Block)
				all.Finish(Piece{}, lo, want[lo:hi], 100e-6)
				passing.Finish(Piece{}, lo, got[lo:hi], 100e-6)
			}
			if !slices.Equal(want, got) {
				t.Fatalf("%d ranks share detours: piece %d ends at other times", shared, i)
			}
			if i == 100 {
				most = len(passing.blocks[0].busy)
			}
		}
		if n := len(passing.blocks[0].busy); float64(n) > 1.2*float64(most)+20 {
			t.Errorf("%d ranks share detours: %d are listed, and a quarter of the way %d",
				shared, n, most)
		}
	}
}

// Detours of several phases that are found in any order are those that are left to do at each
// moment, as if they were found in the order of time; and work is preempted by them.
func TestInsert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		far := Ticks{1e9, Exponential{1}}
		d := detoursOf(Superposition{Components: Components(0, far)}, n, rng.NewKey(1, "insert")).(*superposed)
		block := &d.blocks[0]
		block.window, block.drawn = 100, 1e6
		vector.Fill(d.until, 1e6)
		type detour struct {
			start, length float64
		}
		var want [n][]detour
		for range rapid.IntRange(0, 20).Draw(t, "detours") {
			phase := rapid.IntRange(0, n-1).Draw(t, "phase")
			found := detour{
				float64(rapid.IntRange(0, 30).Draw(t, "start")), float64(rapid.IntRange(1, 5).Draw(t, "length")),
			}
			d.batch = []drawn{{int32(phase), found.start, found.length}}
			d.add(d.parts[0], block)
			want[phase] = append(want[phase], found)
			if at := []float64{float64(rapid.IntRange(0, 40).Draw(t, "at"))}; rapid.Bool().Draw(t, "asked") {
				d.Finish(Piece{}, phase, at, 1)
			}
		}
		for phase, all := range want {
			slices.SortFunc(all, func(a, b detour) int { return cmp.Compare(a.start, b.start) })
			d.since[phase] = math.Inf(1)
			for start := range 60 {
				at, free, left := []float64{float64(start)}, 0.0, 2.0 // of work, then
				d.Finish(Piece{}, phase, at, left)
				now := float64(start)
				for _, x := range all {
					free = max(free, x.start) + x.length // of what begins no later
					if x.start <= now {
						now = max(now, free)
					} else if x.start < now+left {
						left -= x.start - now
						now = x.start + x.length
					}
				}
				if now += left; at[0] != now {
					t.Fatalf("work of 2 from %d ends at %g, want %g, with %v", start, at[0], now, all)
				}
			}
		}
	})
}
