package study

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// mostNamed is the largest number of values of a key that a line names one by one.
const mostNamed = 4

// Basis returns the lines that say what the study's results rest on, as [BasisOf] does.
func (s *Study) Basis() []string {
	points := s.examples
	if n := len(s.Configurations); n <= mostCompared {
		points = slices.Values(s.points(0, n))
	}
	return BasisOf(points, s.Given)
}

// Given reports whether the user gave a key, or the key that it follows.
func (s *Study) Given(k *Key) bool {
	target := s.axes.follows[k]
	return s.axes.given(k) || target != nil && s.axes.given(target)
}

// ExampleNoise reports whether the study has noise and the user gave no key of it: it is an example's.
func (s *Study) ExampleNoise() bool {
	return !slices.ContainsFunc(Keys, func(k *Key) bool { return k.Group == groupNoise && s.axes.given(k) })
}

// examples yields points that have each value of assume with each value of the keys that its lines
// name.
func (s *Study) examples(yield func(Point) bool) {
	named := slices.Clone(machine)
	for _, a := range assumptions {
		named = append(named, a.key)
	}
	for _, n := range noises {
		named = append(named, n.kind, n.every, n.length)
	}
	for at, assume := range s.axes.values[Assume] {
		p := s.axes.point(0, nil)
		*p.at(Assume) = assume
		for _, k := range named {
			values := s.axes.values[k]
			if s.axes.assumed[k] {
				values = values[at : at+1]
			}
			for _, v := range values {
				*p.at(k) = v
				q := Point{Values: slices.Clone(p.Values)}
				q.ignore(nil)
				if !yield(q) {
					return
				}
			}
		}
	}
}

// BasisColumn is the column of JSON that has the lines of [Point.Basis].
const BasisColumn = "basis"

// Basis returns the lines of [BasisOf] for one point of the study.
func (p Point) Basis(s *Study) []string {
	return BasisOf(func(yield func(Point) bool) { yield(p) }, s.Given)
}

// BasisOf returns the lines that say what results of points rest on: the noise, the machine, and for
// each value of the key assume what is assumed of hosts and of the start. What is a default is
// marked, given whether the user gave a key. Keys without effect are left out.
func BasisOf(points iter.Seq[Point], given func(*Key) bool) []string {
	var names []string
	all := map[string]*basis{}
	for p := range points {
		name := p.Name(Assume)
		if all[name] == nil {
			names = append(names, name)
			all[name] = &basis{given: given, values: make([][]Value, len(Axes))}
		}
		all[name].add(p)
	}
	lines := slices.Concat(
		perAssumption("noise", names, func(name string) string { return all[name].noise() }),
		perAssumption("machine", names, func(name string) string { return all[name].machine() }))
	for _, name := range names {
		if text := all[name].assumptions(); text != "" {
			lines = append(lines, Assume.Path+" "+name+": "+text)
		}
	}
	return lines
}

// perAssumption returns a line for each value of assume, or one if they are the same.
func perAssumption(title string, names []string, text func(name string) string) []string {
	lines := each(names, text)
	if same := slices.Compact(slices.Clone(lines)); len(same) == 1 {
		return []string{title + ": " + same[0]}
	}
	for i, name := range names {
		lines[i] = title + " with " + Assume.Path + " " + name + ": " + lines[i]
	}
	return lines
}

// A basis is the values of points with one value of assume.
type basis struct {
	given  func(*Key) bool
	values [][]Value // by axis, each once, where the key has an effect
	each   []string  // for how long a message keeps a busy link
}

func (x *basis) add(p Point) {
	for i, k := range Axes {
		if p.rule(k) == nil && !slices.Contains(x.values[i], p.Values[i]) {
			x.values[i] = append(x.values[i], p.Values[i])
		}
	}
	if p.Name(Links) == busy && p.rule(Links) == nil {
		each := units.Format(units.Time, p.Number(Bytes)/p.Number(Bandwidth), 3)
		if !slices.Contains(x.each, each) {
			x.each = append(x.each, each)
		}
	}
}

// of returns the values of a key.
func (x *basis) of(k *Key) []Value { return x.values[k.axis-1] }

// isDefault reports whether the values of a key are its default: the user did not give the key, and
// nothing that the user gave sets it, as a profile sets the latency.
func (x *basis) isDefault(k *Key) bool {
	values := x.of(k)
	switch {
	case k == Overhead && len(values) > 0 && values[0].Number > 0:
		return !x.given(k) && x.overheadInside() // else a profile has it
	case k.Paper != "":
		return !x.given(k)
	}
	if k.Default == auto || strings.HasPrefix(k.Default, "=") || len(values) != 1 {
		return !x.given(k)
	}
	v, err := k.single(k.Default)
	same := values[0].Name == k.Default || err == nil && values[0].Name == v.Name && values[0].Number == v.Number
	return !x.given(k) && same
}

// overheadInside reports whether a latency includes overheads.
func (x *basis) overheadInside() bool {
	return slices.Contains(x.of(LatencyIs), Value{Name: halfRoundTrip})
}

// texts returns the values of a key in words: the words that there are for them, or the values as
// they are written; of many quantities the first and the last.
func (x *basis) texts(k *Key, words map[string]string) string {
	var texts []string
	for _, v := range x.of(k) {
		text, ok := words[v.canonical()]
		if !ok {
			text = k.Text(v)
		}
		texts = append(texts, text)
	}
	if n := len(texts); n > mostNamed {
		return fmt.Sprintf("%s to %s (%d values)", texts[0], texts[n-1], n)
	}
	return strings.Join(texts, " or ")
}

// A part is a part of a line.
type part struct {
	text      string
	byDefault bool
}

// listed returns parts as a text: those that are given, and after them the defaults, marked.
func listed(parts []part, between, before string) string {
	var given, defaults []string
	for _, p := range parts {
		if p.byDefault {
			defaults = append(defaults, p.text)
		} else {
			given = append(given, p.text)
		}
	}
	text := strings.Join(given, between)
	if len(defaults) == 0 {
		return text
	}
	if text != "" {
		text += before
	}
	return text + strings.Join(defaults, between) + " (default)"
}

// scopes are the values of OSScope in words.
var scopes = map[string]string{rank: "on each rank", node: "on each node", all: "on all ranks at once"}

// noise returns the noise in words.
func (x *basis) noise() string {
	kinds, profiles := x.of(OSKind), x.texts(NoiseProfile, nil)
	both := kindProfile
	if len(kinds) == 1 && len(x.of(NetKind)) == 1 && kinds[0].Name == both && x.of(NetKind)[0].Name == both {
		return "OS and network of " + profiles
	}
	os := x.kinds(OSKind, func(kind string) string {
		every, what := "every ", "detours "
		if kind == poisson {
			every, what = "on average every ", "random detours "
		}
		return what + listed([]part{
			{"of " + x.texts(OSDuration, nil), x.isDefault(OSDuration)},
			{every + x.texts(OSPeriod, nil), x.isDefault(OSPeriod)},
			{x.texts(OSScope, scopes), x.isDefault(OSScope)},
		}, " ", ", ")
	})
	network := x.kinds(NetKind, func(string) string {
		return "delays " + listed([]part{
			{"of " + x.texts(NetDuration, nil), x.isDefault(NetDuration)},
			{"on average every " + x.texts(NetInterval, nil) + " of a message's way", x.isDefault(NetInterval)},
		}, " ", ", ")
	})
	if os == none && network == none {
		return none
	}
	if os == none {
		os = ": " + os
	} else {
		os = " " + os
	}
	return "OS" + os + "; network: " + network
}

// kinds returns each kind of a key in words: of none, of profiles, and as describe says.
func (x *basis) kinds(k *Key, describe func(kind string) string) string {
	var texts []string
	for _, v := range x.of(k) {
		switch v.Name {
		case none:
			texts = append(texts, none)
		case kindProfile:
			texts = append(texts, "of "+x.texts(NoiseProfile, nil))
		default:
			texts = append(texts, describe(v.Name))
		}
	}
	text := strings.Join(texts, ", or ")
	if text == none && !x.given(k) && !x.given(NoiseProfile) && k != OSKind {
		text += " (default)"
	}
	return text
}

// machine are the keys that the line of the machine names, where they have one value.
var machine = []*Key{Ranks, RanksPerNode, Bytes, Topology, Latency, NodeLatency, Bandwidth}

// machineWords are what stands before or after values in the line of the machine.
var machineWords = map[*Key]string{
	Ranks: "%s ranks", RanksPerNode: "%s on each node", Topology: "%s", Latency: "latency %s",
	NodeLatency: "%s inside a node", Bandwidth: "bandwidth %s", Bytes: "%s",
}

// machine returns in words what all results have in common of the machine and of the call.
func (x *basis) machine() string {
	var parts []part
	for _, k := range machine {
		values := x.of(k)
		if len(values) != 1 || k == Topology && values[0].Name == none || k == RanksPerNode && values[0].Whole == 1 {
			continue
		}
		parts = append(parts, part{fmt.Sprintf(machineWords[k], k.Text(values[0])), x.isDefault(k)})
	}
	return listed(parts, ", ", "; ")
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
	{Overhead, "a message costs its sender and its receiver ", map[string]string{"0": "nothing"}},
	{SendOverhead, "a copy costs its sender ", map[string]string{"0": "no more"}},
}

// assumptions returns the assumptions in words.
func (x *basis) assumptions() string {
	var parts []part
	for _, assumption := range assumptions {
		k := assumption.key
		if len(x.of(k)) == 0 || k == SendOverhead && x.texts(k, nil) == "0 s" && !x.given(k) {
			continue
		}
		text := assumption.prefix + x.texts(k, assumption.words)
		switch {
		case k == Links && len(x.each) > 0 && len(x.each) <= mostNamed:
			text += " (" + strings.Join(x.each, " or ") + " each)"
		case k == Overhead && x.overheadInside():
			text += " each, which the latency includes"
		}
		parts = append(parts, part{text, x.isDefault(k)})
	}
	return listed(parts, ", ", "; ")
}

// PointOf returns the point of a row of results.
func PointOf(row datasets.Axes) Point {
	p := PointFrom(datasets.Fields(row)[1:])
	p.ID = row.ConfigID
	return p
}

// PointFrom returns the point, without its ID, of the cells of the columns of Axes in results.
func PointFrom(cells []any) Point {
	var p Point
	for _, cell := range cells {
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
