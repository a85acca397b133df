package profile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// Read returns the profile in the content of a file. It fails if the profile is not
// consistent, if a key is unknown or occurs twice, if a quantity has no unit, and for
// aliases of YAML. The profile is [Profile.Edited] if the file has the digest of another profile. An
// error is one line, with the name of the file, the line in it and the key.
func Read(file []byte, name string) (Profile, error) {
	root, err := parse(file)
	if err != nil {
		return Profile{}, fmt.Errorf("%s:%w", name, err)
	}
	doc := &document{name: name}
	p, digest := Profile{}, ""
	f := doc.fields(root, "")
	f.take(p.entries(&digest)...)
	f.end()
	if doc.err != nil {
		return Profile{}, doc.err
	}
	if err := p.Check(); err != nil {
		return Profile{}, fmt.Errorf("%s: %w", name, err)
	}
	p.Edited = digest != "" && digest != p.digest()
	return p, nil
}

// parse returns the only document in a file. An error begins with the number of the line.
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
		return nil, fmt.Errorf("%d: a second document begins; a file holds one profile", second.Line)
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	return root.Content[0], nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+:) )?`)

// yamlError returns an error of the YAML reader in the form of this package's.
func yamlError(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	line := ""
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, text = m[1], text[len(m[0]):]
	}
	return fmt.Errorf("%s this is not YAML: %s", line, text)
}

// Write returns the content of a profile's file, with a digest. [Read] returns the same profile from
// it, to the last bit of every number. It fails if the profile is not consistent.
func Write(p Profile) ([]byte, error) {
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return p.text(p.digest()), nil
}

// digest returns the SHA-256, in hexadecimal digits, of the text that [Write] writes without it.
func (p Profile) digest() string {
	sum := sha256.Sum256(p.text(""))
	return hex.EncodeToString(sum[:])
}

// text returns the text of a profile with a digest. The profile is checked, so that YAML can have all
// of it.
func (p Profile) text(digest string) []byte {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	_ = encoder.Encode(mapping(0, p.entries(&digest)))
	_ = encoder.Close()
	return text.Bytes()
}

// A document is a YAML file that is being read. It keeps the first error; values read
// after it are not used.
type document struct {
	name string
	err  error
}

// fail keeps an error of a node, if it is the first.
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
	if err := noise.Positive("the interval", m.Interval); err != nil {
		d.fail(n, path, "%w", err)
	}
	return m
}

func (m *MessageNoise) node() *yaml.Node {
	if m.Interval == 0 {
		return kindNode(inFile(m.Duration))
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
	if err := c.Check(); err != nil {
		d.fail(n, path, "%w", err)
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
	for _, p := range r.parameters(c) {
		all = append(all, p.entry)
	}
	return all
}
