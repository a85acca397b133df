package reproduce

import (
	"fmt"
	"math"
)

// corner003 is the upper left corner of the planes of 4.2 B.
func corner003(ranks int64, x float64) bool { return ranks >= 1<<10 && !above001(ranks, x) }

// cell12 is Tcomm/duration = 0.01 in the plane of 4.2 B, from which the text takes figure 12.
var cell12 = column(0.01)

// latency003 are the claims of sections 4.2 A and B.
var latency003 = []Claim{
	{
		Where:     "§4.2 A, Fig. 5",
		Statement: "Jitter shorter than a message has little influence, longer jitter has much.",
		Published: "small; large",
		Reading:   sidesReading, Judge: sides(latency1us, slowdown),
	},
	{
		Where: "§4.2 A, §5, Fig. 6",
		Statement: "The effect of the proposed method is small where jitter is shorter than a message, " +
			"and large where it is longer.",
		Published: "small; large",
		Reading:   sidesReading, Judge: sides(latency1us, gained),
	},
	{
		Where:     "§4.2 A, §5, Figs 5, 6",
		Statement: "Where the influence of the jitter is large, so is the effect of the proposed method.",
		Published: "similar",
		Reading: "a rank correlation of slow-down and gain of at least " +
			"0.8.", Judge: together(latency1us),
	},
	{
		Where:     "§4.2 A, Fig. 7",
		Statement: "The best T grows with the number of processors.",
		Published: "grows",
		Reading:   growsReading,
		Judge:     grows(chosen, latency1us),
	},
	{
		Where:     "§4.2 B, Fig. 8",
		Statement: "The influence reaches about 120 (caption).",
		Published: "colours [0, 120]",
		Reading:   "the largest slow-down agrees with 120.",
		Judge:     topIs(latency100ns, 120),
		Given:     "the left end of the axis was chosen so.",
	},
	{
		Where:     "§4.2 B, Fig. 8",
		Statement: "The influence reaches about 20 (text).",
		Published: "z from 1 to 20",
		Reading:   "the largest slow-down agrees with 20.", Judge: topIs(latency100ns, 20),
		Why: "The text contradicts the caption. 20 is what the values of Fig. 12's caption give " +
			"(period 1 ms, duration 10 µs, Tcomm/duration = 0.01), as another claim shows: the text seems " +
			"to be of an earlier Fig. 8.",
	},
	{
		Where:     "§4.2 B, Figs 8, 12",
		Statement: "The influence reaches about 20 (text), with the values of Fig. 12's caption.",
		Published: "z from 1 to 20",
		Reading:   "the largest slow-down agrees with 20.", Judge: topIs(line100ns, 20),
		Compared: true,
	},
	{
		Where:     "§4.2 B, Fig. 8",
		Statement: "But for the upper left corner the influence looks uniform.",
		Published: "uniform",
		Reading:   corneredReading, Judge: cornered(latency100ns, corner003, 120),
	},
	{
		Where:     "§4.2 B, Fig. 9",
		Statement: "As in Fig. 5, shorter jitter has little influence and longer has much.",
		Published: "small; large",
		Reading:   sidesReading, Judge: sides(latency100ns, slowdown),
	},
	{
		Where:     "§4.2 B, Figs 5, 8",
		Statement: "The influence is larger in Fig. 8 than in Fig. 5.",
		Published: "larger",
		Reading:   "the largest slow-down is.",
		Judge: func(r *Results) (string, Verdict) {
			a, b := plane003(r, latency1us), plane003(r, latency100ns)
			from, to := slowdown.most(a.pick(anywhere)), slowdown.most(b.pick(anywhere))
			return to.factor() + " against " + from.factor(), to.above(from)
		},
	},
	{
		Where:     "§4.2 B, §5",
		Statement: "A tenth of the latency makes the influence of the jitter about ten times as large.",
		Published: "10×",
		Reading: "what jitter adds to the time without it, relative to that, gets that much larger " +
			"at 2^20 processors if nothing else changes (8 B, period 1 ms, duration 10 µs).",
		Judge: func(r *Results) (string, Verdict) {
			a, b := plane003(r, line1us), plane003(r, line100ns)
			from, to := a.pick(ranksIn(20, 20)), b.pick(ranksIn(20, 20))
			if len(from) != 1 || len(to) != 1 {
				return "no such cells", Unclear
			}
			f, t := slowdown.at(from[0]), slowdown.at(to[0])
			e := estimate{t.mean - 1, t.low - 1, t.high - 1}.of(estimate{f.mean - 1, f.low - 1, f.high - 1})
			return fmt.Sprintf("%s: from %s to %s", e.factor(), f.factor(), t.factor()),
				nearRatio(e.low, e.high, 10)
		},
		Compared: true,
	},
	{
		Where: "§4.2 B, Figs 5, 8",
		Statement: "A tenth of the latency makes the influence of the jitter about ten times as large, " +
			"as Figs 5 and 8 show.",
		Published: "10×",
		Reading:   "the largest slow-down does.",
		Judge: func(r *Results) (string, Verdict) {
			a, b := plane003(r, latency1us), plane003(r, latency100ns)
			e := slowdown.most(b.pick(anywhere)).of(slowdown.most(a.pick(anywhere)))
			return e.factor(), nearRatio(e.low, e.high, 10)
		},
		Why: "Not only the latency changes between the two figures: period and duration are ten times " +
			"as long in the other, so that jitter is up to 560 times as long as a message, and not ten " +
			"times. By the text's colours of Fig. 8, up to 20, it would be 6 times.",
	},
	{
		Where:     "§4.2 B, Fig. 8",
		Statement: "The influence is remarkable at Tcomm/duration below 0.01.",
		Published: "remarkable",
		Reading: "from 2^7 processors on the median slow-down there is at least five times that of " +
			"the rest of the plane where jitter is longer than a message.",
		Judge: func(r *Results) (string, Verdict) {
			inside := middle(r, latency100ns, and(from7, below001), slowdown)
			outside := middle(r, latency100ns, and(from7, longer, not(below001)), slowdown)
			ratio := inside.of(outside)
			return inside.factor() + " against " + outside.factor(),
				within(ratio.low, ratio.high, 5, math.Inf(1))
		},
	},
	{
		Where:     "§4.2 B",
		Statement: "On a very large machine a tenth of the latency may hardly shorten the time.",
		Published: "not so much",
		Reading: "from 2^15 processors on the conventional method gets at most twice as fast (8 B, " +
			"period 1 ms, duration 10 µs; without jitter ten times).",
		Judge: func(r *Results) (string, Verdict) {
			a, b := plane003(r, line1us), plane003(r, line100ns)
			from, to := a.pick(ranksIn(15, most)), b.pick(ranksIn(15, most))
			if len(from) != len(to) || len(from) == 0 {
				return "no such cells", Unclear
			}
			v, fastest := Holds, estimate{}
			for i := range from {
				e := meanOf(from[i].T[0]).of(meanOf(to[i].T[0]))
				if e.mean > fastest.mean {
					fastest = e
				}
				v = both(v, within(e.low, e.high, 0, 2))
			}
			return "at most " + fastest.factor(), v
		},
	},
	{
		Where: "§4.2 B, Fig. 10",
		Statement: "Where a message takes about as long as jitter the effect is not good, whatever the " +
			"number of processors.",
		Published: "not good",
		Reading:   "a gain of at most 1.25× in every cell with Tcomm = duration.",
		Judge: func(r *Results) (string, Verdict) {
			p := plane003(r, latency100ns)
			return "at most " + gained.most(p.pick(column(1))).factor(),
				every(p.pick(column(1)), gainInterval, 0, 1.25)
		},
	},
	{
		Where:     "§4.2 B, Fig. 10",
		Statement: "Above 2^8 processors and below Tcomm/duration = 0.1 the effect is large.",
		Published: "large",
		Reading:   "a gain of at least 1.25× in every cell.",
		Judge: allAtLeast(
			latency100ns, and(ranksIn(9, most), func(_ int64, x float64) bool { return x < 0.099 }), gained,
			1.25,
		),
	},
	{
		Where:     "§4.2 B, Fig. 10",
		Statement: "It is largest from 2^10 to 2^14 processors and below Tcomm/duration = 0.01.",
		Published: "especially large",
		Reading: "the median gain there is above those of fewer processors (2^7 to 2^9), of more, " +
			"and of 0.01 to 0.1.",
		Judge: especially(latency100ns, gained, and(ranksIn(10, 14), below001), map[string]part{
			"fewer processors": and(
				ranksIn(7, 9), below001,
			), "more processors": and(ranksIn(15, most), below001),
			"longer messages": and(
				ranksIn(10, 14), not(below001), func(_ int64, x float64) bool { return x < 0.11 },
			),
		}),
	},
	{
		Where: "§4.2 B, Fig. 12",
		Statement: "From 2^7 to 2^14 processors the proposed method takes far less time (values of the " +
			"caption).",
		Published: "far less",
		Reading:   "at most half, at each number of processors.",
		Judge:     allAtLeast(lineTrials, ranksIn(7, 14), gained, 2),
	},
	{
		Where: "§4.2 B, Fig. 12",
		Statement: "From 2^7 to 2^14 processors the proposed method takes far less time (values of the " +
			"text).",
		Published: "far less",
		Reading:   "at most half, at each number of processors.",
		Judge:     allAtLeast(latency100ns, and(cell12, ranksIn(7, 14)), gained, 2),
	},
	{
		Where: "§4.2 B, Fig. 12",
		Statement: "The time of the proposed method is that of the conventional one divided by up to " +
			"about 10 (values of the caption).",
		Published: "about 10×",
		Reading:   "the largest gain agrees with it.", Judge: aboutTen(anywhere, lineTrials),
		Compared: true,
	},
	{
		Where: "§4.2 B, Fig. 12",
		Statement: "Above 2^14 processors the time of the proposed method rises suddenly (values of " +
			"the caption).",
		Published: "rises above 2^14",
		Reading:   cliffReading, Judge: cliff(lineTrials, anywhere), Why: whyCliff,
		Compared: true,
	},
	{
		Where: "§4.2 B, Fig. 12",
		Statement: "Above 2^14 processors the time of the proposed method rises suddenly (values of " +
			"the text).",
		Published: "rises above 2^14",
		Reading:   cliffReading, Judge: cliff(latency100ns, cell12), Why: whyCliff,
	},
	{
		Where:     "§4.2 B, §5, Figs 6, 10",
		Statement: "With the smaller latency the effect is larger too.",
		Published: "larger",
		Reading:   "the largest gain, and the median one where jitter is longer than a message, are.",
		Judge: func(r *Results) (string, Verdict) {
			a, b := plane003(r, latency1us), plane003(r, latency100ns)
			most1, most2 := gained.most(a.pick(anywhere)), gained.most(b.pick(anywhere))
			in := and(from7, longer)
			m1, m2 := middle(r, latency1us, in, gained), middle(r, latency100ns, in, gained)
			return fmt.Sprintf("%s against %s; median %s against %s", most2.factor(), most1.factor(),
				m2.factor(), m1.factor()), both(most2.above(most1), m2.above(m1))
		},
	},
	{
		Where: "§4.2 B, Fig. 11",
		Statement: "At the same number of processors, the shorter a message is to jitter, the fewer " +
			"redundant exchanges are best.",
		Published: "tends to fewer",
		Reading: "from 2^7 processors on, where jitter is longer than a message, a rank correlation " +
			"of T and Tcomm/duration of at least 0.5 in the middle one of the rows.",
		Judge: fewerT(latency100ns),
		Why: "With 30 trials several T have the same mean, and the smallest of them is taken. With more " +
			"trials a larger T nearly always has a mean that is less by a little, so that the T of the " +
			"least mean says hardly anything of where redundancy is needed.",
		Tried: func(r *Results) string {
			var j Judgement
			j.Ours, j.Verdict = fewerT(drawn(latency100ns))(r)
			return "Of the 30 trials that the figure is drawn of: " + j.outcome() + "."
		},
	},
}

// whyCliff explains where the rise is.
const whyCliff = "In ours the rise is over at 2^15, as in the paper, but begins two or three " +
	"doublings before 2^14; with less network noise, or separate trials, one later. " +
	"The paper does not say where the steepest part of its figure is."

// fewerT judges the trend of the best T along the rows of a study.
func fewerT(study string) func(*Results) (string, Verdict) {
	return alongRows(study, chosen, and(from7, longer), 0.5)
}
