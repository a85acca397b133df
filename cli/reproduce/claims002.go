package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// theory002 are the claims of section 3.3, about times without latency.
var theory002 = []Claim{
	exact("mesh, NCT 1", "N(N+1)(N−1)/3", grid002{"mesh", "a2at", 1, "none"}, 1),
	exact(
		"mesh, NCT 2", "N(N+1)(N−1)/4, the least possible", grid002{"mesh", "a2at", 2, "none"}, 3./4,
	),
	exact("torus, NCT 1", "N(N+1)(N−1)/3", grid002{"torus", "a2at", 1, "none"}, 1),
	exact("torus, NCT 2", "N(N+1)(N−1)/6", grid002{"torus", "a2at", 2, "none"}, 1./2),
	exact(
		"torus, NCT 4", "N(N+1)(N−1)/8, the least possible", grid002{"torus", "a2at", 4, "none"}, 3./8,
	),
	{
		Where: "§4.3.1", Statement: "With NCT 1 the theory of A2AND is the same.", Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			apart := 0.0
			for _, kind := range []string{"mesh", "torus"} {
				for _, t := range timings(r.Of("theory"), grid002{kind, "a2and", 1, "none"}) {
					apart = max(apart, math.Abs(t.mean-1))
				}
			}
			return fmt.Sprintf("relative difference at most %.1g", apart), verdict(apart < 1e-9)
		},
	},
}

// exact returns the claim that A2AT takes a share of the theory of one controller on all sides.
func exact(where, published string, g grid002, share float64) Claim {
	return Claim{
		Where:     "§3.3, Table 1",
		Statement: "Time of A2AT without latency: " + where + ".",
		Published: published,
		Judge: func(r *Results) (string, Verdict) {
			apart := 0.0
			for _, t := range timings(r.Of("theory"), g) {
				apart = max(apart, math.Abs(t.mean/share-1))
			}
			return fmt.Sprintf("relative difference at most %.1g", apart), verdict(apart < 1e-9)
		},
	}
}

// averaged compares an average over all sides with a published one.
func averaged(published float64, of func(r *Results) []timing) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		t := mid(of(r)...)
		return t.String(), near(t.low, t.high, published)
	}
}

// one returns a function for the timings with one controller.
func one(kind, collective, sync string) func(r *Results) []timing {
	return many(kind, collective, sync, 1)
}

// many returns a function for the timings with several controllers.
func many(kind, collective, sync string, controllers int64) func(r *Results) []timing {
	return func(r *Results) []timing { return routed(r, grid002{kind, collective, controllers, sync}) }
}

// faster returns a function for the speed-up of the first over the second.
func faster(first, second func(r *Results) []timing) func(r *Results) []timing {
	return func(r *Results) []timing { return ratios(second(r), first(r)) }
}

// shares returns a function for timings relative to a share of the theory of one controller.
func shares(of func(r *Results) []timing, share float64) func(r *Results) []timing {
	return func(r *Results) []timing {
		times := slices.Clone(of(r))
		for i, t := range times {
			times[i] = timing{t.mean / share, t.low / share, t.high / share}
		}
		return times
	}
}

// twoGrids returns a function for the timings of meshes and tori.
func twoGrids(mesh, torus func(r *Results) []timing) func(r *Results) []timing {
	return func(r *Results) []timing { return slices.Concat(mesh(r), torus(r)) }
}

// Why flows differ from flits.
const (
	whyFair = "Flows share links fairly, so that messages in one direction do not delay each other " +
		"by more than their bytes do. What sets A2AT apart in their routers is that its messages meet " +
		"less often; here that shows with several controllers only."
	whyNCT = "More controllers bring little in their simulator, for a reason that they did not " +
		"find: tails of some messages do not arrive though their destinations are free. Flows always " +
		"do."
)

// flits002 are the claims of section 4, about times in their simulator relative to the theory
// with one controller.
var flits002 = []Claim{
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "A2AT on tori, enough virtual channels, without synchronisation: average time.",
		Published: "0.97 of the theory",
		Judge:     averaged(0.97, one("torus", "a2at", "none")),
	},
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "A2AT on meshes, enough virtual channels, without synchronisation: average time.",
		Published: "1.25 of the theory",
		Judge:     averaged(1.25, one("mesh", "a2at", "none")),
	},
	{
		Where:     "§4.3.1, Fig. 3",
		Statement: "The side hardly matters to the time of A2AT, as part of the theory.",
		Published: "stated",
		Reading:   "on neither grid the largest is more than 10 % above the smallest.",
		Judge: func(r *Results) (string, Verdict) {
			torus, mesh := means(one("torus", "a2at", "none")(r)), means(one("mesh", "a2at", "none")(r))
			low, high := extremes(torus)
			least, most := extremes(mesh)
			return fmt.Sprintf("%.2f–%.2f on tori, %.2f–%.2f on meshes", low, high, least, most), verdict(
				high/low < 1+tolerance && most/least < 1+tolerance,
			)
		},
		Why: "Here larger tori fall further out of step, which makes them faster, and meshes differ by " +
			"side as they fall out of it.",
	},
	{
		Where: "§4.3.1, Fig. 3",
		Statement: "A2AND takes about as long as A2AT, with enough virtual channels and without " +
			"synchronisation.",
		Published: "stated",
		Reading:   "on both grids its average is within 10 % of A2AT's.",
		Judge: func(r *Results) (string, Verdict) {
			torus, mesh := mid(
				faster(one("torus", "a2at", "none"), one("torus", "a2and", "none"))(r)...), mid(
				faster(one("mesh", "a2at", "none"), one("mesh", "a2and", "none"))(r)...)
			return fmt.Sprintf("%s of it on tori, %s on meshes", torus, mesh), both(
				near(torus.low, torus.high, 1), near(mesh.low, mesh.high, 1),
			)
		},
		Why: "In step both take the theory. Out of it A2AT gains on tori and loses on meshes, and " +
			"A2AND less so.",
	},
	{
		Where:     "§4.3.1",
		Statement: "Tori can be faster than the theory because routers buffer.",
		Published: "buffers are named as a reason",
		Reading:   "without buffers they are not.",
		Judge: func(r *Results) (string, Verdict) {
			t := mid(one("torus", "a2at", "none")(r)...)
			return "without any, " + t.String() + " of it", within(t.low, t.high, 1, math.Inf(1))
		},
		Why: "The theory of one controller is not the least possible: that is 3/8 of it (Table 1, NCT " +
			"4). In step one controller leaves links idle, and messages that have fallen out of step use " +
			"them. So buffers are not needed for it.",
	},
	{
		Where: "§4.3.1",
		Statement: "On meshes A2AT is slower than the theory because messages that start together have " +
			"different numbers of hops, and so phases mix.",
		Published: "hops are named as the reason",
		Reading:   "without latency it is the theory, and with it at least 5 % above.",
		Judge: func(r *Results) (string, Verdict) {
			g := grid002{"mesh", "a2at", 1, "none"}
			plain, hops := mid(timings(r.Of("theory"), g)...), mid(routed(r, g)...)
			return fmt.Sprintf("%s without, %s with", plain, hops), verdict(
				math.Abs(plain.mean-1) < 1e-9 && hops.low > 1.05,
			)
		},
	},
	{
		Where:     "§4.3.2, Fig. 4",
		Statement: "A2AT on tori, two virtual channels, without synchronisation: average time.",
		Published: "1.19 of the theory",
		Judge:     averaged(1.19, one("torus", "a2at", "none")),
		Why: "Two channels a link are fewer than messages on it, and the round-robin between " +
			"them is unfair to those from afar. Flows have no channels, and are as with enough of them.",
	},
	{
		Where: "§4.3.2, Fig. 4",
		Statement: "On large meshes A2AT is slower than A2AND, with two virtual channels and without " +
			"synchronisation.",
		Published: "stated",
		Reading:   "at side 17.",
		Judge: func(r *Results) (string, Verdict) {
			at, and := one("mesh", "a2at", "none")(r), one("mesh", "a2and", "none")(r)
			t := at[len(at)-1].of(and[len(and)-1])
			return t.String() + " of its time", within(t.low, t.high, 1, math.Inf(1))
		},
	},
	{
		Where:     "§4.3.2, Fig. 5, abstract",
		Statement: "A2AT with local synchronisation: average time on both grids.",
		Published: "1.11 of the theory",
		Judge:     averaged(1.11, twoGrids(one("mesh", "a2at", "local"), one("torus", "a2at", "local"))),
	},
	{
		Where:     "§4.3.2",
		Statement: "Local synchronisation makes A2AT faster, on both grids.",
		Published: "1.11 instead of 1.19 on tori, and more",
		Judge: func(r *Results) (string, Verdict) {
			mesh := mid(faster(one("mesh", "a2at", "local"), one("mesh", "a2at", "none"))(r)...)
			torus := mid(faster(one("torus", "a2at", "local"), one("torus", "a2at", "none"))(r)...)
			return fmt.Sprintf("%s times as fast on meshes, %s on tori", mesh, torus), within(
				min(mesh.low, torus.low), min(mesh.high, torus.high), 1, math.Inf(1),
			)
		},
		Why: "On tori it keeps flows in step, and out of step they are faster. That is what they find " +
			"too, once buffers are large (4.3.3).",
	},
	{
		Where: "§4.3.2, Fig. 5",
		Statement: "Speed of A2AT with local synchronisation on meshes, as a multiple of A2AND's, on " +
			"average.",
		Published: "1.18 times",
		Judge:     averaged(1.18, faster(one("mesh", "a2at", "local"), one("mesh", "a2and", "local"))),
		Why:       whyFair,
	},
	{
		Where: "§4.3.2, Fig. 5",
		Statement: "Speed of A2AT with local synchronisation on tori, as a multiple of A2AND's, on " +
			"average.",
		Published: "1.67 times",
		Judge:     averaged(1.67, faster(one("torus", "a2at", "local"), one("torus", "a2and", "local"))),
		Why:       whyFair,
	},
	{
		Where: "§4.3.2, Fig. 5, abstract",
		Statement: "Speed of A2AT with local synchronisation, as a multiple of A2AND's, over all " +
			"sides; more on larger grids.",
		Published: "1.29 to 1.90 times",
		Reading:   "on both grids more at side 17 than at side 5.",
		Judge: func(r *Results) (string, Verdict) {
			mesh := means(faster(one("mesh", "a2at", "local"), one("mesh", "a2and", "local"))(r))
			torus := means(faster(one("torus", "a2at", "local"), one("torus", "a2and", "local"))(r))
			all, last := slices.Concat(mesh, torus), len(mesh)-1
			low, high := extremes(all)
			with2 := means(faster(many("torus", "a2at", "local", 2), many("torus", "a2and", "local", 2))(r))
			return spread("%.2f", all) + " times; with two controllers on tori " + spread("%.2f", with2),
				verdict(
					low > 1.29*(1-tolerance) && high < 1.90*(1+tolerance) && mesh[last] > mesh[0] &&
						torus[last] > torus[0],
				)
		},
		Why: whyFair,
	},
	{
		Where: "§4.3.3, Fig. 6; §5",
		Statement: "On tori with buffers of two packets and more A2AT is faster without local " +
			"synchronisation.",
		Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			t := mid(faster(one("torus", "a2at", "none"), one("torus", "a2at", "local"))(r)...)
			return fmt.Sprintf("%s times as fast, without buffers", t), Unclear
		},
		Why: "There are no buffers in the model. Flows, which are never stopped by a full one, behave " +
			"like it.",
	},
	{
		Where:     "§4.3.3, Fig. 6",
		Statement: "Times with and without local synchronisation differ by more on larger tori.",
		Published: "10 % at side 11, 20 % at side 17",
		Judge: func(r *Results) (string, Verdict) {
			t := means(faster(one("torus", "a2at", "none"), one("torus", "a2at", "local"))(r))
			return fmt.Sprintf("%s and %s, without buffers", percent(t[3]-1), percent(t[6]-1)), Unclear
		},
		Why: "Theirs are averages over lengths of buffers, which are not in the model.",
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "A2AT with two controllers, without synchronisation, on meshes: average time.",
		Published: "1.18 of its theory",
		Judge:     averaged(1.18, shares(many("mesh", "a2at", "none", 2), 3./4)),
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "A2AT with two controllers, without synchronisation, on tori: average time.",
		Published: "1.28 of its theory",
		Judge:     averaged(1.28, shares(many("torus", "a2at", "none", 2), 1./2)), Why: whyNCT,
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "Without synchronisation two controllers can be slower than one.",
		Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			mesh := faster(many("mesh", "a2at", "none", 2), one("mesh", "a2at", "none"))(r)
			torus := faster(many("torus", "a2at", "none", 2), one("torus", "a2at", "none"))(r)
			all := slices.Concat(mesh, torus)
			least := slices.MinFunc(all, func(a, b timing) int { return cmp.Compare(a.mean, b.mean) })
			return fmt.Sprintf("they are %s times as fast", spread("%.2f", means(all))), within(
				least.low, least.high, 0, 1,
			)
		},
		Why: whyNCT,
	},
	{
		Where:     "§4.3.4, Fig. 7",
		Statement: "Local synchronisation makes two controllers faster, on both grids.",
		Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			mesh := mid(faster(many("mesh", "a2at", "local", 2), many("mesh", "a2at", "none", 2))(r)...)
			torus := mid(faster(many("torus", "a2at", "local", 2), many("torus", "a2at", "none", 2))(r)...)
			return fmt.Sprintf("%s times on meshes, %s on tori", mesh, torus), within(
				min(mesh.low, torus.low), min(mesh.high, torus.high), 1, math.Inf(1),
			)
		},
	},
	{
		Where: "§4.3.4, abstract",
		Statement: "Speed with two controllers and local synchronisation on meshes, as a multiple of " +
			"that with one.",
		Published: "1.13 times",
		Judge:     averaged(1.13, faster(many("mesh", "a2at", "local", 2), one("mesh", "a2at", "local"))),
		Why:       whyNCT,
	},
	{
		Where: "§4.3.4, abstract",
		Statement: "Speed with two controllers and local synchronisation on tori, as a multiple of " +
			"that with one.",
		Published: "1.35 times",
		Judge: averaged(1.35,
			faster(many("torus", "a2at", "local", 2), one("torus", "a2at", "local"))),
		Why: whyNCT,
	},
	{
		Where:     "§4.3.4",
		Statement: "A2AT with two controllers and local synchronisation: average time on both grids.",
		Published: "1.23 of their theory",
		Judge: averaged(
			1.23,
			twoGrids(
				shares(many("mesh", "a2at", "local", 2), 3./4), shares(many("torus", "a2at", "local", 2), 1./2),
			),
		),
		Why: whyNCT,
	},
	{
		Where:     "§4.3.4",
		Statement: "Speed with four controllers, as a multiple of that with two.",
		Published: "0.93 times on average",
		Reading:   "on tori, with local synchronisation.",
		Judge: averaged(
			0.93, faster(many("torus", "a2at", "local", 4), many("torus", "a2at", "local", 2)),
		),
		Why: whyNCT,
	},
	{
		Where:     "§4.3.4",
		Statement: "Speed with four controllers below side 9, as a multiple of that with two.",
		Published: "1.06 times",
		Reading:   "on tori of sides 5 and 7, with local synchronisation.",
		Judge: func(r *Results) (string, Verdict) {
			t := mid(faster(many("torus", "a2at", "local", 4), many("torus", "a2at", "local", 2))(r)[:2]...)
			return t.String() + " times", near(t.low, t.high, 1.06)
		},
		Why: whyNCT,
	},
	{
		Where:     "§5",
		Statement: "With several controllers local synchronisation gains more on larger grids.",
		Published: "stated",
		Reading:   "with two, on both grids, at side 17 more than at side 5.",
		Judge: func(r *Results) (string, Verdict) {
			mesh := faster(many("mesh", "a2at", "local", 2), many("mesh", "a2at", "none", 2))(r)
			torus := faster(many("torus", "a2at", "local", 2), many("torus", "a2at", "none", 2))(r)
			last := len(mesh) - 1
			m, t := mesh[last].of(mesh[0]), torus[last].of(torus[0])
			return fmt.Sprintf(
					"from %.2f times to %.2f on meshes, from %.2f to %.2f on tori", mesh[0].mean, mesh[last].mean,
					torus[0].mean, torus[last].mean,
				),
				within(min(m.low, t.low), min(m.high, t.high), 1, math.Inf(1))
		},
	},
	{
		Where:     "§5",
		Statement: "With local synchronisation more controllers are faster than one.",
		Published: "stated",
		Reading:   "two on both grids, on every side.",
		Judge: func(r *Results) (string, Verdict) {
			all := twoGrids(
				faster(many("mesh", "a2at", "local", 2), one("mesh", "a2at", "local")),
				faster(many("torus", "a2at", "local", 2), one("torus", "a2at", "local")),
			)(r)
			low, high := math.Inf(1), math.Inf(1)
			for _, t := range all {
				low, high = min(low, t.low), min(high, t.high)
			}
			return spread("%.2f", means(all)) + " times as fast", within(low, high, 1, math.Inf(1))
		},
	},
}
