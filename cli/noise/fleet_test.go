package noise

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"jitterfly/datasets"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// A directory of traces becomes a profile of classes, and the node that is odd is named.
func TestImportFleet(t *testing.T) {
	dir := t.TempDir()
	write := func(node, core int, with ...profile.Component) {
		t.Helper()
		p := profile.Profile{OS: append(with, profile.Component{
			Kind: profile.Poisson, Interval: 10e-3, Duration: noise.Exponential{Average: 20e-6}})}
		key := rng.NewKey(1, "fleet").Derive(uint64(node)).Derive(uint64(core))
		c, _, err := noise.NewCore(core, 60, p.Draw(key, 60))
		tests.NoError(t, err)
		path := filepath.Join(dir, fmt.Sprintf("node%d-core%d.parquet", node, core))
		tests.Must(datasets.WriteTrace(path, "test", noise.Trace{Cores: []noise.Core{c}}))(t)
	}
	tests.Fails(t, "it has no file with measurements")(importDirectory(dir, 0))
	for core := range 2 {
		write(0, core)
	}
	tests.Fails(t, "a fleet has at least two nodes")(importDirectory(dir, 0))
	fan := profile.Component{Kind: profile.Periodic, Period: 1, Duration: noise.Constant(2.1e-3)}
	for node := 1; node < 10; node++ {
		for core := range 2 {
			if node == 7 {
				write(node, core, fan)
				continue
			}
			write(node, core)
		}
	}
	text, remarks, err := importDirectory(dir, 0)
	tests.NoError(t, err)
	for _, want := range []string{"10 nodes, 9 of them usual",
		"node7: detours of 2.11 ms every 1 s that usual nodes do not have; overhead 0.4"} {
		if !strings.Contains(remarks, want) {
			t.Errorf("%q is not in %s", want, remarks)
		}
	}
	p, err := profile.Read([]byte(text), "fleet.yaml")
	if err != nil || len(p.Classes) != 2 || p.Classes[0].Share != 0.9 || p.Classes[1].Share != 0.1 {
		t.Errorf("%v, classes %v", err, p.Classes)
	}
}

// histogramRow matches a row of a table of bins, in parts: its label, and the counts.
var (
	histogramRow = regexp.MustCompile(`(?m)^( *(\d+)(?: \(us\):)?[ \t]+)((?:\d+[ \t]+)*\d+)[ \t]*$`)
	wholeNumber  = regexp.MustCompile(`\d+`)
)

// varied returns a file of a table of bins as of another node: all counts differ by some percent, and
// an odd node has 20 times the counts from 15 µs on.
func varied(text string, r rng.Stream, odd bool) string {
	node := 1 + 0.03*r.NormFloat64()
	return histogramRow.ReplaceAllStringFunc(text, func(row string) string {
		parts := histogramRow.FindStringSubmatch(row)
		label, _ := strconv.Atoi(parts[2])
		return parts[1] + wholeNumber.ReplaceAllStringFunc(parts[3], func(count string) string {
			n, _ := strconv.ParseFloat(count, 64)
			if n *= node * (1 + 0.02*r.NormFloat64()); odd && label >= 15 {
				n *= 20
			}
			return fmt.Sprintf("%0*d", len(count), int64(math.Round(n)))
		})
	})
}

// importDirectory imports a directory and returns the profile that is printed, and the remarks.
func importDirectory(dir string, span float64) (text, remarks string, err error) {
	var out, errs bytes.Buffer
	o := importOptions{settings: settings{bytes: 8, span: span}, skip: -1, name: "fleet"}
	err = o.importFleet([]string{dir}, &out, &errs)
	return out.String(), errs.String(), err
}

// Files of tools that write histograms, as they were recorded, become classes of the node that has
// a longer tail and of the others.
func TestImportFleetOfHistograms(t *testing.T) {
	for file, want := range map[string]struct {
		kind profile.Kind
		odd  string
	}{
		"kerneldoc_rtla_osnoise_hist.txt": {profile.Poisson, "s are longer than 30 µs, of usual nodes 0.2"},
		"kubevirt_oslat.txt":              {profile.Poisson, "s are longer than 10 µs, of usual nodes 12"},
		"civcode_cyclictest.txt": {
			profile.Bernoulli, "% are late by more than 10 µs, of usual nodes 0.00",
		},
		"kerneldoc_rtla_timerlat_hist.txt": {
			profile.Bernoulli, "% are late by more than 30 µs, of usual nodes 0.000",
		},
	} {
		text := tests.Must(os.ReadFile(filepath.Join("../../noise/measured/formats/testdata/recorded", file)))(t)
		dir, r := t.TempDir(), rng.New(rng.NewKey(1, file))
		for node := range 8 {
			write(t, filepath.Join(dir, fmt.Sprintf("node%d.txt", node)), varied(string(text), r, node == 5))
		}
		text2, remarks, err := importDirectory(dir, 0)
		if err != nil || !strings.HasPrefix(remarks, "jitterfly: 8 nodes, 7 of them usual\njitterfly: node5: ") ||
			!strings.Contains(remarks, want.odd) {
			t.Errorf("%s: %v, %s", file, err, remarks)
			continue
		}
		p, err := profile.Read([]byte(text2), "fleet.yaml")
		if err != nil || len(p.Classes) != 2 || p.Classes[1].Share != 1./8 || len(p.OS) != 2 ||
			p.OS[1].Kind != want.kind || p.OS[1].Class != 2 {
			t.Errorf("%s: %v, %+v", file, err, p)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	tests.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// What cannot be compared is an error of one line, and two files of a node are one node.
func TestFleetsThatCannotBeCompared(t *testing.T) {
	const (
		selfish = "# Selfish Benchmark\n1000\t500\n900000\t700\n"
		osnoise = "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:01:00\n" +
			"Index   CPU-000\n0           430\n10           88\nover:         0\ncount:      518\n"
		wakeups = "# Histogram\n000000 000000\n000001 000003\n000002 059997\n000003 000001\n# Total: 000060001\n" +
			"# Min Latencies: 00001\n"
	)
	timeless := strings.Replace(osnoise, "# Duration:   0 00:01:00\n", "", 1)
	interrupts := strings.NewReplacer("osnoise", "timerlat", "CPU-000", "IRQ-000").Replace(osnoise)
	threads := strings.NewReplacer("osnoise", "timerlat", "CPU-000", "Thr-000").Replace(osnoise)
	for _, c := range []struct {
		files map[string]string
		span  float64
		want  string // the error, or what is remarked
	}{
		{map[string]string{"a.txt": osnoise}, 0, "DIR: a fleet has at least two nodes; "},
		{map[string]string{"a-core0.txt": osnoise, "a-core1.txt": osnoise}, 0,
			"DIR: a fleet has at least two nodes; "},
		{map[string]string{"a.txt": osnoise, "b.txt": ""}, 0, "DIR/b.txt:1: the file is empty; "},
		{map[string]string{"a.txt": osnoise, "b.txt": "hello\n"}, 0, `DIR/b.txt:1: "hello" has no known format`},
		{map[string]string{"a.txt": osnoise, "b.txt": selfish}, 0,
			"DIR: a has a histogram of detours and b detours with times, which cannot be compared; "},
		{map[string]string{"a.txt": osnoise, "b.txt": wakeups}, 0,
			"DIR: a has a histogram of detours and b a histogram of wake-ups, which cannot be compared; "},
		{map[string]string{"a-core0.txt": osnoise, "a-core1.txt": selfish, "b.txt": osnoise}, 0,
			"DIR/a-core1.txt: it has detours with times, and another file of a has a histogram of detours; "},
		{map[string]string{"a.txt": interrupts, "b.txt": threads}, 0,
			"DIR/b.txt: it has wakeups, and files before it interrupts; run the tool with the same options"},
		{map[string]string{"a.txt": timeless, "b.txt": osnoise}, 0,
			"DIR/a.txt: the histogram does not say over which time it was taken; give --span, such as 60s"},
		{map[string]string{"a.txt": timeless, "b.txt": osnoise}, 60, "jitterfly: 2 nodes, without differences"},
		{map[string]string{"a.txt": osnoise,
			"b.txt": "# OSU MPI Latency Test\n# Size  Latency (us)\n1  1.5\n2  1.6\n"}, 0,
			"DIR/b.txt: it has no detours, nor histograms of them, which show how nodes differ; "},
		{map[string]string{"a.txt": "T: 0 ( 2613) P:99 I:1000 C: 100000 Min: 2 Act: 3 Avg: 3 Max: 27\n"}, 0,
			"DIR/a.txt: it has a summary only; run cyclictest with -h 400"},
		// The files of node a are not one after the other in the order of names.
		{map[string]string{"a-core0.txt": osnoise, "a-x.txt": osnoise, "a.txt": osnoise, "mine.yaml": "profile: 1"},
			0, "jitterfly: 2 nodes, without differences in their files"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			write(t, filepath.Join(dir, name), text)
		}
		_, got, err := importDirectory(dir, c.span)
		if err != nil {
			got = err.Error()
		}
		got, few, _ := strings.Cut(strings.ReplaceAll(got, dir, "DIR"), "\n")
		if err == nil && !strings.HasPrefix(few, "jitterfly: histograms of fewer than 8 nodes show") {
			t.Errorf("of %v: %s", c.files, few)
		}
		if !strings.HasPrefix(got, c.want) || err != nil && few != "" {
			t.Errorf("of %v: %s", c.files, got)
		}
	}
}
