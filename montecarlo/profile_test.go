package montecarlo_test

import (
	"compress/gzip"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"jitterfly/datasets"
	"jitterfly/noise"
	"jitterfly/noise/fit"
	"jitterfly/noise/formats"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

var update = flag.Bool("update", false, "write the table of fits into docs/measure.md")

// recordedTrace reads the runs of netgauge's selfish benchmark on a system.
func recordedTrace(t *testing.T, system string) trace.Trace {
	t.Helper()
	name := "../noise/formats/testdata/recorded/desensi_" + system + "_selfish.txt.gz"
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := formats.Read(text, name)
	if err != nil {
		t.Fatal(err)
	}
	return *m.Trace
}

// slowdowns returns the mean and the 99th percentile of the plain butterfly of so many ranks,
// launched at any moment, over its time without noise.
func slowdowns(t *testing.T, os noise.OS, ranks, trials int) (mean, p99 float64) {
	config := reference(ranks)
	config.OS, config.Network = os, noise.None{}
	r, _ := run(t, trials, config)
	s := r.Summaries[0]
	return s.Mean / s.NoiseFree, s.P99 / s.NoiseFree
}

func jitter(t *testing.T, p profile.Profile) noise.OS {
	t.Helper()
	os, err := p.Jitter(noise.Random, profile.Groups{}, func(string) (trace.Trace, error) {
		return trace.Trace{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return os
}

// Profiles of recorded traces, of two runs each whose clocks differ, are good, and slow a
// butterfly down as the traces do that they stand for: by 5% in the mean and 15% in the 99th
// percentile. docs/measure.md has the numbers.
func TestFitsSlowDownAsTheirTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	table := "| trace | ranks | mean: replayed | fitted | | p99: replayed | fitted | |\n" +
		"|---|---|---|---|---|---|---|---|\n"
	for _, system := range []string{"oracle", "azure_hbv2"} {
		seen := recordedTrace(t, system)
		fitted, err := fit.Trace(seen, system)
		if err != nil {
			t.Fatal(err)
		}
		if fitted.Fit.Verdict != profile.Good {
			t.Errorf("%s: %s", system, fitted.Fit.Reason)
		}
		replay := noise.Superposition{Start: noise.Random, Components: noise.Components(0, noise.Replay{Trace: seen})}
		for _, ranks := range []int{64, 256, 1024, 4096} {
			trials := min(200_000, 1<<25/ranks)
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
	compareTable(t, "../docs/measure.md", table)
}

// Presets of systems whose traces were replayed slow a butterfly down as much, within 5%; gcp-c2,
// whose bursts are no Poisson process, within 15%.
func TestPresetsSlowDownAsTheirSources(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	replayed := 0
	for _, preset := range datasets.Presets() {
		p, err := profile.Read(preset.YAML, preset.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range p.Provenance {
			if note.Key != "replayed" {
				continue
			}
			replayed++
			var want float64
			var ranks int
			if _, err := fmt.Sscanf(note.Text, "slow-down %f of the plain butterfly of %d ranks", &want,
				&ranks); err != nil {
				t.Fatal(err)
			}
			most := map[string]float64{"gcp-c2": 0.15}[p.Name]
			if got, _ := slowdowns(t, jitter(t, p), ranks, 1<<24/ranks); math.Abs(got/want-1) > max(most, 0.05) {
				t.Errorf("%s: a slow-down of %.2f, replayed %.2f", preset.Name, got, want)
			}
		}
	}
	if replayed != 8 {
		t.Errorf("%d presets have one", replayed)
	}
}

// compareTable compares the table with the document's that has the same heading, or writes it
// there.
func compareTable(t *testing.T, file, table string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	heading, _, _ := strings.Cut(table, "\n")
	was := regexp.MustCompile(regexp.QuoteMeta(heading) + `\n(\|.*\n)*`).FindString(string(text))
	switch {
	case was == "":
		t.Errorf("%s has no such table", file)
	case was == table:
	case *update:
		text = []byte(strings.Replace(string(text), was, table, 1))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has the table\n%s\nwant\n%s", file, was, table)
	}
}
