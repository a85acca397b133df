package study

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// configs returns the configurations of a study.
func configs(t *testing.T, s *Study) []montecarlo.Config {
	t.Helper()
	all := make([]montecarlo.Config, len(s.Configurations))
	for i := range all {
		all[i] = s.Config(i)
	}
	return all
}

// The embedded study is the paper's, as it assumes and on hosts: its ranks × latencies × durations,
// as it assumes with as long delays of messages, and on hosts with overheads inside the latencies.
func TestDefaultStudy(t *testing.T) {
	s := tests.Must(Read(Input{Name: "default.yaml", File: datasets.DefaultStudy}, 1000))(t)
	want := map[string]bool{}
	expect := func(k int, latency, overhead, duration float64, r collectives.Redundancy, start noise.Start,
		network noise.Network,
	) {
		r.Max, r.Sources = collectives.AllExchanges, 1
		want[fmt.Sprint(collectives.Problem{
			Ranks: 1 << k, Bytes: 8, Latency: latency, Bandwidth: 1e9, MemoryBandwidth: 1e10,
			Node: collectives.Node{Ranks: 1}, Leaders: 1, Segments: 1, Redundancy: r, Busy: start == noise.Random,
			Host: collectives.Host{Overhead: overhead},
		}, noise.Periodic{Period: 1e-3, Duration: duration, Start: start}, network)] = true
	}
	for k := 1; k <= 16; k++ {
		for _, duration := range []float64{1e-5, 1e-4} {
			delays := noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(duration)}
			for _, latency := range []float64{1e-6, 1e-7} {
				expect(k, latency, 0, duration, collectives.Redundancy{}, noise.Synchronized, delays)
			}
			onHosts := collectives.Redundancy{Reception: collectives.CPU}
			expect(k, 1e-6-2*150e-9, 150e-9, duration, onHosts, noise.Random, noise.None{})
			expect(k, 1e-7-2*25e-9, 25e-9, duration, onHosts, noise.Random, noise.None{})
		}
	}
	for _, c := range configs(t, s) {
		m := c.Model.(*rounds.Model)
		got := fmt.Sprint(m.Problem, m.OS, m.Network)
		if !want[got] || m.Algorithm.Name != "butterfly" {
			t.Errorf("%s %s is not of the study", m.Algorithm.Name, got)
		}
		delete(want, got)
	}
	if len(want) > 0 {
		t.Errorf("%d configurations of the study are missing", len(want))
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
		return tests.Must(Read(Input{Name: "s.yaml", File: []byte(file)}, 1000))(t)
	}
	one := read("ranks: [8, 16]\nnetwork: {latency: 1us}")
	same := read("network: {latency: 1000ns}\nranks: 2^3..2^4")
	if one.Hash != same.Hash || one.Point(1).ID != same.Point(1).ID {
		t.Errorf("two ways of writing one study: %s %s and %s %s", one.Hash, one.Point(1).ID, same.Hash,
			same.Point(1).ID)
	}
	other := read("ranks: [8, 16]\nnetwork: {latency: 2us}")
	if one.Hash == other.Hash || one.Point(0).ID == other.Point(0).ID {
		t.Error("another latency has the same digests")
	}
	seed := read("seed: 2\nranks: [8, 16]\nnetwork: {latency: 1us}")
	if one.Hash == seed.Hash || one.Point(0).ID != seed.Point(0).ID {
		t.Error("another seed is another study of the same configurations")
	}
}

// Trials of a choice have fewer iterations on more ranks, unless their number is given.
func TestIterationsOfChoices(t *testing.T) {
	iterations := func(settings string) (all [][2]int) {
		file := "ranks: [16384, 16385, 131073]\napplication: " + settings
		in := Input{Name: "s.yaml", File: []byte(file), Choose: true}
		for _, c := range configs(t, tests.Must(Read(in, 1000))(t)) {
			a := c.Model.(*rounds.Application)
			all = append(all, [2]int{a.Iterations, a.Warmup})
		}
		return all
	}
	few := [][2]int{{12, 2}, {5, 1}, {4, 1}}
	if got := iterations("{compute: 1ms}"); !slices.Equal(got, few) {
		t.Errorf("iterations and warm-up are %v, not %v", got, few)
	}
	given := [][2]int{{50, 3}, {50, 3}, {50, 3}}
	if got := iterations("{compute: 1ms, iterations: 50, warmup: 3}"); !slices.Equal(got, given) {
		t.Errorf("iterations and warm-up are %v, not those given", got)
	}
}

// What plays no part makes no configurations of its own, and what a
// configuration's noise is named by has neither the collective nor the
// redundancy in it.
func TestWhatPlaysNoPart(t *testing.T) {
	s := tests.Must(Read(Input{Name: "s.yaml",
		File: []byte("collective: [butterfly, ring]\nranks: 8\nsegments: [1, 4]\nredundancy: " +
			"{send_overhead: [0s, 1us]}\nnoise: {os: {kind: [none, periodic], duration: [10us, 20us]}, " +
			"network: {kind: none}}")}, 1000))(t)
	if len(s.Configurations) != (1+2)*2*3 { // of the ring two; no jitter at all, and two durations of it
		t.Errorf("%d configurations, want 18", len(s.Configurations))
	}
	environments := map[string]bool{}
	for _, c := range configs(t, s) {
		environments[c.Environment] = true
		if strings.Contains(c.Environment, "butterfly") || strings.Contains(c.Environment, "overhead") ||
			strings.Contains(c.Environment, "segments") {
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
		{"noise: {os: {scope: [rank, node]}}\nnode: {latency: [1us, 2us]}",
			[]environment{{collectives.Node{Ranks: 1}, 0}}},
		{"ranks_per_node: [1, 4]\nnoise: {os: {scope: [rank, node]}}\nnetwork: {overhead: 0s, bandwidth: " +
			"8GB/s}\nnode: {latency: [1us, 2us]}", []environment{
			{collectives.Node{Ranks: 1}, 0},
			{collectives.Node{Ranks: 4, Latency: 1e-6, Bandwidth: 8e9}, 0},
			{collectives.Node{Ranks: 4, Latency: 1e-6, Bandwidth: 8e9}, 4},
			{collectives.Node{Ranks: 4, Latency: 2e-6, Bandwidth: 8e9}, 0},
			{collectives.Node{Ranks: 4, Latency: 2e-6, Bandwidth: 8e9}, 4},
		}},
		{"ranks_per_node: 4\nnoise: {os: {kind: none, scope: [rank, node]}}\nnetwork: {overhead: 0s, latency: " +
			"3us}\nnode: {bandwidth: 2GB/s}", []environment{
			{collectives.Node{Ranks: 4, Latency: 3e-6, Bandwidth: 2e9}, 0},
		}},
	} {
		s := tests.Must(Read(Input{Name: "s.yaml", File: []byte(c.study)}, 1000))(t)
		var got []environment
		names := map[string]bool{}
		for _, config := range configs(t, s) {
			names[config.Environment] = true
			m := config.Model.(*rounds.Model)
			jitter, _ := m.OS.(noise.Periodic)
			got = append(got, environment{m.Problem.Node, jitter.Shared})
		}
		if diff := tests.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n(-want +got):\n%s", c.study, diff)
		}
		if len(names) != len(c.want) {
			t.Errorf("%s\n%d names of random streams, want %d", c.study, len(names), len(c.want))
		}
	}
}

// What a study keeps of a configuration is less than its point or its model, so that millions fit.
func TestBytesPerConfiguration(t *testing.T) {
	polls := tests.Part(1000, 100)
	before := tests.Heap()
	s := tests.Must(Read(Input{Name: "s.yaml", Set: []string{
		"ranks=2..101", "redundancy.sources=1", "progress.kind=polling", "progress.polls=1.." + fmt.Sprint(polls),
	}}, 1e6))(t)
	n := len(s.Configurations)
	if each := (tests.Heap() - before) / float64(n); n != 100*polls || each > 64 {
		t.Errorf("each of %d configurations takes %.0f bytes, more than 64", n, each)
	} else {
		t.Logf("%.0f bytes each", each)
	}
	runtime.KeepAlive(s)
}

// Configurations that are the same are one, however far apart they are in the product of the axes,
// and on however many processors it is derived.
func TestSameConfigurationsFarApart(t *testing.T) {
	in := Input{Name: "s.yaml", Set: []string{
		"ranks=2", "noise.network.kind=none", "noise.os.kind=periodic,none,poisson",
		"redundancy.sources=1", "noise.os.duration=" + times(2*together),
	}}
	for _, processors := range []int{1, 3} {
		before := runtime.GOMAXPROCS(processors)
		s, err := Read(in, 1e6)
		runtime.GOMAXPROCS(before)
		tests.NoError(t, err)
		kinds := map[string]int{}
		ids := map[string]bool{}
		for i := range s.Configurations {
			p := s.Point(i)
			kinds[p.Name(OSKind)]++
			ids[p.ID] = true
		}
		want := map[string]int{periodic: 2 * together, none: 1, poisson: 2 * together}
		if diff := tests.Diff(want, kinds); diff != "" || len(ids) != len(s.Configurations) {
			t.Errorf("%d processors: %d IDs (-want +got)\n%s", processors, len(ids), diff)
		}
	}
}

// What many configurations rest on is what their points have, as of few.
func TestBasisOfMany(t *testing.T) {
	basis := func(periods int) []string {
		return tests.Must(Read(Input{Name: "s.yaml", Set: []string{
			"nodes=2,3", "ranks_per_node=2", "network.latency=50ns", "noise.os.period=" + times(periods),
			"noise.os.duration=100ns",
		}}, 1e6))(t).Basis()
	}
	few, many := basis(10), basis(mostCompared/2+1)
	few[0] = strings.Replace(few[0], "1.009 µs (10 values)", "6 µs (5001 values)", 1)
	if !slices.Equal(few, many) {
		t.Errorf("of many configurations %q, of few %q", many, few)
	}
}

// Editors may begin a file with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	for name, text := range map[string]string{
		"s.yaml": "ranks: 8\n", "s.json": `{"ranks": 8}`, "s.toml": "ranks = 8\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		tests.NoError(t, os.WriteFile(path, []byte("\ufeff"+text), 0o666))
		var in Input
		tests.NoError(t, in.ReadFile(path))
		s, err := Read(in, 1000)
		if err != nil || s.Point(0).Whole(Ranks) != 8 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkRead has the time and the memory that a configuration takes before it is simulated.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{2_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := Input{Name: "s.yaml", Set: []string{
				"ranks=2", "network.latency=" + times(n/100), "noise.os.duration=" + times(100),
			}}
			b.ReportAllocs()
			for b.Loop() {
				tests.Must(Read(in, 1e7))(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/configuration")
		})
	}
}

// times returns n different times.
func times(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%dns", 1000+i))
	}
	return strings.Join(all, ",")
}

// No file makes reading panic or take for ever, and every error is one line's
// worth of text. What is read holds together.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"s.yaml", "s.toml", "s.json"} {
		f.Add(name, datasets.DefaultStudy)
	}
	f.Add("s.toml", []byte("ranks = [\"2^1..2^5\", 64]\ntrials.min = 20\n[network]\nlatency = "+
		"[\"1000ns\", \"0.1us\"]\n"))
	f.Add("s.json", []byte(`{"seed": "7", "ranks": [2, 4], "noise": {"os": {"kind": "none"}}}`))
	f.Add("s.yaml", []byte("noise: {os: {duration: =noise.network.duration}}"))
	f.Add("s.yaml", []byte("ranks: =seed\nbytes: 0B\ntrials: {max: =trials.min}"))
	f.Fuzz(func(t *testing.T, name string, file []byte) {
		switch format(name) {
		case "yaml", "yml", "toml", "json":
		default:
			t.Skip()
		}
		s, err := Read(Input{Name: name, File: file}, 1000)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without a text")
			}
			return
		}
		again, err := Read(Input{Name: "plan.json", Recorded: &s.Recorded}, 1000)
		if err != nil || again.Hash != s.Hash || len(again.Configurations) != len(s.Configurations) ||
			again.Point(0).ID != s.Point(0).ID {
			t.Errorf("read again from what was recorded it is another study: %v", err)
		}
		if n := len(s.Configurations); n == 0 || n > 1000 || n != s.Len() {
			t.Errorf("%d configurations in %d fields", n, s.Len())
		}
		for _, c := range configs(t, s) {
			// Where no round is of all ranks, as of 7, the bound is 0.
			if _, err := c.Model.Shape(); err != nil || !(c.Model.LowerBound() >= 0) {
				t.Errorf("an impossible problem was read: %+v, %v", c.Model, err)
			}
		}
	})
}

// A study file that File returns reads as the study that it was returned for, whatever key is
// given, and names the schema in its first line.
func TestFileReadsAsItsStudy(t *testing.T) {
	read := 0
	for _, k := range Keys {
		value := k.Default
		if k.Column != "" && len(k.Names) > 1 && k.Check == nil && k.Files == nil {
			value = strings.Join(k.Names[:2], ",")
		}
		set := []string{k.Path + "=" + value, "collective=butterfly,ring"}
		if k.Path == "collective" {
			set = set[:1]
		}
		s, err := Read(Input{Name: "none.yaml", Set: set}, 1000)
		if err != nil {
			continue // it cannot be set alone
		}
		read++
		text := s.Recorded.File()
		if !strings.HasPrefix(string(text), "# yaml-language-server: $schema=study.schema.json\n") {
			t.Errorf("%s: the first line names no schema:\n%s", k.Path, text)
		}
		again, err := Read(Input{Name: "again.yaml", File: text}, 1000)
		if err != nil {
			t.Errorf("%s: %v:\n%s", k.Path, err, text)
			continue
		}
		if again.Hash != s.Hash || !slices.Equal(again.Recorded.Given, s.Recorded.Given) {
			t.Errorf("%s: given %v, read again %v:\n%s", k.Path, s.Recorded.Given,
				again.Recorded.Given, text)
		}
	}
	if read < len(Keys)/2 {
		t.Errorf("only %d of %d keys were written", read, len(Keys))
	}
}

// allNames returns every value of every key that is a word, as path=value, with topologies and other
// examples.
func allNames() (all []string) {
	for _, k := range Keys {
		for _, name := range slices.Concat(k.Names, k.Examples) {
			all = append(all, k.Path+"="+name)
		}
		for name := range k.Aliases {
			all = append(all, k.Path+"="+name)
		}
	}
	slices.Sort(all)
	return all
}

// Every word that a key takes is read, alone or beside another, in the default study and with
// defaults alone, by commands that simulate configurations and by commands that choose among them:
// it is a study, or an error.
func TestEveryName(t *testing.T) {
	all, random := allNames(), rand.New(rand.NewPCG(1, 2))
	read := func(set ...string) {
		t.Helper()
		for _, choose := range tests.Part([]bool{false, true}, []bool{len(set[0])%2 == 0}) {
			in := Input{Name: "s.yaml", File: []byte("ranks: 8"), Set: set, Choose: choose}
			if !choose && len(set) == 1 {
				in.File = datasets.DefaultStudy
			}
			s, err := Read(in, 1e6)
			if err == nil && s.Len() == 0 || err != nil && err.Error() == "" {
				t.Errorf("%v: neither a study nor an error: %v", set, err)
			}
		}
	}
	for _, one := range all {
		read(one)
	}
	for range tests.Part(300, 50) {
		read(all[random.IntN(len(all))], all[random.IntN(len(all))])
	}
}
