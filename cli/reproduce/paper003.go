package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// Names of the studies of paper 003. Claims are judged by them, with as many trials as that needs;
// figures are drawn of those that [drawn] names.
const (
	latency1us   = "latency-1us"   // section 4.2 A
	latency100ns = "latency-100ns" // section 4.2 B
	line100ns    = "line-100ns"    // figure 12, as its caption has it
	line1us      = "line-1us"      // the same with the latency of section 4.2 A
	lineTrials   = "line-trials"   // figure 12 with trials that are kept
	period1ms    = "period-1ms"    // section 4.2 C
	period10ms   = "period-10ms"   // the same with ten times the period
	overhead50ns = "overhead"      // section 3.2 with a cost of sending
	tenMillion   = "ten-million"   // section 1
)

// paper003 studies where jitter slows down a butterfly allreduce, and how much redundant
// exchanges reduce that.
var paper003 = Paper{
	ID:      "003",
	Title:   "Collective communication algorithms that mitigate the effects of jitter",
	Authors: "Matsumoto and Suda",
	Venue:   "in Japanese; title and claims are translated here",
	Cost:    "about three minutes and 1.3 GB on two cores of an Intel Xeon at 2.5 GHz",
	Studies: slices.Concat(jittered003, literals003(), drawn003(),
		[]Study{{Name: overhead50ns}, {Name: tenMillion}}),
	Assumptions: []string{
		"**Axes.** The figures are known to us by captions and text, which do not give the axes' " +
			"values. The ranks are taken as 2^1 … 2^20: the text speaks of 2^15 and more, and of a " +
			"million. " +
			"Of the other axis the text fixes that 0.01 is on it, and in 4.2 A and B that it passes 1.",
		"**Ends of the axes** are where the largest slow-down is about the end of the colours in the " +
			"captions: 120 (Fig. 8), 12 (Fig. 13) and 80 (Fig. 17). One end, 0.032, serves both of the " +
			"last two. " +
			"The first needs messages of 78 B at least; with 8 B it would be 190.",
		"**Tcomm/duration** varies by N, as the text says that latency and bandwidths are fixed " +
			"(4.1.1), though 4.2 speaks of Tcomm/period.",
		"**Fig. 8**: the colours go to 120 by its caption and to 20 by the text. The caption is " +
			"followed.",
		"**Fig. 12**: the text takes it from Fig. 10 (period 10 ms, duration 100 µs), its caption says " +
			"1 ms and 10 µs. Both are simulated; up to the combination, which is short, they are the same " +
			"in other units of time.",
		"**Fig. 21**: its caption says a period of 1 ms, the text uses it to explain Fig. 19, whose " +
			"period is 10 ms. Both are judged, the caption's is drawn. With a latency of 100 ns it would be " +
			"Fig. 12 again, whose words it has; where it does not hold, that is tried.",
		"**Figs 16 and 20**: the text of 4.2 C names Fig. 20 with the period of 1 ms, the captions say " +
			"16. The captions are followed. Where English captions say \"with jitter / with jitter\" or " +
			"\"proposed / proposed\" the Japanese ones are followed.",
		"**Network noise** has the period and duration of the OS jitter. The mean wait, \"1/period\", " +
			"is read as a rate of one event a period, while a message is in transit, as a wait of 1/period " +
			"does not have the unit of a time. The other reading is below.",
		"**Start**: no rank is inside a detour at the start; its first detour begins at any time up to " +
			"a period. Copies need no processor to be received, and cost nothing to be sent (4.1.2, 6).",
		"**Trials.** The figures are drawn of 30 trials, as the paper's. Claims are judged by more, " +
			"with which each mean is known to about 2 %.",
		"**The proposed method** is, as in 4.1.2, the least of the mean times of T = 1 … K. All T are " +
			"computed of the same trials; with separate ones, as 4.1.2 can be read too, the least is one " +
			"that luck made small (below). Among about equal T it falls on one by chance. T = 0 is the " +
			"conventional method.",
		"**Intervals**, in parentheses, are of 95 %. Those of a ratio combine those of both means as if " +
			"they were independent; those of medians, of rank correlations and of numbers of cells are of " +
			"what these are if each cell's number is drawn from its own interval. The T of the proposed " +
			"method has none. Where the verdict depends on a number in a cell, and the number's interval lies " +
			"across the border, it cannot be told.",
	},
	Figures: figures003(),
	Claims:  claims003(),

	Alternatives: alternatives003,
}

// jittered003 are the studies under jitter of section 4.2.
var jittered003 = []Study{
	{Name: latency1us, Set: precise003},
	{Name: latency100ns, Set: precise003},
	{Name: line100ns, Set: precise003},
	{Name: line1us, Of: line100ns, Set: append([]string{"network.latency=1us"}, precise003...)},
	{Name: lineTrials, KeepTrials: true},
	{Name: period1ms, Set: precise003},
	{Name: period10ms, Set: precise003},
}

// precise003 has each configuration take trials until its means are known to 2 %.
var precise003 = []string{
	"trials.min=30", "trials.max=100000", "trials.until=precision", "trials.precision=0.02",
}

// drawn returns the name of the study that figures are drawn of, with the paper's number of trials.
func drawn(study string) string { return study + "-drawn" }

// drawn003 returns the studies that figures are drawn of.
func drawn003() []Study {
	var studies []Study
	for _, name := range []string{latency1us, latency100ns, line100ns, period1ms, period10ms} {
		studies = append(studies, Study{Name: drawn(name), Of: name})
	}
	return studies
}

// slow returns the slow-down of the conventional method by jitter.
func slow(c *Config) float64 { return c.T[0].Slowdown }

// slowInterval returns the confidence interval of slow. Noise never makes it less than 1.
func slowInterval(c *Config) (low, high float64) {
	return max(1, c.T[0].Low/c.T[0].NoiseFree), c.T[0].High / c.T[0].NoiseFree
}

// bestT returns the proposed method's T: that of the least mean time, at least 1.
func bestT(c *Config) int {
	best := 1
	for t := 2; t < len(c.T); t++ {
		if c.T[t].Mean < c.T[best].Mean {
			best = t
		}
	}
	return best
}

// best returns the results at bestT.
func best(c *Config) datasets.Measures { return c.T[bestT(c)] }

// gain returns the speed-up of the proposed method over the conventional one.
func gain(c *Config) float64 { return c.T[0].Mean / best(c).Mean }

// gainInterval returns the confidence interval of gain.
func gainInterval(c *Config) (low, high float64) {
	e := meanOf(c.T[0]).of(meanOf(best(c)))
	return e.low, e.high
}

// meanOf returns the mean of measures [s].
func meanOf(m datasets.Measures) estimate { return estimate{m.Mean, m.Low, m.High} }

// remaining returns the slow-down of the proposed method.
func remaining(c *Config) float64 { return best(c).Mean / c.T[0].NoiseFree }

// tComm returns α + βN [s].
func tComm(c *Config) float64 { return c.Latency + float64(c.Bytes)/c.Bandwidth }

// commByDuration returns Tcomm/duration, the axis of 4.2 A and B.
func commByDuration(c *Config) float64 { return tComm(c) / c.OSDuration }

// durationByPeriod returns duration/period, the axis of 4.2 C.
func durationByPeriod(c *Config) float64 { return c.OSDuration / c.OSPeriod }

// along returns the other axis of a study.
func along(study string) func(*Config) float64 {
	if strings.HasPrefix(study, "period") {
		return durationByPeriod
	}
	return commByDuration
}

// plane003 returns the plane of a study.
func plane003(r *Results, study string) plane { return planeOf(r.Of(study), along(study)) }

// column returns the part of a plane where the other axis is about a value.
func column(at float64) part {
	return func(_ int64, x float64) bool { return math.Abs(x/at-1) < 0.1 }
}

// figures003 returns the figures in the order of the paper.
func figures003() []Figure {
	slows := func(low, top float64) heat { return heat{z: "slow-down", of: slow, low: low, top: top} }
	shares := heat{z: "ratio", of: func(c *Config) float64 { return 1 / gain(c) }, top: 1}
	ts := heat{
		z:     "T",
		of:    func(c *Config) float64 { return float64(bestT(c)) },
		low:   1,
		top:   20,
		whole: true,
	}
	const (
		jitter = "Influence of the jitter: conventional method with / without"
		effect = "Effect: proposed method / conventional method"
		number = "Redundant exchanges of the shortest time"
		a      = ", α = 1 µs, period 1 ms, duration 10 µs"
		b      = ", α = 100 ns, period 10 ms, duration 100 µs"
		c1     = ", N = 8, period 1 ms"
		c10    = ", N = 8, period 10 ms"
	)
	return []Figure{
		slows(1, 4).figure(5, latency1us, jitter, a, false),
		shares.figure(6, latency1us, effect, a, true),
		ts.figure(7, latency1us, number, a, false),
		slows(0, 120).figure(8, latency100ns, jitter, b, false),
		slows(1, 5).figure(9, latency100ns, jitter, b, true),
		shares.figure(10, latency100ns, effect, b, false),
		ts.figure(11, latency100ns, number, b, true),
		line(12, line100ns, column(0.0108), "Tcomm/duration = 0.01, period 1 ms, duration 10 µs"),
		slows(1, 12).figure(13, period1ms, jitter, c1, false),
		slows(1, 3).figure(14, period1ms, jitter, c1, true),
		shares.figure(15, period1ms, effect, c1, false),
		ts.figure(16, period1ms, number, c1, true),
		slows(0, 80).figure(17, period10ms, jitter, c10, false),
		slows(1, 5).figure(18, period10ms, jitter, c10, true),
		shares.figure(19, period10ms, effect, c10, false),
		ts.figure(20, period10ms, number, c10, true),
		line(21, period1ms, column(0.01), "duration/period = 0.01, period 1 ms, N = 8"),
	}
}

// A heat is the style of a heat map.
type heat struct {
	z        string
	of       func(*Config) float64
	low, top float64
	whole    bool
}

// figure returns a heat map over the plane of a study.
func (h heat) figure(n int, study, title, of string, sameRow bool) Figure {
	caption := fmt.Sprintf("Fig. %d. %s%s", n, title, of)
	if h.z == "slow-down" {
		caption += fmt.Sprintf("; colours [%g, %g]", h.low, h.top)
	}
	return Figure{
		Name:    fmt.Sprintf("fig%02d", n),
		Caption: caption,
		SameRow: sameRow,
		Draw: func(r *Results, name string) figures.Figure {
			p := plane003(r, drawn(study))
			x := figures.Cells{Name: "Tcomm / duration"}
			if strings.HasPrefix(study, "period") {
				x.Name = "duration / period"
			}
			for i, v := range p.along {
				decade := math.Pow10(int(math.Round(math.Log10(v))))
				label := ""
				switch {
				case math.Abs(v/decade-1) < 0.02:
					label = fmt.Sprintf("%g", decade)
				case i == 0 || i == len(p.along)-1:
					label = fmt.Sprintf("%.2g", v)
				}
				x.Labels = append(x.Labels, label)
			}
			y := figures.Cells{Name: "processors"}
			for _, ranks := range p.ranks {
				y.Labels = append(y.Labels, units.PowerOfTwo(exponent(ranks)))
			}
			return figures.Grid{
				Title: fmt.Sprintf("Fig. %d. %s", n, title),
				X:     x,
				Y:     y,
				Z:     h.z,
				Value: p.values(h.of),
				Low:   h.low,
				Top:   h.top,
				Whole: h.whole,
			}.Figure(name)
		},
	}
}

// exponent returns K of P = 2^K.
func exponent(ranks int64) int { return int(math.Round(math.Log2(float64(ranks)))) }

// line returns a chart of times over the ranks in a column of a study's plane.
func line(n int, study string, at part, of string) Figure {
	caption := fmt.Sprintf(
		"Fig. %d. Time of the conventional method, and the shortest of the proposed one; %s", n, of,
	)
	return Figure{
		Name:    fmt.Sprintf("fig%02d", n),
		Caption: caption,
		Draw: func(r *Results, name string) figures.Figure {
			p := plane003(r, drawn(study))
			lines := []figures.Line{
				{Label: "conventional, mean with its interval", Dots: true},
				{Label: "proposed, mean with its interval", Dots: true},
				{Label: "without jitter", Dashed: true},
			}
			for _, c := range p.pick(at) {
				for i, m := range []datasets.Measures{c.T[0], best(c), {Mean: c.T[0].NoiseFree}} {
					l := &lines[i]
					l.X, l.Y = append(l.X, float64(c.Ranks)), append(l.Y, m.Mean)
					if i < 2 {
						l.Low, l.High = append(l.Low, m.Low), append(l.High, m.High)
					}
				}
			}
			return figures.Chart{
				Title: fmt.Sprintf("Fig. %d. Time over the number of processors", n),
				X:     figures.ChartAxis{Name: "processors", Whole: true},
				Y:     figures.ChartAxis{Name: "time", Dimension: units.Time, Linear: true},
				Lines: lines,
			}.Figure(name)
		},
	}
}
