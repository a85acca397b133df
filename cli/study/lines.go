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
	var walk func(prefix string, depth int, n *yaml.Node) error
	walk = func(prefix string, depth int, n *yaml.Node) error {
		if n.Kind != yaml.MappingNode {
			return nil
		}
		if depth > maxDepth {
			return in.tooDeep()
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
			if err := walk(path+".", depth+1, n.Content[i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	return lines, walk("", 1, root)
}

// maxDepth is the largest depth of keys in groups. Readers take memory by the square of it.
const maxDepth = 64

// maxBrackets is the largest number of lists and groups of a TOML file, and of the parts of a key.
// Its reader has no bound of its own on how deep they are in each other.
const maxBrackets = 1000

// nested reports whether a TOML file may be nested too deep to be read.
func nested(text []byte) bool {
	brackets, dots := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			brackets++
		case '.':
			dots++
		case ',', '=', '\n':
			dots = 0
		}
		if brackets > maxBrackets || dots > maxBrackets {
			return true
		}
	}
	return false
}

func (in Input) tooDeep() error {
	return fmt.Errorf("%s: keys or lists are nested more than %d deep, and those of a study are not",
		in.Name, maxDepth)
}

// deeper reports whether groups are nested deeper than maxDepth, the outermost at a depth.
func deeper(group map[string]any, depth int) bool {
	for _, value := range group {
		if inner, ok := value.(map[string]any); ok && (depth == maxDepth || deeper(inner, depth+1)) {
			return true
		}
	}
	return false
}

// nodes returns the keys and values of a file, JSON being YAML too, or nil if it has none or
// cannot be read. It fails if what it has are not keys and values.
func (in Input) nodes() (*yaml.Node, error) {
	if format(in.Name) == "toml" {
		if nested(in.File) {
			return nil, in.tooDeep()
		}
		values, root := map[string]any{}, &yaml.Node{}
		decoder, err := viper.NewCodecRegistry().Decoder("toml")
		if err != nil || decoder.Decode(in.File, values) != nil {
			return nil, nil
		}
		if deeper(values, 1) {
			return nil, in.tooDeep()
		}
		if root.Encode(values) != nil {
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
