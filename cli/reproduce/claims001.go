package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// claims001 are the claims of the paper.
var claims001 = []Claim{
	{
		Where:     "§5.2, Fig. 5, abstract",
		Statement: "Speed of IS with O2G on 16 nodes, as a multiple of that with sockets.",
		Published: "3 times (Table 2: 181.5 against 58.9 Mop/s, 3.08)",
		Judge: func(r *Results) (string, Verdict) {
			all := isGains(r)
			return fmt.Sprintf(
				"%.2f times with a window of 4 segments, %.2f with one of 64 KiB", all[0],
				all[slices.Index(windows001, 64<<10)],
			), Unclear
		},
		Why: "How often messages stall depends on the window, which is not given. With the one that " +
			"Linux 2.4 opens a connection with it is theirs, so stalls can explain it; losses in the " +
			"switch, which are not modelled, may have their part.",
	},
	{
		Where: "§5.2",
		Statement: "What makes IS slow over sockets are stalls of the flow and the cost of " +
			"communication, in an all-to-all of about 100 kB.",
		Published: "expected",
		Reading:   "the smaller the window, and so the more often a message stalls, the more O2G gains.",
		Judge: func(r *Results) (string, Verdict) {
			all := isGains(r)
			falls := slices.IsSortedFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
			return fmt.Sprintf(
				"%.2f times down to %.2f, from 5840 B to 128 KiB", all[0], all[len(all)-1],
			), verdict(falls && all[0] > 1.05*all[len(all)-1])
		},
	},
	{
		Where:     "§5.2",
		Statement: "With 16 nodes the cost of select does not show yet.",
		Published: "stated",
		Reading: "with a window longer than a message, so that only polls are left, it is less than " +
			"5 %.",
		Judge: func(r *Results) (string, Verdict) {
			all := isGains(r)
			polls := all[len(all)-1] - 1
			return percent(polls), verdict(polls < 0.05)
		},
	},
	{
		Where:     "§5.2, Table 2",
		Statement: "Benchmarks of one-to-one messages are about the same with both.",
		Published: "0.93–1.11 times (BT, CG, EP, FT, LU, MG, SP)",
		Judge:     untold,
		Why:       "These programs are not simulated.",
	},
	{
		Where:     "§5.2, Table 2",
		Statement: "FT and SP are slower with O2G.",
		Published: "0.94 and 0.93 times",
		Judge:     untold,
		Why: "These programs are not simulated. That O2G can be slower, for the reason that they " +
			"give, is below (6.1).",
	},
	{
		Where:     "§5.2, Table 2",
		Statement: "MPICH is slow in all benchmarks, and LAM slower than their sockets but in SP.",
		Published: "8 rates of each",
		Judge:     untold,
		Why:       "Libraries other than theirs are not modelled.",
	},
	{
		Where:     "§5.3, Fig. 6",
		Statement: "Over sockets the bandwidth falls with the number of connections.",
		Published: "stated",
		Reading:   "from 1 to 10, 100, 500 and 1000 connections, at every length of messages.",
		Judge: func(r *Results) (string, Verdict) {
			falls := true
			var left []float64
			for _, bytes := range lengths001 {
				all := bandwidths(r, "polling", bytes)
				for i := 1; i < len(all); i++ {
					falls = falls && all[i] < all[i-1]
				}
				left = append(left, all[len(all)-1]/all[0])
			}
			low, high := extremes(left)
			return fmt.Sprintf("to %s (1 kB) and %s (3 MB) at 1000", percent(low), percent(high)), verdict(
				falls,
			)
		},
	},
	{
		Where:     "§5.3, Fig. 6; §8, abstract",
		Statement: "With O2G the bandwidth is the same for any number of connections.",
		Published: "stated",
		Reading:   "within 1 %.",
		Judge: func(r *Results) (string, Verdict) {
			apart := 0.0
			for _, bytes := range lengths001 {
				low, high := extremes(bandwidths(r, "async", bytes))
				apart = max(apart, high/low-1)
			}
			return fmt.Sprintf("%.1g %% apart at most", 100*apart), verdict(apart < 0.01)
		},
		Given: "what a message costs does not depend on connections in the model of interrupts " +
			"(`progress.kind: async`).",
	},
	{
		Where: "§5.3",
		Statement: "Without set buffers the bandwidth of sockets varies much from run to run, that of " +
			"O2G little.",
		Published: "stated",
		Judge:     untold,
		Why:       "How TCP opens its window is not modelled; a window is fixed.",
	},
	{
		Where: "§5.4, Fig. 7", Statement: "What a poll takes for each connection.", Published: "0.5 µs",
		Judge: func(r *Results) (string, Verdict) {
			var each []float64
			for i, seconds := range polls(r) {
				each = append(each, 1e6*seconds/float64(polled001[i]))
			}
			low, high := extremes(each)
			return spread("%.3g", each) + " µs", near(low, high, 0.5)
		},
		Given: "`progress.poll` is 0.5 µs a connection.",
	},
	{
		Where:     "§5.4, Fig. 7",
		Statement: "What a poll takes is about linear in the number of connections.",
		Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			all, apart := polls(r), 0.0
			last := len(all) - 1
			for i, seconds := range all {
				apart = max(
					apart, math.Abs(seconds/(all[last]*float64(polled001[i])/float64(polled001[last]))-1),
				)
			}
			return fmt.Sprintf("%.1g %% off a line at most", 100*apart), verdict(
				apart < tolerance,
			)
		},
		Given: "a poll takes `progress.poll` for each connection.",
	},
	{
		Where: "§5.4", Statement: "What a poll takes at 1000 connections.", Published: "0.5 ms",
		Judge: func(r *Results) (string, Verdict) {
			all := polls(r)
			ms := 1e3 * all[len(all)-1]
			return fmt.Sprintf("%.3g ms", ms), near(ms, ms, 0.5)
		},
		Given: "1000 times `progress.poll`.",
	},
	{
		Where: "§5.4",
		Statement: "A message takes at least two polls; at 1000 connections more than 100 kB could be " +
			"sent meanwhile at 1 Gbit/s.",
		Published: "1 ms",
		Judge: func(r *Results) (string, Verdict) {
			// What polling 1000 connections adds to a message of 10 kB, which never stalls.
			polled, taken := bandwidths(r, "polling", 10e3), bandwidths(r, "async", 10e3)
			last := len(polled) - 1
			ms := 1e3 * (10e3/(polled[last]*1e6) - 10e3/(taken[last]*1e6))
			kilobytes := ms * 1e-3 * 941e6 / 8 / 1e3
			return fmt.Sprintf("%.3g ms, or %.0f kB at 941 Mbit/s", ms, kilobytes), both(
				near(ms, ms, 1), verdict(kilobytes > 100),
			)
		},
		Given: "two polls a message, of `progress.poll` for each connection.",
	},
	{
		Where: "§6.1",
		Statement: "O2G is the slower where messages come before their receives are posted, since " +
			"those are copied twice.",
		Published: "named as its price",
		Reading: "an all-to-all of 1 MB on 16 nodes, whose processes are delayed by 5 ms every 10 " +
			"ms, without stalls.",
		Judge: func(r *Results) (string, Verdict) {
			found := hosted(r, "imbalance", func(c *Config) int64 { return c.Bytes })
			low, high := ratioInterval(
				found[host001{progress: "async", bytes: 1e6}].T[0],
				found[host001{progress: "polling", bytes: 1e6}].T[0],
			)
			return fmt.Sprintf("it takes %.3f–%.3f times as long as sockets", low, high), within(
				low, high, 1, math.Inf(1),
			)
		},
	},
	{
		Where:     "§6.1",
		Statement: "That price of O2G is worth paying: stalls cost more.",
		Published: "their choice",
		Reading: "in the all-to-all of IS O2G gains with every window of 64 KiB and less more than " +
			"it loses there.",
		Judge: func(r *Results) (string, Verdict) {
			found := hosted(r, "imbalance", func(c *Config) int64 { return c.Bytes })
			_, loss := ratioInterval(
				found[host001{progress: "async", bytes: 1e6}].T[0],
				found[host001{progress: "polling", bytes: 1e6}].T[0],
			)
			least := slices.Min(isGains(r)[:slices.Index(windows001, 64<<10)+1])
			return fmt.Sprintf("%.2f times at least, against %.3f at most", least, loss), verdict(
				least > loss,
			)
		},
	},
}
