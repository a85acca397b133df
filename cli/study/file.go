package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"jitterfly/internal/vector"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"go.yaml.in/yaml/v3"
)

// A file has the values of a study file by path, those of groups of keys too, and their lines.
type file struct {
	values map[string]any
	lines  map[string]int
	keys   []string // the paths of values that are not groups, in alphabetical order
}

// parse reads the file.
func (in Input) parse() (f file, err error) {
	f.values = map[string]any{}
	if in.Recorded != nil {
		for path, texts := range in.Recorded.Values {
			if len(texts) > 0 {
				f.values[path] = texts
			}
		}
		f.keys = slices.Sorted(maps.Keys(f.values))
		return f, nil
	}
	if f.lines, err = in.lines(); err != nil {
		return f, err
	}
	decode := map[string]func([]byte, any) error{"toml": toml.Unmarshal, "json": json.Unmarshal}[format(in.Name)]
	if decode == nil {
		decode = yaml.Unmarshal
	}
	var root map[string]any
	if err := decode(in.File, &root); err != nil {
		return f, in.syntax(err)
	}
	for key, value := range root {
		f.add(key, value)
	}
	slices.Sort(f.keys)
	return f, nil
}

// add adds a value, and of a group the values in it. A number for the group of trials is that of
// both of its keys.
func (f *file) add(path string, value any) {
	path = strings.ToLower(path)
	group, ok := value.(map[string]any)
	if path == bothTrials.Path && value != nil && !ok {
		for _, k := range bothTrials.standsFor() {
			f.add(k.Path, value)
			f.lines[k.Path] = f.lines[path]
		}
		return
	}
	f.values[path] = value
	if !ok {
		f.keys = append(f.keys, path)
	}
	for key, below := range group {
		f.add(path+"."+key, below)
	}
}

// lines returns the line of every key in a file. It fails if the file has a key twice,
// also where the two are spelled differently, and if a YAML file has several documents.
func (in Input) lines() (map[string]int, error) {
	lines := map[string]int{}
	root, err := in.nodes()
	if err != nil || root == nil {
		return lines, err
	}
	if err := in.otherBase(root); err != nil {
		return lines, err
	}
	var walk func(prefix string, n *yaml.Node) error
	walk = func(prefix string, n *yaml.Node) error {
		if n.Kind != yaml.MappingNode {
			return nil
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			path := prefix + strings.ToLower(key.Value)
			if first, twice := lines[path]; twice {
				return fmt.Errorf("%s:%d: %s: already given in line %d; leave one of them out",
					in.Name, key.Line, path, first)
			}
			if strings.Count(path, ".") >= maxDepth {
				return in.tooDeep()
			}
			lines[path] = key.Line
			if err := walk(path+".", n.Content[i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	return lines, walk("", root)
}

// otherBase fails if a whole number is written so that YAML takes it for one of another base: 010 is 8.
func (in Input) otherBase(n *yaml.Node) error {
	if digits := strings.TrimLeft(n.Value, "+-"); n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" &&
		n.Style == 0 && len(digits) > 1 && digits[0] == '0' {
		var value int64
		if err := n.Decode(&value); err != nil {
			return fmt.Errorf("%s:%d: %s is not a whole number", in.Name, n.Line, n.Value)
		}
		return fmt.Errorf("%s:%d: YAML takes %s for %d, as a number of another base; write it without the 0 at "+
			"its beginning", in.Name, n.Line, n.Value, value)
	}
	for _, below := range n.Content {
		if err := in.otherBase(below); err != nil {
			return err
		}
	}
	return nil
}

// maxDepth is the largest depth of keys in groups. Readers take memory by the square of it.
const maxDepth = 64

// maxBrackets is the largest number of lists and groups of a TOML file, and of the parts of a key.
// Its reader has no bound of its own on how deep they are in each other.
const maxBrackets = 1000

// nested reports whether a TOML file may be nested too deep to be read.
func nested(text []byte) bool {
	parts := bytes.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",=\n", c) })
	tooLong := func(part []byte) bool { return bytes.Count(part, []byte(".")) > maxBrackets }
	return bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxBrackets ||
		slices.ContainsFunc(parts, tooLong)
}

func (in Input) tooDeep() error {
	return fmt.Errorf("%s: keys or lists are nested more than %d deep; a study needs fewer",
		in.Name, maxDepth)
}

// nodes returns the keys and values of a file, JSON being YAML too, or nil if it has none or
// cannot be read. It fails if what it has are not keys and values.
func (in Input) nodes() (*yaml.Node, error) {
	if format(in.Name) == "toml" {
		if nested(in.File) {
			return nil, in.tooDeep()
		}
		return tomlNodes(in.File), nil
	}
	var first, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(in.File))
	if documents.Decode(&first) != nil || len(first.Content) == 0 {
		return nil, nil
	}
	root := first.Content[0]
	if root.Kind != yaml.MappingNode && root.Tag != "!!null" {
		return nil, fmt.Errorf("%s:%d: a study has keys with values, such as ranks: 16",
			in.Name, root.Line)
	}
	if documents.Decode(&second) == nil && len(second.Content) > 0 && second.Content[0].Tag != "!!null" {
		return nil, fmt.Errorf("%s:%d: a second document begins here; leave one of them out",
			in.Name, second.Line)
	}
	return root, nil
}

// tomlNodes returns the keys of a TOML file, each with its path and line, as a YAML mapping, up to
// what cannot be read.
func tomlNodes(content []byte) *yaml.Node {
	var p unstable.Parser
	p.Reset(content)
	root, table := &yaml.Node{Kind: yaml.MappingNode}, ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, _ := tomlKey(&p, e)
			table = path + "."
		case unstable.KeyValue:
			addTOML(&p, root, table, e)
		}
	}
	return root
}

// addTOML adds an assignment in a table, and the assignments in its inline tables, to a mapping.
func addTOML(p *unstable.Parser, to *yaml.Node, table string, e *unstable.Node) {
	path, line := tomlKey(p, e)
	to.Content = append(to.Content, &yaml.Node{Value: table + path, Line: line}, &yaml.Node{})
	if e.Value().Kind == unstable.InlineTable {
		for inner := e.Value().Children(); inner.Next(); {
			addTOML(p, to, table+path+".", inner.Node())
		}
	}
}

func tomlKey(p *unstable.Parser, e *unstable.Node) (path string, line int) {
	var parts []string
	for key := e.Key(); key.Next(); {
		parts = append(parts, string(key.Node().Data))
		line = p.Shape(key.Node().Raw).Start.Line
	}
	return strings.Join(parts, "."), line
}

// syntax returns the error of a parser in one line, with the line of the file. Errors of YAML name
// the line already.
func (in Input) syntax(err error) error {
	line := 0
	var ofJSON *json.SyntaxError
	var ofTOML *toml.DecodeError
	switch {
	case errors.As(err, &ofJSON):
		line = 1 + bytes.Count(in.File[:min(int(ofJSON.Offset), len(in.File))], []byte("\n"))
	case errors.As(err, &ofTOML):
		line, _ = ofTOML.Position()
	}
	message := strings.Join(strings.Fields(err.Error()), " ")
	if line == 0 {
		return fmt.Errorf("%s: %s", in.Name, message)
	}
	return fmt.Errorf("%s:%d: %s", in.Name, line, message)
}

// SchemaFile is the name of the JSON Schema beside a study file that [Recorded.File] returns.
const SchemaFile = "study.schema.json"

// template are the keys that a study file has if none was given.
var template = []*Key{
	Assume, Ranks, Bytes, Latency, Bandwidth, OSPeriod, OSDuration, TrialsMin, TrialsMax,
}

// File returns a study file, in YAML, with the keys that the user gave, or else the keys that most
// studies set. A comment beside each key explains it. The first line names the JSON Schema in
// [SchemaFile], for editors.
func (r Recorded) File() []byte {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, k := range Keys {
		if !slices.Contains(r.Given, k.Path) && (len(r.Given) > 0 || !slices.Contains(template, k)) {
			continue
		}
		group, parts := root, strings.Split(k.Path, ".")
		last := len(parts) - 1
		for _, name := range parts[:last] {
			group = child(group, name)
		}
		values := vector.Each(r.Values[k.Path], scalar)
		value := values[0]
		if len(values) > 1 {
			value = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: values}
		}
		value.LineComment = k.Help
		group.Content = append(group.Content, scalar(parts[last]), value)
	}
	var b bytes.Buffer
	b.WriteString("# yaml-language-server: $schema=" + SchemaFile + "\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	_, _ = e.Encode(root), e.Close() // texts can be encoded
	return b.Bytes()
}

func child(in *yaml.Node, name string) *yaml.Node {
	for i := 0; i < len(in.Content); i += 2 {
		if in.Content[i].Value == name {
			return in.Content[i+1]
		}
	}
	in.Content = append(in.Content, scalar(name), &yaml.Node{Kind: yaml.MappingNode})
	return in.Content[len(in.Content)-1]
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }
