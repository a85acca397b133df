package results

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// results returns the results of a small study: two latencies and two numbers of ranks, which
// determine a third column.
func results() *datasets.Results {
	r := &datasets.Results{Run: datasets.Run{
		Version: "test", Study: "0123456789abcdef",
		Values: map[string][]string{
			"ranks": {"2", "1024"}, "network.latency": {"1e-06", "1e-07"}, "seed": {"7"},
			"choose.tolerance": {"0.01"}, "trials.confidence": {"0.95"},
		},
	}}
	for _, ranks := range []int64{2, 1024} {
		for _, latency := range []float64{1e-6, 1e-7} {
			r.Choices = append(r.Choices, datasets.ChoiceRow{
				Axes: datasets.Axes{
					ConfigID:    "c",
					Ranks:       ranks,
					Nodes:       ranks,
					Latency:     latency,
					NetInterval: latency * 3,
				},
				Pick: datasets.Pick{
					Star:       1,
					Estimate:   1,
					Speedup:    float64(ranks),
					ByName:     "mean",
					Confidence: 0.5,
					Warning:    "unsure",
				},
			})
			r.Measures = append(r.Measures, []datasets.Measures{
				{
					Redundancy: 0,
					Trials:     30,
					Mean:       latency * float64(ranks),
					NoiseFree:  latency,
					StopReason: "fixed",
				},
				{Redundancy: 1, Trials: 30, Mean: latency, NoiseFree: latency, StopReason: "fixed"},
			})
		}
	}
	return r
}

// write returns the page of the results with a title.
func write(t *testing.T, r *datasets.Results, title string) string {
	t.Helper()
	return string(tests.Must(pageOf(r, title))(t))
}

// unpack reads the page's data as its script does.
func unpack(t *testing.T, page string) (header, map[string][]float32) {
	t.Helper()
	text := regexp.MustCompile(`id="data">([^<]*)<`).FindStringSubmatch(page)
	if text == nil {
		t.Fatal("the page has no data")
	}
	packed := tests.Must(base64.StdEncoding.DecodeString(text[1]))(t)
	unzip := tests.Must(gzip.NewReader(bytes.NewReader(packed)))(t)
	all := tests.Must(io.ReadAll(unzip))(t)
	n := 4 + int(binary.LittleEndian.Uint32(all))
	var h header
	tests.NoError(t, json.Unmarshal(all[4:n], &h))
	columns := map[string][]float32{}
	for _, c := range h.Columns {
		for range c.Length {
			columns[c.Name] = append(
				columns[c.Name], math.Float32frombits(binary.LittleEndian.Uint32(all[n:])),
			)
			n += 4
		}
	}
	if n != len(all) {
		t.Errorf("%d bytes after the columns", len(all)-n)
	}
	return h, columns
}

func TestPayload(t *testing.T) {
	h, columns := unpack(t, write(t, results(), ""))
	var titles []string
	for _, a := range h.Axes {
		titles = append(titles, a.Column+": "+strings.Join(a.Labels, " ")+"; "+strings.Join(a.Ticks, " "))
	}
	// Neither nodes nor the interval of network noise is an axis: others determine them.
	want := []string{"ranks: 2 1024; 2 1024", "latency_s: 100 ns 1 µs; 100 ns 1 µs"}
	if !slices.Equal(titles, want) {
		t.Errorf("axes %q, want %q", titles, want)
	}
	for name, want := range map[string][]float32{
		"axis latency_s": {1, 0, 1, 0},
		"t_estimate":     {1, 1, 1, 1},
		"results":        {2, 2, 2, 2},
		"mean_s":         {2e-6, 1e-6, 2e-7, 1e-7, 1024e-6, 1e-6, 1024e-7, 1e-7},
	} {
		if !slices.Equal(columns[name], want) {
			t.Errorf("%s is %v, want %v", name, columns[name], want)
		}
	}
}

// A name that determines numbers is the axis in their place.
func TestAxesOfProfiles(t *testing.T) {
	r := results()
	r.Values["noise.profile"] = []string{"a", "b"}
	for i := range r.Choices {
		r.Choices[i].NoiseProfile = "a"
		if r.Choices[i].Latency < 1e-6 {
			r.Choices[i].NoiseProfile = "b"
		}
	}
	axes := pageAxes(r)
	if len(axes) != 2 || axes[0].Column != "ranks" || axes[1].Column != "noise_profile" {
		t.Errorf("axes %+v", axes)
	}
}

// What a page says of the continuation of a study with a fixed number of trials is what sweep says.
func TestContinuation(t *testing.T) {
	r := results()
	r.Values["trials.min"], r.Values["trials.max"] = []string{"30"}, []string{"30"}
	r.Values["choose.objective"] = []string{"mean"}
	for i := range r.Choices {
		r.Choices[i].Needed = 500
	}
	const want = "; --trials-min 30 --trials-max 1000 continues from here."
	if page := write(t, r, ""); !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

// No text of results or a directory's name becomes markup, and the page's policy allows only
// its own script.
func TestNothingIsInjected(t *testing.T) {
	const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`
	r := results()
	r.Version, r.Study = evil, evil
	r.Values = map[string][]string{
		"ranks":         {evil},
		"seed":          {evil},
		"noise.profile": {evil},
		"permutation":   {evil},
	}
	for i := range r.Choices {
		c := &r.Choices[i]
		c.ConfigID, c.Collective, c.NoiseProfile, c.ByName, c.Warning = evil, evil, evil+c.NoiseProfile, evil, evil
		r.Measures[i][0].StopReason = evil
	}
	r.Choices[0].Collective = "other"
	page := write(t, r, evil)
	for _, tag := range []string{"<img", "<script>alert", "onerror=alert(2)>"} {
		if strings.Contains(page, tag) {
			at := strings.Index(page, tag)
			t.Errorf("the page has %q: …%s", tag, page[max(0, at-80):at+40])
		}
	}
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	if !strings.Contains(page, "&lt;/script&gt;&lt;script&gt;alert(1)") {
		t.Error("the escaped text is missing")
	}
	if strings.Contains(page, "http://") &&
		strings.Count(page, "http://") != strings.Count(page, "http://www.w3.org/2000/svg") ||
		strings.Contains(page, "https://") {
		t.Error("the page names an address on the network")
	}
}

// The policy contains the hashes of the page's style and script.
func TestPolicy(t *testing.T) {
	page := write(t, results(), "")
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)[1]
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(page)[1]
	content := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`)
	policy := content.FindStringSubmatch(page)[1]
	for _, text := range []string{style, script} {
		if want := strings.ReplaceAll(hash([]byte(text))(), "+", "&#43;"); !strings.Contains(policy, want) {
			t.Errorf("%s does not name %s", policy, want)
		}
	}
}

func TestCommand(t *testing.T) {
	r := results()
	line := tests.Must(commandLine(&datasets.Results{Run: datasets.Run{
		KeepTrials: true,
		Values: map[string][]string{
			"ranks": {"2", "4"}, "network.latency": {"2e-06"},
			"noise.network.duration": {"=noise.os.duration"},
			"noise.profile":          {"it's"},
		},
	}}))(t)
	for _, want := range []string{
		" --ranks 2,4 ", " --latency 2us ", ` --noise 'it'\''s' `, " --keep-trials --out again",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%s has no %s", line, want)
		}
	}
	if strings.Contains(line, "net-duration") {
		t.Errorf("%s has a flag for the default", line)
	}
	r.Values["topology"] = []string{""}
	r.Values["trials.effort"] = []string{"10000000000"}
	set, unset, err := settings(r.Values)
	tests.NoError(t, err)
	has := func(of []setting, want setting) bool {
		return slices.ContainsFunc(of, func(s setting) bool {
			return s.Path == want.Path && s.Values == want.Values
		})
	}
	if ranks := (setting{Path: "ranks", Values: "2, 1024"}); !has(set, ranks) || has(unset, ranks) {
		t.Errorf("set are %+v", set)
	}
	for _, s := range []setting{
		{Path: "choose.tolerance", Values: "0.01"}, {Path: "trials.effort", Values: "10000000000"},
	} {
		if has(set, s) || !has(unset, s) {
			t.Errorf("not set are %+v, with %s", unset, s.Path)
		}
	}
}

// Of applications the page has what iterations show besides, and no distribution of the means that
// trials were kept of; of launches it does not.
func TestApplications(t *testing.T) {
	for _, iterations := range []int64{0, 200} {
		r := results()
		r.KeepTrials = iterations > 0 // which would have to be read
		for i := range r.Choices {
			c := &r.Choices[i]
			c.Iterations, c.Share, c.CallsSpeedup, c.Shown = iterations, 0.25, 1.5, 2
		}
		page := write(t, r, "")
		h, columns := unpack(t, page)
		app := iterations > 0
		if h.Applications != app || strings.Contains(page, "<b>Iterations</b>") != app {
			t.Errorf("%d iterations: the page says %v", iterations, h.Applications)
		}
		for name, want := range map[string]float32{
			"collective_share": 0.25, "collective_speedup": 1.5, "noise_amplification": 2,
		} {
			if got := columns[name]; (len(got) == len(r.Choices)) != app || app && got[0] != want {
				t.Errorf("%d iterations: %s is %v", iterations, name, got)
			}
		}
	}
}

// three returns three configurations whose means are 1.1, 3.2 and 10.5 times faster at T* = 1 than
// at T = 0, with intervals of ±10% of means, and a confidence of 50%, 95% and 80%.
func three() *datasets.Results {
	r := &datasets.Results{Run: datasets.Run{Values: map[string][]string{"trials.confidence": {"0.95"}}}}
	around := func(mean float64) datasets.Measures {
		return datasets.Measures{Mean: mean, Low: 0.9 * mean, High: 1.1 * mean}
	}
	for i, gain := range []float64{1.1, 3.2, 10.5} {
		r.Choices = append(r.Choices, datasets.ChoiceRow{
			Axes: datasets.Axes{ConfigID: string(rune('a' + i))},
			Pick: datasets.Pick{
				Star: 1, Estimate: int64(i+1) / 2, High: 2, ByName: "mean", Speedup: gain, GainLow: 0.9 * gain,
				Confidence: []float64{0.5, 0.95, 0.8}[i],
			},
		})
		r.Measures = append(r.Measures, []datasets.Measures{around(gain), around(1)})
	}
	return r
}

func TestHeadline(t *testing.T) {
	texts := func(r *datasets.Results) string {
		x := sweep.NewSummary(tests.Must(settingsOf(r))(t))
		for i := range r.Choices {
			x.Add(&r.Choices[i], r.Measures[i])
		}
		return fmt.Sprint(x.Verdict())
	}
	has := func(name string, r *datasets.Results, want ...string) {
		t.Helper()
		got := texts(r)
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("%s: %q has no %q", name, got, text)
			}
		}
	}
	r := three()
	has("three", r, "Median gain: 3.20× (2.88× to 3.91×).", "Largest gain: 10.50× (9.45× to 12.83×). c",
		"Best T: 0–1.",
		"Redundancy pays in 2 of 3 cases: the collective is 3.2–10 times as fast (95% confidence).")
	r.Choices[2].GainLow = 0.75
	has("the largest gain may be none", r, "Largest gain: 3.20× (2.88× to 3.91×). b",
		"Redundancy pays in 1 of 3 cases")
	r.Choices[2].GainLow = 9.45
	r.Measures[1][1].Low = 0
	r.Measures[2][1].Low = -1
	has("intervals that reach 0", r, "Median gain: 3.20× (at least 2.88×)")
	for i := range r.Choices {
		r.Choices[i].GainLow, r.Choices[i].ByName = 0.5, "p99"
	}
	has("none certain", r, "These trials do not show whether redundancy pays in 3 of 3 cases. } {Best T")
	for i := range r.Choices {
		r.Choices[i].Star, r.Choices[i].Speedup = 0, 1
	}
	has("T = 0", r, "Redundancy does not pay in 3 of 3 cases")
	r.Choices[1].Warning = "unsure"
	has("open", r, "These trials do not show whether redundancy pays in 1 of 3 cases.")
	r = three()
	r.Choices[0].Assume, r.Choices[1].Assume, r.Choices[2].Assume = "paper", "hosts", "hosts"
	has("assumptions apart", r, "With assume paper: These trials do not show whether redundancy pays here",
		"With assume hosts: Redundancy pays in 2 of 2 cases", "Median gain: 6.85×")
	r = three()
	r.Choices, r.Measures = r.Choices[:1], r.Measures[:1]
	has("one", r, "Best T: 0 (0–2), with a confidence of 50.0% in 1.",
		"Gain over T = 0: 1.10× (0.99× to 1.34×).")
}

// Of more configurations than can be shown the part is read that is asked for, and all are refused
// with what to do.
func TestReadSome(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	const n = 6
	d := tests.Must(datasets.Begin(dir, datasets.Plan{
		StudyHash: "0123456789abcdef", Configurations: n,
		Shards: []datasets.Shard{{Configurations: fmt.Sprintf("0-%d", n-1), Cost: 1}},
	}, nil, datasets.Extension{}))(t)
	c := d.Collect()
	for i := range n {
		c.Add(i, datasets.Record{Measures: []datasets.Measures{{Mean: float64(i)}}})
	}
	tests.NoError(t, d.Writable())
	tests.NoError(t, c.Flush(true))
	err := d.Finish(func(i int) datasets.Axes {
		a := datasets.Axes{ConfigID: fmt.Sprint(i), Ranks: int64(2 << (i % 3))}
		a.Latency = float64(i/3) * 1e-6
		return a
	})
	tests.NoError(t, err)
	for _, c := range []struct {
		where []string
		most  int
		want  string
	}{
		{nil, 6, "0 1 2 3 4 5"},
		{[]string{"ranks=4"}, 2, "1 4"},
		{[]string{"ranks=4,latency=1us"}, 1, "4"},
		{[]string{"ranks=4", "latency=1us"}, 1, "4"},
		{nil, 5, dir + ": 6 configurations are too many, a page shows 5 at most; keep some with --where"},
		{[]string{"ranks=4"}, 1, ": 2 configurations are too many"},
		{[]string{"ranks=4,latency=2us"}, 9, "--where: no configuration has latency=2us"},
	} {
		r, err := readSome(dir, c.where, "a page shows", c.most)
		got := fmt.Sprint(err)
		if err == nil {
			var ids []string
			for i, choice := range r.Choices {
				ids = append(ids, choice.ConfigID)
				if id := fmt.Sprint(r.Measures[i][0].Mean); id != choice.ConfigID {
					t.Errorf("configuration %s has the measures of %s", choice.ConfigID, id)
				}
			}
			got = strings.Join(ids, " ")
		}
		if !strings.Contains(got, c.want) || err == nil && got != c.want {
			t.Errorf("%q of at most %d: %s, want %s", c.where, c.most, got, c.want)
		}
	}
}
