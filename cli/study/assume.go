package study

import (
	"slices"
	"strings"
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

// fitAssumed sets the keys that nobody has given to what fits the point's other values: where the
// overhead of a message is known, a copy costs that and nothing beyond it, and sockets do not
// forward results.
func (s *Study) fitAssumed(p Point, a *axes) {
	known := s.profiles[p.Value("noise.profile").Name].Network.Overhead != nil
	if (a.given(overhead) || known) && a.assumes(sendOverhead) {
		*p.at(sendOverhead) = Value{}
	}
	if kind := p.Value("progress.kind").Name; (kind == polling || kind == epoll) && a.assumes(forward) {
		*p.at(forward) = Value{Name: none}
	}
}

// assumptions are the keys that assume sets, and what their values mean in words; of another
// value the text of the empty one, followed by the value.
var assumptions = []struct {
	path  string
	words map[string]string
}{
	{"noise.os.launch", map[string]string{
		stationary: "random start", quiet: "synchronized start"}},
	{"redundancy.reception", map[string]string{
		cpu: "the processor receives copies", offload: "the interface receives copies",
		nic: "the interface receives copies, and the call returns when the rank runs"}},
	{forward, map[string]string{
		final: "results forwarded", none: "no forwarding"}},
	{sendOverhead, map[string]string{
		"0": "a copy costs its sender nothing", "": "a copy costs its sender "}},
}

// Assumptions returns what the points of a study assume of hosts, in one line for each value of
// the key assume. Keys without effect are left out.
func Assumptions(points []Point) []string {
	var names []string
	parts := map[string][][]string{}
	for _, p := range points {
		name := p.Value(assumeKey).Name
		if parts[name] == nil {
			names = append(names, name)
			parts[name] = make([][]string, len(assumptions))
		}
		for i, assumption := range assumptions {
			k, _ := Find(assumption.path)
			if p.rule(k) != nil {
				continue
			}
			v := p.Value(k.Path)
			text, ok := assumption.words[v.canonical()]
			if !ok {
				text = assumption.words[""] + k.Text(v)
			}
			if !slices.Contains(parts[name][i], text) {
				parts[name][i] = append(parts[name][i], text)
			}
		}
	}
	var lines []string
	for _, name := range names {
		var line []string
		for _, texts := range parts[name] {
			if len(texts) > 0 {
				line = append(line, strings.Join(texts, " or "))
			}
		}
		if len(line) > 0 {
			lines = append(lines, name+": "+strings.Join(line, ", "))
		}
	}
	return lines
}

// paperText returns how the default differs with assume: paper, "" if it does not.
func (k Key) paperText(quote string) string {
	if k.Paper == "" {
		return ""
	}
	return quote + k.Paper + quote + " with " + quote + "assume: paper" + quote
}
