package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// Read returns the profile in the text of a file. It fails if the profile is not
// consistent, if a key is unknown or occurs twice, if a quantity has no unit, and for
// aliases of YAML. The profile is [Profile.Edited] if the file has a digest of another. An
// error is one line, with the name of the file, the line in it and the key.
func Read(file []byte, name string) (Profile, error) {
	root, err := parse(file)
	if err != nil {
		return Profile{}, fmt.Errorf("%s:%w", name, err)
	}
	doc := &document{name: name}
	p, digest := doc.profile(root)
	if doc.err != nil {
		return Profile{}, doc.err
	}
	if err := p.Check(); err != nil {
		return Profile{}, fmt.Errorf("%s: %w", name, err)
	}
	sum, err := p.digest()
	if err != nil {
		return Profile{}, fmt.Errorf("%s: %w", name, err)
	}
	p.Edited = digest != "" && digest != sum
	return p, nil
}

// parse returns the only document in a file. An error begins with the number of the
// line.
func parse(file []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(file))
	var root, second yaml.Node
	switch err := decoder.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("1: the file is empty")
	case err != nil:
		return nil, yamlError(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("%d: a second document begins; a file holds one profile",
			second.Line)
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	return root.Content[0], nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError returns an error of the YAML reader in the form of this package's.
func yamlError(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	line := ""
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if m[1] != "" {
			line = m[1] + ":"
		}
	}
	return fmt.Errorf("%s this is not YAML: %s", line, text)
}

// profile returns the profile of a document, and the digest that the document has of it, if any.
func (d *document) profile(n *yaml.Node) (p Profile, digest string) {
	f := d.fields(n, "")
	version := f.quantity(versionKey, units.Number)
	if version != Version {
		d.fail(n, versionKey, "the version of the format is %g; this program reads %d", version,
			Version)
	}
	digest = f.text(digestKey)
	p.Name = f.requiredText("name")
	f.list("os", func(n *yaml.Node, path string) { p.OS = append(p.OS, d.component(n, path)) })
	if n := f.take("network"); n != nil {
		p.Network = d.network(n)
	}
	if n := f.take("provenance"); n != nil {
		notes := d.fields(n, "provenance")
		for _, key := range notes.keys {
			p.Provenance = append(p.Provenance, Note{key.Value, notes.text(key.Value)})
		}
	}
	f.list("caveats", func(n *yaml.Node,
		path string) {
		p.Caveats = append(p.Caveats, d.text(n, path))
	})
	if n := f.take("fit"); n != nil {
		p.Fit = d.fit(n)
	}
	f.end()
	return p, digest
}

var componentKinds = []string{string(Periodic), string(Poisson), string(Bernoulli), string(Replay)}

func (d *document) component(n *yaml.Node, path string) Component {
	f := d.fields(n, path)
	c := Component{Kind: Kind(f.requiredText("kind"))}
	c.Name = f.text("name")
	switch c.Kind {
	case Periodic:
		c.Period = f.quantity("period", units.Time)
	case Poisson:
		c.Interval = f.quantity("interval", units.Time)
	case Bernoulli:
		c.Probability = f.quantity("probability", units.Number)
	case Replay:
		c.Trace, c.TraceDigest = f.requiredText("trace"), f.text("sha256")
	}
	switch c.Kind {
	case Periodic, Poisson, Bernoulli:
		c.Duration = d.length(f.need("duration"), f.at("duration"))
		f.end()
	case Replay:
		f.end()
	}
	if d.err == nil {
		if err := c.Check(); err != nil {
			d.fail(n, path, "%w", err)
		}
	}
	return c
}

func (d *document) network(n *yaml.Node) Network {
	f := d.fields(n, "network")
	network := Network{
		Latency:   f.optional("latency", units.Time),
		Bandwidth: f.optional("bandwidth", units.Rate),
		Overhead:  f.optional("overhead", units.Time),
		Gap:       f.optional("gap", units.Time),

		SendOverhead: f.optional("send_overhead", units.Time),
	}
	if n := f.take("noise"); n != nil {
		network.Noise = d.messageNoise(n)
	}
	f.end()
	return network
}

// messageNoise returns the noise of messages: Poisson events, or a distribution of the
// delay of each message.
func (d *document) messageNoise(n *yaml.Node) *MessageNoise {
	const path = "network.noise"
	f := d.fields(n, path)
	if f.requiredText("kind") != string(Poisson) {
		return &MessageNoise{Duration: d.length(n, path)}
	}
	m := &MessageNoise{Interval: f.quantity("interval", units.Time)}
	m.Duration = d.length(f.need("duration"), f.at("duration"))
	f.end()
	if d.err == nil {
		if err := positive("interval", m.Interval); err != nil {
			d.fail(n, path, "%w", err)
		}
	}
	return m
}

func (d *document) fit(n *yaml.Node) *Fit {
	f := d.fields(n, "fit")
	fit := &Fit{
		Criterion:     f.text("criterion"),
		KS:            f.quantity("ks", units.Number),
		OverheadError: f.quantity("overhead_error", units.Number),
		P999Error:     f.quantity("p999_error", units.Number),
		Verdict:       Verdict(f.requiredText("verdict")),
		Reason:        f.text("reason"),
	}
	f.end()
	return fit
}

// The kinds of lengths.
const (
	constant    = "constant"
	exponential = "exponential"
	pareto      = "pareto"
	lognormal   = "lognormal"
	empirical   = "empirical"
)

var lengthKinds = []string{constant, exponential, pareto, lognormal, empirical}

// length returns the distribution of lengths in a value: a quantity, which is constant,
// or a mapping with a kind.
func (d *document) length(n *yaml.Node, path string) noise.Length {
	if n == nil {
		return nil
	}
	var l noise.Length
	if n.Kind == yaml.ScalarNode {
		l = noise.Constant(d.quantity(n, path, units.Time))
	} else {
		l = d.distribution(n, path)
	}
	if d.err == nil {
		if err := l.Check(); err != nil {
			d.fail(n, path, "%w", err)
		}
	}
	return l
}

func (d *document) distribution(n *yaml.Node, path string) noise.Length {
	f := d.fields(n, path)
	defer f.end()
	switch kind := f.requiredText("kind"); kind {
	case constant:
		return noise.Constant(f.quantity("length", units.Time))
	case exponential:
		return noise.Exponential{Average: f.quantity("mean", units.Time)}
	case pareto:
		return noise.Pareto{Least: f.quantity("least", units.Time),
			Shape: f.quantity("shape", units.Number)}
	case lognormal:
		return noise.Lognormal{Median: f.quantity("median", units.Time),
			Sigma: f.quantity("sigma", units.Number)}
	case empirical:
		return d.quantiles(f.need("quantiles"), f.at("quantiles"))
	default:
		d.fail(n, path, "the kind %q is not known; known are %s", kind,
			strings.Join(lengthKinds, ", "))
		return nil
	}
}

// quantiles returns the quantiles in a list of pairs of a share and a length.
func (d *document) quantiles(n *yaml.Node, path string) noise.Empirical {
	var e noise.Empirical
	d.list(n, path, func(n *yaml.Node, path string) {
		if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
			d.fail(n, path, "a quantile is a share and a length, such as [0.5, 2us]")
			return
		}
		e.Points = append(e.Points, noise.Quantile{
			Share:  d.quantity(n.Content[0], path, units.Number),
			Length: d.quantity(n.Content[1], path, units.Time),
		})
	})
	return e
}
