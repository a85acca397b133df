package reproduce

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/datasets"
)

// An alternative is judged by what it changes, and the page shows claims that it moves across.
func TestAlternatives(t *testing.T) {
	ranks := func(r *Results) int64 { return r.Of("study")[0].Ranks }
	atLeast := func(least int64) judge {
		return func(r *Results, _ *Claim) (string, Verdict) {
			return map[bool]string{true: "many", false: "few"}[ranks(r) >= 8], verdict(ranks(r) >= least)
		}
	}
	p := Paper{
		ID:     "8",
		judges: map[string]judge{"1": atLeast(1), "8": atLeast(8), "holds": said(Holds)},
		Claims: []Claim{
			{Where: "§1", Statement: "Moved.", Published: "p", Judge: "8", Why: "Few."},
			{Where: "§2", Statement: "Kept.", Published: "p", Judge: "1"},
			{Where: "§3", Statement: "Marked.", Published: "p", Judge: "1", Compared: true},
			{Where: "§4", Statement: "Unmoved.", Published: "p", Compared: true, Judge: "holds"},
		},
		Alternatives: []Alternative{{Name: "Other", Says: "Many ranks.", Change: func(r *Results) *Results {
			return r.with(map[string]string{"study": "large"})
		}}, {Name: "Twin", Says: "The same.", Change: func(r *Results) *Results {
			return r.with(map[string]string{"study": "large"})
		}}},
	}
	r := &Results{configs: map[string][]Config{
		"study": {{Axes: datasets.Axes{Ranks: 2}}}, "large": {{Axes: datasets.Axes{Ranks: 8}}},
	}}
	s := p.Section(r, nil)
	if ranks(r) != 2 {
		t.Error("the alternative changes the results")
	}
	var b bytes.Buffer
	s.alternatives(&b)
	if _, table, _ := strings.Cut(b.String(), "| ---"); !strings.HasSuffix(table, `
| all | of 4 | 1 do not hold, 0 inconclusive, 0 by construction, 3 hold | `+
		`0 do not hold, 0 inconclusive, 0 by construction, 4 hold | `+
		`0 do not hold, 0 inconclusive, 0 by construction, 4 hold |
| §1 | Moved. | few (does not hold) | many (holds) | many (holds) |
| §3 | Marked. | few (holds) | many (holds) | many (holds) |
| §4 | Unmoved. | ours (holds) | the same | the same |
`) {
		t.Errorf("the page shows\n%s", b.String())
	}
	page := string(Document([]Section{s}))
	if want := "*Ours:* few. Few. *Tried:* Other: many (holds).\n"; !strings.Contains(page, want) {
		t.Errorf("the page does not have %q:\n%s", want, page)
	}
}

// Each T has its own thirty trials, and their mean has Student's interval, not below the time
// without noise.
func TestSeparated(t *testing.T) {
	c := Config{
		T:      []datasets.Measures{{NoiseFree: 2, Mean: 9}, {NoiseFree: 2, Mean: 9}},
		Trials: [][]float64{make([]float64, 70), make([]float64, 70)},
	}
	for i := range 70 {
		c.Trials[0][i] = 3 // those of T = 0 are the first
		c.Trials[1][i] = 5
		if i < trials003 {
			c.Trials[1][i] = 100
		}
	}
	c.Trials[1][30], c.Trials[1][31] = 2, 8 // of the mean of 5, 3 on either side
	s := separated(c)
	if s.T[0].Mean != 3 || s.T[0].Low != 3 || s.T[0].High != 3 || s.T[0].Slowdown != 1.5 {
		t.Errorf("at T = 0 %+v", s.T[0])
	}
	half := 2.0452 * math.Sqrt(18./29) / math.Sqrt(30)
	if got := s.T[1]; got.Mean != 5 || math.Abs(got.High-5-half) > 1e-4 ||
		math.Abs(5-half-got.Low) > 1e-4 {
		t.Errorf("at T = 1 %+v, want 5 ± %g", got, half)
	}
	if c.T[1].Mean != 9 {
		t.Error("the configuration itself has changed")
	}
	if m := summed(datasets.Measures{NoiseFree: 4.9}, c.Trials[1][30:60]); m.Low != 4.9 {
		t.Errorf("the interval begins at %g, below the time without noise", m.Low)
	}
}

// Every study of the plain reading has one with the literal mean wait, 1/period in seconds.
func TestLiteralWaits(t *testing.T) {
	waits := map[string]string{
		latency100ns: "100s", period10ms: "100s",
		latency1us: "1000s", line100ns: "1000s", line1us: "1000s", lineTrials: "1000s", period1ms: "1000s",
	}
	literals := literals003()
	if len(literals) != len(waits) {
		t.Fatalf("%d studies, want %d", len(literals), len(waits))
	}
	for i, s := range literals {
		plain := jittered003[i]
		want := "noise.network.interval=" + waits[plain.Name]
		if s.Name != plain.Name+"-literal" || !slices.Contains(s.Set, want) ||
			!slices.Equal(s.Set[:len(plain.Set)], plain.Set) ||
			mustFind(t, "003").FileName(s) != mustFind(t, "003").FileName(plain) {
			t.Errorf("%+v is not %+v with %s", s, plain, want)
		}
	}
}
