package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// theory002 are the claims of section 3.3, about times without latency.
var theory002 = []Claim{
	exact("mesh, NCT 1", "N(N+1)(N−1)/3", "mesh", 1, 1),
	exact("mesh, NCT 2", "N(N+1)(N−1)/4, the least possible", "mesh", 2, 3./4),
	exact("torus, NCT 1", "N(N+1)(N−1)/3", "torus", 1, 1),
	exact("torus, NCT 2", "N(N+1)(N−1)/6", "torus", 2, 1./2),
	exact("torus, NCT 4", "N(N+1)(N−1)/8, the least possible", "torus", 4, 3./8),
	{
		Where: "§4.3.1", Statement: "With NCT 1 the theory of A2AND is the same.", Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			apart := 0.0
			for _, kind := range []string{"mesh", "torus"} {
				apart = max(apart, off(r, grid002{flows002, kind, "a2and", 1, "none"}, 1))
			}
			return fmt.Sprintf("relative difference at most %.1g", apart), verdict(apart < 1e-9)
		},
	},
}

// exact returns the claim that A2AT takes a share of the theory of one controller on all sides.
func exact(where, published, kind string, controllers int64, share float64) Claim {
	return Claim{
		Where:     "§3.3, Table 1",
		Statement: "Time of A2AT without latency: " + where + ".",
		Published: published,
		Judge: func(r *Results) (string, Verdict) {
			apart := off(r, grid002{flows002, kind, "a2at", controllers, "none"}, share)
			return fmt.Sprintf("relative difference at most %.1g", apart), verdict(apart < 1e-9)
		},
	}
}

// off returns how far the times of flows without latency are from a share of the theory,
// relative.
func off(r *Results, g grid002, share float64) float64 {
	apart := 0.0
	for _, t := range timingsOf(r.Of("theory"), g) {
		apart = max(apart, math.Abs(t.mean/share-1))
	}
	return apart
}

// A measure002 returns timings of an engine.
type measure002 func(r *Results, e engine002) timings

// one returns the timings with one controller.
func one(kind, collective, sync string) measure002 { return many(kind, collective, sync, 1) }

// many returns the timings with several controllers.
func many(kind, collective, sync string, controllers int64) measure002 {
	return func(r *Results, e engine002) timings {
		return simulated(r, grid002{e, kind, collective, controllers, sync})
	}
}

// shareOf returns timings relative to a share of the theory of one controller.
func shareOf(of measure002, share float64) measure002 {
	return func(r *Results, e engine002) timings { return of(r, e).part(share) }
}

// faster returns the speed-up of the first over the second.
func faster(first, second measure002) measure002 {
	return func(r *Results, e engine002) timings { return second(r, e).of(first(r, e)) }
}

// range002 returns the largest of some timings, relative to the smallest.
func range002(all []estimate) estimate {
	byMean := func(a, b estimate) int { return cmp.Compare(a.mean, b.mean) }
	return slices.MaxFunc(all, byMean).of(slices.MinFunc(all, byMean))
}

// averages returns the average of measures over all of their sides.
func averages(r *Results, e engine002, of ...measure002) estimate {
	var all []estimate
	for _, m := range of {
		all = append(all, m(r, e).all()...)
	}
	return mid(all...)
}

// averaged compares an average over all sides with a published one.
func averaged(published float64, e engine002, of ...measure002) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		t := averages(r, e, of...)
		return beside(t, averages(r, flows002, of...)), nearRatio(t.low, t.high, published)
	}
}

// beside returns a number of packets with that of flows.
func beside(packets, flows estimate) string {
	return fmt.Sprintf("%s; flows %s", packets, flows)
}

// bothMore judges that two averages are above 1.
func bothMore(e engine002, what string, mesh, torus measure002) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		m, t := averages(r, e, mesh), averages(r, e, torus)
		ours := fmt.Sprintf("%s %s on meshes, %s on tori; flows %s, %s", m, what, t,
			averages(r, flows002, mesh), averages(r, flows002, torus))
		return ours, within(min(m.low, t.low), min(m.high, t.high), 1, math.Inf(1))
	}
}

// Speeds that several claims are about.
var (
	syncMesh    = faster(one("mesh", "a2at", "local"), one("mesh", "a2at", "none"))
	syncTorus   = faster(one("torus", "a2at", "local"), one("torus", "a2at", "none"))
	orderMesh   = faster(one("mesh", "a2at", "local"), one("mesh", "a2and", "local"))
	orderTorus  = faster(one("torus", "a2at", "local"), one("torus", "a2and", "local"))
	sync2Mesh   = faster(many("mesh", "a2at", "local", 2), many("mesh", "a2at", "none", 2))
	sync2Torus  = faster(many("torus", "a2at", "local", 2), many("torus", "a2at", "none", 2))
	twoMesh     = faster(many("mesh", "a2at", "local", 2), one("mesh", "a2at", "local"))
	twoTorus    = faster(many("torus", "a2at", "local", 2), one("torus", "a2at", "local"))
	fourTorus   = faster(many("torus", "a2at", "local", 4), many("torus", "a2at", "local", 2))
	mesh2       = shareOf(many("mesh", "a2at", "local", 2), 3./4)
	torus2      = shareOf(many("torus", "a2at", "local", 2), 1./2)
	without2    = faster(many("torus", "a2at", "none", 2), one("torus", "a2at", "none"))
	without2on  = faster(many("mesh", "a2at", "none", 2), one("mesh", "a2at", "none"))
	withoutMesh = one("mesh", "a2at", "none")
	without     = one("torus", "a2at", "none")
)

// flits002 are the claims of sections 4.3.1 and 4.3.2, about times in their simulator relative to
// the theory with one controller.
var flits002 = []Claim{
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "A2AT on tori, enough virtual channels, without synchronisation: average time.",
		Published: "0.97 of the theory",
		Judge: func(r *Results) (string, Verdict) {
			t := averages(r, many002, without)
			return beside(t, averages(r, flows002, without)), nearRatio(t.low, t.high, 0.97)
		},
		Why: "A port that moves one flit in a cycle is not fair to the messages of its channels. If " +
			"all can move, tori are as theirs, and meshes faster than theirs.",
		Tried: atOnce002,
	},
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "A2AT on meshes, enough virtual channels, without synchronisation: average time.",
		Published: "1.25 of the theory",
		Judge:     averaged(1.25, many002, withoutMesh),
		Why:       "It grows with the side, and our sides are not all of theirs.",
		Tried:     atOnce002,
	},
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "The side hardly matters to the time of A2AT, as part of the theory.",
		Published: "stated",
		Reading:   "on neither grid the largest is more than 10 % above the smallest.",
		Judge: func(r *Results) (string, Verdict) {
			torus, mesh := without(r, many002).all(), withoutMesh(r, many002).all()
			t, m := range002(torus), range002(mesh)
			return fmt.Sprintf("%s on tori, %s on meshes", span(torus, "%.2f"), span(mesh, "%.2f")),
				both(within(t.low, t.high, 0, 1+tolerance), within(m.low, m.high, 0, 1+tolerance))
		},
		Why: "The larger the grid, the further its nodes are out of phase. Flows show the same.",
		Tried: func(r *Results) string {
			ranges := func(e engine002) string {
				return fmt.Sprintf("%s on tori, %s on meshes", span(without(r, e).all(), "%.2f"),
					span(withoutMesh(r, e).all(), "%.2f"))
			}
			return fmt.Sprintf("All channels of a port move flits at once, up to side 11: %s. Flows: %s.",
				ranges(full002), ranges(flows002))
		},
	},
	{
		Where: "§4.3.1, Fig. 3",
		Statement: "A2AND takes about as long as A2AT, with enough virtual channels and without " +
			"synchronisation.",
		Published: "stated",
		Reading:   "on both grids its average is within 10 % of A2AT's.",
		Judge: func(r *Results) (string, Verdict) {
			torus := faster(without, one("torus", "a2and", "none"))
			mesh := faster(withoutMesh, one("mesh", "a2and", "none"))
			t, m := averages(r, many002, torus), averages(r, many002, mesh)
			return fmt.Sprintf("%s of it on tori, %s on meshes; flows %s, %s", t, m,
					averages(r, flows002, torus), averages(r, flows002, mesh)),
				both(near(t.low, t.high, 1), near(m.low, m.high, 1))
		},
		Why: "In phase both take the theory. Out of phase A2AT loses on meshes, and A2AND less so.",
	},
	{
		Where:     "§4.3.1",
		Statement: "That routers buffer is a reason why tori can be faster than the theory.",
		Published: "named as a reason",
		Reading: "without synchronisation, at side 11, buffers of 20 flits are slower than it, and of 1000 " +
			"faster. They are not the only one: flows have none, and are faster than it too.",
		Judge: func(r *Results) (string, Verdict) {
			times := overBuffers(r, 11, "none")
			small, large := times[20], times[1000]
			return fmt.Sprintf("%s with 20 flits, %s with 1000; flows %s", small, large,
					without(r, flows002)[11]),
				both(within(small.low, small.high, 1, math.Inf(1)), within(large.low, large.high, 0, 1))
		},
	},
	{
		Where: "§4.3.1",
		Statement: "On meshes A2AT is slower than the theory because messages that start together have " +
			"different numbers of hops, and so phases mix.",
		Published: "hops are named as the reason",
		Reading:   "of flows, without latency it is the theory, and with it at least 5 % above.",
		Judge: func(r *Results) (string, Verdict) {
			apart := off(r, grid002{flows002, "mesh", "a2at", 1, "none"}, 1)
			hops := averages(r, flows002, withoutMesh)
			return fmt.Sprintf("at most %.1g off without, %s with", apart, hops), verdict(
				apart < 1e-9 && hops.low > 1.05,
			)
		},
	},
	{
		Where:     "§4.3.2, Fig. 4",
		Statement: "A2AT on tori, two virtual channels, without synchronisation: average time.",
		Published: "1.19 of the theory",
		Judge:     averaged(1.19, few002, without),
	},
	{
		Where: "§4.3.2, Fig. 4",
		Statement: "On large meshes A2AT is slower than A2AND, with two virtual channels and without " +
			"synchronisation.",
		Published: "stated",
		Reading:   "at side 17.",
		Judge: func(r *Results) (string, Verdict) {
			ratio := faster(one("mesh", "a2and", "none"), withoutMesh)
			t := ratio(r, few002)[17]
			return beside(t, ratio(r, flows002)[17]) + " of its time", within(t.low, t.high, 1, math.Inf(1))
		},
		Why: "With two channels A2AND, which sends in one direction for long, is far slower here, on " +
			"meshes as on tori.",
		Tried: func(r *Results) string {
			many := faster(one("mesh", "a2and", "none"), withoutMesh)(r, many002)
			local := faster(one("mesh", "a2and", "local"), one("mesh", "a2at", "local"))(r, few002)
			sides := many.sides()
			_, largest := many.ends()
			return fmt.Sprintf("Enough channels, at side %d: %s of its time. Local synchronisation, at "+
				"side 17: %s.", sides[len(sides)-1], largest, local[17])
		},
	},
	{
		Where:     "§4.3.2, Fig. 5, abstract",
		Statement: "A2AT with local synchronisation: average time on both grids.",
		Published: "1.11 of the theory",
		Judge: averaged(1.11, few002, one("mesh", "a2at", "local"),
			one("torus", "a2at", "local")),
	},
	{
		Where:     "§4.3.2",
		Statement: "Local synchronisation makes A2AT faster, on both grids.",
		Published: "1.11 instead of 1.19 on tori, and more",
		Judge:     bothMore(few002, "times as fast", syncMesh, syncTorus),
	},
	{
		Where: "§4.3.2, Fig. 5",
		Statement: "Speed of A2AT with local synchronisation on meshes, as a multiple of A2AND's, on " +
			"average.",
		Published: "1.18 times",
		Judge:     averaged(1.18, few002, orderMesh),
		Why:       "It grows with the side, and small meshes have none.",
		Tried: func(r *Results) string {
			first, last := orderMesh(r, few002).ends()
			return fmt.Sprintf("Single sides: %s times at 5, %s at 17.", first, last)
		},
	},
	{
		Where: "§4.3.2, Fig. 5",
		Statement: "Speed of A2AT with local synchronisation on tori, as a multiple of A2AND's, on " +
			"average.",
		Published: "1.67 times",
		Judge:     averaged(1.67, few002, orderTorus),
	},
	{
		Where: "§4.3.2, Fig. 5, abstract",
		Statement: "Speed of A2AT with local synchronisation, as a multiple of A2AND's, over all " +
			"sides; more on larger grids.",
		Published: "1.29 to 1.90 times",
		Reading: "on tori, as meshes have 1.18 on average; on both grids more at the largest side than " +
			"at side 5.",
		Judge: func(r *Results) (string, Verdict) {
			torus, mesh := orderTorus(r, few002), orderMesh(r, few002)
			first, last := torus.ends()
			small, large := mesh.ends()
			ours := fmt.Sprintf("%s times, on meshes %s; flows %s, with two controllers %s",
				span(torus.all(), "%.2f"), span(mesh.all(), "%.2f"),
				span(orderTorus(r, flows002).all(), "%.2f"),
				span(faster(many("torus", "a2at", "local", 2),
					many("torus", "a2and", "local", 2))(r, flows002).all(), "%.2f"))
			return ours, both(both(nearRatio(first.low, first.high, 1.29), nearRatio(last.low, last.high, 1.90)),
				both(last.above(first), large.above(small)))
		},
		Why: "On large tori A2AND is slower here than theirs.",
		Tried: func(r *Results) string {
			return fmt.Sprintf("Enough channels, without synchronisation: %s times.", span(
				faster(without, one("torus", "a2and", "none"))(r, many002).all(), "%.2f"))
		},
	},
}
