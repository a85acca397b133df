package datasets_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"jitterfly/datasets"
	"jitterfly/internal/tests"
	"jitterfly/noise/profile"
)

// published statistics of detours, in the order in which they are written.
var published = []struct {
	name, unit string
	most       float64 // by which a preset may differ, relative
	of         func(p profile.Profile) float64
}{
	{"overhead", "%", 0.12, func(p profile.Profile) float64 { return 100 * p.Overhead() }},
	{"detours/s", "", 0.13, profile.Profile.Rate},
	{"median", "us", 0.15, func(p profile.Profile) float64 { return 1e6 * quantile(p, 0.5) }},
	{"mean", "us", 0.1, func(p profile.Profile) float64 { return 1e6 * p.Overhead() / p.Rate() }},
	{"p99", "us", 1, func(p profile.Profile) float64 { return 1e6 * quantile(p, 0.99) }},
	{"p99.9", "us", 1, func(p profile.Profile) float64 { return 1e6 * quantile(p, 0.999) }},
	{"maximum", "us", 1, func(p profile.Profile) float64 { return 1e6 * quantile(p, 1-1e-12) }},
}

// quantile returns the length [s] that a share of the detours of all components does not exceed.
func quantile(p profile.Profile, share float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		x := (low + high) / 2
		exceed := 0.0
		for _, c := range p.OS {
			below := sort.Search(1<<40, func(i int) bool {
				return c.Duration.Quantile(float64(i)/(1<<40)) > x
			})
			exceed += c.Rate() * (1 - float64(below)/(1<<40))
		}
		if exceed > (1-share)*p.Rate() {
			low = x
		} else {
			high = x
		}
	}
	return high
}

// Each preset reads under its name, and a caveat says by how much its detours differ from the
// published statistics, which is not much.
func TestPresets(t *testing.T) {
	var names []string
	for _, preset := range datasets.Presets() {
		names = append(names, preset.Name)
		p, err := profile.Read(preset.YAML, preset.Name+".yaml")
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Name != preset.Name || len(p.Caveats) == 0 {
			t.Errorf("%s: the name is %s, with %d caveats", preset.Name, p.Name, len(p.Caveats))
		}
		written := regexp.MustCompile(`Detours differ from the published ones: [^']+`).
			ReplaceAll(preset.YAML, []byte(difference(t, p)))
		written = withDigest(t, written)
		tests.Golden(t, "presets/"+preset.Name+".yaml", written)
	}
	if len(names) != 15 || !slices.IsSorted(names) {
		t.Errorf("the presets are %q", names)
	}
}

// withDigest returns a preset with its digest, which is that of what profile.Write writes.
func withDigest(t *testing.T, preset []byte) []byte {
	t.Helper()
	p := tests.Must(profile.Read(preset, "preset"))(t)
	canonical := tests.Must(profile.Write(p))(t)
	line := regexp.MustCompile(`(?m)^digest: .*\n`)
	preset = line.ReplaceAll(preset, nil)
	version, rest, _ := bytes.Cut(preset, []byte("\n"))
	return slices.Concat(version, []byte("\n"), line.Find(canonical), rest)
}

// difference returns by how much detours of a profile differ from the published statistics,
// where that is a hundredth or more.
func difference(t *testing.T, p profile.Profile) string {
	t.Helper()
	var all []string
	for _, s := range published {
		number := `([\d.]+) ` + regexp.QuoteMeta(s.unit)
		find := regexp.MustCompile(regexp.QuoteMeta(s.name) + " " + number)
		if s.unit == "" {
			find = regexp.MustCompile(number + s.name)
		}
		found := find.FindStringSubmatch(note(p, "published"))
		if found == nil {
			continue // injected noise has an overhead and a rate
		}
		want := tests.Must(strconv.ParseFloat(found[1], 64))(t)
		off := s.of(p)/want - 1
		if math.Abs(off) > s.most {
			t.Errorf("%s: %s is off by %.1f %%", p.Name, s.name, 100*off)
		}
		if math.Abs(off) >= 0.01 {
			all = append(all, fmt.Sprintf("%s %+.0f %%", s.name, 100*off))
		}
	}
	if len(all) == 0 {
		all = []string{"by less than 1 %"}
	}
	return "Detours differ from the published ones: " + strings.Join(all, ", ") + "."
}

// The network noise goes through the published quantiles.
func TestPresetsOfNetworks(t *testing.T) {
	count := 0
	for _, preset := range datasets.Presets() {
		p := tests.Must(profile.Read(preset.YAML, preset.Name))(t)
		if (p.Network.Noise != nil) != (note(p, "published half round trip of 1 B") != "") {
			t.Errorf("%s: network noise without quantiles, or the other way round", preset.Name)
		}
		if p.Network.Noise == nil {
			continue
		}
		count++
		var least, median, p99, p999, most float64
		if _, err := fmt.Sscanf(note(p, "published half round trip of 1 B"),
			"minimum %f us, median %f us, p99 %f us, p99.9 %f us, maximum %f us",
			&least, &median, &p99, &p999, &most); err != nil {
			t.Fatal(err)
		}
		for share, want := range map[float64]float64{0: least, 0.5: median, 0.99: p99, 0.999: p999,
			1 - 1e-12: most} {
			if got := 1e6*p.Network.Noise.Duration.Quantile(share) + least; math.Abs(got-want) > 0.03*want {
				t.Errorf("%s: quantile %g is %.4g us, want %.4g", preset.Name, share, got, want)
			}
		}
	}
	if count != 8 {
		t.Errorf("%d presets have network noise", count)
	}
}

func note(p profile.Profile, key string) string {
	for _, n := range p.Provenance {
		if n.Key == key {
			return n.Text
		}
	}
	return ""
}
