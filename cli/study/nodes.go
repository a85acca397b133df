package study

import (
	"fmt"
	"maps"
	"slices"
)

// A job is what a configuration simulates.
type job struct{ ranks, nodes int }

// noteNodes notes the classes of profiles that name a node which the smallest job does not have.
func (s *Study) noteNodes() {
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		smallest, m := s.jobs[id], s.profiles[id]
		for i, c := range m.Classes {
			last := -1
			for _, span := range c.Nodes {
				last = max(last, span.Last)
			}
			if last < smallest.nodes {
				continue
			}
			s.note(fmt.Sprintf("%s: %s of %s names node %d, but the smallest job, of %d ranks, has nodes 0 to %d: "+
				"node %[4]d has no effect there; give it a number of the job, or simulate more ranks",
				s.axes.place(NoiseProfile), m.ClassLabel(i), m.Name, last, smallest.ranks, smallest.nodes-1))
		}
	}
}
