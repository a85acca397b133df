package results

import (
	"strings"
	"testing"

	"jitterfly/datasets"
)

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
		var all []string
		for _, s := range headline(r) {
			all = append(all, s.Text+" "+s.Config)
		}
		return strings.Join(all, "|")
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
	has("three", r, "median gain 3.20× (2.88× to 3.91×)",
		"largest gain with 95% confidence: 10.50× (9.45× to 12.83×) c", "best T from 0 to 1",
		"redundancy pays in 2 of 3 configurations with 95% confidence")
	r.Choices[2].GainLow = 0.75
	has("the largest gain may be none", r, "largest gain with 95% confidence: 3.20× (2.88× to 3.91×) b",
		"redundancy pays in 1 of 3 configurations")
	r.Choices[2].GainLow = 9.45
	r.Measures[1][1].Low = 0
	r.Measures[2][1].Low = -1
	has("intervals that reach 0", r, "median gain 3.20× (at least 2.88×)")
	for i := range r.Choices {
		r.Choices[i].GainLow, r.Choices[i].ByName = 0.5, "p99"
	}
	has("none certain, no mean", r, "median gain 3.20× (at least 0.50×) |",
		"redundancy pays in 0 of 3 configurations")
	if got := texts(r); strings.Contains(got, "largest") {
		t.Errorf("a gain is certain in %q", got)
	}
	for i := range r.Choices {
		r.Choices[i].Star, r.Choices[i].Speedup = 0, 1
	}
	has("T = 0", r, "redundancy pays in none of 3 configurations")
	r.Choices[1].Warning = "unsure"
	has("open", r, "the trials do not show whether redundancy pays in 1 of 3 configurations")
	r = three()
	r.Choices[0].Assume, r.Choices[1].Assume, r.Choices[2].Assume = "paper", "hosts", "hosts"
	has("assumptions apart", r, "assume paper: gain over T = 0: 1.10×", "assume hosts: median gain 6.85×",
		"assume hosts: redundancy pays in 2 of 2 configurations with 95% confidence")
	r = three()
	r.Choices, r.Measures = r.Choices[:1], r.Measures[:1]
	has("one", r, "T = 0 (0–2)", "gain over T = 0: 1.10× (0.99× to 1.34×)", "confidence in T* = 1: 50.0%")
}
