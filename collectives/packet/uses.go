package packet

import (
	"fmt"

	"jitterfly/collectives/recording"
)

// uses counts, in each cycle, the flits that leave and the buffers that are full, and adds cycles
// to steps whose number stays within two bounds.
type uses struct {
	*Engine
	injected, ejected int // in this cycle
	length            int64
	steps             []step
	links             []float64 // of each direction
}

// A step is a number of cycles.
type step struct {
	moved []float64 // flits: by direction, then of injection and of ejection
	full  []float64 // buffers of links at the end of the cycles, by class
}

// mostSteps is the largest number of steps; above it two become one.
const mostSteps = 480

// newUses returns the uses of an engine before its first cycle.
func newUses(e *Engine) uses {
	u := uses{Engine: e, length: 1, links: make([]float64, e.fabric.directions)}
	for r := range e.fabric.nodes {
		for d := range e.fabric.directions {
			if e.fabric.next[r*e.fabric.ports+d] >= 0 {
				u.links[d]++
			}
		}
	}
	return u
}

// count adds the cycle that has been simulated.
func (u *uses) count() {
	at := int(u.now / u.length)
	for at >= mostSteps {
		u.halve()
		at = int(u.now / u.length)
	}
	f := &u.fabric
	for len(u.steps) <= at {
		u.steps = append(u.steps, step{make([]float64, f.directions+2), make([]float64, u.classes())})
	}
	s := &u.steps[at]
	s.moved[f.directions] += float64(u.injected)
	s.moved[f.directions+1] += float64(u.ejected)
	u.injected, u.ejected = 0, 0
	for _, c := range *u.due.flitsOut {
		if port := int(u.channels[c].local) / f.channels; port < f.directions {
			s.moved[port]++
		}
	}
	for c := range f.firstEjection {
		ch := &u.channels[c]
		if ch.credits == 0 && int(ch.local) < f.firstInjection {
			s.full[u.class(int(ch.local)%f.channels)]++
		}
	}
}

// halve makes every step twice as long.
func (u *uses) halve() {
	u.length *= 2
	for i := range u.steps {
		if i%2 == 0 {
			u.steps[i/2] = u.steps[i]
			continue
		}
		for k, n := range u.steps[i].moved {
			u.steps[i/2].moved[k] += n
		}
		for k, n := range u.steps[i].full {
			u.steps[i/2].full[k] += n
		}
	}
	u.steps = u.steps[:(len(u.steps)+1)/2]
}

// classes returns the number of classes of channels.
func (u *uses) classes() int {
	if u.fabric.torus && u.problem.Rule == Class {
		return 2
	}
	return 1
}

// class returns the class of the virtual channel v.
func (u *uses) class(v int) int {
	if u.classes() == 2 && v >= u.fabric.channels-u.fabric.channels/2 {
		return 1
	}
	return 0
}

// all returns the shares of links that carry flits, of controllers and nodes that send and receive
// them, and of buffers that are full, until the end [s].
func (u *uses) all(end float64) []recording.Use {
	f := &u.fabric
	duration := float64(float64(u.length) * u.cycle)
	add := func(all []recording.Use, name string, places float64, of func(s *step) float64,
	) []recording.Use {
		use := recording.Use{Name: name, Step: duration}
		for i := range u.steps {
			cycles := min(float64(u.length), end/u.cycle-float64(int64(i)*u.length))
			share := 0.0
			if places > 0 && cycles > 0 {
				share = min(1, of(&u.steps[i])/(places*cycles))
			}
			use.Shares = append(use.Shares, share)
		}
		return append(all, use)
	}
	var all []recording.Use
	slots := float64(f.nodes * f.controllers)
	for d := range f.directions {
		name := fmt.Sprintf("links %c%s", "+-"[d%2], dimensionName(d/2))
		all = add(all, name, u.links[d], func(s *step) float64 { return s.moved[d] })
	}
	all = add(all, "injection", slots, func(s *step) float64 { return s.moved[f.directions] })
	all = add(all, "ejection", slots, func(s *step) float64 { return s.moved[f.directions+1] })
	places := make([]float64, u.classes())
	for v := range f.channels {
		for _, n := range u.links {
			places[u.class(v)] += n
		}
	}
	for class := range places {
		name := "buffers full"
		if u.classes() == 2 {
			name = fmt.Sprintf("buffers full, class %d", class)
		}
		all = add(all, name, places[class], func(s *step) float64 { return s.full[class] })
	}
	return all
}

// dimensionName returns the name of a dimension of a grid.
func dimensionName(d int) string {
	if d < 3 {
		return "xyz"[d : d+1]
	}
	return fmt.Sprint(d)
}
