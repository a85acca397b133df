package reproduce

import "math"

// cornerC is the upper right corner of the planes of 4.2 C.
func cornerC(ranks int64, x float64) bool { return ranks >= 1<<10 && !below001(ranks, x) }

// periods judges "little influence below duration/period = 0.01, much above": from 2^7
// processors on all cells below are within the narrower colours of the figure, and the median
// above is not.
func periods(study string, top float64) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		small := p.pick(and(from7, below001))
		large := middle(r, study, and(from7, above001), slowdown)
		return "up to " + slowdown.most(small).factor() + "; median " + large.factor(),
			both(every(small, slowInterval, 0, top), within(large.low, large.high, top, math.Inf(1)))
	}
}

// periodsReading is how periods reads its claims.
const periodsReading = "from 2^7 processors on no cell below 0.01 is beyond the narrower " +
	"colours, and the median above is."

// strongC judges where the effect is largest in 4.2 C.
func strongC(study string) func(*Results) (string, Verdict) {
	return especially(study, gained, and(ranksIn(7, 14), above001), map[string]part{
		"fewer processors": and(ranksIn(0, 6), above001),
		"more processors":  and(ranksIn(15, most), above001),
		"shorter jitter":   and(ranksIn(7, 14), below001),
	})
}

// strongCReading is how strongC reads its claims.
const strongCReading = "the median gain there is above those of fewer processors, of more, and " +
	"of shorter jitter."

// as12 returns what a judge of figure 12's line finds: with the caption of figure 21, but α = 100
// ns, it is that line, and its text has the words of figure 12's.
func as12(judge func(*Results) (string, Verdict)) func(*Results) string {
	return func(r *Results) string {
		var j Judgement
		j.Ours, j.Verdict = judge(r)
		return "With the latency of 4.2 B, 100 ns, it is the line of Fig. 12, whose words these almost " +
			"are: " + j.outcome() + "."
	}
}

// cell21 is duration/period = 0.01.
var cell21 = column(0.01)

// period003 are the claims of section 4.2 C.
var period003 = []Claim{
	{
		Where:     "§4.2 C, Fig. 13",
		Statement: "The influence reaches about 12.",
		Published: "colours [1, 12]",
		Reading:   "the largest slow-down agrees with 12.",
		Judge:     topIs(period1ms, 12),
		Given:     "the right end of the axis was chosen so.",
	},
	{
		Where:     "§4.2 C, Fig. 17",
		Statement: "The influence reaches about 80.",
		Published: "colours [0, 80]",
		Reading:   "the largest slow-down agrees with 80.",
		Judge:     topIs(period10ms, 80),
		Given: "the right end of the axis, the same as in Fig. 13, was chosen so that both figures " +
			"have about their ends of colours.",
	},
	{
		Where:     "§4.2 C, Fig. 13",
		Statement: "But for the upper right corner the influence looks uniform (period 1 ms).",
		Published: "uniform",
		Reading:   corneredReading, Judge: cornered(period1ms, cornerC, 12),
	},
	{
		Where:     "§4.2 C, Fig. 17",
		Statement: "But for the upper right corner the influence looks uniform (period 10 ms).",
		Published: "uniform",
		Reading:   corneredReading, Judge: cornered(period10ms, cornerC, 80),
	},
	{
		Where: "§4.2 C, Figs 13, 14",
		Statement: "Below duration/period = 0.01 the influence is small, above it is large (period 1 " +
			"ms).",
		Published: "small; large",
		Reading:   periodsReading, Judge: periods(period1ms, 3),
	},
	{
		Where: "§4.2 C, Figs 17, 18",
		Statement: "Below duration/period = 0.01 the influence is small, above it is large (period 10 " +
			"ms).",
		Published: "small; large",
		Reading:   periodsReading, Judge: periods(period10ms, 5),
		Why: "At the same duration/period jitter is ten times as long here as in Fig. 13, and it is " +
			"its length in messages that counts (4.2 A and B): the slow-down passes 5 at about a third of " +
			"0.01.",
	},
	{
		Where:     "§4.2 C, Fig. 15",
		Statement: "Where the influence is large, so is the effect of the proposed method (period 1 ms).",
		Published: "similar",
		Reading: "a rank correlation of slow-down and gain of at least " +
			"0.8.", Judge: together(period1ms),
	},
	{
		Where: "§4.2 C, Fig. 19",
		Statement: "Where the influence is large, so is the effect of the proposed method (period 10 " +
			"ms).",
		Published: "similar",
		Reading: "a rank correlation of slow-down and gain of at least " +
			"0.8.", Judge: together(period10ms),
	},
	{
		Where: "§4.2 C, Fig. 15",
		Statement: "Above duration/period = 0.01 and from 2^7 to 2^14 processors the effect is largest " +
			"(period 1 ms).",
		Published: "large",
		Reading:   strongCReading, Judge: strongC(period1ms),
	},
	{
		Where: "§4.2 C, Fig. 19",
		Statement: "Above duration/period = 0.01 and from 2^7 to 2^14 processors the effect is largest " +
			"(period 10 ms).",
		Published: "large",
		Reading:   strongCReading, Judge: strongC(period10ms),
	},
	{
		Where: "§4.2 C, Fig. 21",
		Statement: "From 2^7 to 2^14 processors the proposed method takes far less time (the caption's " +
			"period of 1 ms).",
		Published: "far less",
		Reading:   "at most half, at each number of processors.",
		Judge:     allAtLeast(period1ms, and(cell21, ranksIn(7, 14)), gained, 2),
		Tried:     as12(allAtLeast(lineTrials, ranksIn(7, 14), gained, 2)),
		Why: "With the caption's values jitter makes the conventional method no more than three " +
			"times as slow (Fig. 13), so that there is not more to gain. The words fit a period of 10 ms, " +
			"and are almost those on Fig. 12.",
	},
	{
		Where: "§4.2 C, Fig. 21",
		Statement: "From 2^7 to 2^14 processors the proposed method takes far less time (the text's " +
			"period of 10 ms).",
		Published: "far less",
		Reading:   "at most half, at each number of processors.",
		Judge:     allAtLeast(period10ms, and(cell21, ranksIn(7, 14)), gained, 2),
	},
	{
		Where:     "§4.2 C, Fig. 21",
		Statement: "Above 2^14 processors the time of the proposed method rises suddenly (period 1 ms).",
		Published: "rises above 2^14",
		Reading:   cliffReading, Judge: cliff(period1ms, cell21),
		Tried: as12(cliff(lineTrials, anywhere)),
		Why: "With the caption's values the proposed method never takes twice the time without jitter: " +
			"its rise is slow, from 2^10 on.",
	},
	{
		Where:     "§4.2 C, Fig. 21",
		Statement: "Above 2^14 processors the time of the proposed method rises suddenly (period 10 ms).",
		Published: "rises above 2^14",
		Reading:   cliffReading, Judge: cliff(period10ms, cell21), Why: whyCliff,
	},
	{
		Where:     "§4.2 C, Fig. 16",
		Statement: "The best T grows with the number of processors (period 1 ms).",
		Published: "grows",
		Reading:   growsReading,
		Judge:     grows(chosen, period1ms),
	},
	{
		Where:     "§4.2 C, Fig. 20",
		Statement: "The best T grows with the number of processors (period 10 ms).",
		Published: "grows",
		Reading:   growsReading,
		Judge:     grows(chosen, period10ms),
	},
	{
		Where:     "§5",
		Statement: "The longer jitter is to its period, the larger is its influence.",
		Published: "larger",
		Reading: "from 2^7 processors on a rank correlation of at least 0.9 in the middle one of the " +
			"rows, at both periods.",
		Judge: bothPeriods(slowdown),
	},
	{
		Where:     "§5",
		Statement: "The longer jitter is to its period, the larger is the effect of the proposed method.",
		Published: "larger",
		Reading: "from 2^7 processors on a rank correlation of at least 0.9 in the middle one of the " +
			"rows, at both periods.",
		Judge: bothPeriods(gained),
	},
}

// bothPeriods judges a trend along the rows of both planes of 4.2 C.
func bothPeriods(m measured) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		a, va := alongRows(period1ms, m, from7, 0.9)(r)
		b, vb := alongRows(period10ms, m, from7, 0.9)(r)
		return a + "; " + b, both(va, vb)
	}
}
