package reproduce

import (
	"fmt"
	"slices"
)

// savedByLength judges that a longer message saves a larger share of the benchmarks' all-to-alls.
func savedByLength(r *Results, _ *Claim) (string, Verdict) {
	var saved []float64
	for _, bytes := range []int64{8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20} {
		saved = append(saved, saved000(r, call000{"hol", 30e-6}, bytes))
	}
	rises := slices.IsSorted(saved) && len(slices.Compact(slices.Clone(saved))) == len(saved)
	return fmt.Sprintf("%s at 8 KiB, %s at 2 MiB", percent(saved[0]), percent(saved[len(saved)-1])),
		verdict(rises)
}

// A run000 is a run of a benchmark on 16 servers of 8 processes, with the ring (table 3 of paper
// 000). Of class B of FT the two times of the table are interchanged, since its rates are not.
type run000 struct {
	bytes int64   // of a message, on average
	calls float64 // all-to-alls while the benchmark takes its time
	total float64 // its time [s]
}

// runs000 are the runs of table 3. The calls are as in NPB 3.3: of FT one transform at the start
// and one an iteration, of 20 iterations in classes B and C and 25 in D, each with one all-to-all;
// of IS one an iteration, of 10.
var runs000 = map[string]run000{
	"FT, class B": {32 << 10, 21, 1.177},
	"FT, class C": {128 << 10, 21, 4.691},
	"FT, class D": {2 << 20, 26, 117.2},
	"IS, class B": {8 << 10, 10, 0.112},
	"IS, class C": {32 << 10, 10, 0.486},
	"IS, class D": {512 << 10, 10, 8.551},
}

// benchmark000 judges what a benchmark gains.
func benchmark000(r *Results, c *Claim) (string, Verdict) {
	run := runs000[c.Measure]
	gain := run.gains(r, call000{"hol", 30e-6})
	return fmt.Sprintf("%s; all-to-alls are %s of its time", percent(gain), percent(run.part(r))),
		exact(1 + gain).nearRatio(c.expected())
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
	of := func(collective string) float64 {
		return r.config("npb", func(c *Config) bool {
			return call == call000{c.Contention, c.Latency} && c.Bytes == bytes &&
				c.Collective == collective
		}).T[0].Mean
	}
	return of("a2a-ring"), of("a2a-levels")
}

// saved000 returns the share of time that the 2-level ring saves in the all-to-alls of the
// benchmarks.
func saved000(r *Results, call call000, bytes int64) float64 {
	ring, levels := calls000(r, call, bytes)
	return 1 - levels/ring
}
