package datasets_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/datasets"
	"jitterfly/noise/profile"
)

// Each preset reads under its name, and what its components sum to is what was
// published, or its caveats say what they sum to instead.
func TestPresets(t *testing.T) {
	const tolerance = 0.005 // of both, as published numbers have three digits
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
		var overhead, rate float64
		if _, err := fmt.Sscanf(note(p, "published"), "overhead %f %%, %f detours/s", &overhead,
			&rate); err != nil {
			t.Errorf("%s: %v in %q", preset.Name, err, note(p, "published"))
		}
		gotOverhead, gotRate := 100*p.Overhead(), p.Rate()
		if math.Abs(gotOverhead/overhead-1) < tolerance && math.Abs(gotRate/rate-1) < tolerance {
			continue
		}
		caveat := fmt.Sprintf(
			"sum to %.4g %% of the time and %.4g detours/s; published are %g %% and %g.",
			gotOverhead, gotRate, overhead, rate)
		if !strings.Contains(strings.Join(p.Caveats, "\n"), caveat) {
			t.Errorf("%s: no caveat says %q", preset.Name, caveat)
		}
		if math.Abs(gotOverhead/overhead-1) > 0.12 || math.Abs(gotRate/rate-1) > 0.3 {
			t.Errorf("%s: %.3f %% and %.0f/s, published %.3f %% and %.0f/s", preset.Name,
				gotOverhead, gotRate, overhead, rate)
		}
	}
	if len(names) != 12 || !slices.IsSorted(names) {
		t.Errorf("the presets are %q", names)
	}
}

// The network noise goes through the published quantiles.
func TestPresetsOfNetworks(t *testing.T) {
	count := 0
	for _, preset := range datasets.Presets() {
		p, err := profile.Read(preset.YAML, preset.Name)
		if err != nil {
			t.Fatal(err)
		}
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
			if got := 1e6*p.Network.Noise.Duration.Quantile(share) + least; math.Abs(got-want) > 0.005*want {
				t.Errorf("%s: quantile %g is %.4g us, want %.4g", preset.Name, share, got, want)
			}
		}
	}
	if count != 5 {
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
