package reproduce

import (
	"fmt"
	"math"
	"slices"
)

// claims003 returns the claims in the order of the paper.
func claims003() []Claim { return slices.Concat(abstract003, method003, latency003, period003) }

// studies003 returns the names of the studies under jitter.
func studies003() []string {
	var names []string
	for _, s := range jittered003 {
		names = append(names, s.Name)
	}
	return names
}

// abstract003 are the claims of the abstract and the introduction.
var abstract003 = []Claim{
	{
		Where:     "Abstract, §1",
		Statement: "The more processors, the larger the influence of the jitter.",
		Published: "grows",
		Reading:   growsReading, Judge: grows(slowdown, latency1us, latency100ns, period1ms, period10ms),
	},
	{
		Where:     "§1",
		Statement: "From a million to ten million processors the influence of the jitter grows.",
		Published: "grows",
		Reading: "the slow-down at 2^23 and at 2^24 is larger than at 2^20 (values of Fig. 12's " +
			"caption).",
		Judge: func(r *Results) (string, Verdict) {
			all := r.Of(tenMillion)
			million, v := slowdown.at(&all[0]), Holds
			text := million.factor() + " at 2^20"
			for i := range all[1:] {
				e := slowdown.at(&all[i+1])
				v = both(v, e.above(million))
				text += fmt.Sprintf(", %s at 2^%d", e.factor(), exponent(all[i+1].Ranks))
			}
			return text, v
		},
		Why: "Beyond 2^20 all but every processor is hit in each exchange, so that the time grows as " +
			"the time without jitter does.",
	},
	{
		Where: "Abstract, §4.2 A",
		Statement: "Where jitter is longer than a message and there are at least 2^7 processors, the " +
			"conventional method suffers most (α = 1 µs).",
		Published: "especially large",
		Reading:   "the median slow-down there is above those of all other parts of the plane.",
		Judge:     hardHit(latency1us),
	},
	{
		Where: "Abstract, §4.2 B",
		Statement: "Where jitter is longer than a message and there are at least 2^7 processors, the " +
			"conventional method suffers most (α = 100 ns).",
		Published: "especially large",
		Reading:   "the median slow-down there is above those of all other parts of the plane.",
		Judge:     hardHit(latency100ns),
	},
	{
		Where: "Abstract, §4.2",
		Statement: "Where jitter is longer than a message and there are at least 2^7 processors, the " +
			"proposed method reduces the influence.",
		Published: "improves",
		Reading:   "it is slower in no cell of both planes, and its median gain is above 1.25×.",
		Judge: func(r *Results) (string, Verdict) {
			var cells []*Config
			for _, study := range []string{latency1us, latency100ns} {
				p := plane003(r, study)
				cells = append(cells, p.pick(and(from7, longer))...)
			}
			typical := estimated(func(at lens) float64 { return median(each(cells, at(gained))) })
			least := gained.least(cells)
			// Both methods meet the same noise, so that the least is known better than as a ratio.
			return fmt.Sprintf("%s to %s, median %s", least.factor(), gained.most(cells).factor(),
					typical.factor()),
				both(verdict(least.mean >= 1), within(typical.low, typical.high, sideBorder, math.Inf(1)))
		},
	},
	{
		Where: "Abstract",
		Statement: "Under the conditions simulated the proposed method is at most about 10 times as " +
			"fast.",
		Published: "10×",
		Reading:   "the largest gain of all cells agrees with it.",
		Judge:     aboutTen(anywhere, studies003()...),
		Why: "The figure of 10 fits Fig. 12 (below), but not all of the planes: where the paper too " +
			"sees a slow-down of up to 120 (Fig. 8) redundancy removes almost all of it up to 2^13 " +
			"processors, " +
			"so that the gain is nearly as large as the slow-down. The paper itself finds the largest " +
			"effect below Fig. 12's Tcomm/duration (4.2 B), where it must then be more than 10.",
	},
	{
		Where:     "Abstract, §4.2 B, Fig. 10",
		Statement: "From 2^15 processors on even the proposed method suffers much.",
		Published: "suffers",
		Reading: "at Tcomm/duration up to 0.01 it takes at least twice the time without jitter, in " +
			"every cell.",
		Judge: allAtLeast(latency100ns, and(not(above001), ranksIn(15, most)), left, 2),
		Why: "All means are above twice, but in a cell at 2^15 processors those of 30 trials " +
			"differ so much that the interval of their mean reaches below.",
	},
}

// hardHit judges whether the slow-down is largest where jitter is long and processors are many.
func hardHit(study string) func(*Results) (string, Verdict) {
	return especially(
		study, slowdown, and(from7, longer),
		map[string]part{"fewer processors": and(not(from7), longer), "shorter jitter": not(longer)},
	)
}

// method003 are the claims of section 3.
var method003 = []Claim{
	{
		Where: "§3.1", Statement: "With 2^K processors K exchanges are enough.", Published: "K exchanges",
		Reading: "without noise every configuration takes K (α + βN + γN).",
		Judge: func(r *Results) (string, Verdict) {
			worst := 0.0
			for _, study := range studies003() {
				for _, c := range r.Of(study) {
					want := float64(exponent(c.Ranks)) * (tComm(&c) + float64(c.Bytes)/c.MemoryBandwidth)
					worst = max(worst, math.Abs(c.T[0].NoiseFree/want-1))
				}
			}
			return exactly(worst), verdict(worst < 1e-9)
		},
		Given: "the butterfly's schedule has K rounds, each of α + βN + γN.",
	},
	{
		Where: "§3.2",
		Statement: "If only odd (or only even) processors are preempted after the first exchange, one " +
			"redundant exchange completes in the time without jitter and one message.",
		Published: "+ 1 message",
		Judge:     rescued(1),
	},
	{
		Where:     "§3.2",
		Statement: "That needs the partners of the first exchange in the first redundant one.",
		Published: "only those",
		Judge:     otherPartners,
	},
	{
		Where: "§3.2",
		Statement: "With two redundant exchanges it is enough that one residue class modulo 4 is not " +
			"preempted.",
		Published: "one class of 4",
		Reading:   "it completes in the time without jitter and two messages.", Judge: rescued(2),
	},
	{
		Where:     "§3.2",
		Statement: "Without jitter the conventional method is of course faster.",
		Published: "faster",
		Reading: "without noise, if sending a copy costs 50 ns, each redundant exchange makes it " +
			"slower, on 2 to 2^10 processors. By 4.1.2 copies cost nothing, so that those that are not " +
			"needed change nothing.",
		Judge: func(r *Results) (string, Verdict) {
			configs := r.Of(overhead50ns)
			holds := len(configs) > 0
			for _, c := range configs {
				for t := range c.T[1:] {
					holds = holds && c.T[t+1].NoiseFree > c.T[t].NoiseFree
				}
			}
			text := "with the cost"
			last := configs[len(configs)-1]
			for t := 1; t <= 2; t++ {
				text += fmt.Sprintf(" T = %d takes %.3f× as long,", t, last.T[t].NoiseFree/last.T[0].NoiseFree)
			}
			return fmt.Sprintf("%s at 2^%d; without it %s", text, exponent(last.Ranks), free003(r)),
				verdict(holds)
		},
	},
}

// free003 returns in how many cases redundant exchanges take no time of their own, if copies cost
// nothing.
func free003(r *Results) string {
	same, all := 0, 0
	for _, study := range studies003() {
		for _, c := range r.Of(study) {
			for _, m := range c.T[1:] {
				all++
				if m.NoiseFree == c.T[0].NoiseFree {
					same++
				}
			}
		}
	}
	return fmt.Sprintf("all T are the same in %d of %d cases", same, all)
}
