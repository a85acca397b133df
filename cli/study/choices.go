package study

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/collectives"
	"jitterfly/collectives/alphabeta"
	"jitterfly/collectives/network"
)

// plain names the collective that choices for an operation are compared with, from one source
// and without redundancy.
var plain = map[collectives.Operation]string{
	collectives.Allreduce: "butterfly",
	collectives.AllToAll:  a2aRing,
	allToAllOnTopology:    network.Patterns[0].Name,
}

// Operations returns the operations for which a collective can be chosen.
func Operations() []string {
	return []string{
		string(collectives.Allreduce), string(collectives.AllToAll), string(allToAllOnTopology),
	}
}

// Candidates returns the defaults, by path, of the keys that are chosen for an operation.
func Candidates(operation string) map[string]string {
	candidates := map[string]string{"collective": strings.Join(collectivesOf(operation), ",")}
	if operation == string(collectives.Allreduce) {
		candidates["redundancy.sources"], candidates["segments"] = "1,2,3", "1,4"
	}
	return candidates
}

// collectivesOf returns the names of the collectives that do an operation.
func collectivesOf(operation string) []string {
	var names []string
	for _, a := range collectives.Algorithms {
		if string(a.Operation) == operation {
			names = append(names, a.Name)
		}
	}
	if operation == string(allToAllOnTopology) {
		for _, p := range network.Patterns {
			names = append(names, p.Name)
		}
	}
	return names
}

// belong fails if a collective does not do the operation that was asked for, if one was.
func (a *axes) belong() error {
	if a.Operation == "" {
		return nil
	}
	for _, v := range a.values["collective"] {
		if does := operation(v.Name); string(does) != a.Operation {
			return fmt.Errorf("%s: %s does %s, and --operation asks for %s; leave one of them out, "+
				"or choose from %s", a.place("collective"), v.Name, does, a.Operation,
				strings.Join(collectivesOf(a.Operation), ", "))
		}
	}
	return nil
}

// choices puts the configurations that differ only in keys that are chosen into one field.
// The first of each is the plain collective, which is a reference only if it is not among
// those given. It fails if the collectives are not all of one operation.
func (s *Study) choices(a *axes) error {
	if len(s.Points) == 0 {
		place := a.place("collective")
		if !a.given("collective") {
			place = a.place("redundancy.sources")
		}
		why := ""
		for _, note := range slices.Backward(s.Notes) {
			if strings.HasPrefix(note, leftOut) {
				why = strings.TrimPrefix(note, leftOut) // the first
			}
		}
		return fmt.Errorf("%s: none of these can be chosen: %s", place, why)
	}
	first := s.Points[0].Value("collective").Name
	for _, p := range s.Points {
		if name := p.Value("collective").Name; operation(name) != operation(first) {
			return fmt.Errorf("%s: %s and %s do different things, and cannot be chosen from",
				a.place("collective"), first, name)
		}
	}
	if plain[operation(first)] == "" {
		return fmt.Errorf("%s: no other collective does what %s does, so there is no choice",
			a.place("collective"), first)
	}
	members := map[string][]int{}
	var fields []string
	for i, p := range s.Points {
		text := p.canonical(func(k Key) bool { return !k.Chosen })
		if members[text] == nil {
			fields = append(fields, text)
		}
		members[text] = append(members[text], i)
	}
	var order, ends []int
	for _, text := range fields {
		candidates := members[text]
		first := slices.IndexFunc(candidates, func(i int) bool { return s.Points[i].isPlain() })
		if first >= 0 {
			order = append(order, candidates[first])
			candidates = slices.Delete(candidates, first, first+1)
		} else {
			if err := s.refer(s.Points[candidates[0]], a); err != nil {
				return err
			}
			order = append(order, len(s.Points)-1)
		}
		order = append(order, candidates...)
		ends = append(ends, len(order))
	}
	s.Points, s.Configs = pick(s.Points, order), pick(s.Configs, order)
	s.Work, s.Results = pick(s.Work, order), pick(s.Results, order)
	begin := 0
	for _, end := range ends {
		s.Fields = append(s.Fields, s.Configs[begin:end])
		begin = end
	}
	return nil
}

// pick returns the elements of the indices, in their order.
func pick[T any](from []T, indices []int) []T {
	picked := make([]T, len(indices))
	for i, at := range indices {
		picked[i] = from[at]
	}
	return picked
}

// isPlain reports whether the point is the plain collective from one source.
func (p Point) isPlain() bool {
	collective := p.Value("collective").Name
	return collective == plain[operation(collective)] && p.Value("redundancy.sources").Whole == 1
}

// refer adds the plain collective of a point's deployment as a reference at T = 0.
func (s *Study) refer(p Point, a *axes) error {
	p = p.own()
	for i, k := range Axes {
		switch k.Path {
		case "collective":
			*p.Values[i] = Value{Name: plain[operation(p.Values[i].Name)]}
		case "redundancy.sources":
			*p.Values[i] = Value{Whole: 1, Number: 1}
		}
	}
	p.ignore()
	p.identify()
	if err := s.add(p, a); err != nil {
		return err
	}
	c := &s.Configs[len(s.Configs)-1]
	c.Reference = true
	switch m := c.Model.(type) {
	case *alphabeta.Model:
		m.Problem.Redundancy.Max = 0
	case *alphabeta.Application:
		m.Collective.Problem.Redundancy.Max = 0
	}
	s.Results[len(s.Results)-1] = 1
	return nil
}

// leftOut begins the note of a configuration that is not a candidate.
const leftOut = "left out: "

// leaveOut notes why a configuration cannot be chosen, if the user gave any key that is
// chosen.
func (s *Study) leaveOut(p Point, a *axes, why error) {
	for _, k := range Axes {
		if k.Chosen && a.given(k.Path) {
			s.Notes = append(s.Notes, fmt.Sprintf(leftOut+"%s from %d sources: %v",
				p.Value("collective").Name, p.Value("redundancy.sources").Whole, why))
			return
		}
	}
}

// FieldPoints returns the points of the configurations of each field.
func (s *Study) FieldPoints() [][]Point {
	points, rest := make([][]Point, len(s.Fields)), s.Points
	for i, field := range s.Fields {
		points[i], rest = rest[:len(field)], rest[len(field):]
	}
	return points
}
