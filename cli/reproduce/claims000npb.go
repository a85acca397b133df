package reproduce

import "fmt"

// A run000 is a run of a benchmark on 16 servers of 8 processes, with the ring (table 3 of paper
// 000). Of class B of FT the two times of the table are interchanged, since its rates are not.
type run000 struct {
	name   string
	bytes  int64   // of a message, on average
	calls  float64 // all-to-alls while the benchmark takes its time
	total  float64 // its time [s]
	gained float64 // with the 2-level ring
}

// runs000 are those of table 3. The calls are those of NPB 3.3: of FT one transform at the start and
// one an iteration, of 20 iterations in classes B and C and 25 in D, each with one all-to-all; of
// IS one an iteration, of 10.
var runs000 = []run000{
	{"FT, class B", 32 << 10, 21, 1.177, 0.061},
	{"FT, class C", 128 << 10, 21, 4.691, 0.071},
	{"FT, class D", 2 << 20, 26, 117.2, 0.061},
	{"IS, class B", 8 << 10, 10, 0.112, 0.019},
	{"IS, class C", 32 << 10, 10, 0.486, 0.055},
	{"IS, class D", 512 << 10, 10, 8.551, 0.070},
}

// claims returns a claim for what each benchmark gains.
func claims(runs []run000) []Claim {
	var claims []Claim
	for _, run := range runs {
		claims = append(claims, Claim{
			Where:     "§5.5, Table 3",
			Statement: "What " + run.name + ", gains on 16 servers of 8 processes.",
			Published: percent(run.gained),
			Reading: fmt.Sprintf("%g all-to-alls of the %g s that it takes with the ring are shorter.",
				run.calls, run.total),
			Judge: func(r *Results) (string, Verdict) {
				g := run.gains(r, call000{"hol", 30e-6})
				return fmt.Sprintf("%s; all-to-alls are %s of its time", percent(g),
					percent(run.part(r))), nearRatio(1+g, 1+g, 1+run.gained)
			},
			Why: "What is saved is the time of bytes that are blocked, whatever a step takes besides its " +
				"bytes, which was assumed. The formula takes the switch's queues as full; so short messages " +
				"may not fill them.",
			Tried: func(r *Results) string {
				return fmt.Sprintf("with 5 and 50 µs a step besides its bytes %s and %s; blocked by queues "+
					"with memory %s.", percent(run.gains(r, call000{"hol", 5e-6})),
					percent(run.gains(r, call000{"hol", 50e-6})),
					percent(run.gains(r, call000{"hol-queue", 30e-6})))
			},
		})
	}
	return claims
}

// gains returns how much faster a benchmark is if its all-to-alls are the 2-level ring.
func (run run000) gains(r *Results, c call000) float64 {
	ring, levels := calls000(r, c, run.bytes)
	return run.total/(run.total-run.calls*(ring-levels)) - 1
}

// part returns the part of a benchmark's time that the ring takes.
func (run run000) part(r *Results) float64 {
	ring, _ := calls000(r, call000{"hol", 30e-6}, run.bytes)
	return run.calls * ring / run.total
}

// A call000 is how all-to-alls of the benchmarks are simulated.
type call000 struct {
	contention string
	latency    float64 // what a step takes besides its bytes [s]
}

// calls000 returns the times [s] of an all-to-all of the benchmarks with each ring.
func calls000(r *Results, call call000, bytes int64) (ring, levels float64) {
	for _, c := range r.Of("npb") {
		if (call000{c.Contention, c.Latency}) != call || c.Bytes != bytes {
			continue
		}
		if c.Collective == "a2a-ring" {
			ring = c.T[0].Mean
		} else {
			levels = c.T[0].Mean
		}
	}
	return ring, levels
}

// saved000 returns the share of time that the 2-level ring saves in the all-to-alls of the
// benchmarks.
func saved000(r *Results, call call000, bytes int64) float64 {
	ring, levels := calls000(r, call, bytes)
	return 1 - levels/ring
}
