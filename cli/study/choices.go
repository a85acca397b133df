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
// and without redundancy, unless it is the best of all.
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
	candidates := map[string]string{"collective": strings.Join(CollectivesOf(operation), ",")}
	if operation == string(collectives.Allreduce) {
		candidates["redundancy.sources"], candidates["segments"] = "1,2,3", "1,4"
	}
	return candidates
}

// CollectivesOf returns the names of the collectives that do an operation.
func CollectivesOf(operation string) []string {
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
				strings.Join(CollectivesOf(a.Operation), ", "))
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
		return fmt.Errorf("%s: none of these can be chosen: %s", place, s.left)
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
	s.leaveOthers(a)
	var order, ends []int
	for _, candidates := range s.members() {
		first := slices.IndexFunc(candidates, func(i int) bool { return s.Points[i].isPlain(a.Baseline) })
		if first < 0 {
			first = len(candidates)
			references, err := s.refer(candidates, a)
			if err != nil {
				return err
			}
			candidates = append(candidates, references...)
		}
		for _, i := range candidates {
			s.Configs[i].Plain = s.Points[i].isPlain(a.Baseline)
			s.Configs[i].Native = s.Points[i].isPlain("") && operation(
				s.Points[i].Value("collective").Name) == collectives.Allreduce
		}
		s.Deployments = append(s.Deployments, s.deployment(candidates))
		order = append(order, candidates[first])
		order = append(order, slices.Delete(candidates, first, first+1)...)
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

// members returns the indices of the points of each deployment, without deployments of the same
// points.
func (s *Study) members() [][]int {
	of := map[string][]int{}
	var deployments []string
	for i, asked := range s.asked {
		if of[asked.ID] == nil {
			deployments = append(deployments, asked.ID)
		}
		of[asked.ID] = append(of[asked.ID], i)
	}
	seen := map[string]bool{}
	var members [][]int
	for _, deployment := range deployments {
		ids := ""
		for _, i := range of[deployment] {
			ids += s.Points[i].ID
		}
		if !seen[ids] {
			seen[ids] = true
			members = append(members, of[deployment])
		}
	}
	return members
}

// deployment returns what some points are candidates of: their common values, and those asked for
// where they have others.
func (s *Study) deployment(candidates []int) Point {
	p := s.asked[candidates[0]].own()
	for axis, k := range Axes {
		if k.Chosen {
			continue
		}
		value := s.Points[candidates[0]].Values[axis] // shared
		same := func(i int) bool { return s.Points[i].Values[axis] == value }
		if !slices.ContainsFunc(candidates, func(i int) bool { return !same(i) }) {
			*p.Values[axis] = *value
		}
	}
	return s.share(p)
}

// leaveOthers leaves out the points on which a key that the user gave has no effect, while it has on
// others of the deployment, such as rings where results are to be forwarded.
func (s *Study) leaveOthers(a *axes) {
	var kept []int
	for _, candidates := range s.members() {
		for _, i := range candidates {
			if k := s.ignored(i, candidates, a); k != nil {
				s.leaveOut(s.Points[i], a, fmt.Errorf("%s has no effect on it", a.place(k.Path)))
			} else {
				kept = append(kept, i)
			}
		}
	}
	s.Points, s.Configs = pick(s.Points, kept), pick(s.Configs, kept)
	s.Work, s.Results = pick(s.Work, kept), pick(s.Results, kept)
	s.asked = pick(s.asked, kept)
}

// ignored returns a key that the user gave and whose value a point does not have, as other
// candidates of its deployment do; nil if there is none.
func (s *Study) ignored(point int, candidates []int, a *axes) *Key {
	for axis, k := range Axes {
		if k.Chosen || !a.given(k.Path) {
			continue
		}
		has := func(i int) bool {
			return s.Points[i].rule(k) == nil && *s.Points[i].Values[axis] != *s.Points[point].Values[axis]
		}
		if s.Points[point].rule(k) != nil && slices.ContainsFunc(candidates, has) {
			return &k
		}
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

// deployment returns the point as it was asked for, whatever collective is chosen. Its ID is a digest
// of the keys that are not chosen.
func (p Point) deployment() Point {
	p = p.own()
	for i, k := range Axes {
		if k.Chosen {
			*p.Values[i] = Value{}
			continue
		}
		at := slices.IndexFunc(k.Rules, func(r Rule) bool { return !r.ofChosen() && p.meets(r.If) })
		if at >= 0 {
			*p.Values[i] = k.replacement(k.Rules[at])
		}
	}
	p.ID = digest(p.canonical(func(k Key) bool { return !k.Chosen }))
	return p
}

// ofChosen reports whether the rule depends on a key that is chosen.
func (r Rule) ofChosen() bool {
	return slices.ContainsFunc(r.If, func(c Condition) bool {
		k, _ := Find(c.Path)
		return k.Chosen
	})
}

// isPlain reports whether the point is a collective from one source that choices may be compared
// with at T = 0: the named one, or if there is no name any allreduce.
func (p Point) isPlain(name string) bool {
	collective := p.Value("collective").Name
	if does := operation(collective); name == "" && does != collectives.Allreduce {
		name = plain[does]
	}
	return p.Value("redundancy.sources").Whole == 1 && (name == "" || name == collective)
}

// refer adds references for a deployment whose candidates have no plain one: the named collective,
// or each of those that are candidates. It returns their indices.
func (s *Study) refer(candidates []int, a *axes) (references []int, err error) {
	names := []string{a.Baseline}
	if first := operation(s.Points[candidates[0]].Value("collective").Name); a.Baseline == "" {
		names[0] = plain[first]
		if first == collectives.Allreduce {
			names = nil
			for _, i := range candidates {
				names = append(names, s.Points[i].Value("collective").Name)
			}
			slices.Sort(names)
			names = slices.Compact(names)
		}
	}
	of := s.Points[candidates[0]]
	for _, name := range names {
		p := of.own()
		*p.at("collective") = Value{Name: name}
		*p.at("redundancy.sources") = Value{Whole: 1, Number: 1}
		p.ignore()
		p.identify()
		before := len(s.Configs)
		if err := s.add(p, s.asked[candidates[0]], a); err != nil {
			return nil, err
		}
		if len(s.Configs) > before {
			s.withoutRedundancy()
			s.Configs[before].Reference = true
			references = append(references, before)
		}
	}
	if references == nil {
		return nil, fmt.Errorf("%s: %s cannot run at %s ranks, to compare with; name another with --baseline",
			a.place("collective"), strings.Join(names, ", "), text(of, "ranks"))
	}
	return references, nil
}

// withoutRedundancy makes T = 0 the only redundancy of the last configuration.
func (s *Study) withoutRedundancy() {
	switch m := s.Configs[len(s.Configs)-1].Model.(type) {
	case *alphabeta.Model:
		m.Problem.Redundancy.Max = 0
	case *alphabeta.Application:
		m.Collective.Problem.Redundancy.Max = 0
	}
	s.Results[len(s.Results)-1] = 1
}

// leaveOut keeps a configuration from being chosen, and notes why if the user gave any key that is
// chosen.
func (s *Study) leaveOut(p Point, a *axes, why error) {
	text := fmt.Sprintf("%s from %d sources: %v",
		p.Value("collective").Name, p.Value("redundancy.sources").Whole, why)
	if s.left == "" {
		s.left = text
	}
	given := slices.ContainsFunc(Axes, func(k Key) bool { return k.Chosen && a.given(k.Path) })
	if note := "left out: " + text; given && !slices.Contains(s.Notes, note) {
		s.Notes = append(s.Notes, note)
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
