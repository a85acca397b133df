package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
)

// Write writes the text of a profile's file, from which [Read] returns the same
// profile, to the last bit of every number, and a digest of it. It fails if the profile is not
// consistent.
func Write(w io.Writer, p Profile) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("profile %s: %w", p.Name, err)
	}
	digest, err := p.digest()
	if err != nil {
		return err
	}
	return encode(w, p.node(digest))
}

// digest returns the SHA-256, in hexadecimal digits, of the text that [Write] writes without it.
func (p Profile) digest() (string, error) {
	sum := sha256.New()
	err := encode(sum, p.node(""))
	return hex.EncodeToString(sum.Sum(nil)), err
}

// encode writes a document of YAML.
func encode(w io.Writer, root *yaml.Node) error {
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return err
	}
	return encoder.Close()
}

// The first keys of a file.
const (
	versionKey = "profile"
	digestKey  = "digest"
)

// node returns the document of a profile, with the digest unless that is empty.
func (p Profile) node(digest string) *yaml.Node {
	root := mapping()
	add(root, versionKey, plain(units.Exact(units.Number, Version)))
	if digest != "" {
		add(root, digestKey, text(digest))
	}
	add(root, "name", text(p.Name))
	os := sequence()
	for _, c := range p.OS {
		os.Content = append(os.Content, componentNode(c))
	}
	if len(p.OS) == 0 {
		os.Style = yaml.FlowStyle // []
	}
	add(root, "os", os)
	if p.Network != (Network{}) {
		add(root, "network", networkNode(p.Network))
	}
	if len(p.Provenance) > 0 {
		notes := mapping()
		for _, n := range p.Provenance {
			notes.Content = append(notes.Content, text(n.Key), text(n.Text))
		}
		add(root, "provenance", notes)
	}
	if len(p.Caveats) > 0 {
		caveats := sequence()
		for _, c := range p.Caveats {
			caveats.Content = append(caveats.Content, text(c))
		}
		add(root, "caveats", caveats)
	}
	if p.Fit != nil {
		add(root, "fit", fitNode(*p.Fit))
	}
	return root
}

func mapping() *yaml.Node  { return &yaml.Node{Kind: yaml.MappingNode} }
func sequence() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode} }

// plain returns a scalar that needs no quotes.
func plain(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// text returns a scalar of any text, with quotes if it could be read as something else.
func text(value string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(value)
	return n
}

func add(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Content = append(mapping.Content, plain(key), value)
}

// kindNode returns a mapping on one line that begins with a kind.
func kindNode(name string) *yaml.Node {
	n := mapping()
	n.Style = yaml.FlowStyle
	add(n, "kind", plain(name))
	return n
}

func quantity(d units.Dimension, v float64) *yaml.Node { return plain(units.Exact(d, v)) }

func componentNode(c Component) *yaml.Node {
	n := kindNode(string(c.Kind))
	if c.Name != "" {
		add(n, "name", text(c.Name))
	}
	if c.Scope != "" {
		add(n, "scope", plain(string(c.Scope)))
	}
	r, _ := c.Kind.find() // checked before
	for _, p := range r.parameters {
		switch {
		case p.length:
			add(n, p.key, lengthNode(c.Duration))
		case p.text == nil:
			add(n, p.key, quantity(p.dimension, *p.number(&c)))
		case *p.text(&c) != "":
			add(n, p.key, text(*p.text(&c)))
		}
	}
	return n
}

func networkNode(n Network) *yaml.Node {
	node := mapping()
	for _, q := range n.quantities() {
		if *q.value != nil {
			add(node, q.key, quantity(q.dimension, **q.value))
		}
	}
	switch m := n.Noise; {
	case m == nil:
	case m.Interval == 0:
		add(node, "noise", distributionNode(m.Duration))
	default:
		noise := kindNode(string(Poisson))
		add(noise, "interval", quantity(units.Time, m.Interval))
		add(noise, "duration", lengthNode(m.Duration))
		add(node, "noise", noise)
	}
	return node
}

func fitNode(f Fit) *yaml.Node {
	n := mapping()
	if f.Criterion != "" {
		add(n, "criterion", text(f.Criterion))
	}
	add(n, "ks", quantity(units.Number, f.KS))
	add(n, "overhead_error", quantity(units.Number, f.OverheadError))
	add(n, "p999_error", quantity(units.Number, f.P999Error))
	add(n, "verdict", plain(string(f.Verdict)))
	if f.Reason != "" {
		add(n, "reason", text(f.Reason))
	}
	return n
}
