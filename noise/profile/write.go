package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
	"jitterfly/noise"
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

// kind returns a mapping on one line that begins with a kind.
func kind(name string) *yaml.Node {
	n := mapping()
	n.Style = yaml.FlowStyle
	add(n, "kind", plain(name))
	return n
}

func seconds(v float64) *yaml.Node { return plain(units.Exact(units.Time, v)) }
func number(v float64) *yaml.Node  { return plain(units.Exact(units.Number, v)) }

func componentNode(c Component) *yaml.Node {
	n := kind(string(c.Kind))
	if c.Name != "" {
		add(n, "name", text(c.Name))
	}
	switch c.Kind {
	case Periodic:
		add(n, "period", seconds(c.Period))
	case Poisson:
		add(n, "interval", seconds(c.Interval))
	case Bernoulli:
		add(n, "probability", number(c.Probability))
	case Replay:
		add(n, "trace", text(c.Trace))
		if c.TraceDigest != "" {
			add(n, "sha256", text(c.TraceDigest))
		}
		return n
	}
	add(n, "duration", lengthNode(c.Duration))
	return n
}

// lengthNode returns the node of a distribution; that of a constant one is a quantity.
func lengthNode(l noise.Length) *yaml.Node {
	if c, ok := l.(noise.Constant); ok {
		return seconds(float64(c))
	}
	return distributionNode(l)
}

func distributionNode(l noise.Length) *yaml.Node {
	var n *yaml.Node
	switch l := l.(type) {
	case noise.Constant:
		n = kind(constant)
		add(n, "length", seconds(float64(l)))
	case noise.Exponential:
		n = kind(exponential)
		add(n, "mean", seconds(l.Average))
	case noise.Pareto:
		n = kind(pareto)
		add(n, "least", seconds(l.Least))
		add(n, "shape", number(l.Shape))
	case noise.Lognormal:
		n = kind(lognormal)
		add(n, "median", seconds(l.Median))
		add(n, "sigma", number(l.Sigma))
	case noise.Empirical:
		n = kind(empirical)
		points := sequence()
		for _, p := range l.Points {
			pair := sequence()
			pair.Content = []*yaml.Node{number(p.Share), seconds(p.Length)}
			points.Content = append(points.Content, pair)
		}
		add(n, "quantiles", points)
	}
	return n
}

func networkNode(n Network) *yaml.Node {
	node := mapping()
	for _, q := range []struct {
		key       string
		value     *float64
		dimension units.Dimension
	}{
		{"latency", n.Latency, units.Time},
		{"bandwidth", n.Bandwidth, units.Rate},
		{"overhead", n.Overhead, units.Time},
		{"gap", n.Gap, units.Time},
		{"send_overhead", n.SendOverhead, units.Time},
	} {
		if q.value != nil {
			add(node, q.key, plain(units.Exact(q.dimension, *q.value)))
		}
	}
	switch m := n.Noise; {
	case m == nil:
	case m.Interval == 0:
		add(node, "noise", distributionNode(m.Duration))
	default:
		noise := kind(string(Poisson))
		add(noise, "interval", seconds(m.Interval))
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
	add(n, "ks", number(f.KS))
	add(n, "overhead_error", number(f.OverheadError))
	add(n, "p999_error", number(f.P999Error))
	add(n, "verdict", plain(string(f.Verdict)))
	if f.Reason != "" {
		add(n, "reason", text(f.Reason))
	}
	return n
}
