package study

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

// compiled returns the schema of study files, which must itself be one.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text := Schema()
	document := tests.Must(jsonschema.UnmarshalJSON(strings.NewReader(string(text))))(t)
	c := jsonschema.NewCompiler()
	tests.NoError(t, c.AddResource("study.schema.json", document))
	return tests.Must(c.Compile("study.schema.json"))(t)
}

// decoded returns a YAML document as a validator takes it.
func decoded(text []byte) (any, error) {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	asJSON, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
}

// parses returns why a study file's keys and values cannot be read, each by itself.
func parses(file []byte) error {
	s, err := Input{Name: "s.yaml", File: file}.load()
	for _, step := range listSteps {
		if err == nil {
			err = step(s)
		}
	}
	return err
}

// The schema accepts every study of the repository: those that are embedded, in documents
// and in scripts.
func TestSchemaAcceptsStudies(t *testing.T) {
	studies := map[string][]byte{}
	for _, pattern := range []string{
		"../../datasets/studies/*.yaml", "../../notebooks/reproduction/studies/*.yaml",
	} {
		names, _ := filepath.Glob(pattern) // the pattern is well-formed
		for _, name := range names {
			studies[name] = read(t, name)
		}
	}
	documents, _ := filepath.Glob("../../docs/*.md")
	for _, name := range append(documents, "../../README.md") {
		block := regexp.MustCompile("(?s)```yaml\n(# study.yaml\n.*?)```")
		for i, found := range block.FindAllSubmatch(read(t, name), -1) {
			studies[fmt.Sprint(name, i)] = found[1]
		}
	}
	scripts, _ := filepath.Glob("../testdata/script/*.txtar")
	for _, name := range scripts {
		for _, f := range txtar.Parse(read(t, name)).Files {
			if strings.HasSuffix(f.Name, ".yaml") && parses(f.Data) == nil {
				studies[name+" "+f.Name] = f.Data
			}
		}
	}
	if len(studies) < 30 {
		t.Errorf("only %d studies were found", len(studies))
	}
	s := compiled(t)
	for name, text := range studies {
		v, err := decoded(text)
		if err == nil {
			err = s.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	return tests.Must(os.ReadFile(name))(t)
}

// The schema refuses what Read refuses in a single value or key.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for _, file := range []string{
		"rank: 8", "noise: {os: {length: 1us}}", "noise: {oss: {kind: none}}", // unknown keys
		"latency: 1us",
		"network: {latency: 1}", "network: {latency: 0}", "bytes: 8", "bytes: '8'", // no unit
		"network: {latency: 1 parsec}", "network: {latency: 1GB/s}", "bytes: 1kb", // other units
		"collective: buterfly", "noise: {os: {kind: periodicc}}", // unknown names
		"noise: {os: {kind: true}}",
		"topology: donut:4x4", "topology: torus", "nodes: automatic", "trials: {effort: infinite}",
		"ranks: 1", "ranks: -8", "ranks: 8.5", "ranks: 2^x", "ranks: 2...8", "ranks: two", // numbers
		"ranks: true", "network: {latency: -1us}", "trials: {confidence: 1}",
		"trials: {precision: 0}", "trials: {precision: 1us}",
		"seed: [1, 2]", "ranks: []", "ranks: [8, [16]]", "ranks: [8, ~]", "ranks: {min: 8}", // lists
		"network: 1us", "network: ~", "ranks: ~", "[ranks]", // groups
		"network: {latency: =network.latency}", "network: {latency: =bytes}", "network: {latency: =seed}",
		"network: {latency: =network.latancy}", "ranks: =seed", // references
	} {
		v := tests.Must(decoded([]byte(file)))(t)
		if s.Validate(v) == nil {
			t.Errorf("the schema accepts %s", file)
		}
		if parses([]byte(file)) == nil {
			t.Errorf("Read accepts %s", file)
		}
	}
}

// Whatever file is read, the schema accepts it.
func TestSchemaAcceptsWhatIsRead(t *testing.T) {
	s := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		v := drawStudy(t)
		text := tests.Must(json.Marshal(v))(t)
		if parses(text) != nil {
			t.Skip("not a study") // of which half are; if none is, the test fails
		}
		instance, err := decoded(text)
		if err == nil {
			err = s.Validate(instance)
		}
		if err != nil {
			t.Fatalf("%s is read, and refused by the schema: %v", text, err)
		}
	})
}

// drawStudy draws a study file of a key or two, written in one of several ways.
func drawStudy(t *rapid.T) map[string]any {
	root := map[string]any{}
	path := func(k *Key) string { return k.Path }
	for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom(Keys), 1, 2, path).Draw(t, "keys") {
		path := k.Path
		value := drawValue(t, k)
		if rapid.IntRange(0, 7).Draw(t, "list") == 0 {
			value = []any{value, drawValue(t, k)}[:rapid.IntRange(1, 2).Draw(t, "values")]
		}
		group := root
		for {
			first, rest, ok := strings.Cut(path, ".")
			if !ok || rapid.IntRange(0, 3).Draw(t, "dotted") == 0 {
				group[path] = value
				break
			}
			below, ok := group[first].(map[string]any)
			if !ok {
				below = map[string]any{}
				group[first] = below
			}
			group, path = below, rest
		}
	}
	return root
}

// drawValue draws a value of the key's kind, and now and then anything.
func drawValue(t *rapid.T, k *Key) any {
	space := rapid.SampledFrom([]string{"", "", " ", "\t "})
	text := func(parts ...*rapid.Generator[string]) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) string {
			var all string
			for _, part := range parts {
				all += part.Draw(t, "part")
			}
			return all
		}).AsAny()
	}
	var paths []string
	for _, other := range Keys {
		if canFollow(k, other) {
			paths = append(paths, other.Path)
		}
	}
	number := rapid.StringMatching(`[+-]?([0-9]{1,3}\.?[0-9]{0,2}|\.[0-9]{1,2})([eE][+-]?[0-9])?`)
	whole := rapid.StringMatching(`[0-9]{1,3}(\^[0-4])?`)
	forms := []*rapid.Generator[any]{
		rapid.Just[any](k.Default),
		text(space, rapid.SampledFrom(slices.Concat(k.Names, k.Examples, []string{k.Default})), space),
		text(rapid.Just("="), space, rapid.SampledFrom(paths), space),
	}
	switch {
	case k.Whole:
		forms = append(forms, rapid.IntRange(-1, 5000000).AsAny(), text(space, whole, space),
			text(space, whole, space, rapid.Just(".."), space, whole, space))
	case k.Dimension != units.Number:
		unit := rapid.SampledFrom(units.Names(k.Dimension))
		forms = append(forms, text(space, number, space, unit, space))
	case k.Names == nil:
		forms = append(forms, rapid.Float64Range(-1, 100).AsAny(), text(space, number, space))
	}
	if rapid.IntRange(0, 7).Draw(t, "anything") == 0 {
		forms = []*rapid.Generator[any]{
			rapid.Bool().AsAny(), rapid.Float64Range(-1, 100).AsAny(), rapid.IntRange(-1, 1000).AsAny(),
			rapid.StringMatching(`[a-zA-Z0-9=:. -]{0,6}`).AsAny(),
		}
	}
	return rapid.OneOf(forms...).Draw(t, "value")
}
