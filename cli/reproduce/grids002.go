package reproduce

import (
	"fmt"
	"math"
	"slices"
)

// sides002 are the sides of the grids. Not all studies have all.
var sides002 = []int{5, 7, 9, 11, 13, 15, 17}

// An engine002 is what simulates an all-to-all: flows, or packets with a number of virtual
// channels and a length of buffers in flits.
type engine002 struct {
	channels, buffer int64 // 0 for flows
	full             bool  // crossbar
}

// The engines of the figures.
var (
	flows002   = engine002{}
	many002    = engine002{channels: 289, buffer: 2}
	full002    = engine002{channels: 289, buffer: 2, full: true}
	few002     = engine002{channels: 2, buffer: 20}
	deep002    = engine002{channels: 2, buffer: 200} // as deep as two packets
	packets002 = []string{
		"buffers", "buffers-large", "few", "few-large", "many", "many-large", "crossbar",
		"controllers", "controllers-large", "four-large", "strict",
	}
)

// A grid002 is a key of the configurations of all sides.
type grid002 struct {
	engine           engine002
	kind, collective string
	controllers      int64
	sync             string // none, local (theirs), or of packets also strict
}

// column returns the value of sync in the results.
func (g grid002) column() string {
	switch {
	case g.sync == "strict":
		return "local"
	case g.sync == "local" && g.engine != flows002:
		return "local-count"
	}
	return g.sync
}

// theory returns the time [s] of A2AT with one controller by table 1.
func theory(side int) float64 {
	k := float64(side)
	return k * (k + 1) * (k - 1) / 3 * 1e-6
}

// timings are by side.
type timings map[int]estimate

// timingsOf returns the timings of a grid in configurations.
func timingsOf(configs []Config, g grid002) timings {
	type place struct {
		engine                     engine002
		topology, collective, sync string
		controllers                int64
	}
	found := find(configs, func(c *Config) place {
		e := engine002{c.PacketChannels, c.PacketBufferFlits, c.PacketCrossbar == "full"}
		return place{e, c.Topology, c.Collective, c.Sync, c.Controllers}
	})
	all := timings{}
	for _, side := range sides002 {
		topology := fmt.Sprintf("%s:%dx%d", g.kind, side, side)
		c := found[place{g.engine, topology, g.collective, g.column(), g.controllers}]
		if c != nil {
			unit := theory(side)
			all[side] = estimate{c.T[0].Mean / unit, c.T[0].Low / unit, c.T[0].High / unit}
		}
	}
	return all
}

// simulated returns the timings with latency, on all sides.
func simulated(r *Results, g grid002) timings {
	if g.engine == flows002 {
		return timingsOf(r.Of(g.kind), g)
	}
	var configs []Config
	for _, study := range packets002 {
		configs = append(configs, r.Of(study)...)
	}
	return timingsOf(configs, g)
}

// sides returns the sides that there are, ascending.
func (t timings) sides() []int {
	return slices.DeleteFunc(slices.Clone(sides002), func(side int) bool {
		_, ok := t[side]
		return !ok
	})
}

// all returns the timings in the order of their sides.
func (t timings) all() []estimate {
	var all []estimate
	for _, side := range t.sides() {
		all = append(all, t[side])
	}
	return all
}

// ends returns the timings of the smallest and of the largest side.
func (t timings) ends() (first, last estimate) {
	all := t.all()
	return all[0], all[len(all)-1]
}

// of returns the ratios of timings to others, on the sides that both have.
func (t timings) of(u timings) timings {
	ratios := timings{}
	for side, v := range t {
		if w, ok := u[side]; ok {
			ratios[side] = v.of(w)
		}
	}
	return ratios
}

// part returns the timings relative to a share of the theory.
func (t timings) part(share float64) timings {
	parts := timings{}
	for side, v := range t {
		parts[side] = estimate{v.mean / share, v.low / share, v.high / share}
	}
	return parts
}

// mid returns the average of timings, whose errors are independent.
func mid(times ...estimate) estimate {
	var mean, square float64
	for _, t := range times {
		mean += t.mean
		square += (t.high - t.low) / 2 * (t.high - t.low) / 2
	}
	n := float64(len(times))
	half := math.Sqrt(square) / n
	return estimate{mean / n, mean/n - half, mean/n + half}
}
