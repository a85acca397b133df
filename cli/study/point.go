package study

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/vector"
)

// A Point is one configuration as values of [Axes], in their order. Where a key has no effect
// its rules set the value, so that configurations that are the same have the same values.
type Point struct {
	ID     string // digest of the values
	Values []Value
}

// Value returns the value of an axis.
func (p Point) Value(k *Key) Value { return p.Values[k.axis-1] }

// Name returns the value of an axis of words.
func (p Point) Name(k *Key) string { return p.Values[k.axis-1].Name }

// constant returns the constant of a package that a value of an axis of words stands for.
func constant[T ~int](p Point, k *Key) T { return T(slices.Index(k.Names, p.Name(k))) }

// Number returns the value of an axis of quantities, in SI units, or of numbers.
func (p Point) Number(k *Key) float64 { return p.Values[k.axis-1].Number }

// Whole returns the value of an axis of whole numbers.
func (p Point) Whole(k *Key) uint64 { return p.Values[k.axis-1].Whole }

// Int returns the value of an axis of whole numbers as an int, at most the largest.
func (p Point) Int(k *Key) int { return p.Values[k.axis-1].int() }

func (p Point) at(k *Key) *Value { return &p.Values[k.axis-1] }

// digest returns the first 16 hexadecimal digits of a text's SHA-256.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// AllToAll reports whether the point's collective is an all-to-all.
func (p Point) AllToAll() bool {
	return operation(p.Name(Collective)) == collectives.AllToAll
}

// OnTopology reports whether the point's messages share the links of a topology.
func (p Point) OnTopology() bool { return p.Name(Engine) != byRounds }

// operation returns what a collective does.
func operation(collective string) collectives.Operation {
	a, _ := collectives.Find(collective)
	return a.Operation
}

// populate sets the engine unless it is given, and the numbers of ranks and of nodes, where one follows from
// the other or both from a topology. It fails if the given numbers do not fit together.
func (s *Study) populate(p Point) error {
	placed := p.Name(Topology) != none
	if engine := p.at(Engine); engine.Name == auto {
		engine.Name = map[bool]string{true: byFlow, false: byRounds}[placed]
	}
	switch {
	case placed:
		if err := p.onTopology(s); err != nil {
			return err
		}
	case p.OnTopology():
		return s.wrong(Topology, "--engine %s needs a topology; write for example --topology torus:5x5",
			p.Name(Engine))
	}
	ranks, nodes, each := p.at(Ranks), p.at(Nodes), p.Whole(RanksPerNode)
	if !s.limitsProcess(p) {
		*p.at(ProcessBandwidth) = Value{}
	}
	switch {
	case nodes.Name == auto:
		*nodes = wholeValue((ranks.Whole-1)/each + 1)
	case nodes.Whole > maxRanks/each:
		return s.wrong(Nodes, "%d nodes of %d ranks are too many", nodes.Whole, each)
	case !s.given(Ranks) && !placed:
		*ranks = wholeValue(nodes.Whole * each)
	case ranks.Whole > nodes.Whole*each || ranks.Whole+each <= nodes.Whole*each:
		return s.wrong(Nodes, "%d ranks do not fill %d nodes of %d, the last of them at least partly; leave one "+
			"of the keys out", ranks.Whole, nodes.Whole, each)
	}
	if ranks.Whole < 2 {
		return s.wrong(Nodes, "a collective needs at least 2 ranks, not %d", ranks.Whole)
	}
	return nil
}

// limitsProcess reports whether the bandwidth of a process differs from a part of its node's link, which it
// has without the key. On flows links of nodes have no limit unless it is given.
func (s *Study) limitsProcess(p Point) bool {
	switch {
	case p.OnTopology() && p.Name(Engine) == packets:
		return false
	case p.Name(Engine) == byFlow && s.given(ProcessBandwidth):
		return true
	}
	return p.Value(ProcessBandwidth) != p.Value(Bandwidth)
}

// onTopology sets the ranks to as many as the nodes of the topology have room for, and the topology
// to its canonical name. It fails if other ranks are given.
func (p Point) onTopology(s *Study) error {
	t, _ := network.ParseTopology(p.Name(Topology)) // the key has checked it
	p.at(Topology).Name = t.String()
	nodes, each := uint64(t.Nodes()), p.Whole(RanksPerNode)
	if nodes > maxRanks/each {
		return s.wrong(RanksPerNode, "%d nodes of %d ranks are too many", nodes, each)
	}
	if ranks, n := p.at(Ranks), nodes*each; !s.given(Ranks) {
		*ranks = wholeValue(n)
	} else if ranks.Whole > n {
		return s.wrong(Ranks, "%d ranks are more than the %d nodes of %s have room for with %d on each; write at "+
			"most %d, or more --ranks-per-node", ranks.Whole, nodes, t, each, n)
	}
	return nil
}

// number returns the point's ID as a number, and the text that it is the digest of after b.
func (p Point) number(b []byte) (uint64, []byte) {
	b = p.append(b, p.names)
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:]), b
}

// environment returns a text of the values that name the random numbers of the point.
func (p Point) environment() string {
	return p.canonical(func(k *Key) bool { return k.Environment && p.names(k) })
}

// names reports whether an axis is part of the name of the point: all of named, and others where
// they have an effect. Assume acts through other keys, and rounds are what is simulated without an
// engine.
func (p Point) names(k *Key) bool {
	v := p.Value(k)
	return k.named || k != Assume && v != k.without() && (k != Engine || v.Name != byRounds)
}

// canonical returns a text of the values of the keys that pick holds for.
func (p Point) canonical(pick func(*Key) bool) string {
	return string(p.append(nil, pick))
}

// append appends the text of the values of the axes that pick holds for.
func (p Point) append(b []byte, pick func(*Key) bool) []byte {
	for i, k := range Axes {
		if pick(k) {
			b = append(append(b, k.Column...), '=')
			b = append(p.Values[i].append(b), ' ')
		}
	}
	return b
}

// Lines returns the point's values of the keys, a line each.
func (p Point) Lines(keys []*Key) string {
	return strings.Join(vector.Each(keys, func(k *Key) string { return k.Flag + " " + text(p, k) }), "\n")
}

// Others formats the point's values of all keys except chosen keys and some others.
func (p Point) Others(others ...*Key) string {
	return p.canonical(func(k *Key) bool { return !k.Chosen && !slices.Contains(others, k) })
}

// Flagged returns the flags of keys, without dashes.
func Flagged(keys []*Key) []string {
	return vector.Each(keys, func(k *Key) string { return k.Flag })
}

// Columns returns the columns of keys in results.
func Columns(keys []*Key) []string { return vector.Each(keys, func(k *Key) string { return k.Column }) }

// Plain returns the point's values of keys as programs read them, and as [Key.Cell] has them.
func (p Point) Plain(keys []*Key) []any {
	return vector.Each(keys, func(k *Key) any { return k.Cell(p.Value(k)) })
}

// Texts returns the point's values of keys as people write them.
func (p Point) Texts(keys []*Key) []any {
	return vector.Each(keys, func(k *Key) any { return k.Text(p.Value(k)) })
}
