package study

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/collectives"
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
func (s *Study) choices(a *axes, effective []bool) error {
	if len(s.Configurations) == 0 {
		place := a.place("collective")
		if !a.given("collective") {
			place = a.place("redundancy.sources")
		}
		first := slices.IndexFunc(s.Notes, func(n string) bool { return strings.HasPrefix(n, leftOut) })
		return fmt.Errorf("%s: none of these can be chosen: %s",
			place, strings.TrimPrefix(s.Notes[first], leftOut))
	}
	first := s.Point(0).Value("collective").Name
	members, plains := map[string][]int{}, map[string]int{}
	var fields []string
	for i := range s.Configurations {
		p := s.Point(i)
		if name := p.Value("collective").Name; operation(name) != operation(first) {
			return fmt.Errorf("%s: %s and %s do different things, and cannot be chosen from",
				a.place("collective"), first, name)
		}
		text := p.canonical(func(k *Key) bool {
			return !k.Chosen && (k.Paper == "" || a.given(k.Path)) // assume says what the others are
		})
		if members[text] == nil {
			fields = append(fields, text)
		}
		if _, ok := plains[text]; !ok && p.isPlain() {
			plains[text] = len(members[text])
		}
		members[text] = append(members[text], i)
	}
	if plain[operation(first)] == "" {
		return fmt.Errorf("%s: no other collective does what %s does, so there is no choice",
			a.place("collective"), first)
	}
	var ordered []Configuration
	for _, text := range fields {
		candidates := members[text]
		if at, ok := plains[text]; ok {
			ordered = append(ordered, s.Configurations[candidates[at]])
			candidates = slices.Delete(candidates, at, at+1)
		} else {
			reference, err := s.refer(s.Configurations[candidates[0]], effective)
			if err != nil {
				return err
			}
			ordered = append(ordered, reference)
		}
		for _, i := range candidates {
			ordered = append(ordered, s.Configurations[i])
		}
		s.ends = append(s.ends, len(ordered))
	}
	s.Configurations = ordered
	return nil
}

// isPlain reports whether the point is the plain collective from one source.
func (p Point) isPlain() bool {
	collective := p.Value("collective").Name
	return collective == plain[operation(collective)] && p.Value("redundancy.sources").Whole == 1
}

// plain returns the plain collective of the point's deployment.
func (p Point) plain() Point {
	collective := p.at("collective")
	*collective = Value{Name: plain[operation(collective.Name)]}
	*p.at("redundancy.sources") = Value{Whole: 1, Number: 1}
	p.ignore(nil)
	return p
}

// refer returns the plain collective of a configuration's deployment as a reference at T = 0.
func (s *Study) refer(c Configuration, effective []bool) (Configuration, error) {
	c.reference = true
	p, err := s.derive(int(c.at), nil, nil)
	if err != nil {
		return c, err
	}
	p = p.plain()
	p.ignore(effective)
	x := stretch{}
	fits, err := s.add(&c, p, &x)
	if err == nil && !fits {
		err = fmt.Errorf("%s: nothing to compare with: %s cannot run here",
			s.axes.place("collective"), p.Value("collective").Name)
	}
	s.Memory = max(s.Memory, x.memory)
	c.Results = 1
	return c, err
}

// leftOut begins the note of a configuration that is not a candidate.
const leftOut = "left out: "

// leaveOut notes why a configuration cannot be chosen, if the user gave any key that is
// chosen.
func (p Point) leaveOut(a *axes, why error, note func(string)) {
	for i := range Axes {
		if k := &Axes[i]; k.Chosen && a.given(k.Path) {
			note(fmt.Sprintf(leftOut+"%s from %d sources: %v",
				p.Value("collective").Name, p.Value("redundancy.sources").Whole, why))
			return
		}
	}
}
