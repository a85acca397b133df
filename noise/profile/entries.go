package profile

import (
	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
)

// entries returns the keys of a profile's file, in their order. An empty digest is not written.
func (p *Profile) entries(digest *string) []entry {
	version := float64(Version)
	format := quantityEntry("profile", units.Number, &version)
	format.read = func(d *document, n *yaml.Node, path string) {
		if version = d.quantity(n, path, units.Number); version != Version {
			d.fail(n, path, "the version of the format is %g; this program reads %d", version, Version)
		}
	}
	common := p.componentsOf(0)
	os := componentsEntry(&common)
	os.read = componentsEntry(&p.OS).read
	return []entry{
		format, textEntry("digest", digest).unless(*digest == ""), textEntry("name", &p.Name), os,
		p.classesEntry(),
		mappingEntry("network", p.Network.entries).unless(p.Network == (Network{})),
		p.provenanceEntry().unless(len(p.Provenance) == 0),
		listEntry("caveats", &p.Caveats, (*document).text, text).unless(len(p.Caveats) == 0),
		mappingEntry("fit", func() []entry {
			if p.Fit == nil {
				p.Fit = &Fit{}
			}
			return p.Fit.entries()
		}).unless(p.Fit == nil),
	}
}

// componentsEntry is an optional list of components.
func componentsEntry(list *[]Component) entry {
	return listEntry("os", list, (*document).component, Component.node).unless(false)
}

// provenanceEntry has keys of any name.
func (p *Profile) provenanceEntry() entry {
	notes := func() (all []entry) {
		for i := range p.Provenance {
			all = append(all, textEntry(p.Provenance[i].Key, &p.Provenance[i].Text))
		}
		return all
	}
	e := mappingEntry("provenance", notes)
	e.read = func(d *document, n *yaml.Node, path string) {
		f := d.fields(n, path)
		for _, key := range f.keys {
			p.Provenance = append(p.Provenance, Note{Key: key.Value})
		}
		f.take(notes()...)
	}
	return e
}

func (f *Fit) entries() []entry {
	return []entry{
		textEntry("criterion", &f.Criterion).unless(f.Criterion == ""),
		quantityEntry("ks", units.Number, &f.KS),
		quantityEntry("overhead_error", units.Number, &f.OverheadError),
		quantityEntry("p999_error", units.Number, &f.P999Error),
		textEntry("verdict", &f.Verdict), textEntry("reason", &f.Reason).unless(f.Reason == ""),
	}
}

func (n *Network) entries() []entry {
	var all []entry
	for _, q := range n.quantities() {
		all = append(all, entry{
			key: q.key,
			read: func(d *document, n *yaml.Node, path string) {
				*q.value = new(d.quantity(n, path, q.dimension))
			},
			node: func() *yaml.Node { return quantity(q.dimension, **q.value) },
		}.unless(*q.value == nil))
	}
	noise := entry{
		key:  "noise",
		read: func(d *document, node *yaml.Node, path string) { n.Noise = d.messageNoise(node, path) },
		node: func() *yaml.Node { return n.Noise.node() },
	}
	return append(all, noise.unless(n.Noise == nil))
}

// messageNoise reads Poisson events, or a distribution of the delay of each message.
func (d *document) messageNoise(n *yaml.Node, path string) *MessageNoise {
	m, kind := &MessageNoise{}, Kind("")
	f := d.fields(n, path)
	if f.take(textEntry("kind", &kind)); kind != Poisson {
		m.Duration = d.length(n, path)
		return m
	}
	f.take(m.events()...)
	f.end()
	if d.err == nil {
		if err := positive("interval", m.Interval); err != nil {
			d.fail(n, path, "%w", err)
		}
	}
	return m
}

func (m *MessageNoise) node() *yaml.Node {
	if m.Interval == 0 {
		return distributionNode(m.Duration)
	}
	return kindNode(Poisson, m.events())
}

// events returns the entries of Poisson events, without their kind.
func (m *MessageNoise) events() []entry {
	return []entry{
		quantityEntry("interval", units.Time, &m.Interval), lengthEntry("duration", &m.Duration),
	}
}

func (d *document) component(n *yaml.Node, path string) (c Component) {
	f := d.fields(n, path)
	f.take(textEntry("kind", &c.Kind))
	r, err := c.Kind.find()
	if err != nil {
		d.fail(n, path, "%w", err)
		return c
	}
	f.take(c.entries(r)...)
	f.end()
	if d.err == nil {
		if err := c.Check(); err != nil {
			d.fail(n, path, "%w", err)
		}
	}
	return c
}

func (c Component) node() *yaml.Node {
	r, _ := c.Kind.find() // checked before
	return kindNode(c.Kind, c.entries(r))
}

// entries returns the keys of a component after its kind.
func (c *Component) entries(r row) []entry {
	all := []entry{
		textEntry("name", &c.Name).unless(c.Name == ""),
		textEntry("scope", &c.Scope).unless(c.Scope == ""),
	}
	for _, p := range r.parameters {
		all = append(all, p.entry(c))
	}
	return all
}

func (p parameter) entry(c *Component) entry {
	switch {
	case p.length:
		return lengthEntry(p.key, &c.Duration)
	case p.text == nil:
		return quantityEntry(p.key, p.dimension, p.number(c))
	case p.optional:
		return textEntry(p.key, p.text(c)).unless(*p.text(c) == "")
	}
	return textEntry(p.key, p.text(c))
}
