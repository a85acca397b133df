package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/figures"
	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/units"
	"jitterfly/noise"
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

// rates000 draws the rates of 1 MB over servers.
func rates000(collectives ...string) drawing {
	return curves000("Bandwidth of a server, by its processes; 1 MB",
		figures.ChartAxis{Name: "servers", Linear: true, Whole: true}, 1, servers000, processes000,
		func(collective string, n, servers int64) shape000 {
			return shape000{collective, servers, n, 1e6}
		}, collectives...)
}

// messages000 draws the rates of 24 servers over lengths of messages.
func messages000(processes []int64, collectives ...string) drawing {
	return curves000("Bandwidth of a server, by its processes; 24 servers",
		figures.ChartAxis{Name: "message (kB)", Dimension: units.Number}, 1e3, bytes000, processes,
		func(collective string, n, bytes int64) shape000 {
			return shape000{collective, 24, n, bytes}
		}, collectives...)
}

// curves000 draws a rate for each algorithm and number of processes over the values of an axis, in a
// unit.
func curves000(
	title string, axis figures.ChartAxis, unit float64, values, processes []int64,
	at func(collective string, processes, value int64) shape000, collectives ...string,
) drawing {
	return func(r *Results, name string) figures.Figure {
		y := figures.ChartAxis{Name: "MB/s", Linear: true, To: 2000}
		chart := figures.Chart{Title: title, X: axis, Y: y}
		for i, collective := range collectives {
			for j, n := range processes {
				l := figures.Line{Label: label000(collective, n), Dots: true, Color: i + 1}
				if len(processes) > 1 {
					l.Dashed, l.Color = i > 0, j+1
				}
				for _, v := range values {
					l.X = append(l.X, float64(v)/unit)
					l.Y = append(l.Y, rate(at(collective, n, v).blocked(r)))
				}
				chart.Lines = append(chart.Lines, l)
			}
		}
		return chart.Figure(name)
	}
}

// label000 returns the name of a line: the algorithm and the number of processes on a server.
func label000(collective string, processes int64) string {
	name := map[string]string{"a2a-ring": "ring", "a2a-levels": "2-level", "a2a-sa": "SA"}[collective]
	return fmt.Sprintf("%s, %d", name, processes)
}

// steps000 draws the times of the steps of an all-to-all, blocked by the formula and, if there is
// a second label, by queues with memory.
func steps000(collective string, labels ...string) drawing {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: "Time of each step, of step 8",
			X:     figures.ChartAxis{Name: "step", Linear: true, Whole: true},
			Y:     figures.ChartAxis{Name: "relative time", Linear: true, To: 1.5},
		}
		for i, label := range labels {
			l := figures.Line{Label: label, Color: i + 1, Dashed: i > 0, Y: stepsOf(r, collective)}
			if i > 0 {
				l.Y = relative(r.config("queue", shape000{collective, 8, 8, 1e6}.is))
			}
			for step := range l.Y {
				l.X = append(l.X, float64(step+1))
			}
			chart.Y.To = max(chart.Y.To, slices.Max(l.Y))
			chart.Lines = append(chart.Lines, l)
		}
		return chart.Figure(name)
	}
}

// stepsOf returns the times of an all-to-all's steps on 8 servers of 8 processes, relative to
// step 8.
func stepsOf(r *Results, collective string) []float64 {
	return relative(shape000{collective, 8, 8, 1e6}.blocked(r))
}

// relative returns the times of the steps of a configuration, relative to step 8.
func relative(c *Config) []float64 {
	times := steps(c)
	first := times[7]
	for i := range times {
		times[i] /= first
	}
	return times
}

// steps returns the noise-free times [s] of the rounds of a configuration's collective, with a
// barrier between rounds: all ranks begin a round at the same time, and it ends with the last
// rank. Tables contain only the time of all rounds.
func steps(c *Config) []float64 {
	p := collectives.Problem{
		Ranks: int(c.Ranks), Bytes: float64(c.Bytes),
		Latency: c.Latency, Bandwidth: c.Bandwidth, MemoryBandwidth: c.MemoryBandwidth,
		Node: collectives.Node{
			Ranks: int(c.RanksPerNode), Latency: c.NodeLatency, Bandwidth: c.NodeBandwidth,
			ProcessBandwidth: c.ProcessBandwidth,
		},
		Redundancy: collectives.Redundancy{Sources: 1}, Contention: contention000[c.Contention],
	}
	a, err := collectives.Find(c.Collective)
	if err != nil {
		panic(fmt.Sprintf("reproduce: no schedule for %s: %v", c.Collective, err))
	}
	s, err := a.Schedule(p)
	if err != nil {
		panic(fmt.Sprintf("reproduce: %v", err))
	}
	simulator := rounds.NewSimulator(p.Ranks)
	noNoise := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays(0))
	var times []float64
	for _, round := range s.Rounds {
		one := s
		one.Rounds = []collectives.Round{round}
		one.Checkpoints = []collectives.Checkpoint{
			{Rounds: 1, Posters: collectives.Span{Lo: 0, Hi: p.Ranks}},
		}
		trial := rounds.Trial{Completion: make([]float64, 1)}
		plan := rounds.NewPlan(&one, p)
		if err := simulator.Run(context.Background(), plan, noNoise, &trial); err != nil {
			panic(fmt.Sprintf("reproduce: %v", err)) // the context is never cancelled
		}
		times = append(times, trial.Completion[0])
	}
	return times
}

// contention000 are the values of the key contention.
var contention000 = map[string]collectives.Contention{
	"hol": collectives.HoL, "hol-queue": collectives.HoLQueue,
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

// stepsBetween judges the steps from 8 to 56: those at multiples of 8 are the shortest.
func stepsBetween(r *Results, _ *Claim) (string, Verdict) {
	var multiples, others []float64
	times := stepsOf(r, "a2a-ring")
	for step := 8; step <= 56; step++ {
		if step%8 == 0 {
			multiples = append(multiples, times[step-1])
		} else {
			others = append(others, times[step-1])
		}
	}
	return fmt.Sprintf("%s of step 8 at multiples of 8, %s at others", spread("%.2f", multiples),
		spread("%.2f", others)), verdict(slices.Min(others) > 1.01*slices.Max(multiples))
}

// stepsAtEnds judges the steps before 8 and after 56.
func stepsAtEnds(r *Results, _ *Claim) (string, Verdict) {
	ours, v := ends(stepsOf(r, "a2a-ring"))
	limited := relative(shape000{"a2a-ring", 8, 8, 1e6}.limited(r, "hol"))
	return fmt.Sprintf("%s; %.2f if one process can send 1750 MB/s", ours, outer(limited)), v
}

// ends compares the times of the steps before 8 and after 56 with those between.
func ends(times []float64) (string, Verdict) {
	short, inner := outer(times), stat.Mean(times[7:56], nil)
	return fmt.Sprintf("%.2f of step 8 on average, and %.2f between", short, inner),
		verdict(short < (1-tolerance)*inner)
}

// outer returns the average time of the steps before 8 and after 56.
func outer(times []float64) float64 { return stat.Mean(slices.Concat(times[:7], times[56:]), nil) }

// blockedSteps judges the times of steps 9 to 12.
func blockedSteps(r *Results, c *Claim) (string, Verdict) {
	times, v := stepsOf(r, "a2a-ring")[8:12], Holds
	var texts []string
	for i, published := range c.Expected {
		texts = append(texts, fmt.Sprintf("%.2f", times[i]))
		v = all(v, exact(times[i]).nearRatio(published))
	}
	return strings.Join(texts, ", "), v
}

// equalSteps judges the steps of the 2-level ring between servers.
func equalSteps(r *Results, _ *Claim) (string, Verdict) { return flat(stepsOf(r, "a2a-levels")) }

// flat judges whether steps between servers are no longer than those at multiples of 8.
func flat(times []float64) (string, Verdict) {
	most := slices.Max(times[7:])
	return fmt.Sprintf("the longest is %.2f of step 8", most), verdict(most < 1.01)
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

// gainsAbove judges that several processes gain more than a number from 50 kB on, and less at 10 kB.
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

// bestByLength judges that aggregation is the fastest at 10 kB and the 2-level ring at 1 MB. If that
// depends on the assumed machine it is inconclusive.
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

// A run000 is a run of a benchmark on 16 servers of 8 processes, with the ring (table 3 of paper
// 000). Of class B of FT the two times of the table are interchanged, since its rates are not.
type run000 struct {
	bytes int64   // of a message, on average
	calls float64 // all-to-alls while the benchmark takes its time
	total float64 // its time [s]
}

// runs000 are the runs of table 3. The calls are those of NPB 3.3: of FT one transform at the start
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
