package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/collectives"
)

// paper000 is the paper that orders the messages of an all-to-all by servers.
var paper000 = Paper{
	ID: "000",
	draws: map[string]drawing{
		"fig03": rates000("a2a-ring"),
		"fig10": rates000("a2a-ring", "a2a-levels"),
		"fig04": steps000("a2a-ring", "formula", "queue"),
		"fig09": steps000("a2a-levels", "2-level, 8"),
		"fig11": messages000([]int64{1, 2, 4, 8}, "a2a-ring", "a2a-levels"),
		"fig12": messages000([]int64{8}, "a2a-ring", "a2a-levels", "a2a-sa"),
	},
	judges: map[string]judge{
		"rates of the ring": ratesOfRing, "slower with several": slowerWithSeveral,
		"steps between": stepsBetween, "steps at the ends": stepsAtEnds, "blocked steps": blockedSteps,
		"equal steps": equalSteps, "largest rate": largestRate, "largest gain": largestGain,
		"link used": linkUsed, "rises with processes": risesWithProcesses,
		"gain is largest there": gainIsLargest, "same rings": sameRings,
		"gains above": gainsAbove, "never lower": neverLower, "long gains more": longGainsMore,
		"best by length": bestByLength, "crossing": crossingLength, "as fast as the ring": asFastAsRing,
		"messages": messagesSent, "bytes inside": bytesInside, "between servers": betweenServers,
		"saved by length": savedByLength, "not simulated": unsimulated("not simulated"),
		"benchmark": benchmark000,
		"unequal servers": func(*Results, *Claim) (string, Verdict) {
			return refused(unequal("a2a-ring"), unequal("a2a-levels"))
		},
		"buffers": buffersNeeded, "hierarchical, unblocked": unblocked,
		"hierarchical, rate": hierarchicalRate, "fat trees": onFatTrees,
	},
	values: map[string]value{
		"rate": func(r *Results, _ *Claim, _ string) string {
			return fmt.Sprintf("%.0f MB/s", rate(shape000{"a2a-ring", 24, 1, 1e6}.limited(r, "none")))
		},
		"change": func(r *Results, _ *Claim, servers string) string {
			n := int64(number(servers))
			one := shape000{"a2a-levels", n, 1, 1e6}.limited(r, "none")
			eight := shape000{"a2a-levels", n, 8, 1e6}.limited(r, "hol")
			return fmt.Sprintf("%+.1f%%", 100*(rate(eight)/rate(one)-1))
		},
		"gain": func(r *Results, c *Claim, args string) string {
			contention, latency, _ := strings.Cut(args, " ")
			return percent(runs000[c.Measure].gains(r, call000{contention, number(latency)}))
		},
		"faster": func(r *Results, _ *Claim, latency string) string {
			return percent(1/(1-saved000(r, call000{"hol", number(latency)}, 8<<10)) - 1)
		},
	},
}

// The values of the studies' axes.
var (
	servers000   = []int64{4, 8, 12, 16, 20, 24}
	processes000 = []int64{1, 2, 4, 8}
	bytes000     = []int64{10e3, 20e3, 50e3, 100e3, 200e3, 500e3, 1e6}
)

// A shape000 is an all-to-all on servers.
type shape000 struct {
	collective                string
	servers, processes, bytes int64
}

// is reports whether a configuration has the shape.
func (s shape000) is(c *Config) bool {
	return s == shape000{c.Collective, c.Nodes, c.RanksPerNode, c.Bytes}
}

// blocked returns the configuration of the shape in the study of the paper's figures.
func (s shape000) blocked(r *Results) *Config {
	return r.config(fmt.Sprintf("processes-%d", s.processes), s.is)
}

// limited returns the configuration of the shape and a contention in which one process can send
// less than its server.
func (s shape000) limited(r *Results, contention string) *Config {
	return r.config(fmt.Sprintf("process-%d", s.processes), func(c *Config) bool {
		return s.is(c) && c.Contention == contention
	})
}

// rate returns the rate [MB/s] at which each node receives from others in an all-to-all.
func rate(c *Config) float64 { return c.T[0].Bandwidth / 1e6 }

// rates returns the rates of 1 MB over all numbers of servers, with some processes on each.
func rates(r *Results, collective string, processes ...int64) []float64 {
	var rates []float64
	for _, n := range processes {
		for _, s := range servers000 {
			rates = append(rates, rate(shape000{collective, s, n, 1e6}.blocked(r)))
		}
	}
	return rates
}

// gain000 returns the relative gain of the 2-level ring's rate over the ring's.
func gain000(r *Results, servers, processes, bytes int64) float64 {
	ring := shape000{"a2a-ring", servers, processes, bytes}.blocked(r)
	levels := shape000{"a2a-levels", servers, processes, bytes}.blocked(r)
	return rate(levels)/rate(ring) - 1
}

// ratesOfRing judges that all rates of the ring agree with a range [MB/s].
func ratesOfRing(r *Results, c *Claim) (string, Verdict) {
	processes := []int64{1}
	if c.Measure == "several processes" {
		processes = []int64{2, 4, 8}
	}
	ours := rates(r, "a2a-ring", processes...)
	return spread("%.0f", ours) + " MB/s",
		rangeOf(ours).within(c.Expected[0]*(1-tolerance), c.Expected[1]*(1+tolerance))
}

// slowerWithSeveral judges that the ring is slower with several processes on a server.
func slowerWithSeveral(r *Results, _ *Claim) (string, Verdict) {
	least := slices.Min(rates(r, "a2a-ring", 1))
	most := slices.Max(rates(r, "a2a-ring", 2, 4, 8))
	return fmt.Sprintf("at most %.0f of %.0f MB/s", most, least), verdict(most < least)
}

// rate000 returns the rate [MB/s] of the largest system, 24 servers of 8 processes.
func rate000(r *Results, collective string) float64 {
	return rate(shape000{collective, 24, 8, 1e6}.blocked(r))
}

// largestRate judges the rate of an algorithm on the largest system [MB/s].
func largestRate(r *Results, c *Claim) (string, Verdict) {
	ours := rate000(r, c.Measure)
	return fmt.Sprintf("%.0f MB/s", ours), exact(ours).near(c.expected())
}

// largestGain judges the gain there, blocked by the formula and by queues with memory.
func largestGain(r *Results, c *Claim) (string, Verdict) {
	gain := gain000(r, 24, 8, 1e6)
	levels := r.config("queue", shape000{"a2a-levels", 24, 8, 1e6}.is)
	queue := rate(levels)/rate(r.config("queue", shape000{"a2a-ring", 24, 8, 1e6}.is)) - 1
	return fmt.Sprintf("%s, and %s blocked by queues with memory", percent(gain), percent(queue)),
		all(exact(1+gain).nearRatio(c.expected()), exact(1+queue).nearRatio(c.expected()))
}

// linkUsed judges the part of a link of 2000 MB/s that the 2-level ring uses.
func linkUsed(r *Results, c *Claim) (string, Verdict) {
	share := rate000(r, "a2a-levels") / 2000
	return percent(share), verdict(share > c.expected())
}

// risesWithProcesses judges that 8 processes have a higher rate than 1.
func risesWithProcesses(r *Results, _ *Claim) (string, Verdict) {
	changes := rates(r, "a2a-levels", 8)
	for i, one := range rates(r, "a2a-levels", 1) {
		changes[i] = changes[i]/one - 1
	}
	return fmt.Sprintf("%+.1f%% with 4 servers, %+.1f%% with 24", 100*changes[0],
		100*changes[len(changes)-1]), verdict(slices.Min(changes) > 0)
}

// gainIsLargest judges that the gain is the largest on 24 servers of 8 processes.
func gainIsLargest(r *Results, _ *Claim) (string, Verdict) {
	most, where := math.Inf(-1), ""
	for _, s := range servers000 {
		for _, n := range processes000[1:] {
			if g := gain000(r, s, n, 1e6); g > most {
				most, where = g, fmt.Sprintf("on %d servers of %d processes", s, n)
			}
		}
	}
	here := gain000(r, 24, 8, 1e6)
	return fmt.Sprintf("%s there, and at most %s %s", percent(here), percent(most), where),
		verdict(here >= most-0.001)
}

// sameRings judges that both rings have the same rates with one process on a server.
func sameRings(r *Results, _ *Claim) (string, Verdict) {
	off := apart(rates(r, "a2a-levels", 1), rates(r, "a2a-ring", 1))
	return fmt.Sprintf("%.2g%% apart at most", 100*off), verdict(off < 1e-9)
}

// gainsAbove judges that several processes gain more than a number from 50 kB on, and less at 10
// kB.
func gainsAbove(r *Results, c *Claim) (string, Verdict) {
	gains := gains000(r, 2, 4, 8)
	long := slices.Concat(gains[50e3], gains[100e3], gains[200e3], gains[500e3], gains[1e6])
	low, high, least, most := slices.Min(long), slices.Max(long), slices.Min(gains[10e3]),
		slices.Max(gains[10e3])
	return fmt.Sprintf("%s to %s, and %s to %s at 10 kB", percent(low), percent(high),
		percent(least), percent(most)), verdict(low > c.expected() && most < c.expected())
}

// neverLower judges that no gain is negative.
func neverLower(r *Results, _ *Claim) (string, Verdict) {
	low := math.Inf(1)
	for _, gains := range gains000(r, processes000...) {
		low = min(low, slices.Min(gains))
	}
	return fmt.Sprintf("it gains %s at least", percent(math.Abs(low))), verdict(low > -1e-9)
}

// longGainsMore judges that 8 processes gain more at 1 MB than at 10 kB.
func longGainsMore(r *Results, _ *Claim) (string, Verdict) {
	gains := gains000(r, 8)
	short, long := gains[10e3][0], gains[1e6][0]
	return fmt.Sprintf("%s at 10 kB and %s at 1 MB, with 8 processes", percent(short), percent(long)),
		verdict(long > short)
}

// gains000 returns the gains of the 2-level ring on 24 servers, by the length of messages.
func gains000(r *Results, processes ...int64) map[int64][]float64 {
	gains := map[int64][]float64{}
	for _, bytes := range bytes000 {
		for _, n := range processes {
			gains[bytes] = append(gains[bytes], gain000(r, 24, n, bytes))
		}
	}
	return gains
}

// bestByLength judges that aggregation is the fastest at 10 kB and the 2-level ring at 1 MB. If
// that depends on the assumed machine it is inconclusive.
func bestByLength(r *Results, _ *Claim) (string, Verdict) {
	machines, best := aggregations(r), 0
	for _, m := range machines {
		short, long := m[10e3], m[1e6]
		if short["a2a-sa"] > max(short["a2a-ring"], short["a2a-levels"]) &&
			long["a2a-levels"] > max(long["a2a-ring"], long["a2a-sa"]) {
			best++
		}
	}
	v := Inconclusive
	if best == 0 || best == len(machines) {
		v = verdict(best > 0)
	}
	return fmt.Sprintf("on %d of %d assumed machines", best, len(machines)), v
}

// crossingLength judges where both have the same rate [kB], over all assumed machines.
func crossingLength(r *Results, c *Claim) (string, Verdict) {
	var lengths []float64
	for _, m := range aggregations(r) {
		lengths = append(lengths, crossing(m)/1e3)
	}
	return spread("%.0f", lengths) + " kB, as a step takes 5 to 30 µs besides its bytes, and a " +
		"process has 1 to 4 GB/s inside its server", rangeOf(lengths).near(c.expected())
}

// asFastAsRing judges the rate of aggregation at 1 MB, relative to the ring, over all assumed
// machines.
func asFastAsRing(r *Results, c *Claim) (string, Verdict) {
	var ratios []float64
	for _, m := range aggregations(r) {
		ratios = append(ratios, m[1e6]["a2a-sa"]/m[1e6]["a2a-ring"])
	}
	return spread("%.2f", ratios) + " of it at 1 MB, with 1 to 4 GB/s inside a server",
		rangeOf(ratios).nearRatio(c.expected())
}

// messagesSent judges how many messages a process sends to other servers.
func messagesSent(r *Results, c *Claim) (string, Verdict) {
	var sent []float64
	for _, collective := range []string{"a2a-ring", "a2a-levels", "a2a-sa"} {
		config := shape000{collective, 24, 8, 1e6}.blocked(r) // 7 of them to others of its server
		sent = append(sent, config.T[0].Messages/float64(config.Ranks)-7)
	}
	return fmt.Sprintf("%g, %g and %g", sent[0], sent[1], sent[2]),
		verdict(slices.Equal(sent, c.Expected))
}

// bytesInside judges what aggregation sends inside servers, relative to the 2-level ring.
func bytesInside(r *Results, c *Claim) (string, Verdict) {
	times := inside(r, "a2a-sa") / inside(r, "a2a-levels")
	return fmt.Sprintf("%.1f times", times), exact(times).nearRatio(c.expected())
}

// betweenServers judges the time of aggregation between servers, relative to the 2-level ring.
func betweenServers(r *Results, _ *Claim) (string, Verdict) {
	between := func(collective string) float64 {
		return took(r, collective, 1e9) - inside(r, collective)
	}
	share := between("a2a-sa") / between("a2a-levels")
	return fmt.Sprintf("aggregation takes %.2f of the 2-level ring's", share), exact(share).nearRatio(1)
}

// A machine000 is the assumed values of their machine.
type machine000 struct{ latency, bandwidth float64 }

// aggregations returns the rates of the three all-to-alls on all assumed machines, by the
// length of messages.
func aggregations(r *Results) map[machine000]map[int64]map[string]float64 {
	all := map[machine000]map[int64]map[string]float64{}
	for _, c := range r.Of("aggregation") {
		m := machine000{c.Latency, c.NodeBandwidth}
		if all[m] == nil {
			all[m] = map[int64]map[string]float64{}
		}
		if all[m][c.Bytes] == nil {
			all[m][c.Bytes] = map[string]float64{}
		}
		all[m][c.Bytes][c.Collective] = rate(&c)
	}
	return all
}

// took returns a number proportional to the time of 1 MB with a bandwidth inside servers.
func took(r *Results, collective string, bandwidth float64) float64 {
	return 1 / aggregations(r)[machine000{30e-6, bandwidth}][1e6][collective]
}

// inside returns the part of took with 1 GB/s that falls as 1/bandwidth.
func inside(r *Results, collective string) float64 {
	return (took(r, collective, 1e9) - took(r, collective, 4e9)) / (1 - 1./4)
}

// crossing returns the length at which aggregation has the 2-level ring's rate, interpolated
// between the simulated lengths.
func crossing(rates map[int64]map[string]float64) float64 {
	var lengths []int64
	for bytes := range rates {
		lengths = append(lengths, bytes)
	}
	slices.Sort(lengths)
	ahead := func(bytes int64) float64 { return rates[bytes]["a2a-sa"]/rates[bytes]["a2a-levels"] - 1 }
	for i, bytes := range lengths {
		if ahead(bytes) <= 0 && i > 0 {
			before := lengths[i-1]
			share := ahead(before) / (ahead(before) - ahead(bytes))
			return math.Exp((1-share)*math.Log(float64(before)) + share*math.Log(float64(bytes)))
		}
	}
	return math.NaN()
}

// buffersNeeded judges what the algorithms need beyond what is sent and received.
func buffersNeeded(r *Results, _ *Claim) (string, Verdict) {
	buffer := func(collective string) float64 {
		return shape000{collective, 24, 8, 1e6}.blocked(r).T[0].Buffer
	}
	ring, levels, sa := buffer("a2a-ring"), buffer("a2a-levels"), buffer("a2a-sa")
	return fmt.Sprintf("%.0f, %.0f and %.0f MB for each process", ring/1e6, levels/1e6, sa/1e6),
		verdict(levels <= ring && sa > ring)
}

// unblocked judges that blocking does not change hierarchical all-to-alls.
func unblocked(r *Results, _ *Claim) (string, Verdict) {
	off := 0.0
	for _, bytes := range process000 {
		shape := shape000{"a2a-hierarchical", 24, 8, bytes}
		off = max(off, math.Abs(rate(shape.limited(r, "hol"))/rate(shape.limited(r, "none"))-1))
	}
	return fmt.Sprintf("%.2g%% apart with and without blocking", 100*off), verdict(off < 1e-9)
}

// hierarchicalRate judges the rate of hierarchical all-to-alls, relative to the 2-level ring.
func hierarchicalRate(r *Results, c *Claim) (string, Verdict) {
	var shares []float64
	var texts []string
	for _, bytes := range process000 {
		one := shape000{"a2a-hierarchical", 24, 8, bytes}.limited(r, "hol")
		share := rate(one) / rate(shape000{"a2a-levels", 24, 8, bytes}.limited(r, "hol"))
		shares, texts = append(shares, share), append(texts, fmt.Sprintf("%.2f", share))
	}
	return strings.Join(texts, ", ") + " of it at 10, 50, 200 kB and 1 MB",
		verdict(slices.Max(shares) < c.expected())
}

// onFatTrees returns what the 2-level ring gains on fat trees, where nothing was published.
func onFatTrees(r *Results, _ *Claim) (string, Verdict) {
	var texts []string
	for _, c := range r.Of("fat-trees") {
		if c.Collective == "a2a-levels" {
			ring := r.config("fat-trees", func(d *Config) bool {
				return d.Collective == "a2a-ring" && d.Topology == c.Topology && d.Sync == c.Sync
			})
			texts = append(texts, fmt.Sprintf("%+.1f%% on %s with sync %s", 100*(rate(&c)/rate(ring)-1),
				c.Topology, c.Sync))
		}
	}
	return strings.Join(texts, ", "), Inconclusive
}

// process000 are the lengths of the study of what one process can send.
var process000 = []int64{10e3, 50e3, 200e3, 1e6}

// refused judges what keeps the ring and the 2-level ring from servers of different sizes; nil is
// nothing.
func refused(ring, levels error) (string, Verdict) {
	if levels == nil {
		return "it is simulated", Fails
	}
	return "it is refused: " + levels.Error(), verdict(ring == nil)
}

// unequal returns why an all-to-all has no schedule for servers of different sizes, or nil.
func unequal(collective string) error {
	a, err := collectives.Find(collective)
	if err != nil {
		return err
	}
	_, err = a.Schedule(collectives.Problem{
		Ranks: 190, Bytes: 1e6, Bandwidth: 250e6, Redundancy: collectives.Redundancy{Sources: 1},
		Node: collectives.Node{Ranks: 8, Bandwidth: 1e9},
	})
	return err
}
