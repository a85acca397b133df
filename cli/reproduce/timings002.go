package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	engines002 = map[string]engine002{
		"flows": flows002, "many": many002, "full": full002, "few": few002, "controllers": deep002,
	}
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
	timed := timings{}
	for _, side := range sides002 {
		topology, unit := fmt.Sprintf("%s:%dx%d", g.kind, side, side), theory(side)
		for _, c := range configs {
			e := engine002{c.PacketChannels, c.PacketBufferFlits, c.PacketCrossbar == "full"}
			if e == g.engine && c.Topology == topology && c.Collective == g.collective &&
				c.Sync == g.column() && c.Controllers == g.controllers {
				timed[side] = estimate{c.T[0].Mean / unit, c.T[0].Low / unit, c.T[0].High / unit}
			}
		}
	}
	return timed
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

// upTo returns the timings of the sides up to one.
func (t timings) upTo(most int) timings {
	small := maps.Clone(t)
	maps.DeleteFunc(small, func(side int, _ estimate) bool { return side > most })
	return small
}

// mean returns the average over all sides.
func (t timings) mean() estimate { return mid(t.all()...) }

// measure002 returns the timings of an engine that a text names: a grid, an algorithm, a
// synchronisation and perhaps a number of controllers, as in "torus a2at local 2"; or those
// relative to others, or to a share of the theory, as in "mesh a2and local / mesh a2at local" and
// "mesh a2at none 2 / 0.75". It panics if the text is anything else.
func measure002(r *Results, e engine002, text string) timings {
	if over, under, ok := strings.Cut(text, " / "); ok {
		times := measure002(r, e, over)
		share, err := strconv.ParseFloat(under, 64)
		if err != nil {
			return times.of(measure002(r, e, under))
		}
		parts := timings{}
		for side, t := range times {
			parts[side] = estimate{t.mean / share, t.low / share, t.high / share}
		}
		return parts
	}
	return simulated(r, parseGrid002(e, text))
}

// parseGrid002 returns the grid that a text names. It panics if the text is not a grid.
func parseGrid002(e engine002, text string) grid002 {
	g := grid002{engine: e, controllers: 1}
	if n, _ := fmt.Sscan(text, &g.kind, &g.collective, &g.sync, &g.controllers); n < 3 {
		panic(fmt.Sprintf("reproduce: %q is not a grid", text))
	}
	return g
}

// A pair002 is a measure on packets and on flows.
type pair002 struct{ packets, flows timings }
