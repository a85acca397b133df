package study

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
		values := Each(r.Values[k.Path], scalar)
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
