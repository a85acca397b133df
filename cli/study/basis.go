package study

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

// mostNamed is the largest number of values of a key that a line names one by one.
const mostNamed = 4

// Basis returns the lines that say what the study's results rest on, as [BasisOf] does.
func (s *Study) Basis() []string {
	values := make([]Value, len(Axes))
	return BasisOf(vector.Sequence(len(s.Configurations), func(i int) Point {
		p, _ := s.derive(&s.Configurations[i], values, nil) // it was derived before
		return p
	}), s.Given)
}

// Given reports whether the user gave a key, or the key that it follows.
func (s *Study) Given(k *Key) bool {
	target := s.keys[k].follows
	return s.given(k) || target != nil && s.given(target)
}

// ExampleNoise reports whether the study has noise and the user gave no key of it: it is an example's.
func (s *Study) ExampleNoise() bool {
	return !slices.ContainsFunc(Keys, func(k *Key) bool { return k.Group == groupNoise && s.given(k) })
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
	var all []*basis
	for p := range points {
		i := slices.IndexFunc(all, func(x *basis) bool { return x.assume == p.Name(Assume) })
		if i < 0 {
			x := &basis{p.Name(Assume), given, make([][]Value, len(Axes)), map[valueOfAxis]bool{}, nil}
			i, all = len(all), append(all, x)
		}
		all[i].add(p)
	}
	lines := slices.Concat(
		perAssumption("noise", all, (*basis).noise), perAssumption("machine", all, (*basis).machine))
	for _, x := range all {
		if text := x.list(assumptions, ", ", "; "); text != "" {
			lines = append(lines, Assume.Path+" "+x.assume+": "+text)
		}
	}
	return lines
}

// perAssumption returns a line for each value of assume, or one if they are the same.
func perAssumption(title string, all []*basis, text func(*basis) string) []string {
	lines := vector.Each(all, text)
	if same := slices.Compact(slices.Clone(lines)); len(same) == 1 {
		return []string{title + ": " + same[0]}
	}
	for i, x := range all {
		lines[i] = title + " with " + Assume.Path + " " + x.assume + ": " + lines[i]
	}
	return lines
}

// A basis is the values of points with one value of assume.
type basis struct {
	assume string
	given  func(*Key) bool
	values [][]Value // by axis, each once, where the key has an effect
	seen   map[valueOfAxis]bool
	each   []string // for how long a message keeps a busy link
}

// A valueOfAxis is a value of the key with that index in Axes.
type valueOfAxis struct {
	axis  int
	value Value
}

func (x *basis) add(p Point) {
	for i, k := range Axes {
		if n := len(x.values[i]); n > 0 && x.values[i][n-1] == p.Values[i] {
			continue // as of most axes
		}
		if v := (valueOfAxis{i, p.Values[i]}); !x.seen[v] && p.rule(k) == nil {
			x.seen[v] = true
			x.values[i] = append(x.values[i], v.value)
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
	switch values := x.of(k); {
	case x.given(k):
		return false
	case k == Overhead && len(values) > 0 && values[0].Number > 0:
		return x.overheadInside() // else a profile has it
	case k.Paper != "", k.Default == auto, strings.HasPrefix(k.Default, "="), len(values) != 1:
		return true
	default:
		of, _ := k.parse(k.Default)
		return values[0].Name == of[0].Name && values[0].Number == of[0].Number
	}
}

// overheadInside reports whether a latency includes overheads.
func (x *basis) overheadInside() bool {
	return slices.Contains(x.of(LatencyIs), Value{Name: halfRoundTrip})
}

// A term is what a line says about a key, with words for some of its values in place of the values as they
// are written.
type term struct {
	key    *Key
	format string
	words  map[string]string
}

// texts returns the values of a term in words; of many quantities the first and the last.
func (x *basis) texts(t term) string {
	texts := vector.Each(x.of(t.key), func(v Value) string {
		return cmp.Or(t.words[v.canonical()], t.key.Text(v))
	})
	text := strings.Join(texts, " or ")
	switch n := len(texts); {
	case n > mostNamed:
		text = fmt.Sprintf("%s to %s (%d values)", texts[0], texts[n-1], n)
	case t.key == Links && len(x.each) > 0 && len(x.each) <= mostNamed:
		text += " (" + strings.Join(x.each, " or ") + " each)"
	}
	if t.key == Overhead && x.overheadInside() {
		text += " each, which the latency includes"
	}
	return text
}

// list returns terms in words, those that are given and after them the defaults, marked. It leaves out
// keys without effect, and values that go without saying.
func (x *basis) list(terms []term, between, before string) string {
	var given, defaults []string
	for _, t := range terms {
		k := t.key
		matters := func(v Value) bool {
			return !(k == Topology && v.Name == none || k == RanksPerNode && v.Whole == 1 ||
				k == SendOverhead && v.Number == 0 && !x.given(k))
		}
		if !slices.ContainsFunc(x.of(k), matters) {
			continue
		}
		if text := fmt.Sprintf(t.format, x.texts(t)); x.isDefault(k) {
			defaults = append(defaults, text)
		} else {
			given = append(given, text)
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

// noise returns the noise in words.
func (x *basis) noise() string {
	kinds, both := x.of(OSKind), kindProfile
	if len(kinds) == 1 && len(x.of(NetKind)) == 1 && kinds[0].Name == both && x.of(NetKind)[0].Name == both {
		return "OS and network of " + x.texts(term{key: NoiseProfile})
	}
	os := x.kinds(OSKind, func(kind string) string {
		every, what := "every %s", "detours "
		if kind == poisson {
			every, what = "on average every %s", "random detours "
		}
		scopes := map[string]string{rank: "on each rank", node: "on each node", all: "on all ranks at once"}
		return what + x.list([]term{
			{OSDuration, "of %s", nil}, {OSPeriod, every, nil}, {OSScope, "%s", scopes},
		}, " ", ", ")
	})
	network := x.kinds(NetKind, func(string) string {
		return "delays " + x.list([]term{
			{NetDuration, "of %s", nil}, {NetInterval, "on average every %s of a message's way", nil},
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
	texts := vector.Each(x.of(k), func(v Value) string {
		switch v.Name {
		case none:
			return none
		case kindProfile:
			return "of " + x.texts(term{key: NoiseProfile})
		}
		return describe(v.Name)
	})
	text := strings.Join(texts, ", or ")
	if text == none && !x.given(k) && !x.given(NoiseProfile) && k != OSKind {
		text += " (default)"
	}
	return text
}

// machine are the terms of the line of the machine, where they have one value.
var machine = []term{
	{Ranks, "%s ranks", nil}, {RanksPerNode, "%s on each node", nil}, {Bytes, "%s", nil}, {Topology, "%s", nil},
	{Latency, "latency %s", nil}, {NodeLatency, "%s inside a node", nil}, {Bandwidth, "bandwidth %s", nil},
}

// machine returns in words what all results have in common of the machine and of the call.
func (x *basis) machine() string {
	several := func(t term) bool { return len(x.of(t.key)) > 1 }
	return x.list(slices.DeleteFunc(slices.Clone(machine), several), ", ", "; ")
}

// assumptions are the terms of the keys that assume sets, and of forwarding.
var assumptions = []term{
	{OSLaunch, "%s", map[string]string{
		stationary: "random start", quiet: "synchronized start"}},
	{Reception, "%s", map[string]string{
		cpu: "the processor receives copies", offload: "the interface receives copies",
		nic: "the interface receives copies, and the call returns when the rank runs"}},
	{Forward, "%s", map[string]string{
		final: "results forwarded", none: "no forwarding"}},
	{Links, "%s", map[string]string{
		busy: "links carry one message after the other", free: "links carry all messages at once"}},
	{Overhead, "a message costs its sender and its receiver %s", map[string]string{"0": "nothing"}},
	{SendOverhead, "a copy costs its sender %s", map[string]string{"0": "no more"}},
}

// PointFrom returns the point, without its ID, whose axes have the cells in results.
func PointFrom(cell func(axis int) any) Point {
	return Point{Values: vector.Each(Axes, func(k *Key) Value { return valueOf(cell(k.axis - 1)) })}
}
