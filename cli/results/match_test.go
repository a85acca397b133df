package results

import (
	"runtime"
	"slices"
	"testing"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// of returns a side with the configurations, whose columns have the values that set gives them.
func of(name string, axes ...datasets.Axes) *side {
	s := &side{name: name, results: &datasets.Results{Run: datasets.Run{Values: map[string][]string{}}}}
	s.axes = make([]column, len(study.Axes))
	for _, a := range axes {
		s.add(&datasets.ChoiceRow{Axes: a}, []datasets.Measures{{}}, 0)
	}
	return s
}

func TestMatch(t *testing.T) {
	ranks := func(ranks, nodes int64, latency float64) datasets.Axes {
		return datasets.Axes{Ranks: ranks, Nodes: nodes, Latency: latency}
	}
	for _, c := range []struct {
		name  string
		a, b  *side
		pairs []pair
		axes  []string
	}{
		{"one each, however different", of("a", ranks(2, 2, 1)), of("b", ranks(4, 4, 2)),
			[]pair{{0, 0}}, nil},
		{"common ranks", of("a", ranks(2, 2, 1), ranks(4, 4, 1)),
			of("b", ranks(4, 4, 2), ranks(8, 8, 2)), []pair{{1, 0}}, nil},
		{"two common axes", of("a", ranks(2, 2, 1), ranks(2, 2, 2), ranks(4, 4, 1), ranks(4, 4, 2)),
			of("b", ranks(4, 4, 1), ranks(2, 2, 2), ranks(4, 4, 2)),
			[]pair{{1, 1}, {2, 0}, {3, 2}}, []string{"ranks", "latency"}},
		{"nodes follow ranks", of("a", ranks(2, 2, 1), ranks(4, 4, 1)),
			of("b", ranks(2, 1, 1), ranks(4, 2, 1)), []pair{{0, 0}, {1, 1}}, []string{"ranks"}},
		{"several for one", of("a", ranks(2, 2, 1), ranks(2, 2, 2)), of("b", ranks(2, 2, 3)),
			[]pair{{0, 0}, {1, 0}}, []string{"latency (A)"}},
		{"one for several", of("a", ranks(2, 2, 3), ranks(4, 4, 3)),
			of("b", ranks(2, 2, 1), ranks(2, 2, 2), ranks(4, 4, 1)),
			[]pair{{0, 0}, {0, 1}, {1, 2}}, []string{"ranks", "latency (B)"}},
		{"one that varies in B only", of("a", ranks(2, 2, 1)), of("b", ranks(2, 2, 1), ranks(2, 2, 2)),
			[]pair{{0, 0}}, nil},
	} {
		pairs, axes, err := match(c.a, c.b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var titles []string
		for _, x := range axes {
			titles = append(titles, x.Title())
		}
		if !slices.Equal(pairs, c.pairs) || !slices.Equal(titles, c.axes) {
			t.Errorf("%s: %v by %v, want %v by %v", c.name, pairs, titles, c.pairs, c.axes)
		}
	}
	several := of("b", ranks(2, 2, 3), ranks(2, 2, 4))
	if _, _, err := match(of("a", ranks(2, 2, 1), ranks(2, 2, 2)), several); err == nil {
		t.Error("several configurations meet several")
	}
}

// What a comparison keeps of a configuration is what it says to need before it reads them.
func TestBytesPerConfiguration(t *testing.T) {
	n := tests.Part(100_000, 20_000)
	axes := make([]datasets.Axes, n)
	for i := range axes {
		axes[i].Latency, axes[i].Bytes = float64(i/100), int64(i%100)
	}
	before := tests.Heap()
	a, b := of("a", axes...), of("b", axes...)
	c := tests.Must(compare(a, b, 0))(t)
	each := (tests.Heap() - before) / float64(2*n)
	t.Logf("%.0f bytes each", each)
	if len(c.Rows) != n || each > bytesPerConfig {
		t.Errorf("%d rows, %.0f bytes for each configuration, more than %d", len(c.Rows), each,
			bytesPerConfig)
	}
	runtime.KeepAlive(axes)
}

// The trials of two configurations met the same noise if seed and environment are the same.
func TestSameNoise(t *testing.T) {
	base := datasets.Axes{Collective: "butterfly", Ranks: 4, Latency: 1e-6, OSDuration: 1e-5, Sources: 1}
	for _, c := range []struct {
		name   string
		change func(*datasets.Axes)
		seed   string
		want   bool
	}{
		{"the same", func(*datasets.Axes) {}, "1", true},
		{"another seed", func(*datasets.Axes) {}, "2", false},
		{"other sources", func(a *datasets.Axes) { a.Sources = 2 }, "1", true},
		{"another collective", func(a *datasets.Axes) { a.Collective = "ring" }, "1", true},
		{"other ranks", func(a *datasets.Axes) { a.Ranks = 8 }, "1", false},
		{"other noise", func(a *datasets.Axes) { a.OSDuration = 2e-5 }, "1", false},
	} {
		other := base
		c.change(&other)
		a, b := of("a", base), of("b", other)
		a.results.Values["seed"], b.results.Values["seed"] = []string{"1"}, []string{c.seed}
		if got := (&Comparison{A: a, B: b}).sameNoise()(pair{0, 0}); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// Differences are the values that are compared, without what follows from others.
func TestDifferences(t *testing.T) {
	a := of("a", datasets.Axes{Ranks: 4, OSPeriod: 1e-3, NetInterval: 1e-3})
	b := of("b", datasets.Axes{Ranks: 4, OSPeriod: 1e-2, NetInterval: 1e-2})
	for _, k := range study.Keys {
		a.results.Values[k.Path], b.results.Values[k.Path] = []string{k.Default}, []string{k.Default}
	}
	a.results.Values["noise.os.period"] = []string{"0.001"}
	b.results.Values["noise.os.period"] = []string{"0.01"}
	a.results.Values["trials.min"], b.results.Values["trials.min"] = []string{"30"}, []string{"40"}
	a.results.Version, b.results.Version = "1", "2"
	got := differences(a, b, []pair{{0, 0}}, nil)
	want := []difference{
		{Name: "os-period", A: "1 ms", B: "10 ms"},
		{Name: "trials-min", A: "30", B: "40"},
		{Name: "version", A: "1", B: "2"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	period := slices.IndexFunc(study.Axes, func(k *study.Key) bool { return k.Flag == "os-period" })
	for only, want := range map[byte]int{'A': 3, 0: 2} {
		shown := []axis{{Key: study.Axes[period], only: only}}
		if got := differences(a, b, []pair{{0, 0}}, shown); len(got) != want {
			t.Errorf("values of one side alone %q: %v, want %d", only, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for ratio, want := range map[float64]string{
		1: "+0.00%", 1.01: "+1.00%", 0.5: "−50.0%", 2: "+100%", 0.90005: "−9.99%", 13.4: "+1240%",
	} {
		if got := percent(ratio); got != want {
			t.Errorf("%g: %q, want %q", ratio, got, want)
		}
	}
}
