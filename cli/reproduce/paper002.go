package reproduce

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/figures"
)

// paper002 is the paper that proposes an order of the messages of an all-to-all on meshes and
// tori, and measures it in a simulator of flits.
var paper002 = Paper{
	ID: "002",
	draws: map[string]drawing{
		"fig03": lines002("V = destinations, B = 2, without synchronisation", pairs002(many002, "none")),
		"fig04": lines002("V = 2, B = 20, without synchronisation", pairs002(few002, "none")),
		"fig05": lines002("V = 2, B = 20, with local synchronisation", pairs002(few002, "local")),
		"fig06": buffers002,
		"fig07": lines002("A2AT with NCT 2 and 4, B = 200", several002(deep002)),
		"flows": lines002("Flows, A2AT", append(several002(flows002),
			grid002{flows002, "torus", "a2at", 1, "local"}, grid002{flows002, "mesh", "a2at", 1, "local"})),
	},
	judges: map[string]judge{
		"theory": byTheory, "average": average002, "average at small sides": averageSmall,
		"on both grids": onBothGrids, "more on large grids": moreOnLarge,
		"at the largest side": atLargest, "speed-up by side": bySide, "every side": everySide,
		"side hardly matters": sideHardlyMatters, "as long on both grids": asLong,
		"can be slower": canBeSlower, "buffers against theory": buffersAgainstTheory,
		"hops": hopsMatter, "buffers of two packets": crossingBuffers,
		"synchronisation by side": syncBySide, "synchronisation": syncGains,
	},
	values: map[string]value{
		"mean":    value002(func(t timings) string { return t.mean().String() }),
		"mean≤7":  value002(func(t timings) string { return t.upTo(7).mean().String() }),
		"mean≤11": value002(func(t timings) string { return t.upTo(11).mean().String() }),
		"span":    value002(func(t timings) string { return span(t.all(), "%.2f") }),
		"first":   value002(func(t timings) string { first, _ := t.ends(); return first.String() }),
		"last":    value002(func(t timings) string { _, last := t.ends(); return last.String() }),
		"threshold": func(r *Results, _ *Claim, sync string) string {
			return threshold(overBuffers(r, 11, "none"), overBuffers(r, 11, sync))
		},
		"longer": func(r *Results, _ *Claim, length string) string {
			i := slices.Index(bothLengths002, int64(number(length)))
			return unsynchronised(r, 17)[i].percent()
		},
	},
}

// pairs002 returns both algorithms on both grids, with one controller.
func pairs002(e engine002, sync string) []grid002 {
	return []grid002{
		{e, "torus", "a2at", 1, sync}, {e, "torus", "a2and", 1, sync},
		{e, "mesh", "a2at", 1, sync}, {e, "mesh", "a2and", 1, sync},
	}
}

// several002 are A2AT with several controllers.
func several002(e engine002) []grid002 {
	return []grid002{
		{e, "torus", "a2at", 2, "none"}, {e, "torus", "a2at", 4, "none"}, {e, "mesh", "a2at", 2, "none"},
		{e, "torus", "a2at", 2, "local"}, {e, "torus", "a2at", 4, "local"},
		{e, "mesh", "a2at", 2, "local"},
	}
}

// lines002 draws timings over the sides.
func lines002(title string, grids []grid002) drawing {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: title,
			X:     figures.ChartAxis{Name: "side", Linear: true, Whole: true, From: 4, To: 18},
			Y:     figures.ChartAxis{Name: "time / N(N+1)(N−1)/3", Linear: true},
		}
		for i, g := range grids {
			l := figures.Line{Label: name002(g, len(grids) == 4), Dots: true, Dashed: i%2 == 1}
			if len(grids) == 4 {
				l.Color = i/2 + 1
			} else {
				l.Dashed, l.Color = g.sync == "local", i%3+1
				if g.controllers == 1 {
					l.Color = i - 2
				}
			}
			times := simulated(r, g)
			for _, side := range times.sides() {
				l.X, l.Y = append(l.X, float64(side)), append(l.Y, times[side].mean)
				l.Low, l.High = append(l.Low, times[side].low), append(l.High, times[side].high)
			}
			chart.Lines = append(chart.Lines, l)
		}
		return chart.Figure(name)
	}
}

// name002 returns the name of a line: its algorithm, or its controllers and synchronisation.
func name002(g grid002, algorithms bool) string {
	if algorithms {
		return map[string]string{"a2at": "A2AT", "a2and": "A2AND"}[g.collective] + ", " + g.kind
	}
	sync := ""
	if g.sync == "local" {
		sync = ", local"
	}
	return fmt.Sprintf("%s, NCT %d%s", g.kind, g.controllers, sync)
}

// lengths002 are the lengths of buffers [flits] of Figure 6. Not all sides have all of them.
var lengths002 = []int64{20, 50, 100, 200, 300, 400, 600, 800, 1000}

// overBuffers returns the timings of A2AT with one controller on a torus over the length of
// buffers.
func overBuffers(r *Results, side int, sync string) map[int64]estimate {
	times := map[int64]estimate{}
	for _, length := range lengths002 {
		g := grid002{engine002{channels: 2, buffer: length}, "torus", "a2at", 1, sync}
		if t, ok := simulated(r, g)[side]; ok {
			times[length] = t
		}
	}
	return times
}

// buffers002 draws timings over the length of buffers.
func buffers002(r *Results, name string) figures.Figure {
	chart := figures.Chart{
		Title: "A2AT on tori, V = 2", X: figures.ChartAxis{Name: "flits of a buffer", Whole: true},
		Y: figures.ChartAxis{Name: "time / N(N+1)(N−1)/3", Linear: true},
	}
	for i, g := range []struct {
		side int
		sync string
	}{{11, "none"}, {11, "local"}, {11, "strict"}, {17, "none"}, {17, "local"}} {
		l := figures.Line{
			Label: fmt.Sprintf("side %d, %s", g.side, g.sync), Dots: true, Dashed: g.side == 17,
			Color: i%3 + 1,
		}
		times := overBuffers(r, g.side, g.sync)
		for _, length := range lengths002 {
			if t, ok := times[length]; ok {
				l.X, l.Y = append(l.X, float64(length)), append(l.Y, t.mean)
				l.Low, l.High = append(l.Low, t.low), append(l.High, t.high)
			}
		}
		chart.Lines = append(chart.Lines, l)
	}
	return chart.Figure(name)
}

// measured002 returns the measures of a claim.
func (c *Claim) measured002(r *Results) []pair002 {
	var pairs []pair002
	for _, text := range strings.Split(c.Measure, ", ") {
		pairs = append(pairs, pair002{
			measure002(r, engines002[c.Studies[0]], text), measure002(r, flows002, text),
		})
	}
	return pairs
}

// averages returns the average of measures over all of their sides.
func averages(measures ...timings) estimate {
	var every []estimate
	for _, t := range measures {
		every = append(every, t.all()...)
	}
	return mid(every...)
}

// withFlows returns the result of packets with the result of flows.
func withFlows(packets, flows estimate) string {
	return fmt.Sprintf("%s; flows %s", packets, flows)
}

// byTheory judges that flows without latency take a share of the theory of one controller.
func byTheory(r *Results, c *Claim) (string, Verdict) {
	off := 0.0
	for _, text := range strings.Split(c.Measure, ", ") {
		off = max(off, offTheory(r, text, c.expected()))
	}
	return fmt.Sprintf("relative difference at most %.1g", off), verdict(off < 1e-9)
}

// offTheory returns how far the times of flows without latency are from a share of the theory,
// relative.
func offTheory(r *Results, grid string, share float64) float64 {
	off := 0.0
	for _, t := range timingsOf(r.Of("theory"), parseGrid002(flows002, grid)) {
		off = max(off, math.Abs(t.mean/share-1))
	}
	return off
}

// average002 compares an average over all sides of all measures with a published one. A measure
// that the claim names "without synchronisation" is only shown.
func average002(r *Results, c *Claim) (string, Verdict) {
	var packets, flows []timings
	for _, m := range c.measured002(r) {
		packets, flows = append(packets, m.packets), append(flows, m.flows)
	}
	ours := withFlows(averages(packets...), averages(flows...))
	for _, name := range slices.Sorted(maps.Keys(c.Others)) {
		text := c.Others[name]
		ours += fmt.Sprintf("; %s %s", name, measure002(r, engines002[c.Studies[0]], text).mean())
	}
	return ours, averages(packets...).nearRatio(c.expected())
}

// averageSmall compares an average over sides 5 and 7.
func averageSmall(r *Results, c *Claim) (string, Verdict) {
	m := c.measured002(r)[0]
	t := m.packets.upTo(7).mean()
	return withFlows(t, m.flows.upTo(7).mean()), t.nearRatio(c.expected())
}

// onBothGrids judges that the averages on meshes and on tori are above 1.
func onBothGrids(r *Results, c *Claim) (string, Verdict) {
	m := c.measured002(r)
	mesh, torus := m[0].packets.mean(), m[1].packets.mean()
	return fmt.Sprintf("%s times on meshes, %s on tori; flows %s, %s", mesh, torus, m[0].flows.mean(),
		m[1].flows.mean()), least(mesh, torus).atLeast(1)
}

// least returns the lower ends of estimates: that all are above a number is that this is.
func least(all ...estimate) estimate {
	lowest := all[0]
	for _, e := range all[1:] {
		lowest = estimate{
			min(lowest.mean, e.mean), min(lowest.low, e.low), min(lowest.high, e.high),
		}
	}
	return lowest
}

// moreOnLarge judges that a measure is larger at the largest side than at the smallest, on meshes
// and on tori.
func moreOnLarge(r *Results, c *Claim) (string, Verdict) {
	m := c.measured002(r)
	small, large := m[0].packets.ends()
	first, last := m[1].packets.ends()
	return fmt.Sprintf("from %s times to %s on meshes, from %s to %s on tori", small, large, first, last),
		least(large.of(small), last.of(first)).atLeast(1)
}

// atLargest judges that a ratio is above 1 at side 17.
func atLargest(r *Results, c *Claim) (string, Verdict) {
	m := c.measured002(r)[0]
	return withFlows(m.packets[17], m.flows[17]) + " of its time", m.packets[17].atLeast(1)
}

// bySide judges the speed-up on tori at the smallest and at the largest side, and that it grows on
// both grids.
func bySide(r *Results, c *Claim) (string, Verdict) {
	m := c.measured002(r)
	torus, mesh := m[0], m[1]
	first, last := torus.packets.ends()
	small, large := mesh.packets.ends()
	ours := fmt.Sprintf("%s times, on meshes %s; flows %s, with two controllers %s",
		span(torus.packets.all(), "%.2f"), span(mesh.packets.all(), "%.2f"),
		span(torus.flows.all(), "%.2f"),
		span(measure002(r, flows002, c.Others["two controllers"]).all(), "%.2f"))
	return ours, all(first.nearRatio(c.Expected[0]), last.nearRatio(c.Expected[1]), last.above(first),
		large.above(small))
}

// everySide judges that measures are above 1 at every side.
func everySide(r *Results, c *Claim) (string, Verdict) {
	packets, flows := c.concat002(r)
	return fmt.Sprintf("%s times as fast; flows %s", span(packets, "%.2f"), span(flows, "%.2f")),
		least(packets...).atLeast(1)
}

// canBeSlower judges that a measure is below 1 at some side.
func canBeSlower(r *Results, c *Claim) (string, Verdict) {
	packets, flows := c.concat002(r)
	slowest := slices.MinFunc(packets, func(a, b estimate) int { return cmp.Compare(a.high, b.high) })
	return fmt.Sprintf("they are %s times as fast; flows %s", span(packets, "%.2f"),
		span(flows, "%.2f")), slowest.atMost(1)
}

// concat002 returns the measures of a claim at all sides.
func (c *Claim) concat002(r *Results) (packets, flows []estimate) {
	for _, m := range c.measured002(r) {
		packets, flows = append(packets, m.packets.all()...), append(flows, m.flows.all()...)
	}
	return packets, flows
}

// sideHardlyMatters judges that on neither grid the largest measure is much above the smallest.
func sideHardlyMatters(r *Results, c *Claim) (string, Verdict) {
	var texts []string
	var verdicts []Verdict
	for _, m := range c.measured002(r) {
		times := m.packets.all()
		texts = append(texts, span(times, "%.2f"))
		ratio := slices.MaxFunc(times, byMean).of(slices.MinFunc(times, byMean))
		verdicts = append(verdicts, ratio.atMost(1+tolerance))
	}
	return fmt.Sprintf("%s on tori, %s on meshes", texts[0], texts[1]), all(verdicts...)
}

// asLong judges that the averages on tori and meshes are near 1.
func asLong(r *Results, c *Claim) (string, Verdict) {
	m := c.measured002(r)
	torus, mesh := m[0].packets.mean(), m[1].packets.mean()
	return fmt.Sprintf("%s of it on tori, %s on meshes; flows %s, %s", torus, mesh, m[0].flows.mean(),
		m[1].flows.mean()), all(torus.near(1), mesh.near(1))
}

// buffersAgainstTheory judges that short buffers are slower than the theory and long ones faster.
func buffersAgainstTheory(r *Results, _ *Claim) (string, Verdict) {
	times := overBuffers(r, 11, "none")
	small, large := times[20], times[1000]
	flows := measure002(r, flows002, "torus a2at none")[11]
	return fmt.Sprintf("%s with 20 flits, %s with 1000; flows %s", small, large, flows),
		all(small.atLeast(1), large.atMost(1))
}

// hopsMatter judges that flows on meshes take the theory without latency, and longer with it.
func hopsMatter(r *Results, c *Claim) (string, Verdict) {
	off := offTheory(r, "mesh a2at none", 1)
	hops := measure002(r, flows002, "mesh a2at none").mean()
	return fmt.Sprintf("at most %.1g off without, %s with", off, hops),
		verdict(off < 1e-9 && hops.low > c.expected())
}

// crossingBuffers judges that with buffers of 300 flits it is faster without synchronisation.
func crossingBuffers(r *Results, _ *Claim) (string, Verdict) {
	none, local := overBuffers(r, 11, "none"), overBuffers(r, 11, "local")
	t := local[300].of(none[300])
	return fmt.Sprintf("%s times as fast; faster from %s flits on", t, threshold(none, local)),
		t.atLeast(1)
}

// threshold returns the least length of buffers from which on the first timings are below the
// others, as text.
func threshold(first, others map[int64]estimate) string {
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

// bothLengths002 are the lengths of buffers [flits] that both sides have.
var bothLengths002 = []int64{20, 200, 600}

// unsynchronised returns by how much A2AT takes longer without local synchronisation on a torus, by
// the length of buffers.
func unsynchronised(r *Results, side int) []estimate {
	none, local := overBuffers(r, side, "none"), overBuffers(r, side, "local")
	var ratios []estimate
	for _, length := range bothLengths002 {
		ratios = append(ratios, none[length].of(local[length]))
	}
	return ratios
}

// syncBySide judges that synchronisation matters more at side 17 than at side 11.
func syncBySide(r *Results, _ *Claim) (string, Verdict) {
	small, large := mid(unsynchronised(r, 11)...), mid(unsynchronised(r, 17)...)
	return fmt.Sprintf("%s and %s on average", small.percent(), large.percent()), large.above(small)
}

// syncGains judges by how much it matters at both sides.
func syncGains(r *Results, c *Claim) (string, Verdict) {
	small, large := mid(unsynchronised(r, 11)...), mid(unsynchronised(r, 17)...)
	return fmt.Sprintf("%s and %s", small.percent(), large.percent()),
		all(small.nearRatio(c.Expected[0]), large.nearRatio(c.Expected[1]))
}

// value002 returns a value of the timings that its arguments name: an engine and a measure.
func value002(of func(timings) string) value {
	return func(r *Results, _ *Claim, args string) string {
		engine, text, _ := strings.Cut(args, " ")
		return of(measure002(r, engines002[engine], text))
	}
}
