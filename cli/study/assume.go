package study

import (
	"iter"
	"slices"
	"strings"

	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// assumeKey is the key that sets the defaults of those that have a Paper value.
const assumeKey = "assume"

// The values of assumeKey.
const (
	hosts = "hosts" // what processors, interfaces and links of hosts do
	paper = "paper" // what Matsumoto and Suda assume
)

// Keys that defaults depend on.
const (
	overhead     = "network.overhead"
	sendOverhead = "redundancy.send_overhead"
	forward      = "redundancy.forward"
	linksKey     = "network.links"
)

// assume makes the keys that neither the user nor the command gave, and that have a Paper value,
// vary with assume: to each of its values belongs one of theirs.
func (a *axes) assume() {
	a.assumed = map[string]bool{}
	for _, k := range Axes {
		if k.Paper == "" || !a.assumes(k.Path) {
			continue
		}
		a.assumed[k.Path] = true
		a.values[k.Path] = nil
		for _, v := range a.values[assumeKey] {
			as := map[string]string{hosts: k.Default, paper: k.Paper}[v.Name]
			a.values[k.Path] = append(a.values[k.Path], k.replacement(Rule{As: as}))
		}
	}
}

// assumes reports whether neither the user nor the command has given a key.
func (a *axes) assumes(path string) bool { return !a.given(path) && a.Defaults[path] == "" }

// fitAssumed sets the cost of a copy, unless it is given, where the overhead of a message is known: a
// copy costs that and nothing beyond it.
func (s *Study) fitAssumed(p Point, a *axes) {
	known := s.profiles[p.Value("noise.profile").Name].Network.Overhead != nil
	if (a.given(overhead) || known) && a.assumes(sendOverhead) {
		*p.at(sendOverhead) = Value{}
	}
}

// assumptions are the keys that assume sets, and forwarding. What their values mean in words stands
// after prefix; a quantity stands for itself.
var assumptions = []struct {
	path, prefix string
	words        map[string]string
}{
	{"noise.os.launch", "", map[string]string{
		stationary: "random start", quiet: "synchronized start"}},
	{"redundancy.reception", "", map[string]string{
		cpu: "the processor receives copies", offload: "the interface receives copies",
		nic: "the interface receives copies, and the call returns when the rank runs"}},
	{forward, "", map[string]string{
		final: "results forwarded", none: "no forwarding"}},
	{linksKey, "", map[string]string{
		busy: "links carry one message after the other", free: "links carry all messages at once"}},
	{sendOverhead, "a copy costs its sender ", map[string]string{"0": "nothing"}},
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
	for at, assume := range s.axes.values[assumeKey] {
		p := s.axes.point(0, nil)
		*p.at(assumeKey) = assume
		for _, assumption := range assumptions {
			values := s.axes.values[assumption.path]
			if s.axes.assumed[assumption.path] {
				values = values[at : at+1]
			}
			for _, v := range values {
				*p.at(assumption.path) = v
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
		name := p.Value(assumeKey).Name
		if parts[name] == nil {
			names = append(names, name)
			parts[name] = &assumed{values: make([][]string, len(assumptions))}
		}
		parts[name].add(p)
	}
	var lines []string
	for _, name := range names {
		if text := parts[name].text(); text != "" {
			lines = append(lines, assumeKey+" "+name+": "+text)
		}
	}
	return lines
}

// An assumed is what points assume.
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
		k, v := &Axes[axisAt[assumption.path]], p.Value(assumption.path)
		if p.rule(k) != nil {
			continue
		}
		text, ok := assumption.words[v.canonical()]
		if !ok {
			text = k.Text(v)
		}
		add(&x.values[i], text)
		if v.Name == busy {
			seconds := p.Value("bytes").Number / p.Value("network.bandwidth").Number
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
		if assumptions[i].path == linksKey && len(x.each) > 0 && len(x.each) <= mostNamed {
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
func (k Key) paperText() string {
	if k.Paper == "" {
		return ""
	}
	return "`" + k.Paper + "` with `assume: paper`"
}
