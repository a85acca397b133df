package profile

import (
	"fmt"
	"slices"
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
	kind       string
	keys       []string
	dimensions []units.Dimension
	make       func(v []float64) noise.Length
	values     func(l noise.Length) ([]float64, bool) // false for another kind
}

var timeThenNumber = []units.Dimension{units.Time, units.Number}

var lengthRows = []lengthRow{
	{constant, []string{"length"}, timeThenNumber,
		func(v []float64) noise.Length { return noise.Constant(v[0]) },
		func(l noise.Length) ([]float64, bool) {
			c, ok := l.(noise.Constant)
			return []float64{float64(c)}, ok
		}},
	{"exponential", []string{"mean"}, timeThenNumber,
		func(v []float64) noise.Length { return noise.Exponential{Average: v[0]} },
		func(l noise.Length) ([]float64, bool) {
			e, ok := l.(noise.Exponential)
			return []float64{e.Average}, ok
		}},
	{"pareto", []string{"least", "shape"}, timeThenNumber,
		func(v []float64) noise.Length { return noise.Pareto{Least: v[0], Shape: v[1]} },
		func(l noise.Length) ([]float64, bool) {
			p, ok := l.(noise.Pareto)
			return []float64{p.Least, p.Shape}, ok
		}},
	{"lognormal", []string{"median", "sigma"}, timeThenNumber,
		func(v []float64) noise.Length { return noise.Lognormal{Median: v[0], Sigma: v[1]} },
		func(l noise.Length) ([]float64, bool) {
			p, ok := l.(noise.Lognormal)
			return []float64{p.Median, p.Sigma}, ok
		}},
	{kind: "empirical", values: func(l noise.Length) ([]float64, bool) {
		_, ok := l.(noise.Empirical)
		return nil, ok
	}},
}

// lengthKinds returns the names of the distributions.
func lengthKinds() []string {
	var names []string
	for _, r := range lengthRows {
		names = append(names, r.kind)
	}
	return names
}

// lengthKind returns the name of a distribution, "" if the file cannot have it.
func lengthKind(l noise.Length) string {
	for _, r := range lengthRows {
		if _, ok := r.values(l); ok {
			return r.kind
		}
	}
	return ""
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
	kind := f.requiredText("kind")
	i := slices.IndexFunc(lengthRows, func(r lengthRow) bool { return r.kind == kind })
	if i < 0 {
		d.fail(n, path, "the kind %q is not known; valid values: %s", kind,
			strings.Join(lengthKinds(), ", "))
		return nil
	}
	r := lengthRows[i]
	if r.make == nil {
		return d.quantiles(f.need("quantiles"), f.at("quantiles"))
	}
	var v []float64
	for j, key := range r.keys {
		v = append(v, f.quantity(key, r.dimensions[j]))
	}
	return r.make(v)
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

// lengthNode returns the node of a distribution, a quantity if it is constant.
func lengthNode(l noise.Length) *yaml.Node {
	if c, ok := l.(noise.Constant); ok {
		return quantity(units.Time, float64(c))
	}
	return distributionNode(l)
}

func distributionNode(l noise.Length) *yaml.Node {
	n := kindNode(lengthKind(l))
	if e, ok := l.(noise.Empirical); ok {
		points := sequence()
		for _, p := range e.Points {
			pair := sequence()
			pair.Content = []*yaml.Node{quantity(units.Number, p.Share), quantity(units.Time, p.Length)}
			points.Content = append(points.Content, pair)
		}
		add(n, "quantiles", points)
		return n
	}
	for _, r := range lengthRows {
		if v, ok := r.values(l); ok {
			for j, key := range r.keys {
				add(n, key, quantity(r.dimensions[j], v[j]))
			}
		}
	}
	return n
}
