package profile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/internal/tests"
	"jitterfly/noise"
)

const alps = `profile: 1
name: alps
os:
  - {kind: periodic, name: local_timer, period: 4ms, duration: 3.2us}
  - {kind: poisson, interval: 1s, duration: {kind: lognormal, median: 220us, sigma: 0.3}}
  - {kind: poisson, interval: 10ms, duration: {kind: empirical, quantiles: [[0, 1us], [0.5, 2us], [1, 9us]]}}
  - {kind: bernoulli, probability: 0.01, duration: 10us}
  - {kind: replay, trace: runs/alps.parquet}
network:
  latency: 1.9us
  bandwidth: 12.5GB/s
  overhead: 230ns
  gap: 0s
  noise: {kind: poisson, interval: 1ms, duration: 10us}
provenance:
  system: Alps
  date: "2022"
caveats:
  - one core
fit:
  criterion: ks at most 0.05
  ks: 0.02
  overhead_error: -0.01
  p999_error: 0.1
  verdict: good
`

var alpsProfile = Profile{
	Name: "alps",
	OS: []Component{
		{Name: "local_timer", Kind: Periodic, Period: 4e-3, Duration: noise.Constant(3.2e-6)},
		{Kind: Poisson, Interval: 1, Duration: noise.Lognormal{Median: 220e-6, Sigma: 0.3}},
		{Kind: Poisson, Interval: 10e-3,
			Duration: noise.Empirical{Points: []noise.Quantile{{Share: 0, Length: 1e-6},
				{Share: 0.5, Length: 2e-6}, {Share: 1, Length: 9e-6}}}},
		{Kind: Bernoulli, Probability: 0.01, Duration: noise.Constant(10e-6)},
		{Kind: Replay, Trace: "runs/alps.parquet"},
	},
	Network: Network{
		Latency: new(1.9e-6), Bandwidth: new(12.5e9), Overhead: new(230e-9), Gap: new(0.0),
		Noise: &MessageNoise{Interval: 1e-3, Duration: noise.Constant(10e-6)},
	},
	Provenance: []Note{{"system", "Alps"}, {"date", "2022"}},
	Caveats:    []string{"one core"},
	Fit: &Fit{Criterion: "ks at most 0.05", KS: 0.02, OverheadError: -0.01, P999Error: 0.1,
		Verdict: Good},
}

func TestRead(t *testing.T) {
	p := tests.Must(Read([]byte(alps), "alps.yaml"))(t)
	if diff := tests.Diff(alpsProfile, p); diff != "" {
		t.Error(diff)
	}
}

// The file above is as Write writes it, apart from the digest.
func TestWrite(t *testing.T) {
	b := bytes.NewBuffer(tests.Must(Write(alpsProfile))(t))
	digest, without := splitDigest(t, b.String())
	if diff := tests.Diff(alps, without); diff != "" {
		t.Error(diff)
	}
	sum := sha256.Sum256([]byte(without))
	if want := hex.EncodeToString(sum[:]); digest != want {
		t.Errorf("the digest is %s, want %s", digest, want)
	}
}

// splitDigest returns the digest of a file, which is in the second line, and the file without it.
func splitDigest(t *testing.T, file string) (digest, without string) {
	t.Helper()
	first, rest, _ := strings.Cut(file, "\n")
	second, rest, _ := strings.Cut(rest, "\n")
	digest, ok := strings.CutPrefix(second, "digest: ")
	if !ok {
		t.Fatalf("the second line is %q", second)
	}
	return digest, first + "\n" + rest
}

// A written file in which a bit has turned is refused, or edited, or the same profile.
func TestEveryBitOfAProfile(t *testing.T) {
	b := bytes.NewBuffer(tests.Must(Write(alpsProfile))(t))
	edited, same := 0, 0
	step := tests.Part(1, 3)
	for bit := 0; bit < 8*b.Len(); bit += step {
		p, err := Read(tests.Flipped(b.Bytes(), bit), "p.yaml")
		switch {
		case err != nil:
		case p.Edited:
			edited++
		default:
			same++
			if diff := tests.Diff(alpsProfile, p); diff != "" {
				t.Errorf("bit %d of byte %d: %s", bit%8, bit/8, diff)
			}
		}
	}
	if edited < b.Len()/step || same > b.Len()/4 {
		t.Errorf("of %d bits %d edit the profile, and %d do not change it", 8*b.Len(), edited, same)
	}
}

// What does not change the profile does not edit it.
func TestEdited(t *testing.T) {
	b := bytes.NewBuffer(tests.Must(Write(alpsProfile))(t))
	_, without := splitDigest(t, b.String())
	written := b.String()
	beforeFit, _, _ := strings.Cut(written, "fit:")
	for text, want := range map[string]bool{
		written: false, without: false, beforeFit: true,
		"# of my machine\n" + written:                               false,
		strings.ReplaceAll(written, "\n", "\r\n"):                   false,
		strings.Replace(written, "4ms", "4000us", 1):                false,
		strings.Replace(written, "4ms", "5ms", 1):                   true,
		strings.Replace(without, "4ms", "5ms", 1):                   false,
		strings.Replace(written, "- one core", "- one", 1):          true,
		strings.Replace(written, "digest: ", "digest: 0", 1):        true,
		strings.Replace(written, "name: alps", "name: mine", 1):     true,
		strings.Replace(written, "  gap: 0s\n", "", 1):              true,
		strings.Replace(written, "system: Alps", "system: ALPS", 1): true,
	} {
		p, err := Read([]byte(text), "p.yaml")
		if err != nil || p.Edited != want {
			t.Errorf("edited: %t, want %t, %v:\n%s", p.Edited, want, err, text)
		}
	}
}

func TestOverhead(t *testing.T) {
	// 3.2 µs of 4 ms, 220 µs · exp(0.3²/2) of 1 s, (1.5 + 5.5)/2 µs of 10 ms.
	want := 0.8e-3 + 220e-6*math.Exp(0.045) + 0.35e-3
	if got := alpsProfile.Overhead(); math.Abs(got-want) > 1e-15 {
		t.Errorf("overhead %v, want %v", got, want)
	}
	if got := alpsProfile.Rate(); got != 250+1+100 {
		t.Errorf("rate %v, want 351", got)
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"period: 4ms", "period: 4", `p.yaml:4: os[0].period: "4" has no unit`},
		{"period: 4ms, ", "", "p.yaml:4: os[0]: the key period is missing"},
		{"period: 4ms", "period: ~", "p.yaml:4: os[0].period: the value is missing"},
		{"period: 4ms", "interval: 4ms, period: 4ms",
			"p.yaml:4: os[0].interval: the key is not known; known here are kind, name, scope, period, duration"},
		{"period: 4ms", "period: 4ms, period: 5ms", "p.yaml:4: os[0].period: the key occurs twice"},
		{"period: 4ms", "period: 3us",
			"p.yaml:4: os[0]: detours of 3.2 µs every 3 µs leave no time"},
		{"period: 4ms", "period: -4ms",
			"p.yaml:4: os[0]: the period is -0.004 s, which must exceed 0"},
		{"duration: 3.2us", "duration: 0s", "p.yaml:4: os[0].duration: a length is 0 s"},
		{"kind: periodic", "kind: [periodic]", "p.yaml:4: os[0].kind: it must be a string"},
		{"kind: periodic", "kind: weekly",
			`p.yaml:4: os[0]: the kind "weekly" is not known; valid values: periodic, poisson`},
		{"kind: lognormal", "kind: normal",
			`p.yaml:5: os[1].duration: the kind "normal" is not known; valid values: constant`},
		{"sigma: 0.3", "sigma: 0.3us", "p.yaml:5: os[1].duration.sigma: "},
		{"[0.5, 2us]", "[0.5, 2]", `p.yaml:6: os[2].duration.quantiles[1]: "2" has no unit`},
		{"[0.5, 2us]", "[0.5]", "p.yaml:6: os[2].duration.quantiles[1]: a quantile is"},
		{"[0.5, 2us]", "[0.5, 20us]",
			"p.yaml:6: os[2].duration: measured quantiles must be in ascending order"},
		{"probability: 0.01", "probability: 1.5", "p.yaml:7: os[3]: the probability is 1.5"},
		{"runs/alps", "../alps", "p.yaml:8: os[4]: the trace"},
		{"runs/alps", "/alps", "p.yaml:8: os[4]: the trace"},
		{"latency: 1.9us", "latency: 1.9", "p.yaml:10: network.latency: "},
		{"latency: 1.9us", "speed: 1.9us", "p.yaml:10: network.speed: the key is not known"},
		{"gap: 0s", "gap: -1s", "p.yaml: network.gap: it is -1 s"},
		{"noise: {kind: poisson, interval: 1ms,", "noise: {kind: poisson, interval: 0s,",
			"p.yaml:14: network.noise: the interval is 0 s"},
		{"verdict: good", "verdict: fine", `p.yaml: fit.verdict: "fine" is not known`},
		{"profile: 1", "profile: 2",
			"p.yaml:1: profile: the version of the format is 2; this program reads 1"},
		{"profile: 1\n", "", "p.yaml:1: the key profile is missing"},
		{"name: alps", "name: \"\"", "p.yaml: the profile has no name"},
		{"name: alps", "nom: alps", "the key name is missing"},
		{"  - one core", "  - *a", "p.yaml: this is not YAML: unknown anchor"},
		{"provenance:", "provenance: x", "this is not YAML"},
		{"fit:", "---\nfit:", "p.yaml:20: a second document begins"},
		{alps, "", "p.yaml:1: the file is empty"},
		{alps, "[1]", "p.yaml:1: it must be a mapping"},
		{"period: 4ms, duration: 3.2us",
			"period: 4us, duration: 3.2us}\n  - {kind: poisson, interval: 5us, duration: 2us",
			"p.yaml: detours take 120% of the time, which leaves none for work: 80% by local_timer, " +
				"periodic; 40% by os[1], poisson; "},
	} {
		text := strings.Replace(alps, c.old, c.new, 1)
		tests.Fails(t, c.want, c.new, c.old)(Read([]byte(text), "p.yaml"))
	}
}

// An alias would be another way to write one thing, and to write a large one shortly.
func TestReadRefusesAliases(t *testing.T) {
	text := strings.Replace(alps, "duration: 3.2us}",
		"duration: &d {kind: exponential, mean: 3us}}", 1)
	text = strings.Replace(text, "probability: 0.01, duration: 10us",
		"probability: 0.01, duration: *d", 1)
	tests.Fails(t, "p.yaml:7: os[3].duration: it must be a mapping")(Read([]byte(text), "p.yaml"))
}

func TestCheck(t *testing.T) {
	for want, damage := range map[string]func(*Profile){
		"the duration is missing":       func(p *Profile) { p.OS[1].Duration = nil },
		"network.noise: the duration":   func(p *Profile) { p.Network.Noise = &MessageNoise{} },
		"network.noise: the interval":   func(p *Profile) { p.Network.Noise = &MessageNoise{Interval: math.NaN()} },
		"network.latency: it is +Inf s": func(p *Profile) { p.Network.Latency = new(math.Inf(1)) },
		"network.bandwidth: it is 0":    func(p *Profile) { p.Network.Bandwidth = new(0.0) },
		"fit: an error is NaN":          func(p *Profile) { p.Fit = &Fit{KS: math.NaN()} },
		`the key "a" twice`:             func(p *Profile) { p.Provenance = []Note{{"a", "b"}, {"a", "c"}} },
		"characters that cannot":        func(p *Profile) { p.Caveats = []string{"\x00"} },
	} {
		p := alpsProfile
		p.OS = append([]Component(nil), p.OS...)
		damage(&p)
		tests.Fails(t, want)(p.Check())
		if _, err := Write(p); err == nil {
			t.Errorf("written despite: %s", want)
		}
	}
}

var positiveNumber = rapid.Custom(func(t *rapid.T) float64 {
	return rapid.Float64Range(1, 10).Draw(t, "digits") * math.Pow(10,
		float64(rapid.IntRange(-12, 3).Draw(t, "exponent")))
})

var anyText = rapid.StringOf(rapid.Rune().Filter(func(r rune) bool {
	return r == '\n' || r >= ' ' &&
		(r < 0x7f || r > 0x9f)
}))

var anyLength = rapid.Custom(func(t *rapid.T) noise.Length {
	x := positiveNumber.Draw(t, "length")
	switch rapid.SampledFrom(lengthRows).Draw(t, "length").kind {
	case "exponential":
		return noise.Exponential{Average: x}
	case "pareto":
		return noise.Pareto{Least: x, Shape: 1 + positiveNumber.Draw(t, "shape")}
	case "lognormal":
		return noise.Lognormal{Median: x, Sigma: rapid.Float64Range(0, 10).Draw(t, "sigma")}
	case "empirical":
		share := rapid.Float64Range(0.01, 0.99).Draw(t, "share")
		return noise.Empirical{Points: []noise.Quantile{{Share: 0, Length: 0}, {Share: share, Length: x},
			{Share: 1, Length: 2 * x}}}
	}
	return noise.Constant(x)
})

var anyComponent = rapid.Custom(func(t *rapid.T) Component {
	c := Component{
		Name: anyText.Draw(t, "component"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind").kind,
		Scope: Scope(rapid.SampledFrom(append(Scopes, "")).Draw(t, "scope")),
	}
	switch c.Kind {
	case Periodic:
		c.Period = positiveNumber.Draw(t, "period")
	case Poisson:
		c.Interval = positiveNumber.Draw(t, "interval")
	case Bernoulli:
		c.Probability = rapid.Float64Range(1e-9, 1).Draw(t, "probability")
	case Replay:
		c.Trace = "a/" + rapid.StringMatching("[a-z #:.]*x").Draw(t, "trace")
		return c
	}
	c.Duration = anyLength.Draw(t, "duration")
	return c
})

// Read returns what Write wrote, exactly.
func TestRoundTrip(t *testing.T) {
	optional := rapid.Ptr(positiveNumber, true)
	written := map[Kind]bool{}
	rapid.Check(t, func(t *rapid.T) {
		p := Profile{
			Name: anyText.Filter(func(s string) bool { return s != "" }).Draw(t, "name"),
			OS:   rapid.SliceOfN(anyComponent, 0, 4).Draw(t, "os"),
			Network: Network{
				Latency: optional.Draw(t, "latency"), Bandwidth: optional.Draw(t, "bandwidth"),
				Overhead: optional.Draw(t, "overhead"), Gap: optional.Draw(t, "gap"),
			},
			Caveats: rapid.SliceOf(anyText).Draw(t, "caveats"),
		}
		if rapid.Bool().Draw(t, "noisy") {
			p.Network.Noise = &MessageNoise{Duration: anyLength.Draw(t, "hold")}
			if rapid.Bool().Draw(t, "events") {
				p.Network.Noise.Interval = positiveNumber.Draw(t, "interval")
			}
		}
		for _, key := range rapid.SliceOfDistinct(anyText, rapid.ID).Draw(t, "keys") {
			if key != "" {
				p.Provenance = append(p.Provenance, Note{key, anyText.Draw(t, "note")})
			}
		}
		if rapid.Bool().Draw(t, "fitted") {
			number := rapid.Float64Range(-1e9, 1e9)
			p.Fit = &Fit{anyText.Draw(t, "criterion"), number.Draw(t, "ks"),
				number.Draw(t, "overhead"), number.Draw(t, "p999"), ReplayIt, anyText.Draw(t,
					"reason")}
		}
		if rapid.Bool().Draw(t, "fleet") {
			p.Classes = []noise.Class{
				{Name: "most", Share: 0.75},
				{Share: 0.25, Speed: 0.5},
				{Nodes: []noise.Span{{First: 3, Last: 3}, {First: 8, Last: 15}}},
			}
			for i := range p.OS {
				p.OS[i].Class = min(i, 3)
			}
		}
		if p.Check() != nil {
			t.Skip("not a profile")
		}
		b := bytes.NewBuffer(tests.Must(Write(p))(t))
		got, err := Read(b.Bytes(), "p.yaml")
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if diff := tests.Diff(normal(p), normal(got)); diff != "" {
			t.Fatalf("%s\n%s", diff, b.String())
		}
		for _, c := range p.OS {
			written[c.Kind] = true
		}
	})
	for _, k := range kinds {
		if !written[k.kind] && !t.Failed() {
			t.Errorf("no component of the kind %s was written", k.kind)
		}
	}
}

// normal makes empty lists nil.
func normal(p Profile) Profile {
	if len(p.OS) == 0 {
		p.OS = nil
	}
	if len(p.Caveats) == 0 {
		p.Caveats = nil
	}
	return p
}

// No file makes reading panic; errors are one line; what is read is consistent and
// survives being written.
func FuzzRead(f *testing.F) {
	f.Add([]byte(alps))
	f.Add([]byte("profile: 1\nname: quiet\nos: []\n"))
	f.Add([]byte("profile: 1\nname: n\nnetwork: {noise: {kind: pareto, least: 1us, shape: 2}}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := Read(file, "p.yaml")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.yaml:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		b := bytes.NewBuffer(tests.Must(Write(p))(t))
		again, err := Read(b.Bytes(), "p.yaml")
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		p.Edited = false
		if diff := tests.Diff(normal(p), normal(again)); diff != "" {
			t.Error(diff)
		}
	})
}

// Texts that YAML reads as something else, or changes, unless they are quoted.
func TestWriteKeepsTexts(t *testing.T) {
	for _, text := range []string{
		"1", "~", "null", "yes", "0x10", "2022-01-01", "<<", "- a", "a: b", "# a", "a #b", "*a",
		"&a", "!a", "%a", "@a", "'a'", `"a`, "{a}", "[a",
		" a", "a ", "\n", "a\n", "\na", "\n a", " \na", "a\n \nb", "a\n\n", "  a\n b\n", "\u2028",
		"a\u2028b\n", "\ufeff", "\ufeffa\nb", "\u00a0", "🙂\n🙂",
	} {
		p := Profile{Name: text, Provenance: []Note{{text, text}}, Caveats: []string{text}}
		b := tests.Must(Write(p))(t)
		got, err := Read(b, "p.yaml")
		if err != nil || !cmp.Equal(p, got) {
			t.Errorf("%q: %v, %+v\n%s", text, err, got, b)
		}
	}
}
