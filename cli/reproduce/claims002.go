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

// averages returns the average of measures over all of their sides.
func averages(r *Results, e engine002, of ...measure002) timing {
	var all []timing
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
func beside(packets, flows timing) string {
	return fmt.Sprintf("%s; flows %.3f", packets, flows.mean)
}

// bothMore judges that two averages are above 1.
func bothMore(e engine002, what string, mesh, torus measure002) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		m, t := averages(r, e, mesh), averages(r, e, torus)
		ours := fmt.Sprintf("%s %s on meshes, %s on tori; flows %.3f, %.3f", m, what, t,
			averages(r, flows002, mesh).mean, averages(r, flows002, torus).mean)
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

// flits002 are the claims of section 4, about times in their simulator relative to the theory
// with one controller.
var flits002 = []Claim{
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "A2AT on tori, enough virtual channels, without synchronisation: average time.",
		Published: "0.97 of the theory",
		Judge: func(r *Results) (string, Verdict) {
			t, full := averages(r, many002, without), averages(r, full002, without)
			return fmt.Sprintf("%s; up to side 11 %.3f, and %.3f if all channels of a port move flits "+
				"at once", beside(t, averages(r, flows002, without)),
				mid(upTo(without(r, many002), 11)...).mean, full.mean), nearRatio(t.low, t.high, 0.97)
		},
		Why: "A port that moves one flit in a cycle is not fair to the messages of its channels. If " +
			"all can move, it is 0.97, and then meshes are faster than theirs.",
	},
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "A2AT on meshes, enough virtual channels, without synchronisation: average time.",
		Published: "1.25 of the theory",
		Judge:     averaged(1.25, many002, withoutMesh),
	},
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "The side hardly matters to the time of A2AT, as part of the theory.",
		Published: "stated",
		Reading:   "on neither grid the largest is more than 10 % above the smallest.",
		Judge: func(r *Results) (string, Verdict) {
			torus, mesh := without(r, many002).means(), withoutMesh(r, many002).means()
			low, high := extremes(torus)
			least, most := extremes(mesh)
			return fmt.Sprintf("%.2f–%.2f on tori, %.2f–%.2f on meshes", low, high, least, most), verdict(
				high/low < 1+tolerance && most/least < 1+tolerance,
			)
		},
		Why: "The larger the grid, the further its nodes are out of phase. Flows show the same.",
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
			return fmt.Sprintf("%s of it on tori, %s on meshes; flows %.3f, %.3f", t, m,
					averages(r, flows002, torus).mean, averages(r, flows002, mesh).mean),
				both(near(t.low, t.high, 1), near(m.low, m.high, 1))
		},
		Why: "In phase both take the theory. Out of phase A2AT loses on meshes, and A2AND less so.",
	},
	{
		Where:     "§4.3.1",
		Statement: "Tori can be faster than the theory because routers buffer.",
		Published: "buffers are named as a reason",
		Reading: "without synchronisation, at side 11, buffers of 20 flits are slower than it, and of 1000 " +
			"faster.",
		Judge: func(r *Results) (string, Verdict) {
			times := overBuffers(r, 11, "none")
			small, large := times[20], times[1000]
			return fmt.Sprintf("%s with 20 flits, %s with 1000; flows, without any, %.3f", small, large,
					without(r, flows002)[11].mean),
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
			"meshes as on tori. Only with synchronisation are both about as fast on meshes.",
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
				spread("%.2f", torus.means()), spread("%.2f", mesh.means()),
				spread("%.2f", orderTorus(r, flows002).means()),
				spread("%.2f", faster(many("torus", "a2at", "local", 2),
					many("torus", "a2and", "local", 2))(r, flows002).means()))
			more := max(last.of(first).low, 0)
			return ours, both(both(nearRatio(first.low, first.high, 1.29), nearRatio(last.low, last.high, 1.90)),
				verdict(more > 1 && large.mean > small.mean))
		},
		Why: "On large tori A2AND is slower here than theirs.",
	},
	{
		Where: "§4.3.3, Fig. 6; §5",
		Statement: "On tori with buffers of two packets and more A2AT is faster without local " +
			"synchronisation.",
		Published: "stated",
		Reading:   "at side 11, with buffers of 200 flits.",
		Judge: func(r *Results) (string, Verdict) {
			none, local := overBuffers(r, 11, "none"), overBuffers(r, 11, "local")
			t := local[200].of(none[200])
			return fmt.Sprintf("%s times as fast; faster from %s flits on, and from %s if nodes wait for "+
					"all earlier phases", t, threshold(none, local), threshold(none, overBuffers(r, 11, "strict"))),
				within(t.low, t.high, 1, math.Inf(1))
		},
		Why: "That larger buffers help without synchronisation, and not with it, is as published, but not " +
			"where they cross. What the text leaves open moves it, at side 11: if nodes wait for the " +
			"messages of all earlier phases, to 400 flits; if in addition a controller has room for all of " +
			"its messages, or all channels of a port can move flits at once, to 300. With the latter and " +
			"`local-count` it stays between 400 and 600. If a channel is free for the next packet only " +
			"when its buffer is empty (wait_for_tail_credit), buffers do not help at all.",
	},
	{
		Where:     "§4.3.3, Fig. 6",
		Statement: "Times with and without local synchronisation differ by more on larger tori.",
		Published: "10 % at side 11, 20 % at side 17",
		Reading:   "with buffers of 20, 200 and 600 flits, more at side 17.",
		Judge: func(r *Results) (string, Verdict) {
			apart := func(side int) timing {
				none, local := overBuffers(r, side, "none"), overBuffers(r, side, "local")
				var all []timing
				for _, length := range []int64{20, 200, 600} {
					all = append(all, none[length].of(local[length]))
				}
				return mid(all...)
			}
			small, large := apart(11), apart(17)
			ratio := large.of(small)
			return fmt.Sprintf("%s and %s on average", percent(small.mean-1), percent(large.mean-1)),
				within(ratio.low, ratio.high, 1, math.Inf(1))
		},
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "A2AT with two controllers on meshes: average time.",
		Published: "1.18 of its theory",
		Reading:   "with local synchronisation.",
		Judge:     averaged(1.18, deep002, mesh2),
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "A2AT with two controllers on tori: average time.",
		Published: "1.28 of its theory",
		Reading:   "with local synchronisation.",
		Judge:     averaged(1.28, deep002, torus2),
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "Without synchronisation two controllers can be slower than one.",
		Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			all := slices.Concat(without2(r, deep002).all(), without2on(r, deep002).all())
			least := slices.MinFunc(all, func(a, b timing) int { return cmp.Compare(a.high, b.high) })
			means := slices.Concat(without2(r, deep002).means(), without2on(r, deep002).means())
			flows := slices.Concat(without2(r, flows002).means(), without2on(r, flows002).means())
			return fmt.Sprintf("they are %s times as fast; flows %s", spread("%.2f", means),
				spread("%.2f", flows)), within(least.low, least.high, 0, 1)
		},
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "Local synchronisation makes two controllers faster, on both grids.",
		Published: "stated",
		Judge:     bothMore(deep002, "times", sync2Mesh, sync2Torus),
	},
	{
		Where: "§4.3.4, abstract",
		Statement: "Speed with two controllers and local synchronisation on meshes, as a multiple of " +
			"that with one.",
		Published: "1.13 times",
		Judge:     averaged(1.13, deep002, twoMesh),
	},
	{
		Where: "§4.3.4, abstract",
		Statement: "Speed with two controllers and local synchronisation on tori, as a multiple of " +
			"that with one.",
		Published: "1.35 times",
		Judge:     averaged(1.35, deep002, twoTorus),
	},
	{
		Where:     "§4.3.4",
		Statement: "A2AT with two controllers and local synchronisation: average time on both grids.",
		Published: "1.23 of their theory",
		Judge:     averaged(1.23, deep002, mesh2, torus2),
	},
	{
		Where:     "§4.3.4",
		Statement: "Speed with four controllers, as a multiple of that with two.",
		Published: "0.93 times on average",
		Reading:   "on tori, with local synchronisation.",
		Judge:     averaged(0.93, deep002, fourTorus),
	},
	{
		Where:     "§4.3.4",
		Statement: "Speed with four controllers below side 9, as a multiple of that with two.",
		Published: "1.06 times",
		Reading:   "on tori of sides 5 and 7, with local synchronisation.",
		Judge: func(r *Results) (string, Verdict) {
			t := mid(upTo(fourTorus(r, deep002), 7)...)
			return beside(t, mid(upTo(fourTorus(r, flows002), 7)...)) + " times", nearRatio(t.low, t.high, 1.06)
		},
	},
	{
		Where:     "§5",
		Statement: "With several controllers local synchronisation gains more on larger grids.",
		Published: "stated",
		Reading:   "with two, on both grids, at side 17 more than at side 5.",
		Judge: func(r *Results) (string, Verdict) {
			small, large := sync2Mesh(r, deep002).ends()
			first, last := sync2Torus(r, deep002).ends()
			m, t := large.of(small), last.of(first)
			return fmt.Sprintf("from %.2f times to %.2f on meshes, from %.2f to %.2f on tori", small.mean,
				large.mean, first.mean, last.mean), within(min(m.low, t.low), min(m.high, t.high), 1, math.Inf(1))
		},
	},
	{
		Where:     "§5",
		Statement: "With local synchronisation more controllers are faster than one.",
		Published: "stated",
		Reading:   "two on both grids, on every side.",
		Judge: func(r *Results) (string, Verdict) {
			all := slices.Concat(twoMesh(r, deep002).all(), twoTorus(r, deep002).all())
			means := slices.Concat(twoMesh(r, deep002).means(), twoTorus(r, deep002).means())
			low, high := math.Inf(1), math.Inf(1)
			for _, t := range all {
				low, high = min(low, t.low), min(high, t.high)
			}
			flows := slices.Concat(twoMesh(r, flows002).means(), twoTorus(r, flows002).means())
			return fmt.Sprintf("%s times as fast; flows %s", spread("%.2f", means), spread("%.2f", flows)),
				within(low, high, 1, math.Inf(1))
		},
	},
}

// upTo returns the timings of the sides up to one.
func upTo(t timings, most int) []timing {
	var all []timing
	for _, side := range t.sides() {
		if side <= most {
			all = append(all, t[side])
		}
	}
	return all
}

// threshold returns the least length of buffers from which on the first timings are below the
// others, as text.
func threshold(first, others map[int64]timing) string {
	from := "no length"
	for _, length := range slices.Backward(lengths002) {
		a, ok := first[length]
		b, okay := others[length]
		if !ok || !okay {
			continue
		}
		if a.mean >= b.mean {
			break
		}
		from = fmt.Sprint(length)
	}
	return from
}
