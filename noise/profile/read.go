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
	f.list("caveats", func(n *yaml.Node, path string) {
		p.Caveats = append(p.Caveats, d.text(n, path))
	})
	if n := f.take("fit"); n != nil {
		p.Fit = d.fit(n)
	}
	f.end()
	return p, digest
}

func (d *document) component(n *yaml.Node, path string) Component {
	f := d.fields(n, path)
	c := Component{Kind: Kind(f.requiredText("kind"))}
	r, err := c.Kind.find()
	if err != nil {
		d.fail(n, path, "%w", err)
		return c
	}
	c.Name, c.Scope = f.text("name"), Scope(f.text("scope"))
	for _, p := range r.parameters {
		p.read(&f, &c)
	}
	f.end()
	if d.err == nil {
		if err := c.Check(); err != nil {
			d.fail(n, path, "%w", err)
		}
	}
	return c
}

// read takes the value of a parameter.
func (p parameter) read(f *fields, to *Component) {
	node := f.take
	if !p.optional {
		node = f.need
	}
	switch n, at := node(p.key), f.at(p.key); {
	case p.length:
		to.Duration = f.doc.length(n, at)
	case p.text != nil:
		*p.text(to) = f.doc.text(n, at)
	default:
		*p.number(to) = f.doc.quantity(n, at, p.dimension)
	}
}

func (d *document) network(n *yaml.Node) Network {
	f := d.fields(n, "network")
	var network Network
	for _, q := range network.quantities() {
		*q.value = f.optional(q.key, q.dimension)
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
