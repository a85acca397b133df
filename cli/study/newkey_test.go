package study

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

// Adding a key is one descriptor: flag, file, environment, rule, column, document and schema
// follow from it.
func TestOneDescriptorIsEnough(t *testing.T) {
	addKey(t, &Key{
		Path: "network.warmth", Flag: "warmth", Column: "warmth_s", Group: groupNetwork, Default: "1us",
		Dimension: units.Time, Help: "how long a link takes to wake up", Environment: true,
		Rules: []Rule{where("", onePerNode)},
	})
	flags := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	Flags(flags, nil)
	if f := flags.Lookup("warmth"); f == nil || !strings.Contains(f.Usage, "how long a link takes to wake up") {
		t.Errorf("flag %+v", f)
	}
	tests.NoError(t, flags.Parse([]string{"--ranks-per-node=1,4"}))
	in := Input{
		Name: "s.yaml", File: []byte("ranks: 8\nnetwork: {latency: =network.warmth}"), Flags: flags,
		Environ: []string{"JITTERFLY_NETWORK_WARMTH=1us,2us"},
	}
	s := tests.Must(Read(in, 100))(t)
	var got []string
	for i := range s.Configurations {
		k, _ := Find("network.warmth")
		p := s.Point(i)
		got = append(got, k.Text(p.Value(k))+" of "+k.Text(p.Value(Latency)))
	}
	want := []string{"0 s of 1 µs", "0 s of 2 µs", "1 µs of 1 µs", "2 µs of 2 µs"}
	if !slices.Equal(got, want) {
		t.Errorf("values %q, want %q", got, want)
	}
	all := configs(t, s)
	if !strings.Contains(all[2].Environment, "warmth_s=1e-06 ") {
		t.Errorf("random numbers are named by %s", all[2].Environment)
	}
	checkGenerated(t)
}

// A new key of the environment changes neither the names of configurations nor their random
// numbers where it has no effect, and both where it has one.
func TestNewKeyLeavesResultsAsTheyAre(t *testing.T) {
	names := func(file string) [2]string {
		s := tests.Must(Read(Input{Name: "s.yaml", File: []byte(file)}, 100))(t)
		return [2]string{s.Point(0).ID, configs(t, s)[0].Environment}
	}
	before := names("ranks: 8")
	addKey(t, &Key{
		Path: "noise.warmth", Flag: "warmth", Column: "warmth_s", Group: groupNoise, Default: "0s",
		Dimension: units.Time, Help: "how warm noise is", Environment: true,
		Rules: []Rule{where("", noJitter)},
	})
	if after := names("ranks: 8"); after != before {
		t.Errorf("with a new key %q, before it %q", after, before)
	}
	if off := names("ranks: 8\nnoise: {warmth: 1us, os: {kind: none}}"); strings.Contains(off[1], "warmth") {
		t.Errorf("without an effect the key names random numbers: %s", off[1])
	}
	on := names("ranks: 8\nnoise: {warmth: 1us}")
	if on[0] == before[0] || !strings.Contains(on[1], "warmth_s=1e-06 ") {
		t.Errorf("with an effect the names are %q", on)
	}
}

// checkGenerated checks what is generated from the key network.warmth.
func checkGenerated(t *testing.T) {
	source := tests.Must(columnsSource())(t)
	schema := Schema()
	for text, want := range map[string]string{
		source: "Warmth              float64 `parquet:\"warmth_s\"`",
		keysTable(): "| `network.warmth` | `1us` | " +
			"how long a link takes to wake up |",
		string(schema): `"network.warmth": {`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if got, want := axesMeanings()["warmth_s"], (meaning{
		"s", "how long a link takes to wake up; 0 if ranks_per_node is 1",
	}); got != want {
		t.Errorf("the meaning is %+v, want %+v", got, want)
	}
	for file, valid := range map[string]bool{"network: {warmth: 2us}": true, "network: {warmth: 2}": false} {
		v := tests.Must(decoded([]byte(file)))(t)
		if err := compiled(t).Validate(v); (err == nil) != valid {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// addKey adds an axis after the others for the time of the test.
func addKey(t *testing.T, k *Key) {
	keys, axes := Keys, Axes
	t.Cleanup(func() { Keys, Axes = keys, axes })
	Keys = slices.Insert(slices.Clone(Keys), len(Axes), k)
	Axes = axesOf(Keys)
}
