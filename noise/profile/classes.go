package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// leastSpeed is the minimum speed of a class: at lower speeds work would take longer than the longest
// time allowed.
const leastSpeed = 1e-6

// ClassLabel returns the name of the i-th class, classes[i] if it has none.
func (p Profile) ClassLabel(i int) string {
	return cmp.Or(p.Classes[i].Name, fmt.Sprintf("classes[%d]", i))
}

// Usual returns the index of the usual class, whose nodes replace drained nodes: the first class
// with a share. It is −1 if no class has a share.
func (p Profile) Usual() int {
	return slices.IndexFunc(p.Classes, func(c noise.Class) bool { return c.Share > 0 })
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
	return len(p.OS) > 0 || slices.ContainsFunc(p.Classes, func(c noise.Class) bool { return c.Slower() })
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
	if len(p.Classes) == 0 {
		return nil
	}
	sum := 0.0
	for i, c := range p.Classes {
		if err := checkClass(c); err != nil {
			return fmt.Errorf("%s: %w", p.ClassLabel(i), err)
		}
		for j := range i {
			if c.Name != "" && p.Classes[j].Name == c.Name {
				return fmt.Errorf("two classes have the name %s", c.Name)
			}
			if n, both := meet(p.Classes[j].Nodes, c.Nodes); both {
				return fmt.Errorf("node %d belongs to %s and to %s", n, p.ClassLabel(j), p.ClassLabel(i))
			}
		}
		sum += c.Share
		if err := p.ofClass(i).checkOverhead(); err != nil {
			return fmt.Errorf("%s: %w", p.ClassLabel(i), err)
		}
	}
	switch {
	case sum < 1-1e-9:
		return fmt.Errorf("classes: their shares sum to %.10g, and must sum to 1; give the rest, %.10g, to usual "+
			"nodes", sum, 1-sum)
	case sum > 1+1e-9:
		return fmt.Errorf("classes: their shares sum to %.10g, and must sum to 1", sum)
	}
	return nil
}

// checkClass fails if a quantity of a class is out of range.
func checkClass(c noise.Class) error {
	switch {
	case !(c.Share >= 0 && c.Share <= 1):
		return fmt.Errorf("the share is %g, which must be from 0 to 1", c.Share)
	case len(c.Nodes) > 0 && c.Share > 0:
		return fmt.Errorf("it has a share and nodes; write one of them")
	case c.Speed != 0 && !(c.Speed >= leastSpeed && c.Speed <= 1):
		return fmt.Errorf("the speed is %g, which must be from %g to 1", c.Speed, leastSpeed)
	}
	return nil
}

// meet returns a node that two lists have, if there is one.
func meet(some, others []noise.Span) (node int, both bool) {
	for _, a := range some {
		for _, b := range others {
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
	read := func(d *document, n *yaml.Node, path string) (c noise.Class) {
		number++
		f := d.fields(n, path)
		f.take(classEntries(&c)...)
		if at := f.values["speed"]; at != nil && c.Speed == 0 {
			d.fail(at, path+".speed", "it is 0, and must be from %g to 1", leastSpeed)
		}
		switch at := f.values["nodes"]; {
		case f.values["share"] == nil && at == nil:
			d.fail(n, path, "the key share is missing; write it, or nodes")
		case at != nil && len(c.Nodes) == 0:
			d.fail(at, path+".nodes", "it is empty; write the class's nodes, or share")
		}
		var own []Component
		f.take(componentsEntry(&own))
		f.end()
		for _, component := range own {
			component.Class = number
			p.OS = append(p.OS, component)
		}
		return c
	}
	node := func(c noise.Class) *yaml.Node {
		number++
		own := p.componentsOf(number)
		return mapping(0, append(classEntries(&c), componentsEntry(&own).unless(len(own) == 0)))
	}
	return listEntry("classes", &p.Classes, read, node).unless(len(p.Classes) == 0)
}

// componentsOf returns the components that the nodes of a class have and others do not, by the
// class's number; number 0 has the components of all nodes.
func (p *Profile) componentsOf(class int) []Component {
	return slices.DeleteFunc(slices.Clone(p.OS), func(c Component) bool { return c.Class != class })
}

func classEntries(c *noise.Class) []entry {
	return []entry{
		textEntry("name", &c.Name).unless(c.Name == ""),
		quantityEntry("share", units.Number, &c.Share).unless(len(c.Nodes) > 0),
		listEntry("nodes", &c.Nodes, (*document).span, spanNode).unless(len(c.Nodes) == 0),
		quantityEntry("speed", units.Number, &c.Speed).unless(c.Speed == 0),
	}
}

// span reads the number of a node, or a range such as 8-15.
func (d *document) span(n *yaml.Node, path string) noise.Span {
	value := d.text(n, path)
	first, last, ok := units.ParseRange(value)
	if !ok {
		d.fail(n, path, "%.80q is not the number of a node, nor a range such as 8-15", value)
	}
	return noise.Span{First: first, Last: last}
}

func spanNode(s noise.Span) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(s.First)}
	if s.Last > s.First {
		n.Value += "-" + strconv.Itoa(s.Last)
	}
	return n
}
