package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// claims001 are the claims of the paper.
var claims001 = []Claim{
	{
		Where:     "§5.2, Fig. 5, abstract",
		Statement: "Speed of IS with O2G on 16 nodes, as a multiple of that with sockets.",
		Published: "3 times (Table 2: 181.5 against 58.9 Mop/s, 3.08)",
		Reading: "of the whole benchmark, Class A, with any window from the 4 segments with which Linux " +
			"2.4 opens a connection.",
		Judge: func(r *Results) (string, Verdict) {
			all := isGains(r)[slices.Index(windows001, 5840):]
			measured := rateOfIS("O2G") / rateOfIS("sockets")
			most := min(measured, slices.Max(all)) // some window gives any smaller gain
			return fmt.Sprintf(
				"%.2f times with a window of 4 segments, %.3f with one of 64 KiB", all[0],
				isGain(r, 64<<10),
			), nearRatio(most, most, measured)
		},
		Why: "The more a window stalls messages the slower is their all-to-all, but a rank that polls " +
			"while a message flows reads on, so that 4 segments only halve its rate, and what the program " +
			"computes is not slower at all. What else there was cannot be told from the paper: losses in " +
			"the switch and timeouts of TCP are not modelled.",
		Tried: triedIS,
	},
	{
		Where:     "§5.2, Table 2",
		Statement: "In IS O2G is at least three times as fast as every other implementation.",
		Published: "181.5 Mop/s against 58.9, 53.3 and 18.7",
		Reading:   "by the numbers of Table 2.",
		Judge: func(*Results) (string, Verdict) {
			var gains []float64
			for _, other := range libraries001[1:] {
				gains = append(gains, rateOfIS("O2G")/rateOfIS(other))
			}
			return spread("%.2f", gains) + " times", verdict(slices.Min(gains) >= 3)
		},
		Given: "their own table; only sockets and O2G are simulated.",
	},
	{
		Where: "§5.2",
		Statement: "What makes IS slow over sockets are stalls of the flow and the cost of " +
			"communication, in an all-to-all of about 100 kB.",
		Published: "expected",
		Reading:   "the smaller the window, and so the longer a message stalls, the more O2G gains.",
		Judge: func(r *Results) (string, Verdict) {
			all := isGains(r)
			falls := slices.IsSortedFunc(all, func(a, b float64) int {
				if math.Abs(a/b-1) < 1e-6 {
					return 0
				}
				return cmp.Compare(b, a)
			})
			return fmt.Sprintf(
				"%.2f times down to %.3f, from 1460 B to 128 KiB", all[0], all[len(all)-1],
			), verdict(falls && all[0] > 1.05*all[len(all)-1])
		},
	},
	{
		Where:     "§5.2",
		Statement: "With 16 nodes the cost of select does not show yet.",
		Published: "stated",
		Reading: "with a window longer than a message, so that only polls are left, it is less than " +
			"5 % of IS.",
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
		Why:       "These programs are not simulated. The reason that they give is looked for below (6.1).",
	},
	{
		Where:     "§5.2, Table 2",
		Statement: "MPICH is the slowest in all benchmarks.",
		Published: "8 rates of each of 4 implementations",
		Reading:   "by the numbers of Table 2.",
		Judge: func(*Results) (string, Verdict) {
			n := 0
			for _, row := range table2of001 {
				if slices.Min(row.rates[:]) == row.rates[3] {
					n++
				}
			}
			return fmt.Sprintf("in %d of %d", n, len(table2of001)), verdict(n == len(table2of001))
		},
		Given: "their own table; only sockets and O2G are simulated.",
	},
	{
		Where:     "§5.2, Table 2",
		Statement: "Their sockets are faster than LAM but in SP.",
		Published: "stated",
		Reading:   "by the numbers of Table 2.",
		Judge: func(*Results) (string, Verdict) {
			var faster []string
			for _, row := range table2of001 {
				if row.rates[2] >= row.rates[1] {
					faster = append(faster, row.name)
				}
			}
			return "LAM is at least as fast in " + strings.Join(faster, ", "), verdict(
				slices.Equal(faster, []string{"SP"}),
			)
		},
		Given: "their own table; only sockets and O2G are simulated.",
		Why:   "In EP LAM had 80.7 Mop/s and their sockets 80.5.",
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
			all := polls(r)
			ms := 1e3 * 2 * all[len(all)-1]
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
		Reading: "in iterations of 20 ms of computing and an all-to-all ring on 16 nodes, without " +
			"stalls, of 10 kB, 100 kB and 1 MB, where what they compute varies by 5, 20 and 50 %: in all " +
			"nine.",
		Judge: func(r *Results) (string, Verdict) {
			losses := losses001(r, "a2a-ring")
			v := Holds
			for _, loss := range losses {
				v = both(v, within(loss.low, loss.high, 1, math.Inf(1)))
			}
			return fmt.Sprintf("it takes %s times as long as sockets, and longer in %d of %d",
				span(losses, "%.4f"), slower(losses), len(losses)), v
		},
		Why: "A rank that polls for one message reads all others that are there, before their receives " +
			"are posted, and copies them twice too.",
		Tried: func(r *Results) string {
			losses := losses001(r, "a2a-spread")
			return fmt.Sprintf(
				"with all receives posted when the all-to-all begins (`a2a-spread`), so that sockets copy "+
					"nothing twice, %s times, and longer in %d of %d.", span(losses, "%.4f"), slower(losses),
				len(losses),
			)
		},
	},
	{
		Where:     "§6.1",
		Statement: "That price of O2G is worth paying: stalls cost more.",
		Published: "their choice",
		Reading: "IS gains more with O2G, with every window of 64 KiB and less, than any of those " +
			"iterations loses, and those with all receives posted at once.",
		Judge: func(r *Results) (string, Verdict) {
			loss := slices.MaxFunc(append(losses001(r, "a2a-ring"), losses001(r, "a2a-spread")...),
				func(a, b estimate) int { return cmp.Compare(a.high, b.high) })
			least := slices.Min(isGains(r)[:slices.Index(windows001, 64<<10)+1])
			return fmt.Sprintf("%.4f times at least, against %s at most", least, loss.text("%.4f", "")),
				within(loss.low, loss.high, 0, least)
		},
	},
	{
		Where: "§6.2",
		Statement: "Over sockets messages make progress only inside calls of MPI; with O2G a program " +
			"need not call it for that.",
		Published: "stated",
		Reading: "of an all-to-all of 128 KiB that 16 nodes post before they compute for 30 ms and wait " +
			"for afterwards, O2G hides at least 95 % behind computing, and sockets hide less, the less " +
			"the smaller the window.",
		Judge: func(r *Results) (string, Verdict) {
			o2g := hidden(r, "async", 0)
			small, large := hidden(r, "polling", 5840), hidden(r, "polling", 64<<10)
			return fmt.Sprintf(
				"O2G %s, sockets %s with a window of 4 segments and %s with one of 64 KiB", percent(o2g),
				percent(small), percent(large),
			), verdict(o2g >= 0.95 && small < large && large < o2g)
		},
		Given: "a rank that computes reads no sockets, but is interrupted (`progress.kind`).",
	},
	{
		Where: "§1, §7.5",
		Statement: "Faster detection of events makes sockets no match for O2G, since system calls remain " +
			"as many.",
		Published: "expected",
		Reading:   "at 1000 connections O2G has at least 5 % more bandwidth than epoll at some length.",
		Judge: func(r *Results) (string, Verdict) {
			var gains []float64
			last := len(connections001) - 1
			for _, bytes := range lengths001 {
				epoll, o2g := bandwidths(r, "epoll", bytes)[last], bandwidths(r, "async", bytes)[last]
				gains = append(gains, o2g/epoll)
			}
			return "O2G has " + spread("%.3f", gains) + " times the bandwidth of epoll", verdict(
				slices.Max(gains) >= 1.05,
			)
		},
		Why: "Such a poll costs half a microsecond here, and the processor has nothing else to do " +
			"meanwhile. Where it has, O2G gains (6.2).",
	},
}

// triedIS says what the all-to-all of IS would have to be, and what is.
func triedIS(r *Results) string {
	found := hosted(r, "is", func(c *Config) int64 { return c.Window })
	o2g, four := found[host001{progress: "async"}], found[host001{progress: "polling", bytes: 5840}]
	measured := rateOfIS("O2G") / rateOfIS("sockets") * o2g.T[0].Mean
	alltoall := o2g.T[0].Mean - o2g.Compute
	return fmt.Sprintf(
		"the all-to-all alone is %.2f times as fast with O2G at 4 segments, and would have to be %.1f "+
			"times. Windows of one segment and of two give %.2f and %.2f times for the benchmark, but TCP "+
			"has such windows only after a loss. Of each iteration over sockets %.0f ms are not explained: "+
			"a timeout of 200 ms, the least of Linux, in every %.1f iterations.",
		(four.T[0].Mean-o2g.Compute)/alltoall, (measured-o2g.Compute)/alltoall, isGain(r, 1460),
		isGain(r, 2920), 1e3*(measured-four.T[0].Mean), 0.2/(measured-four.T[0].Mean),
	)
}

// A row001 is a benchmark of Table 2 and its rates [Mop/s], by [libraries001].
type row001 struct {
	name  string
	rates [4]float64
}

// Table 2.
var (
	libraries001 = []string{"O2G", "sockets", "LAM", "MPICH"}
	table2of001  = []row001{
		{"BT", [4]float64{5493.2, 5380.9, 5182.4, 3334.1}},
		{"CG", [4]float64{854.8, 814.5, 787.0, 453.3}},
		{"EP", [4]float64{80.6, 80.5, 80.7, 80.2}},
		{"FT", [4]float64{2855.1, 3026.3, 2758.4, 965.4}},
		{"IS", [4]float64{181.5, 58.9, 53.3, 18.7}},
		{"LU", [4]float64{5904.0, 5751.6, 5696.5, 4463.9}},
		{"MG", [4]float64{4892.8, 4426.3, 4025.5, 2908.8}},
		{"SP", [4]float64{2629.6, 2816.8, 3072.9, 1481.3}},
	}
)

// rateOfIS returns the rate of IS in Table 2 [Mop/s].
func rateOfIS(library string) float64 {
	row := slices.IndexFunc(table2of001, func(r row001) bool { return r.name == "IS" })
	return table2of001[row].rates[slices.Index(libraries001, library)]
}
