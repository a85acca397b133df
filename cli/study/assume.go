package study

import (
	"iter"
	"slices"
	"strings"

	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// The values of [Assume].
const (
	onHosts = "hosts" // what processors, interfaces and links of hosts do
	paper   = "paper" // what Matsumoto and Suda assume
)

// assume makes the keys that neither the user nor the command gave, and that have a Paper value,
// vary with assume: to each of its values belongs one of theirs.
func (a *axes) assume() error {
	a.assumed = map[*Key]bool{}
	for _, k := range Axes {
		if k.Paper == "" || !a.assumes(k) {
			continue
		}
		a.assumed[k] = true
		a.values[k] = nil
		for _, v := range a.values[Assume] {
			as := map[string]string{onHosts: k.Default, paper: k.Paper}[v.Name]
			a.values[k] = append(a.values[k], k.replacement(Rule{As: as}))
		}
	}
	return nil
}

// assumes reports whether neither the user nor the command has given a key.
func (a *axes) assumes(k *Key) bool { return !a.given(k) && a.Defaults[k.Path] == "" }

// fitAssumed sets the cost of a copy, unless it is given, where the overhead of a message is known:
// a copy costs that and nothing beyond it.
func (s *Study) fitAssumed(p Point) error {
	known := s.profiles[p.Name(NoiseProfile)].Network.Overhead != nil
	if (s.axes.given(Overhead) || known) && s.axes.assumes(SendOverhead) {
		*p.at(SendOverhead) = Value{}
	}
	return nil
}

// assumptions are the keys that assume sets, and forwarding. The meaning of their values follows the
// prefix; a quantity is printed as it is.
var assumptions = []struct {
	key    *Key
	prefix string
	words  map[string]string
}{
	{OSLaunch, "", map[string]string{
		stationary: "random start", quiet: "synchronized start"}},
	{Reception, "", map[string]string{
		cpu: "the processor receives copies", offload: "the interface receives copies",
		nic: "the interface receives copies, and the call returns when the rank runs"}},
	{Forward, "", map[string]string{
		final: "results forwarded", none: "no forwarding"}},
	{Links, "", map[string]string{
		busy: "links carry one message after the other", free: "links carry all messages at once"}},
	{SendOverhead, "a copy costs its sender ", map[string]string{"0": "nothing"}},
}

// mostNamed is the largest number of values of a quantity that are named.
const mostNamed = 4

// Assumptions returns a line for each value of the key assume: what the study's configurations with
// it assume of hosts and of the start.
func (s *Study) Assumptions() []string {
	if n := len(s.Configurations); n <= mostCompared {
		return Assumptions(func(yield func(Point) bool) {
			for i := range n {
				if !yield(s.Point(i)) {
					return
				}
			}
		})
	}
	return Assumptions(s.examples)
}

// examples yields points that have each value of assume with each value of the keys that it sets.
func (s *Study) examples(yield func(Point) bool) {
	for at, assume := range s.axes.values[Assume] {
		p := s.axes.point(0, nil)
		*p.at(Assume) = assume
		for _, assumption := range assumptions {
			values := s.axes.values[assumption.key]
			if s.axes.assumed[assumption.key] {
				values = values[at : at+1]
			}
			for _, v := range values {
				*p.at(assumption.key) = v
				if !yield(p) {
					return
				}
			}
		}
	}
}

// Assumptions returns a line for each value of the key assume: what points with it assume of hosts
// and of the start. Keys without effect are left out.
func Assumptions(points iter.Seq[Point]) []string {
	var names []string
	parts := map[string]*assumed{}
	for p := range points {
		name := p.Name(Assume)
		if parts[name] == nil {
			names = append(names, name)
			parts[name] = &assumed{values: make([][]string, len(assumptions))}
		}
		parts[name].add(p)
	}
	var lines []string
	for _, name := range names {
		if text := parts[name].text(); text != "" {
			lines = append(lines, Assume.Path+" "+name+": "+text)
		}
	}
	return lines
}

type assumed struct {
	values [][]string // in words, in the order of assumptions
	each   []string   // for how long a message keeps a busy link
}

func (x *assumed) add(p Point) {
	add := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	for i, assumption := range assumptions {
		k, v := assumption.key, p.Value(assumption.key)
		if p.rule(k) != nil {
			continue
		}
		text, ok := assumption.words[v.canonical()]
		if !ok {
			text = k.Text(v)
		}
		add(&x.values[i], text)
		if v.Name == busy {
			seconds := p.Number(Bytes) / p.Number(Bandwidth)
			add(&x.each, units.Format(units.Time, seconds, 3))
		}
	}
}

func (x *assumed) text() string {
	var parts []string
	for i, values := range x.values {
		if len(values) == 0 {
			continue
		}
		text := assumptions[i].prefix + strings.Join(values, " or ")
		if len(values) > mostNamed {
			text = assumptions[i].prefix + "what the table says"
		}
		if assumptions[i].key == Links && len(x.each) > 0 && len(x.each) <= mostNamed {
			text += " (" + strings.Join(x.each, " or ") + " each)"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// PointOf returns the point of a row of results.
func PointOf(row datasets.Axes) Point {
	p := Point{ID: row.ConfigID}
	for _, cell := range datasets.Fields(row)[1:] {
		var v Value
		switch cell := cell.(type) {
		case string:
			v.Name = cell
		case int64:
			v = Value{Whole: uint64(cell), Number: float64(cell)}
		case float64:
			v.Number = cell
		}
		p.Values = append(p.Values, v)
	}
	return p
}

// paperText returns the default with assume: paper in code quotes, "" if it is the same.
func (k *Key) paperText() string {
	if k.Paper == "" {
		return ""
	}
	return "`" + k.Paper + "` with `assume: paper`"
}
