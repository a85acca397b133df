package reproduce

import (
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

// same leaves tables as they are.
func same(*Config) {}

// judgeAll tests the claims of a paper on made-up tables, in both directions. Claims without a
// case must be unclear for every table.
func judgeAll(t *testing.T, p *Paper, tables func() map[string][]Config, cases []judged) {
	t.Helper()
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
		if ours, v := p.Claims[found].Judge(changed(c.yes)); v != Holds {
			t.Errorf("%q: %s; it %s, and should hold", c.claim, ours, v)
		}
		if ours, v := p.Claims[found].Judge(changed(c.no)); v != Fails {
			t.Errorf("%q: %s; it %s, and should not", c.claim, ours, v)
		}
	}
	for i, claim := range p.Claims {
		if ours, v := claim.Judge(changed(same)); !tried[i] && v != Unclear {
			t.Errorf("%q has no case, and %s: %s", claim.Statement, v, ours)
		}
		if claim.Judge == nil || claim.Published == "" {
			t.Errorf("%q: nothing is published, or judged", claim.Statement)
		}
		if claim.Tried != nil && !strings.HasSuffix(claim.Tried(changed(same)), ".") {
			t.Errorf("%q: what was tried is no sentence", claim.Statement)
		}
		if !tried[i] && claim.Why == "" {
			t.Errorf("%q cannot be told, and nobody says why", claim.Statement)
		}
	}
}

// ringed returns a made-up configuration of an all-to-all on servers, with a rate in MB/s.
func ringed(collective string, servers, processes, bytes int64, rate float64) Config {
	ranks := float64(servers * processes)
	messages := ranks * (ranks - 1)
	if collective == "a2a-sa" {
		messages = ranks * float64(processes-1+servers-1)
	}
	return Config{
		Axes: datasets.Axes{
			Collective: collective, Bytes: bytes, Contention: "hol",
			Nodes: servers, RanksPerNode: processes, Ranks: servers * processes,
			Latency: 30e-6, Bandwidth: 2e9 / float64(processes),
			NodeLatency: 1e-6, NodeBandwidth: 1e9, MemoryBandwidth: 1e10,
		},
		T: []datasets.Measures{{Bandwidth: 1e6 * rate, Messages: messages, Mean: 1 / rate}},
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
		return 1.05 + 0.1*float64(bytes)/1e6
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
	rings := []string{"a2a-ring", "a2a-2level"}
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
		for _, bytes := range []int64{1e3, 1e6} {
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
	for _, bytes := range []int64{8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20} {
		for _, c := range rings {
			tables["npb"] = append(tables["npb"], ringed(c, 16, 8, bytes, rate(c, 16, 8, bytes)))
		}
	}
	return tables
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
	levels := func(c *Config) bool { return c.Collective == "a2a-2level" }
	several := func(is func(*Config) bool) func(*Config) bool {
		return func(c *Config) bool { return c.RanksPerNode > 1 && is(c) }
	}
	one := func(c *Config) bool { return c.RanksPerNode == 1 }
	plain := func(c *Config) { c.Contention = "none" }
	judgeAll(t, &paper000, tables000, []judged{
		{"ring with one process", same, when(one, 1.2)},
		{"ring with several processes", same, when(several(ring), 1.2)},
		{"lower with several processes", same, when(one, 0.9)},
		{"multiples of 8 are the shortest", same, plain},
		{"takes 1/(1 − α(1 − α)) as", same, plain},
		{"Rate of the ring on 24", same, when(ring, 0.8)},
		{"Rate of the 2-level ring on 24", same, when(levels, 1.2)},
		{"5.2, abstract", same, when(levels, 1.1)},
		{"part of the link", same, when(levels, 0.99)},
		{"the 2-level ring's rate rises", when(one, 0.8), when(one, 1.1)},
		{
			"gains is the most",
			same,
			when(func(c *Config) bool { return levels(c) && c.Nodes == 4 && c.RanksPerNode == 2 }, 1.2),
		},
		{
			"With one process on a server",
			same,
			when(func(c *Config) bool { return one(c) && ring(c) }, 0.999),
		},
		{
			"Above some tens of kB",
			same,
			when(func(c *Config) bool { return several(levels)(c) && c.Bytes == 50e3 }, 0.95),
		},
		{
			"At no length",
			same,
			when(
				func(c *Config) bool { return several(levels)(c) && c.Bytes == 10e3 && c.RanksPerNode == 4 },
				0.9,
			),
		},
		{
			"gains more from long",
			same,
			when(func(c *Config) bool { return several(levels)(c) && c.Bytes == 10e3 }, 1.3),
		},
		{
			"aggregation is the best for short",
			same,
			when(func(c *Config) bool { return c.Collective == "a2a-sa" && c.NodeBandwidth == 4e9 }, 0.8),
		},
		{"sends to other servers", same, func(c *Config) { c.T[0].Messages *= 2 }},
		{
			"about the same time between",
			same,
			when(func(c *Config) bool { return c.Collective == "a2a-sa" }, 0.8),
		},
		{
			"Bytes that a process sends inside",
			same,
			when(func(c *Config) bool { return c.Collective == "a2a-sa" && c.NodeBandwidth == 1e9 }, 1.1),
		},
		{"falls by less", same, when(func(c *Config) bool { return levels(c) && c.Bytes == 8<<10 }, 1.5)},
		{"Steps before 8 and after 56", nil, nil},
		{"No step of the 2-level ring", nil, nil},
	})
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
// formula's: with 2 ranks a node, every other step crosses the switch to two nodes.
func TestStepsOfARing(t *testing.T) {
	c := ringed("a2a-ring", 3, 2, 1e6, 1)
	c.Latency = 0
	for i, time := range steps(&c) {
		want := 1e6 / c.Bandwidth
		if i%2 == 0 {
			want *= 4. / 3
		}
		if math.Abs(time-want) > 1e-12 {
			t.Errorf("step %d takes %g s, want %g s", i+1, time, want)
		}
	}
}
