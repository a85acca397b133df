package montecarlo_test

import (
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

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
	m := tests.Must(formats.Read(text, name))(t)
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
	os := tests.Must(p.Jitter(noise.Random, profile.Groups{}, func(string) (noise.Trace, error) {
		return noise.Trace{}, nil
	}))(t)
	return os
}

// Profiles of recorded traces, of two runs each whose clocks differ, are good, and slow a
// butterfly down as the traces do that they stand for: by 5% in the mean and 15% in the 99th
// percentile. With -v it prints the numbers.
func TestFitsSlowDownAsTheirTraces(t *testing.T) {
	table := "| trace | ranks | mean: replayed | fitted | | p99: replayed | fitted | |\n" +
		"|---|---|---|---|---|---|---|---|\n"
	for _, system := range []string{"oracle", "azure_hbv2"} {
		seen := recordedTrace(t, system)
		fitted := tests.Must(measured.FitTrace(seen, system))(t)
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
