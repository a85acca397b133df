package montecarlo_test

import (
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jitterfly/collectives"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

// recordedTrace reads the runs of netgauge's selfish benchmark on a system.
func recordedTrace(t *testing.T, system string) noise.Trace {
	t.Helper()
	name := "../noise/measured/formats/testdata/recorded/desensi_" + system + "_selfish.txt.gz"
	f := tests.Must(os.Open(name))(t)
	defer func() { _ = f.Close() }()
	text := tests.Must(gzip.NewReader(f))(t)
	m := tests.Must(formats.Read(text, name, -1))(t)
	return m.Trace
}

// slowdowns returns the mean and the 99th percentile of the plain butterfly of the given ranks,
// launched at any moment, over its time without noise.
func slowdowns(t *testing.T, os noise.OS, ranks, trials int) (mean, p99 float64) {
	config := reference(ranks)
	config.OS, config.Network = os, noise.None{}
	r, _ := run(t, trials, config)
	s := r.Summaries[0]
	return s.Mean / s.NoiseFree, quantile(s, 0.99) / s.NoiseFree
}

func jitter(t *testing.T, p profile.Profile) noise.OS {
	t.Helper()
	return tests.Must(p.Jitter(noise.Random, profile.Groups{}, nil))(t)
}

// Profiles of recorded traces, of two runs each whose clocks differ, are good, and slow a
// butterfly down as the traces do that they stand for: by 5% in the mean and 15% in the 99th
// percentile. With -v it prints the numbers.
func TestFitsSlowDownAsTheirTraces(t *testing.T) {
	table := "| trace | ranks | mean: replayed | fitted | | p99: replayed | fitted | |\n" +
		"|---|---|---|---|---|---|---|---|\n"
	for _, system := range []string{"oracle", "azure_hbv2"} {
		seen := recordedTrace(t, system)
		fitted := measured.FitTrace(seen, system)
		if fitted.Fit.Verdict != profile.Good {
			t.Errorf("%s: %s", system, fitted.Fit.Reason)
		}
		replay := noise.Superposition{Start: noise.Random, Components: noise.Components(0,
			noise.Replay{Trace: seen})}
		for _, ranks := range tests.Part([]int{64, 256, 1024, 4096}, []int{64}) {
			trials := min(200_000, tests.Part(1<<24, 1<<22)/ranks)
			if ranks == 4096 { // few of its trials have most of the time
				trials *= 4
			}
			mean, p99 := slowdowns(t, replay, ranks, trials)
			fitMean, fitP99 := slowdowns(t, jitter(t, fitted), ranks, trials)
			offMean, offP99 := fitMean/mean-1, fitP99/p99-1
			if math.Abs(offMean) > 0.05 || math.Abs(offP99) > 0.15 {
				t.Errorf("%s, %d ranks: the mean is off by %.1f%%, the 99th percentile by %.1f%%", system,
					ranks, 100*offMean, 100*offP99)
			}
			table += fmt.Sprintf("| %s | %d | %.2f | %.2f | %+.1f%% | %.2f | %.2f | %+.1f%% |\n", system,
				ranks, mean, fitMean, 100*offMean, p99, fitP99, 100*offP99)
		}
	}
	t.Log(table)
}

// fromTrace is what a preset says of its trace, replayed: mean slow-downs on numbers of ranks, and
// 99th percentiles if it has them.
var fromTrace = regexp.MustCompile(`^slow-down (.+) of the plain butterfly of (.+) ranks, 8 B at 100 ns` +
	`, random start(?:; 99th percentile (.+))?$`)

// Presets of systems whose traces were replayed slow a butterfly down as much: by 5% in the mean
// and 15% in the 99th percentile, where that is known.
func TestPresetsSlowDownAsTheirSources(t *testing.T) {
	replayed := 0
	for _, preset := range datasets.Presets() {
		p := tests.Must(profile.Read(preset.YAML, preset.Name))(t)
		for _, note := range p.Provenance {
			if note.Key != "replayed" {
				continue
			}
			replayed++
			parts := fromTrace.FindStringSubmatch(note.Text)
			if parts == nil {
				t.Fatalf("%s: replayed: %s", preset.Name, note.Text)
			}
			means, p99s := numbers(t, parts[1]), numbers(t, parts[3])
			for i, ranks := range numbers(t, parts[2]) {
				if ranks > 256 && !tests.Whole() {
					continue
				}
				trials := 1 << 24 / int(ranks)
				if len(p99s) > 0 { // few trials have most of the time
					trials = min(100_000, 1<<27/int(ranks))
				}
				mean, p99 := slowdowns(t, jitter(t, p), int(ranks), trials)
				offMean, offP99 := mean/means[i]-1, 0.0
				if len(p99s) > 0 {
					offP99 = p99/p99s[i] - 1
				}
				t.Logf("%s, %.0f ranks: mean %.2f, %+.1f%%; p99 %.1f, %+.1f%%",
					preset.Name, ranks, mean, 100*offMean, p99, 100*offP99)
				if math.Abs(offMean) > 0.05 || math.Abs(offP99) > 0.15 {
					t.Errorf("%s, %.0f ranks: the mean is off by %.1f%%, the 99th percentile by %.1f%%",
						preset.Name, ranks, 100*offMean, 100*offP99)
				}
			}
		}
	}
	if replayed != 10 {
		t.Errorf("%d presets have one", replayed)
	}
}

// numbers returns the numbers of a list with commas, which may be empty.
func numbers(t *testing.T, list string) []float64 {
	t.Helper()
	var all []float64
	for _, text := range strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' }) {
		x := tests.Must(strconv.ParseFloat(text, 64))(t)
		all = append(all, x)
	}
	return all
}

// sources are jitters of every kind, far denser than real ones.
func sources(shared int, launch noise.Start) map[string]noise.OS {
	const µs = 1e-6
	ticks := noise.Ticks{Period: 400 * µs, Lengths: noise.Lognormal{Median: 3 * µs, Sigma: 0.5}}
	arrivals := noise.PoissonDetours{Interval: 2000 * µs, Lengths: noise.Pareto{Least: 10 * µs, Shape: 2.5}}
	replay := noise.Replay{Trace: noise.Trace{Cores: []noise.Core{{Span: 900 * µs,
		Detours: []noise.Detour{
			{Start: 100 * µs, Length: 5 * µs}, {Start: 300 * µs, Length: 20 * µs},
			{Start: 330.5 * µs, Length: 2 * µs},
		}}}}}
	of := func(s ...noise.Generator) noise.OS {
		return noise.Superposition{Start: launch, Components: noise.Components(shared, s...)}
	}
	return map[string]noise.OS{
		"periodic": noise.Periodic{Period: 1000 * µs, Duration: 10 * µs, Start: launch, Shared: shared},
		"ticks":    of(ticks), "arrivals": of(arrivals), "replay": of(replay),
		"all": of(ticks, arrivals, replay),
	}
}

// Ranks whose detours are the same are delayed together, so that many of them lose
// as little as two; each on its own they lose much more.
func TestCoScheduling(t *testing.T) {
	slowdown := func(ranks int, os noise.OS) float64 {
		config := reference(ranks)
		config.OS, config.Network = os, noise.None{}
		r, _ := run(t, 4000, config)
		return r.Summaries[0].Mean / r.Summaries[0].NoiseFree
	}
	const most = 1 << 14
	for name := range sources(1, noise.Synchronized) {
		two := slowdown(2, sources(2, noise.Synchronized)[name])
		shared := slowdown(most, sources(most, noise.Synchronized)[name])
		if shared > 1.3*two {
			t.Errorf("%s: at %d ranks that are delayed together a slow-down of %.3f, and at 2 one of %.3f",
				name, most, shared, two)
		}
	}
	if alone := slowdown(1<<10, sources(1, noise.Synchronized)["periodic"]); alone < 5 {
		t.Errorf("ranks that are delayed alone have a slow-down of %.3f", alone)
	}
}

// hidden hides the capabilities of detours from the executors.
type hidden struct{ noise.OS }

func (h hidden) Detours(room []float64) noise.Detours {
	return struct{ noise.Detours }{h.OS.Detours(room)}
}

// Detours with and without capabilities give the same trials, to the last bit.
func TestSourcesWithoutCapabilities(t *testing.T) {
	for _, launch := range []noise.Start{noise.Synchronized, noise.Random} {
		all := sources(1, launch)
		all["fleet"] = noise.Fleet{Classes: []noise.Class{
			{OS: all["all"], Share: 0.999}, {OS: noise.None{}, Share: 0.001, Speed: 0.9}}}
		for name, os := range all {
			config := reference(1 << 12)
			config.Problem.Redundancy.Sources = 2
			config.OS = os
			sparse, _ := run(t, 20, config)
			config.OS = hidden{os}
			dense, _ := run(t, 20, config)
			if !slices.Equal(sparse.Completion, dense.Completion) {
				t.Errorf("%s, launch %d: other times if all is simulated", name, launch)
			}
		}
	}
}

// Every source delays every collective, and none gets below its bound.
func TestSourcesWithCollectives(t *testing.T) {
	jitters := sources(1, noise.Random)
	jitters["Bernoulli"] = noise.Superposition{Pieces: []noise.Bernoulli{
		{Probability: 0.05, Lengths: noise.Exponential{Average: 1e-6}}}}
	both := jitters["all"].(noise.Superposition)
	both.Pieces = []noise.Bernoulli{{Probability: 0.05, Lengths: noise.Constant(1e-6)}}
	jitters["Bernoulli and all"] = both
	jitters["fleet"] = noise.Fleet{Classes: []noise.Class{
		{OS: noise.None{}, Share: 0.95}, {OS: jitters["all"], Share: 0.05, Speed: 0.8}}}
	jitters["none"] = noise.None{}
	var configs []setup
	for _, a := range collectives.Algorithms {
		c := reference(64)
		c.Algorithm = a
		configs = append(configs, c)
	}
	flows := flowsOn(t, "torus:5x5", 2)
	flows.Flows.Schedule, flows.Flows.Bandwidth = on(t, "a2at", "torus:5x5", 1e4).Schedule, 1e9
	configs = append(configs, flows)
	for name, os := range jitters {
		for _, network := range []noise.Network{noise.None{},
			noise.Latencies{Lengths: noise.Exponential{Average: 1e-7}}} {
			for _, config := range configs {
				config.OS, config.Network = os, network
				r, _ := run(t, tests.Part(60, 15), config)
				_, quiet := network.(noise.None)
				quiet = quiet && name == "none"
				for _, s := range r.Summaries {
					if s.LowerBound > s.Mean*(1+1e-12) || quiet != (s.Mean <= s.NoiseFree*(1+1e-9)) {
						t.Errorf("%s, %T, %s: mean %g, without noise %g, lower bound %g", name, network,
							config.Algorithm.Name, s.Mean, s.NoiseFree, s.LowerBound)
					}
				}
			}
		}
	}
}
