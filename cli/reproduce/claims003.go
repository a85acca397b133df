package reproduce

import (
	"fmt"
	"math"
	"slices"
)

// claims003 returns the claims in the order of the paper.
func claims003() []Claim { return slices.Concat(abstract003, method003, latency003, period003) }

// studies003 are the names of all studies.
var studies003 = []string{latency1us, latency100ns, line100ns, lineTrials, period1ms, period10ms}

// abstract003 are the claims of the abstract and the introduction.
var abstract003 = []Claim{
	{
		Where:     "Abstract, §1",
		Statement: "The more processors, the larger the influence of the jitter.",
		Published: "grows",
		Reading:   growsReading, Judge: grows(slow, latency1us, latency100ns, period1ms, period10ms),
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
			var gains []float64
			for _, study := range []string{latency1us, latency100ns} {
				p := plane003(r, study)
				gains = append(gains, each(p.pick(and(from7, longer)), gain)...)
			}
			return fmt.Sprintf(
					"%s to %s, median %s", factor(slices.Min(gains)), factor(slices.Max(gains)),
					factor(median(gains)),
				),
				verdict(slices.Min(gains) >= 1 && median(gains) > sideBorder)
		},
	},
	{
		Where: "Abstract",
		Statement: "Under the conditions simulated the proposed method is at most about 10 times as " +
			"fast.",
		Published: "10×",
		Reading:   "the largest gain of all cells agrees with it.",
		Judge:     aboutTen(anywhere, studies003...),
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
			for _, study := range studies003 {
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
		Reading:   "without noise it takes less time than with any redundant exchange.",
		Judge: func(r *Results) (string, Verdict) {
			least, equal, all := math.Inf(1), 0, 0
			for _, study := range studies003 {
				for _, c := range r.Of(study) {
					for _, m := range c.T[1:] {
						least = min(least, m.NoiseFree/c.T[0].NoiseFree)
						all++
						if m.NoiseFree == c.T[0].NoiseFree {
							equal++
						}
					}
				}
			}
			return fmt.Sprintf(
				"at least %.3g of its time; the same in %d of %d cases", least, equal, all,
			), verdict(least > 1)
		},
		Why: "By the paper's own model (4.1.2) the earliest copy counts and sending costs nothing, so " +
			"redundant exchanges that are not needed take no time. With a cost " +
			"(`redundancy.send_overhead`) the conventional method is faster.",
	},
}
