package study

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// lines returns the line of every key in a file, 0 in TOML. It fails if the file has a key twice,
// also where the two are spelled differently, and if a YAML file has several documents.
func (in Input) lines() (map[string]int, error) {
	lines := map[string]int{}
	root, err := in.nodes()
	if err != nil || root == nil {
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
			switch first, twice := lines[path]; {
			case twice && first > 0:
				return fmt.Errorf("%s:%d: %s: already given in line %d; leave one of them out",
					in.Name, key.Line, path, first)
			case twice:
				return fmt.Errorf("%s: %s: given twice; leave one of them out", in.Name, path)
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

// nodes returns the keys and values of a file, JSON being YAML too, or nil if it has none or
// cannot be read. It fails if what it has are not keys and values.
func (in Input) nodes() (*yaml.Node, error) {
	if format(in.Name) == "toml" {
		values, root := map[string]any{}, &yaml.Node{}
		decoder, err := viper.NewCodecRegistry().Decoder("toml")
		if err != nil || decoder.Decode(in.File, values) != nil || root.Encode(values) != nil {
			return nil, nil
		}
		return root, nil
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
