package profile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// A Class is a set of nodes of a fleet with components and speeds of their own. The Class of such a
// component is the number of the class, from 1. See [noise.Fleet] for its effect in a trial.
type Class struct {
	Name string // "" if it has none
	// Share is the probability that a node belongs to the class, unless Nodes names its nodes.
	Share float64
	Nodes []noise.Span
	Speed float64 // of processors, above 0 and at most 1; 0 is 1
	// NetworkSpeed is the speed of messages to the class's nodes, above 0 and at most 1; 0 is 1.
	NetworkSpeed float64
	// Spells are when the class is slower; the zero value is always.
	Spells noise.Spells
	// Drained classes have no node. Files cannot have them.
	Drained bool
}

// Limits of classes. At lower speeds work would take longer than the longest time allowed. Spells
// are drawn one after the other, from the start of a trial to its end, so that shorter spells would
// take long to simulate.
const (
	leastSpeed = 1e-6
	leastSpell = 1e-6 // [s]
)

// ClassLabel returns the name of the i-th class, classes[i] if it has none.
func (p Profile) ClassLabel(i int) string {
	if name := p.Classes[i].Name; name != "" {
		return name
	}
	return fmt.Sprintf("classes[%d]", i)
}

// Usual returns the index of the usual class, whose nodes replace drained nodes: the first class
// with a share. It is −1 if no class has a share.
func (p Profile) Usual() int {
	return slices.IndexFunc(p.Classes, func(c Class) bool { return c.Share > 0 })
}

// Odd returns the index of the only class after the usual class that does not name its nodes. It
// reports false if several classes do not, or none.
func (p Profile) Odd() (i int, ok bool) {
	usual := p.Usual()
	for j := usual + 1; usual >= 0 && j < len(p.Classes); j++ {
		if len(p.Classes[j].Nodes) > 0 {
			continue
		}
		if ok {
			return 0, false
		}
		i, ok = j, true
	}
	return i, ok
}

// WithShare returns the profile with a share from 0 to below 1 of the class that [Profile.Odd]
// returns, which exists. The usual class has the rest.
func (p Profile) WithShare(share float64) Profile {
	odd, _ := p.Odd()
	p.Classes = slices.Clone(p.Classes)
	if share != p.Classes[odd].Share {
		p.Classes[odd].Share, p.Classes[p.Usual()].Share = share, 1-share
	}
	return p
}

// Drain returns the profile in which the nodes of the i-th class belong to the usual class. The
// detours of other nodes stay the same to the last bit.
func (p Profile) Drain(i int) Profile {
	p.Classes = slices.Clone(p.Classes)
	p.Classes[i].Drained = true
	return p
}

// Noisy reports whether anything delays ranks: detours, or classes that are slower.
func (p Profile) Noisy() bool {
	return len(p.OS) > 0 || slices.ContainsFunc(p.Classes, Class.slower)
}

func (c Class) slower() bool { return c.Speed != 0 && c.Speed < 1 || c.slowMessages() }

func (c Class) slowMessages() bool { return c.NetworkSpeed != 0 && c.NetworkSpeed < 1 }

// Words describes how nodes of the class are slower; it is empty if they are not.
func (c Class) Words() string {
	var words []string
	for _, speed := range []struct {
		of    string
		value float64
	}{{"speed", c.Speed}, {"network speed", c.NetworkSpeed}} {
		if speed.value != 0 && speed.value < 1 {
			words = append(words, fmt.Sprintf("%s %.3g", speed.of, speed.value))
		}
	}
	if c.Spells != (noise.Spells{}) {
		words = append(words, "in spells")
	}
	return strings.Join(words, ", ")
}

// part returns the share of nodes that have a component, 0 if these are named.
func (p Profile) part(c Component) float64 {
	if c.Class == 0 {
		return 1
	}
	return p.Classes[c.Class-1].Share
}

// ofClass returns the profile of the nodes of the i-th class, without classes.
func (p Profile) ofClass(i int) Profile {
	p.OS = slices.DeleteFunc(slices.Clone(p.OS),
		func(c Component) bool { return c.Class != 0 && c.Class != i+1 })
	for j := range p.OS {
		p.OS[j].Class = 0
	}
	p.Classes = nil
	return p
}

// checkClasses fails if a class is out of range, or if shares do not sum to 1.
func (p Profile) checkClasses() error {
	last, sum := 0, 0.0
	for i, c := range p.OS {
		if c.Class < last || c.Class > len(p.Classes) {
			return fmt.Errorf("os[%d]: the class %d is not known, or not in order", i, c.Class)
		}
		last = c.Class
	}
	if len(p.Classes) == 0 {
		return nil
	}
	for i, c := range p.Classes {
		if err := c.check(); err != nil {
			return fmt.Errorf("%s: %w", p.ClassLabel(i), err)
		}
		for j := range i {
			if c.Name != "" && p.Classes[j].Name == c.Name {
				return fmt.Errorf("two classes have the name %s", c.Name)
			}
			if n, both := p.Classes[j].meets(c); both {
				return fmt.Errorf("node %d belongs to %s and to %s", n, p.ClassLabel(j), p.ClassLabel(i))
			}
		}
		sum += c.Share
		if err := p.ofClass(i).checkOverhead(); err != nil {
			return fmt.Errorf("%s: %w", p.ClassLabel(i), err)
		}
	}
	if usual := p.Usual(); usual >= 0 && p.Classes[usual].slowMessages() {
		return fmt.Errorf("%s: it is the usual class, with a network_speed; write latency and bandwidth of "+
			"network instead", p.ClassLabel(usual))
	}
	return checkSum(sum)
}

// checkSum fails if the shares of all classes do not sum to 1.
func checkSum(sum float64) error {
	switch {
	case sum < 1-1e-9:
		return fmt.Errorf("classes: their shares sum to %.10g, and must sum to 1; give the rest, %.10g, to usual "+
			"nodes", sum, 1-sum)
	case sum > 1+1e-9:
		return fmt.Errorf("classes: their shares sum to %.10g, and must sum to 1", sum)
	}
	return nil
}

func (c Class) check() error {
	switch {
	case !(c.Share >= 0 && c.Share <= 1):
		return fmt.Errorf("the share is %g, which must be from 0 to 1", c.Share)
	case len(c.Nodes) > 0 && c.Share > 0:
		return fmt.Errorf("it has a share and nodes; write one of them")
	case !isSpeed(c.Speed):
		return fmt.Errorf("the speed is %g, which must be from %g to 1", c.Speed, leastSpeed)
	case !isSpeed(c.NetworkSpeed):
		return fmt.Errorf("the network_speed is %g, which must be from %g to 1",
			c.NetworkSpeed, leastSpeed)
	case c.Drained:
		return fmt.Errorf("profiles cannot contain remedies")
	case c.Spells == (noise.Spells{}):
		return nil
	case !c.slower():
		return fmt.Errorf("it has spells and no speed below 1; write speed or network_speed")
	}
	for _, x := range []struct {
		what    string
		seconds float64
	}{{"interval", c.Spells.Interval}, {"duration", c.Spells.Duration}} {
		if !(x.seconds >= leastSpell && x.seconds <= math.MaxFloat64) {
			return fmt.Errorf("the %s of spells is %g s, which must be at least %g s",
				x.what, x.seconds, leastSpell)
		}
	}
	return nil
}

// isSpeed reports whether a class can have a speed; 0 is 1.
func isSpeed(v float64) bool { return v == 0 || v >= leastSpeed && v <= 1 }

// meets returns a node that two classes name, if there is one.
func (c Class) meets(other Class) (node int, both bool) {
	for _, a := range c.Nodes {
		for _, b := range other.Nodes {
			if first := max(a.First, b.First); first <= min(a.Last, b.Last) {
				return first, true
			}
		}
	}
	return 0, false
}

// classesEntry is the list of classes, each with its components.
func (p *Profile) classesEntry() entry {
	number := 0
	read := func(d *document, n *yaml.Node, path string) (c Class) {
		number++
		f := d.fields(n, path)
		f.take(c.entries()...)
		for key, speed := range map[string]float64{"speed": c.Speed, "network_speed": c.NetworkSpeed} {
			if at := f.values[key]; at != nil && speed == 0 {
				d.fail(at, path+"."+key, "it is 0, and must be from %g to 1", leastSpeed)
			}
		}
		switch at := f.values["nodes"]; {
		case f.values["share"] == nil && at == nil:
			d.fail(n, path, "the key share is missing; write it, or nodes")
		case at != nil && len(c.Nodes) == 0:
			d.fail(at, path+".nodes", "it is empty; write the class's nodes, or share")
		}
		var own []Component
		f.take(listEntry("os", &own, (*document).component, Component.node).unless(false))
		f.end()
		for _, component := range own {
			component.Class = number
			p.OS = append(p.OS, component)
		}
		return c
	}
	node := func(c Class) *yaml.Node {
		number++
		own := p.componentsOf(number)
		return mapping(0, append(c.entries(),
			listEntry("os", &own, (*document).component, Component.node).unless(len(own) == 0)))
	}
	return listEntry("classes", &p.Classes, read, node).unless(len(p.Classes) == 0)
}

// componentsOf returns the components that the nodes of a class have and others do not, by the
// class's number; number 0 has the components of all nodes.
func (p *Profile) componentsOf(class int) (own []Component) {
	for _, c := range p.OS {
		if c.Class == class {
			own = append(own, c)
		}
	}
	return own
}

func (c *Class) entries() []entry {
	spells := func() []entry {
		return []entry{
			quantityEntry("interval", units.Time, &c.Spells.Interval),
			quantityEntry("duration", units.Time, &c.Spells.Duration),
		}
	}
	return []entry{
		textEntry("name", &c.Name).unless(c.Name == ""),
		quantityEntry("share", units.Number, &c.Share).unless(len(c.Nodes) > 0),
		listEntry("nodes", &c.Nodes, (*document).span, spanNode).unless(len(c.Nodes) == 0),
		quantityEntry("speed", units.Number, &c.Speed).unless(c.Speed == 0),
		quantityEntry("network_speed", units.Number, &c.NetworkSpeed).unless(c.NetworkSpeed == 0),
		mappingEntry("spells", spells).unless(c.Spells == (noise.Spells{})),
	}
}

// span reads the number of a node, or a range such as 8-15.
func (d *document) span(n *yaml.Node, path string) (s noise.Span) {
	value := d.text(n, path)
	first, last, isRange := strings.Cut(value, "-")
	if !isRange {
		last = first
	}
	var err [2]error
	s.First, err[0] = strconv.Atoi(first)
	s.Last, err[1] = strconv.Atoi(last)
	if err != [2]error{} || s.First < 0 || s.Last < s.First {
		d.fail(n, path, "%.80q is not the number of a node, nor a range such as 8-15", value)
	}
	return s
}

func spanNode(s noise.Span) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(s.First)}
	if s.Last > s.First {
		n.Value += "-" + strconv.Itoa(s.Last)
	}
	return n
}
