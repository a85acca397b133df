package profile

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// constant is the kind of a length that is written as a quantity.
const constant = "constant"

// A lengthRow is a distribution of lengths as the file has it: its kind, and its parameters in
// their order, or quantiles.
type lengthRow struct {
	kind string
	keys []string
	make func(v []float64) noise.Length
}

var lengthRows = []lengthRow{
	{constant, []string{"length"}, func(v []float64) noise.Length { return noise.Constant(v[0]) }},
	{"exponential", []string{"mean"},
		func(v []float64) noise.Length { return noise.Exponential{Average: v[0]} }},
	{"pareto", []string{"least", "shape"},
		func(v []float64) noise.Length { return noise.Pareto{Least: v[0], Shape: v[1]} }},
	{"lognormal", []string{"median", "sigma"},
		func(v []float64) noise.Length { return noise.Lognormal{Median: v[0], Sigma: v[1]} }},
	{kind: "empirical"},
}

// inFile returns the kind and the parameters of a distribution; "" if the file cannot have it.
func inFile(l noise.Length) (kind string, v []float64) {
	switch l := l.(type) {
	case noise.Constant:
		return constant, []float64{float64(l)}
	case noise.Exponential:
		return "exponential", []float64{l.Average}
	case noise.Pareto:
		return "pareto", []float64{l.Least, l.Shape}
	case noise.Lognormal:
		return "lognormal", []float64{l.Median, l.Sigma}
	case noise.Empirical:
		return "empirical", nil
	}
	return "", nil
}

// lengthKind returns the name of a distribution, "" if the file cannot have it.
func lengthKind(l noise.Length) string {
	kind, _ := inFile(l)
	return kind
}

// findLength returns the row of a kind. It fails if the kind is unknown.
func findLength(kind string) (lengthRow, error) {
	var names []string
	for _, r := range lengthRows {
		if r.kind == kind {
			return r, nil
		}
		names = append(names, r.kind)
	}
	return lengthRow{}, fmt.Errorf("the kind %q is not known; valid values: %s", kind,
		strings.Join(names, ", "))
}

// checkLength fails if the file cannot have the distribution.
func checkLength(l noise.Length) error {
	switch {
	case l == nil:
		return fmt.Errorf("the duration is missing")
	case lengthKind(l) == "":
		return fmt.Errorf("a duration of the type %T has no form in the file", l)
	}
	return l.Check()
}

// lengthEntry returns the entry of a distribution: a quantity, which is constant, or a mapping
// with a kind.
func lengthEntry(key string, value *noise.Length) entry {
	return entry{
		key:  key,
		read: func(d *document, n *yaml.Node, path string) { *value = d.length(n, path) },
		node: func() *yaml.Node {
			if c, ok := (*value).(noise.Constant); ok {
				return quantity(units.Time, float64(c))
			}
			return distributionNode(*value)
		},
	}
}

func (d *document) length(n *yaml.Node, path string) noise.Length {
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
	kind := ""
	f.take(textEntry("kind", &kind))
	r, err := findLength(kind)
	if err != nil {
		d.fail(n, path, "%w", err)
		return nil
	}
	if r.make == nil {
		var e noise.Empirical
		f.take(quantilesEntry(&e))
		return e
	}
	v := make([]float64, len(r.keys))
	f.take(r.entries(v)...)
	return r.make(v)
}

func distributionNode(l noise.Length) *yaml.Node {
	if e, ok := l.(noise.Empirical); ok {
		return kindNode("empirical", []entry{quantilesEntry(&e)})
	}
	kind, v := inFile(l)
	r, _ := findLength(kind) // checked before
	return kindNode(kind, r.entries(v))
}

// entries returns the entries of the parameters: a time, and then a number.
func (r lengthRow) entries(v []float64) []entry {
	var all []entry
	for j, key := range r.keys {
		all = append(all, quantityEntry(key, []units.Dimension{units.Time, units.Number}[j], &v[j]))
	}
	return all
}

// quantilesEntry returns the entry of a list of pairs of a share and a length.
func quantilesEntry(e *noise.Empirical) entry {
	return listEntry("quantiles", &e.Points,
		func(d *document, n *yaml.Node, path string) (q noise.Quantile) {
			if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
				d.fail(n, path, "a quantile is a share and a length, such as [0.5, 2us]")
				return q
			}
			q.Share = d.quantity(n.Content[0], path, units.Number)
			q.Length = d.quantity(n.Content[1], path, units.Time)
			return q
		},
		func(q noise.Quantile) *yaml.Node {
			pair := []*yaml.Node{quantity(units.Number, q.Share), quantity(units.Time, q.Length)}
			return &yaml.Node{Kind: yaml.SequenceNode, Content: pair}
		})
}
