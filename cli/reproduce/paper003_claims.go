package reproduce

import (
	"fmt"
	"math"
	"slices"
)

// claims003 are in the order of the paper.
func claims003() []Claim {
	return slices.Concat(claims003Method, claims003A)
}

// Parts of the planes.
func shorter(_ int64, x float64) bool   { return x > 1.05 } // jitter than a message
func longer(_ int64, x float64) bool    { return x < 0.95 }
func from7(ranks int64, _ float64) bool { return ranks >= 1<<7 }

// and is where both are.
func and(a, b part) part {
	return func(ranks int64, x float64) bool { return a(ranks, x) && b(ranks, x) }
}

func anywhere(int64, float64) bool { return true }

func factor(v float64) string { return fmt.Sprintf("%.3g×", v) }

// claims003Method are those of section 3.
var claims003Method = []Claim{
	{
		Where: "§3.1", Statement: "With 2^K processors K exchanges are enough.", Published: "log2 P exchanges",
		Reading: "without noise every configuration takes K (α + βN + γN).",
		Judge: func(r *Results) (string, Verdict) {
			worst := 0.0
			for _, study := range []string{latency1us, latency100ns, line100ns, period1ms, period10ms} {
				for _, c := range r.Of(study) {
					want := float64(exponent(c.Ranks)) * (tComm(&c) + float64(c.Bytes)/c.MemoryBandwidth)
					worst = max(worst, math.Abs(c.T[0].Quiet/want-1))
				}
			}
			return fmt.Sprintf("relative difference at most %.1g", worst), verdict(worst < 1e-9)
		},
	},
}

// claims003A are those of section 4.2 A.
var claims003A = []Claim{
	{
		Where: "§4.2 A, Fig. 5", Statement: "Jitter shorter than a message hardly matters; jitter that is longer matters much.", Published: "small; large",
		Reading: "from 2^7 processors on, a slow-down of at most 1.25 in all cells on the one side, and a median of more than 1.5 on the other.",
		Judge:   func(r *Results) (string, Verdict) { return sides(r, latency1us) },
	},
}

// sides compares the slow-down where jitter is shorter than a message, and where it is longer.
func sides(r *Results, study string) (string, Verdict) {
	p := plane003(r, study)
	right, left := p.pick(and(from7, shorter)), each(p.pick(and(from7, longer)), slow)
	v := every(right, slowInterval, 0, 1.25)
	if v != Fails && !(median(left) > 1.5) {
		v = Fails
	}
	return fmt.Sprintf("at most %s; median %s, up to %s", factor(slices.Max(each(right, slow))), factor(median(left)), factor(slices.Max(left))), v
}
