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

// fields are the entries of a mapping. Each is taken once; those that are not taken
// are unknown keys.
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

// take returns the value of a key, nil if there is none.
func (f *fields) take(key string) *yaml.Node {
	f.allowed = append(f.allowed, key)
	return f.values[key]
}

// need returns the value of a key that must be there.
func (f *fields) need(key string) *yaml.Node {
	n := f.take(key)
	if n == nil {
		f.doc.fail(f.node, f.path, "the key %s is missing", key)
	}
	return n
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

// text returns the text of a scalar.
func (d *document) text(n *yaml.Node, path string) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		d.fail(n, path, "it must be a text")
		return ""
	}
	return n.Value
}

func (f *fields) text(key string) string         { return f.doc.text(f.take(key), f.at(key)) }
func (f *fields) requiredText(key string) string { return f.doc.text(f.need(key), f.at(key)) }

// quantity returns the value of a scalar in SI units, 0 if n is nil.
func (d *document) quantity(n *yaml.Node, path string, dimension units.Dimension) float64 {
	if n == nil {
		return 0
	}
	v, err := units.Parse(dimension, d.text(n, path))
	if err != nil {
		d.fail(n, path, "%w", err)
	}
	return v
}

func (f *fields) quantity(key string, dimension units.Dimension) float64 {
	return f.doc.quantity(f.need(key), f.at(key), dimension)
}

// optional returns the value of a quantity, nil if it is missing.
func (f *fields) optional(key string, dimension units.Dimension) *float64 {
	n := f.take(key)
	if n == nil {
		return nil
	}
	return new(f.doc.quantity(n, f.at(key), dimension))
}

// list calls each for every element of a sequence, none if n is nil.
func (d *document) list(n *yaml.Node, path string, each func(n *yaml.Node, path string)) {
	if n == nil {
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.fail(n, path, "it must be a list")
		return
	}
	for i, element := range n.Content {
		each(element, path+"["+strconv.Itoa(i)+"]")
	}
}

func (f *fields) list(key string, each func(n *yaml.Node, path string)) {
	f.doc.list(f.take(key), f.at(key), each)
}
