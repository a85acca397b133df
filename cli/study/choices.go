package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// plain names the collective that choices for an operation are compared with, from one source
// and without redundancy, unless it is the best of all.
var plain = map[collectives.Operation]string{
	collectives.Allreduce: "butterfly",
	collectives.AllToAll:  "a2a-ring",
}

// Operations returns the operations for which a collective can be chosen.
func Operations() []string {
	return []string{string(collectives.Allreduce), string(collectives.AllToAll)}
}

// Candidates returns the defaults, by path, of the keys that are chosen for an operation.
func Candidates(operation string) map[string]string {
	candidates := map[string]string{Collective.Path: strings.Join(CollectivesOf(operation), ",")}
	if operation == string(collectives.Allreduce) {
		candidates[Sources.Path], candidates[Segments.Path] = "1,2,3", "1,4"
		candidates[Leaders.Path], candidates[Share.Path] = "1,2,4", "false,true"
	}
	return candidates
}

// CollectivesOf returns the names of the collectives that do an operation.
func CollectivesOf(does string) []string {
	return slices.DeleteFunc(collectiveNames(),
		func(name string) bool { return string(operation(name)) != does })
}

// belong fails if a collective does not do the operation that was asked for, if one was.
func (s *Study) belong() error {
	if s.in.Operation == "" {
		return nil
	}
	for _, v := range s.keys[Collective].values {
		if does := operation(v.Name); string(does) != s.in.Operation {
			return s.wrong(Collective, "%s does %s, and --operation asks for %s; leave one of them out, or choose "+
				"from %s", v.Name, does, s.in.Operation, strings.Join(CollectivesOf(s.in.Operation), ", "))
		}
	}
	return nil
}

// choices puts the configurations that differ only in keys that are chosen into one field. The
// first of each is a plain collective, which is a reference only if it is not among those given. It
// fails if the collectives are not all of one operation.
func (s *Study) choices() error {
	if len(s.Configurations) == 0 {
		wrong := Collective
		if !s.given(Collective) {
			wrong = Sources
		}
		return s.wrong(wrong, "none of these can be chosen: %s", s.left)
	}
	points := s.points(0, len(s.Configurations))
	first := points[0].Name(Collective)
	for _, p := range points {
		if name := p.Name(Collective); operation(name) != operation(first) {
			return s.wrong(Collective, "%s and %s do different things, and cannot be chosen from", first, name)
		}
	}
	if plain[operation(first)] == "" {
		return s.wrong(Collective, "no other collective does what %s does, so there is no choice", first)
	}
	var ordered []Configuration
	for _, m := range s.members(points) {
		candidates := s.without(m, points)
		first := slices.IndexFunc(candidates, func(i int) bool { return points[i].isPlain(s.in.Baseline) })
		field := vector.Each(candidates, func(i int) Configuration { return s.Configurations[i] })
		if first < 0 {
			references, err := s.refer(candidates, points)
			if err != nil {
				return err
			}
			field = append(references, field...)
		} else {
			field = slices.Concat(field[first:first+1], field[:first], field[first+1:])
		}
		s.Deployments = append(s.Deployments, s.deployment(candidates, points))
		ordered = append(ordered, field...)
		s.ends = append(s.ends, len(ordered))
	}
	s.Configurations = ordered
	return nil
}

// members returns the candidates of each deployment, without deployments of the same candidates.
func (s *Study) members(points []Point) [][]int {
	asked := func(i int) string { return s.asked(int(s.Configurations[i].at)).ID }
	all := vector.Groups(len(points), asked)
	candidates := func(deployment int) string {
		return strings.Join(vector.Each(all[deployment], func(i int) string { return points[i].ID }), "")
	}
	return vector.Each(vector.Groups(len(all), candidates), func(same []int) []int { return all[same[0]] })
}

// deployment returns what some points are candidates of: their common values, and those asked for
// where they have others.
func (s *Study) deployment(candidates []int, points []Point) Point {
	p := s.asked(int(s.Configurations[candidates[0]].at))
	for axis, k := range Axes {
		if k.Chosen {
			continue
		}
		value := points[candidates[0]].Values[axis]
		other := func(i int) bool { return points[i].Values[axis] != value }
		if !slices.ContainsFunc(candidates, other) {
			p.Values[axis] = value
		}
	}
	return p
}

// without returns the candidates of a deployment without those on which a key that the user gave
// has no effect, while it has on others, such as rings where results are to be forwarded.
func (s *Study) without(members []int, points []Point) []int {
	var kept []int
	for _, i := range members {
		if k := s.ignored(i, members, points); k != nil {
			x := finding{}
			points[i].leaveOut(s, fmt.Errorf("%s has no effect on it", s.place(k)), &x)
			s.take(&x)
		} else {
			kept = append(kept, i)
		}
	}
	return kept
}

// ignored returns a key that the user gave and whose value a point does not have, as other
// candidates of its deployment do; nil if no key is like that.
func (s *Study) ignored(point int, candidates []int, points []Point) *Key {
	for axis, k := range Axes {
		if k.Chosen || !s.given(k) || points[point].rule(k) == nil {
			continue
		}
		has := func(i int) bool {
			return points[i].rule(k) == nil && points[i].Values[axis] != points[point].Values[axis]
		}
		if slices.ContainsFunc(candidates, has) {
			return k
		}
	}
	return nil
}

// asked returns the deployment that the point at a place in the product of the axes was asked for:
// its values whatever collective is chosen. Its ID is a digest of the keys that are not chosen.
func (s *Study) asked(at int) Point {
	p, _ := s.raw(at, nil) // it was derived before
	for i, k := range Axes {
		if k.Chosen {
			p.Values[i] = Value{}
			continue
		}
		applies := func(r Rule) bool { return !r.ofChosen() && p.meets(r.If) }
		if rule := slices.IndexFunc(k.Rules, applies); rule >= 0 {
			p.Values[i] = k.replacement(k.Rules[rule])
		}
	}
	p.ID = digest(p.canonical(func(k *Key) bool { return !k.Chosen }))
	return p
}

// ofChosen reports whether the rule depends on a key that is chosen.
func (r Rule) ofChosen() bool {
	return slices.ContainsFunc(r.If, func(c Condition) bool { return c.Key.Chosen })
}

// isPlain reports whether the point is a collective that MPI libraries have, with which choices may
// be compared at T = 0: from one source, with one leader on a node, which shares nothing; the named
// one, or without a name any allreduce.
func (p Point) isPlain(name string) bool {
	collective := p.Name(Collective)
	if does := operation(collective); name == "" && does != collectives.Allreduce {
		name = plain[does]
	}
	return p.Whole(Sources) == 1 && p.Whole(Leaders) == 1 && (name == "" || name == collective)
}

// algorithm returns a text that points have in common which differ in their sources alone.
func (p Point) algorithm() string {
	return p.canonical(func(k *Key) bool { return k.Chosen && k != Sources })
}

// refer returns references for a deployment whose candidates have no plain one: the named
// collective, or each candidate of that kind.
func (s *Study) refer(candidates []int, points []Point) (references []Configuration, err error) {
	names := []string{s.in.Baseline}
	of := points[candidates[0]]
	if does := operation(of.Name(Collective)); s.in.Baseline == "" {
		names[0] = plain[does]
		if does == collectives.Allreduce {
			names = vector.Each(candidates, func(i int) string { return points[i].Name(Collective) })
			slices.Sort(names)
			names = slices.Compact(names)
		}
	}
	for _, name := range names {
		x := finding{Configuration: Configuration{
			at: s.Configurations[candidates[0]].at, bare: true, reference: &name,
		}}
		p, _ := s.derive(&x.Configuration, nil, nil) // its place was derived before
		if s.add(p, &x); x.err != nil {
			return nil, x.err
		}
		if s.take(&x); x.fits {
			references = append(references, x.Configuration)
		}
	}
	if references == nil {
		return nil, s.wrong(Collective, "%s cannot run at %s ranks, to compare with; name another with "+
			"--baseline", strings.Join(names, ", "), text(of, Ranks))
	}
	return references, nil
}

// leaveOut keeps a configuration from being chosen, and notes why if the user gave any key that is
// chosen, or if it takes too long.
func (p Point) leaveOut(s *Study, why error, x *finding) {
	x.left = fmt.Sprintf("%s from %d sources: %v",
		p.Name(Collective), p.Whole(Sources), why)
	asked := slices.ContainsFunc(Axes, func(k *Key) bool { return k.Chosen && s.given(k) })
	if asked || errors.Is(why, errCostly) {
		x.notes = append(x.notes, "left out: "+x.left)
	}
}

// moreOf are the keys of which larger values are compared only where smaller ones help.
var moreOf = []*Key{Sources, Leaders}

// order has the configurations of a field, of which first is the index of the first, be compared
// one after the other: one of two smaller values of a key only if the larger of these gains.
func (s *Study) order(field montecarlo.Field, first int) {
	points := s.points(first, first+len(field))
	for i := range field {
		for _, k := range moreOf {
			if fewer := fewerOf(k, i, points, field); len(fewer) > 1 {
				field[i].After = append(field[i].After, montecarlo.Gain{Of: fewer[0], Over: fewer[1]})
			}
		}
	}
}

// fewerOf returns the configurations that have less of a key than one has, and else the same, in the
// descending order of its values.
func fewerOf(k *Key, config int, points []Point, field montecarlo.Field) []int {
	var fewer []int
	for i, p := range points {
		if !field[i].Reference && p.Number(k) < points[config].Number(k) && sameBut(p, points[config], k) {
			fewer = append(fewer, i)
		}
	}
	slices.SortFunc(fewer, func(a, b int) int {
		return int(points[b].Number(k)) - int(points[a].Number(k))
	})
	return fewer
}

// sameBut reports whether two candidates differ in a key only. A single leader shares with no other.
func sameBut(a, b Point, except *Key) bool {
	for axis, k := range Axes {
		alone := k == Share && except == Leaders && min(a.Whole(Leaders), b.Whole(Leaders)) == 1
		if k != except && !alone && a.Values[axis] != b.Values[axis] {
			return false
		}
	}
	return true
}

// libraryChannels is one more than the messages of a rank in one call of the MPI library
// (MACHINE_CHANNELS in mpi/machine.h).
const libraryChannels = 128

// Deploys reports whether a library has the point's allreduce with T redundant exchanges: the MPI
// library of this project (mpi/) the butterfly from several sources and leaders of nodes, and any
// other library what has no redundancy and one leader.
func (p Point) Deploys(T int) bool {
	sources := p.Whole(Sources)
	if sources == 1 && T == 0 && p.Whole(Leaders) == 1 {
		return true
	}
	exchanging := p.Whole(Ranks)
	switch p.Name(Collective) {
	case leaders:
		exchanging = p.Whole(Nodes)
	case "butterfly":
	default:
		return false
	}
	channels, rounds := uint64(0), uint64(0)
	for group := uint64(1); group <= exchanging/2; group *= 2 {
		channels += min(sources, group)
		rounds++
	}
	return channels+rounds < libraryChannels
}
