package reproduce

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/datasets"
)

// A judged is a test case of a claim: changes of a paper's made-up tables with which it holds,
// and with which it does not.
type judged struct {
	claim   string          // a part of its statement, or of where it is and of it
	yes, no func(c *Config) // nil if a test of its own has them
}

// mustFind returns the paper of an ID.
func mustFind(t *testing.T, id string) *Paper {
	t.Helper()
	p, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// same leaves tables as they are.
func same(*Config) {}

// judgeAll tests the claims of a paper on made-up tables, in both directions. Claims without a
// case must be unclear for every table.
func judgeAll(t *testing.T, p *Paper, tables func() map[string][]Config, cases []judged) {
	t.Helper()
	decide := func(claim Claim, r *Results) (string, Verdict) { return p.judges[claim.Judge](r, &claim) }
	changed := func(change func(c *Config)) *Results {
		r := &Results{configs: tables()}
		for _, configs := range r.configs {
			for i := range configs {
				change(&configs[i])
			}
		}
		return r
	}
	tried := map[int]bool{}
	for _, c := range cases {
		found := -1
		for i, claim := range p.Claims {
			if strings.Contains(claim.Where+": "+claim.Statement, c.claim) {
				if found >= 0 {
					t.Fatalf("%q are two claims", c.claim)
				}
				found = i
			}
		}
		if found < 0 {
			t.Fatalf("%q is no claim", c.claim)
		}
		tried[found] = true
		if c.yes == nil {
			continue
		}
		if ours, v := decide(p.Claims[found], changed(c.yes)); v != Holds {
			t.Errorf("%q: %s; it %s, and should hold", c.claim, ours, v)
		}
		if ours, v := decide(p.Claims[found], changed(c.no)); v != Fails {
			t.Errorf("%q: %s; it %s, and should not", c.claim, ours, v)
		}
	}
	for i, claim := range p.Claims {
		if ours, v := decide(claim, changed(same)); !tried[i] && v != Inconclusive {
			t.Errorf("%q has no case, and %s: %s", claim.Statement, v, ours)
		}
		if claim.Tried != "" && !strings.HasSuffix(p.tried(changed(same), &claim), ".") {
			t.Errorf("%q: the attempt is not a sentence", claim.Statement)
		}
		if !tried[i] && claim.Why == "" {
			t.Errorf("%q is inconclusive without a reason", claim.Statement)
		}
	}
}

// ringed returns a made-up configuration of an all-to-all on servers, with a rate in MB/s.
func ringed(collective string, servers, processes, bytes int64, rate float64) Config {
	ranks := float64(servers * processes)
	messages := ranks * (ranks - 1)
	buffer := 0.0
	if collective == "a2a-sa" {
		buffer = float64((servers - 1) * processes * bytes)
		messages = ranks * float64(processes-1+servers-1)
	}
	return Config{
		Axes: datasets.Axes{
			Collective: collective, Bytes: bytes, Contention: "hol",
			Nodes: servers, RanksPerNode: processes, Ranks: servers * processes,
			Latency: 30e-6, Bandwidth: 2e9 / float64(processes),
			NodeLatency: 1e-6, NodeBandwidth: 1e9, MemoryBandwidth: 1e10,
		},
		T: []datasets.Measures{
			{Bandwidth: 1e6 * rate, Messages: messages, Mean: 1 / rate, Buffer: buffer},
		},
	}
}

// tables000 returns tables with the paper's numbers.
func tables000() map[string][]Config {
	gain := func(servers, processes, bytes int64) float64 {
		switch {
		case processes == 1:
			return 1
		case servers == 24 && processes == 8 && bytes == 1e6:
			return 1904. / 1534
		}
		return 1.046 + 0.1*float64(bytes)/1e6 // below 5 % at 10 kB, above at 50 kB
	}
	rate := func(collective string, servers, processes, bytes int64) float64 {
		ring := 1534.
		if processes == 1 {
			ring = 1650
		}
		if collective == "a2a-ring" {
			return ring
		}
		return ring * gain(servers, processes, bytes)
	}
	tables := map[string][]Config{}
	rings := []string{"a2a-ring", "a2a-levels"}
	for _, n := range processes000 {
		for _, s := range servers000 {
			for _, bytes := range bytes000 {
				study := fmt.Sprintf("processes-%d", n)
				for _, c := range rings {
					tables[study] = append(tables[study], ringed(c, s, n, bytes, rate(c, s, n, bytes)))
				}
				tables[study] = append(tables[study], ringed("a2a-sa", s, n, bytes, 1550))
			}
		}
	}
	const small = 5e3 // of the time of the 2-level ring, what is inside servers at 1 B/s there
	for _, inside := range []float64{1e9, 4e9} {
		for _, bytes := range []int64{10e3, 1e6} {
			for _, c := range rings {
				tables["aggregation"] = append(
					tables["aggregation"], ringed(c, 24, 8, bytes, 1/(1/rate(c, 24, 8, bytes)+small/inside)),
				)
			}
			sa := ringed("a2a-sa", 24, 8, bytes, 1750)
			if bytes == 1e6 {
				sa = ringed("a2a-sa", 24, 8, bytes, 1/(1./1904+24*small/inside))
			}
			tables["aggregation"] = append(tables["aggregation"], sa)
			for i := len(tables["aggregation"]) - 3; i < len(tables["aggregation"]); i++ {
				tables["aggregation"][i].NodeBandwidth = inside
			}
		}
	}
	for _, c := range rings {
		tables["queue"] = append(tables["queue"], ringed(c, 24, 8, 1e6, rate(c, 24, 8, 1e6)))
		for _, place := range []string{"fat-tree:2x2x4", "fat-tree:3x3x6"} {
			tree := ringed(map[string]string{"a2a-ring": "a2a-ring", "a2a-levels": "a2a-levels"}[c], 2, 8, 1e6, 1900)
			tree.Topology, tree.Sync = place, "none"
			tables["fat-trees"] = append(tables["fat-trees"], tree)
		}
	}
	tables["npb"] = benchmarks000()
	tables["process-1"], tables["process-8"] = processes(1), processes(8)
	return tables
}

// benchmarks000 returns all-to-alls that save what the benchmarks gain, in all variants.
func benchmarks000() []Config {
	var table []Config
	for i, saved := range []struct {
		bytes   int64
		seconds float64
	}{{8 << 10, 0.21e-3}, {32 << 10, 2.8e-3}, {128 << 10, 14.8e-3}, {512 << 10, 56e-3}, {2 << 20, 0.26}} {
		ring := saved.seconds / (0.1 + 0.02*float64(i)) // the part that is saved grows with the length
		for _, c := range []call000{
			{"hol", 5e-6}, {"hol", 30e-6}, {"hol", 50e-6}, {"hol-queue", 30e-6},
		} {
			for collective, seconds := range map[string]float64{
				"a2a-ring": ring, "a2a-levels": ring - saved.seconds,
			} {
				config := ringed(collective, 16, 8, saved.bytes, 1/seconds)
				config.Contention, config.Latency = c.contention, c.latency
				table = append(table, config)
			}
		}
	}
	return table
}

// processes returns all-to-alls with a limit of what one process sends.
func processes(each int64) []Config {
	var table []Config
	for _, servers := range []int64{4, 8, 24} {
		for _, bytes := range process000 {
			for collective, rate := range map[string]float64{
				"a2a-ring": 1550, "a2a-levels": 1900, "a2a-hierarchical": 1650,
			} {
				for _, contention := range []string{"none", "hol"} {
					config := ringed(collective, servers, each, bytes, rate)
					config.Contention = contention
					table = append(table, config)
				}
			}
		}
	}
	return table
}

// when changes the rates of some configurations by a factor.
func when(is func(c *Config) bool, by float64) func(c *Config) {
	return func(c *Config) {
		if is(c) {
			c.T[0].Bandwidth *= by
			c.T[0].Mean /= by
		}
	}
}

func TestJudges000(t *testing.T) {
	ring := func(c *Config) bool { return c.Collective == "a2a-ring" }
	levels := func(c *Config) bool { return c.Collective == "a2a-levels" }
	several := func(is func(*Config) bool) func(*Config) bool {
		return func(c *Config) bool { return c.RanksPerNode > 1 && is(c) }
	}
	one := func(c *Config) bool { return c.RanksPerNode == 1 }
	plain := func(c *Config) { c.Contention = "none" }
	meets := func(c *Config) { // aggregation has the others' rate at 30 kB only
		c.T[0].Bandwidth = 1e9
		if c.Collective == "a2a-sa" {
			c.T[0].Bandwidth = map[bool]float64{true: 1.0954e9, false: 0.6954e9}[c.Bytes == 10e3]
		}
	}
	hierarchical := func(c *Config) bool { return c.Collective == "a2a-hierarchical" }
	atLength := func(bytes int64) func(c *Config) bool {
		return func(c *Config) bool { return levels(c) && c.Nodes == 16 && c.Bytes == bytes }
	}
	judgeAll(t, mustFind(t, "000"), tables000, []judged{
		{"ring with one process", same, when(one, 1.2)},
		{"ring with several processes", same, when(several(ring), 1.2)},
		{"lower with several processes", same, when(one, 0.9)},
		{"multiples of 8 are the shortest", same, plain},
		{"takes 1/(1 − α(1 − α)) times", same, plain},
		{"Rate of the ring on 24", same, when(ring, 0.8)},
		{"Rate of the 2-level ring on 24", same, when(levels, 1.2)},
		{"5.2, abstract", same, when(levels, 1.1)},
		{"part of the link", same, when(levels, 0.99)},
		{"the 2-level ring's rate rises", when(one, 0.8), when(one, 1.1)},
		{
			"The gain of the 2-level ring is largest",
			same,
			when(func(c *Config) bool { return levels(c) && c.Nodes == 4 && c.RanksPerNode == 2 }, 1.2),
		},
		{"With one process on a server", same,
			when(func(c *Config) bool { return one(c) && ring(c) }, 0.999)},
		{"Above some tens of kB", same,
			when(func(c *Config) bool { return several(levels)(c) && c.Bytes == 50e3 }, 0.95)},
		{
			"At no length",
			same,
			when(
				func(c *Config) bool { return several(levels)(c) && c.Bytes == 10e3 && c.RanksPerNode == 4 },
				0.9,
			),
		},
		{"gains more from long", same,
			when(func(c *Config) bool { return several(levels)(c) && c.Bytes == 10e3 }, 1.3)},
		{"aggregation is the best for short", same,
			when(func(c *Config) bool { return c.Collective == "a2a-sa" && c.Bytes == 10e3 }, 0.8)},
		{"length of messages at which", meets, same},
		{"about the ring's rate", func(c *Config) { c.T[0].Bandwidth = 1e9 }, meets},
		{"Messages that a process sends", same, func(c *Config) { c.T[0].Messages *= 2 }},
		{"about the same time between", same,
			when(func(c *Config) bool { return c.Collective == "a2a-sa" }, 0.8)},
		{
			"Bytes that a process sends inside",
			same,
			when(func(c *Config) bool { return c.Collective == "a2a-sa" && c.NodeBandwidth == 1e9 }, 1.1),
		},
		{"falls by less", same, when(func(c *Config) bool { return levels(c) && c.Bytes == 8<<10 }, 1.5)},
		{"Steps before 8 and after 56", nil, nil},
		{"No step of the 2-level ring", nil, nil},
		{"FT, class B", same, when(atLength(32<<10), 1.3)},
		{"FT, class C", same, when(atLength(128<<10), 1.3)},
		{"FT, class D", same, when(atLength(2<<20), 1.3)},
		{"IS, class B", same, when(atLength(8<<10), 1.3)},
		{"IS, class C", same, when(atLength(32<<10), 1.3)},
		{"IS, class D", same, when(atLength(512<<10), 1.3)},
		{"same number of processes on every", nil, nil},
		{"needs no more memory", same, func(c *Config) { c.T[0].Buffer = 0 }},
		{"Hierarchical all-to-alls", same,
			when(func(c *Config) bool { return hierarchical(c) && c.Contention == "hol" }, 0.9)},
		{"hardly reach", same, when(hierarchical, 1.15)},
	})
}

// What keeps an algorithm from servers of different sizes is not in tables. Where a claim depends
// on what was assumed it is inconclusive.
func TestOtherJudges000(t *testing.T) {
	why := errors.New("servers differ")
	for _, c := range []struct {
		ring, levels error
		want         Verdict
	}{{nil, why, Holds}, {nil, nil, Fails}, {why, why, Fails}} {
		if ours, v := refused(c.ring, c.levels); v != c.want {
			t.Errorf("ring: %v, levels: %v: it %s: %s", c.ring, c.levels, v, ours)
		}
	}
	r := &Results{configs: tables000()}
	for i := range r.configs["aggregation"] {
		c := &r.configs["aggregation"][i]
		when(func(c *Config) bool { return c.Collective == "a2a-sa" && c.NodeBandwidth == 4e9 }, 0.8)(c)
	}
	for i := range r.configs["processes-8"] {
		c := &r.configs["processes-8"][i]
		when(func(c *Config) bool { return c.Collective == "a2a-levels" && c.Bytes == 10e3 }, 1.05)(c)
	}
	p := mustFind(t, "000")
	for _, claim := range p.Claims {
		want, judged := map[string]Verdict{
			"Send-side aggregation is the best for short messages, and the 2-level ring for long ones.": Inconclusive,
			"Above some tens of kB the 2-level ring's rate is higher, with several processes on each " +
				"of 24 servers.": Fails, // since it is higher at 10 kB too
		}[claim.Statement]
		if ours, v := p.judges[claim.Judge](r, &claim); judged && v != want {
			t.Errorf("%s It %s: %s", claim.Statement, v, ours)
		}
	}
}

// Shapes of steps that none of our tables has.
func TestStepsAreJudged(t *testing.T) {
	times := make([]float64, 63)
	for i := range times {
		times[i] = 1
		if step := i + 1; step < 8 || step > 56 {
			times[i] = 0.7
		}
	}
	if ours, v := ends(times); v != Holds {
		t.Errorf("steps at the ends are short, and it %s: %s", v, ours)
	}
	times[3] = 60
	if ours, v := ends(times); v != Fails {
		t.Errorf("one step at an end is long, and it %s: %s", v, ours)
	}
	times = slices.Repeat([]float64{1}, 63)
	times[0] = 2 // inside servers
	if ours, v := flat(times); v != Holds {
		t.Errorf("all steps take the same time, and it %s: %s", v, ours)
	}
	times[30] = 1.1
	if ours, v := flat(times); v != Fails {
		t.Errorf("one step is longer, and it %s: %s", v, ours)
	}
}

// Each round begins when the round before has ended at all ranks, so that a round's time is the
// formula's: with 2 ranks a node, every other step crosses the switch to two nodes, but the first
// and the last, of which a message inside a node takes the longest.
func TestStepsOfARing(t *testing.T) {
	c := ringed("a2a-ring", 3, 2, 1e6, 1)
	c.Latency = 0
	for i, time := range steps(&c) {
		want := 1e6 / c.Bandwidth
		switch i + 1 {
		case 3:
			want *= 4. / 3
		case 1, 5:
			want = c.NodeLatency + 1e6/c.NodeBandwidth
		}
		if math.Abs(time-want) > 1e-12 {
			t.Errorf("step %d takes %g s, want %g s", i+1, time, want)
		}
	}
}
