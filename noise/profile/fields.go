package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
)

// A document is a YAML file that is being read. It keeps the first error; values read
// after it are not used.
type document struct {
	name string
	err  error
}

func (d *document) fail(n *yaml.Node, path, format string, args ...any) {
	if d.err != nil {
		return
	}
	place := fmt.Sprintf("%s:%d: ", d.name, n.Line)
	if path != "" {
		place += path + ": "
	}
	d.err = fmt.Errorf("%s%w", place, fmt.Errorf(format, args...))
}

// An entry is a key of a mapping, and how its value is read and written.
type entry struct {
	key      string
	optional bool
	read     func(d *document, n *yaml.Node, path string)
	node     func() *yaml.Node // nil if the value is absent
}

// unless returns an optional entry, which is not written if the value is absent.
func (e entry) unless(absent bool) entry {
	if e.optional = true; absent {
		e.node = nil
	}
	return e
}

// textEntry returns the entry of a string, with quotes if it could be read as something else.
func textEntry[T ~string](key string, value *T) entry {
	return entry{
		key:  key,
		read: func(d *document, n *yaml.Node, path string) { *value = T(d.text(n, path)) },
		node: func() *yaml.Node { return text(string(*value)) },
	}
}

// quantityEntry returns the entry of a number in SI units.
func quantityEntry(key string, dimension units.Dimension, value *float64) entry {
	return entry{
		key:  key,
		read: func(d *document, n *yaml.Node, path string) { *value = d.quantity(n, path, dimension) },
		node: func() *yaml.Node { return quantity(dimension, *value) },
	}
}

func listEntry[T any](
	key string, list *[]T, read func(d *document, n *yaml.Node, path string) T, node func(T) *yaml.Node,
) entry {
	return entry{
		key: key,
		read: func(d *document, n *yaml.Node, path string) {
			if n.Kind != yaml.SequenceNode {
				d.fail(n, path, "it must be a list")
				return
			}
			for i, element := range n.Content {
				*list = append(*list, read(d, element, path+"["+strconv.Itoa(i)+"]"))
			}
		},
		node: func() *yaml.Node {
			n := &yaml.Node{Kind: yaml.SequenceNode}
			for _, element := range *list {
				n.Content = append(n.Content, node(element))
			}
			if len(*list) == 0 {
				n.Style = yaml.FlowStyle // []
			}
			return n
		},
	}
}

func mappingEntry(key string, entries func() []entry) entry {
	return entry{
		key: key,
		read: func(d *document, n *yaml.Node, path string) {
			f := d.fields(n, path)
			f.take(entries()...)
			f.end()
		},
		node: func() *yaml.Node { return mapping(0, entries()) },
	}
}

func mapping(style yaml.Style, entries []entry) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: style}
	for _, e := range entries {
		if e.node != nil {
			n.Content = append(n.Content, text(e.key), e.node())
		}
	}
	return n
}

// kindNode returns a mapping on one line that begins with a kind.
func kindNode[T ~string](kind T, entries []entry) *yaml.Node {
	return mapping(yaml.FlowStyle, append([]entry{textEntry("kind", &kind)}, entries...))
}

// fields are the values of a mapping, by their keys. Those that are not taken are unknown.
type fields struct {
	doc     *document
	node    *yaml.Node
	path    string
	keys    []*yaml.Node // in the order of the file
	values  map[string]*yaml.Node
	allowed []string
}

func (d *document) fields(n *yaml.Node, path string) fields {
	f := fields{doc: d, node: n, path: path, values: map[string]*yaml.Node{}}
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "it must be a mapping of keys to values")
		return f
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch _, twice := f.values[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			d.fail(key, path, "a key must be a word")
		case twice:
			d.fail(key, f.at(key.Value), "the key occurs twice")
		case value.ShortTag() == "!!null":
			d.fail(key, f.at(key.Value), "the value is missing")
		}
		f.keys = append(f.keys, key)
		f.values[key.Value] = value
	}
	return f
}

func (f *fields) at(key string) string {
	if f.path == "" {
		return key
	}
	return f.path + "." + key
}

// take reads entries. It fails if one is missing that is not optional.
func (f *fields) take(entries ...entry) {
	for _, e := range entries {
		f.allowed = append(f.allowed, e.key)
		if n := f.values[e.key]; n != nil {
			e.read(f.doc, n, f.at(e.key))
		} else if !e.optional {
			f.doc.fail(f.node, f.path, "the key %s is missing", e.key)
		}
	}
}

// end fails if there are keys that were not taken.
func (f *fields) end() {
	for _, key := range f.keys {
		if !slices.Contains(f.allowed, key.Value) {
			f.doc.fail(key, f.at(key.Value), "the key is not known; known here are %s",
				strings.Join(f.allowed, ", "))
		}
	}
}

func (d *document) text(n *yaml.Node, path string) string {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, path, "it must be a string")
		return ""
	}
	return n.Value
}

func (d *document) quantity(n *yaml.Node, path string, dimension units.Dimension) float64 {
	v, err := units.Parse(dimension, d.text(n, path))
	if err != nil {
		d.fail(n, path, "%w", err)
	}
	return v
}

func text(value string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(value)
	return n
}

func quantity(d units.Dimension, v float64) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: units.Exact(d, v+0)} // −0 is read as 0
}
