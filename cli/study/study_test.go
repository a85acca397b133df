package study

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/collectives"
	"jitterfly/collectives/alphabeta"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// The embedded study is the paper's, but for links: its ranks × latencies × durations, the
// duration being that of both noises.
func TestDefaultStudy(t *testing.T) {
	s, err := Read(Input{Name: "default.yaml", File: datasets.DefaultStudy}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for k := 1; k <= 16; k++ {
		for _, latency := range []float64{1e-6, 1e-7} {
			for _, duration := range []float64{1e-5, 1e-4} {
				want[fmt.Sprint(collectives.Problem{
					Busy: true, Ranks: 1 << k, Bytes: 8,
					Latency: latency, Bandwidth: 1e9, MemoryBandwidth: 1e10,
					Node:       collectives.Node{Ranks: 1},
					Segments:   1,
					Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
				}, noise.Periodic{Period: 1e-3, Duration: duration}, noise.Poisson{Interval: 1e-3, Lengths: noise.Constant(duration)})] = true
			}
		}
	}
	for _, c := range s.Configs {
		m := c.Model.(*alphabeta.Model)
		got := fmt.Sprint(m.Problem, m.OS, m.Network)
		if !want[got] || m.Algorithm.Name != "butterfly" {
			t.Errorf("%s %s is not of the paper", m.Algorithm.Name, got)
		}
		delete(want, got)
	}
	if len(want) > 0 {
		t.Errorf("%d configurations of the paper are missing", len(want))
	}
	trials := montecarlo.Trials{
		Min: 30, Max: 300_000, Until: montecarlo.UntilChosen, Precision: 0.01, Confidence: 0.95,
		Effort: 1e10,
	}
	if s.Trials != trials || s.Tolerance != 0.01 || s.Seed != 1 {
		t.Errorf("trials %+v, tolerance %g, seed %d", s.Trials, s.Tolerance, s.Seed)
	}
}

// The same study has the same digest and the same configurations, in whatever
// units it is written; another has others.
func TestHashIsOfTheValues(t *testing.T) {
	read := func(file string) *Study {
		s, err := Read(Input{Name: "s.yaml", File: []byte(file)}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one := read("ranks: [8, 16]\nnetwork: {latency: 1us}")
	same := read("network: {latency: 1000ns}\nranks: 2^3..2^4")
	if one.Hash != same.Hash || one.Points[1].ID != same.Points[1].ID {
		t.Errorf("two ways of writing one study: %s %s and %s %s", one.Hash, one.Points[1].ID, same.Hash, same.Points[1].ID)
	}
	other := read("ranks: [8, 16]\nnetwork: {latency: 2us}")
	if one.Hash == other.Hash || one.Points[0].ID == other.Points[0].ID {
		t.Error("another latency has the same digests")
	}
	seed := read("seed: 2\nranks: [8, 16]\nnetwork: {latency: 1us}")
	if one.Hash == seed.Hash || one.Points[0].ID != seed.Points[0].ID {
		t.Error("another seed is another study of the same configurations")
	}
}

// What plays no part makes no configurations of its own, and what a
// configuration's noise is named by has neither the collective nor the
// redundancy in it.
func TestWhatPlaysNoPart(t *testing.T) {
	s, err := Read(Input{Name: "s.yaml", File: []byte("collective: [butterfly, ring]\nranks: 8\nsegments: [1, 4]\nredundancy: {send_overhead: [0s, 1us]}\nnoise: {os: {kind: [none, periodic], duration: [10us, 20us]}, network: {kind: none}}")}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Configs) != (1+2)*2*3 { // of the ring two; no jitter at all, and two durations of it
		t.Errorf("%d configurations, want 18", len(s.Configs))
	}
	environments := map[string]bool{}
	for _, c := range s.Configs {
		environments[c.Environment] = true
		if strings.Contains(c.Environment, "butterfly") || strings.Contains(c.Environment, "overhead") || strings.Contains(c.Environment, "segments") {
			t.Errorf("noise is named by %s", c.Environment)
		}
	}
	if len(environments) != 3 {
		t.Errorf("%d environments, want 3", len(environments))
	}
}

// Where every rank is alone, nodes play no part; else each of their values does,
// and without OS jitter its scope plays none.
func TestNodes(t *testing.T) {
	type environment struct {
		collectives.Node
		Shared int
	}
	for _, c := range []struct {
		study string
		want  []environment
	}{
		{"noise: {os: {scope: [rank, node]}}\nnode: {latency: [1us, 2us]}", []environment{{collectives.Node{Ranks: 1}, 0}}},
		{"ranks_per_node: [1, 4]\nnoise: {os: {scope: [rank, node]}}\nnetwork: {bandwidth: 8GB/s}\nnode: {latency: [1us, 2us]}", []environment{
			{collectives.Node{Ranks: 1}, 0},
			{collectives.Node{Ranks: 4, Latency: 1e-6, Bandwidth: 8e9}, 0},
			{collectives.Node{Ranks: 4, Latency: 1e-6, Bandwidth: 8e9}, 4},
			{collectives.Node{Ranks: 4, Latency: 2e-6, Bandwidth: 8e9}, 0},
			{collectives.Node{Ranks: 4, Latency: 2e-6, Bandwidth: 8e9}, 4},
		}},
		{"ranks_per_node: 4\nnoise: {os: {kind: none, scope: [rank, node]}}\nnetwork: {latency: 3us}\nnode: {bandwidth: 2GB/s}", []environment{
			{collectives.Node{Ranks: 4, Latency: 3e-6, Bandwidth: 2e9}, 0},
		}},
	} {
		s, err := Read(Input{Name: "s.yaml", File: []byte(c.study)}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var got []environment
		names := map[string]bool{}
		for _, config := range s.Configs {
			names[config.Environment] = true
			m := config.Model.(*alphabeta.Model)
			jitter, _ := m.OS.(noise.Periodic)
			got = append(got, environment{m.Problem.Node, jitter.Shared})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n(-want +got):\n%s", c.study, diff)
		}
		if len(names) != len(c.want) {
			t.Errorf("%s\n%d names of random streams, want %d", c.study, len(names), len(c.want))
		}
	}
}

// What a configuration takes in memory is what the bound of their number is made of.
func TestBytesPerConfig(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s, err := Read(Input{Name: "s.yaml", Set: []string{"ranks=2..101", "redundancy.sources=1", "progress.kind=polling", "progress.polls=1..100"}}, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	n := len(s.Configs)
	if each := float64(after.HeapAlloc-before.HeapAlloc) / float64(n); n != 10000 || each > BytesPerConfig {
		t.Errorf("each of %d configurations takes %.0f bytes, more than %d", n, each, BytesPerConfig)
	} else {
		t.Logf("%.0f bytes each", each)
	}
	runtime.KeepAlive(s)
}

// Editors may begin a file with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	for name, text := range map[string]string{
		"s.yaml": "ranks: 8\n", "s.json": `{"ranks": 8}`, "s.toml": "ranks = 8\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("\ufeff"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		in, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(in, 1000)
		if err != nil || s.Points[0].Value("ranks").Whole != 8 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
