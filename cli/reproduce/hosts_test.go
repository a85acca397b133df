package reproduce

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jitterfly/datasets"
)

// tables001 returns tables with bandwidths that fall with connections over sockets only, polls
// of 0.5 µs a connection, an all-to-all that stalls make up to 3 times as slow, and one percent
// for messages that come early.
func tables001() map[string][]Config {
	tables := map[string][]Config{}
	add := func(study string, axes datasets.Axes, mean, rate float64) {
		tables[study] = append(
			tables[study],
			Config{
				Axes:   axes,
				T:      []datasets.Measures{{Mean: mean, Low: 0.999 * mean, High: 1.001 * mean, Bandwidth: rate}},
				Trials: [][]float64{{0.9 * mean, 1.1 * mean}},
			},
		)
	}
	for _, n := range connections001 {
		for _, bytes := range lengths001 {
			alone := float64(bytes) / 117e6
			for progress, poll := range map[string]float64{
				"polling": 1e-6 * float64(n), "epoll": 1e-8, "async": 0,
			} {
				add(
					"bandwidth", datasets.Axes{Progress: progress, Ranks: n + 1, Bytes: bytes}, 0,
					float64(bytes)/(alone+poll),
				)
			}
		}
	}
	for _, n := range polled001 {
		for _, polls := range []int64{1, 2} {
			add(
				"select", datasets.Axes{Ranks: n + 1, Polls: polls}, float64(n)*(1e-3+0.5e-6*float64(n*polls)),
				0,
			)
		}
	}
	const compute = 0.5
	add("is", datasets.Axes{Progress: "async", Compute: compute}, 1, 0)
	for i, times := range []float64{8, 5, 3.1, 2.5, 2, 1.5, 1.2, 1.01} {
		add("is", datasets.Axes{Progress: "polling", Window: windows001[i], Compute: compute}, times, 0)
	}
	for _, collective := range []string{"a2a-ring", "a2a-spread"} {
		for _, bytes := range []int64{10e3, 100e3, 1e6} {
			for _, imbalance := range []float64{0.05, 0.2, 0.5} {
				for progress, mean := range map[string]float64{"polling": 1, "async": 1.01} {
					add("imbalance", datasets.Axes{
						Collective: collective, Bytes: bytes, Imbalance: imbalance, Progress: progress,
					}, mean, 0)
				}
			}
		}
	}
	for _, c := range []struct {
		progress string
		window   int64
		both     float64
	}{{"async", 0, 0.51}, {"polling", 5840, 0.95}, {"polling", 64 << 10, 0.8}} {
		axes := datasets.Axes{Progress: c.progress, Window: c.window, Compute: compute}
		for overlap, mean := range map[string]float64{"none": 1, "all": c.both} {
			axes.Overlap = overlap
			add("overlap", axes, mean, 0)
		}
	}
	return tables
}

// slowed makes some configurations take longer by a factor.
func slowed(by float64, is func(c *Config) bool) func(c *Config) {
	return func(c *Config) {
		if is(c) {
			m := &c.T[0]
			m.Mean, m.Low, m.High, m.Bandwidth = m.Mean*by, m.Low*by, m.High*by, m.Bandwidth/by
			for _, trials := range c.Trials {
				for i := range trials {
					trials[i] *= by
				}
			}
		}
	}
}

func TestJudges001(t *testing.T) {
	window := func(bytes int64) func(c *Config) bool {
		return func(c *Config) bool { return c.Window == bytes }
	}
	imbalanced := func(collective string, bytes int64) func(c *Config) bool {
		return func(c *Config) bool {
			return c.Collective == collective && c.Bytes == bytes && c.Progress == "async"
		}
	}
	sockets := func(bytes int64, connections int64) func(c *Config) bool {
		return func(c *Config) bool {
			return c.Progress == "polling" && c.Ranks == connections+1 && c.Bytes == bytes
		}
	}
	overlapped := func(progress string) func(c *Config) bool {
		return func(c *Config) bool { return c.Overlap == "all" && c.Progress == progress }
	}
	epoll := func(c *Config) bool { return c.Progress == "epoll" && c.Ranks == 1001 }
	judgeAll(t, mustFind(t, "001"), tables001, []judged{
		{"Speed of IS", same, slowed(0.4, func(c *Config) bool { return c.Progress == "polling" })},
		{"make IS slow", same, slowed(2, window(32<<10))},
		{"cost of select does not show", same, slowed(1.1, window(128<<10))},
		{"bandwidth falls", same, slowed(0.1, sockets(30e3, 500))},
		{
			"same for any number",
			same,
			slowed(
				1.02,
				func(c *Config) bool { return c.Progress == "async" && c.Ranks == 101 && c.Bytes == 30e3 },
			),
		},
		{"poll for each", same, slowed(2, func(c *Config) bool { return c.Polls > 0 })},
		{"about linear", same,
			slowed(1.5, func(c *Config) bool { return c.Polls == 2 && c.Ranks == 601 })},
		{"poll of 1000", same,
			slowed(2, func(c *Config) bool { return c.Polls == 2 && c.Ranks == 1001 })},
		{"at least two polls", same,
			slowed(2, func(c *Config) bool { return c.Polls == 2 && c.Ranks == 1001 })},
		{"the slower where messages come", same, slowed(0.98, imbalanced("a2a-ring", 100e3))},
		{"worth paying", slowed(1.1, window(64<<10)), slowed(1.3, imbalanced("a2a-spread", 1e6))},
		{"only inside calls", same, slowed(0.5, overlapped("polling"))},
		{"no match for O2G", slowed(1.1, epoll), same},
		{"at least three times", nil, nil},
		{"MPICH is the slowest", nil, nil},
		{"faster than LAM", nil, nil},
	})
}

// Claims about the rates of Table 2 follow from those alone.
func TestJudgesOfTable2(t *testing.T) {
	p := mustFind(t, "001")
	judge := func(statement string) Verdict {
		for _, claim := range p.Claims {
			if strings.Contains(claim.Statement, statement) {
				_, v := p.judges[claim.Judge](nil, &claim)
				return v
			}
		}
		t.Fatalf("%q is no claim", statement)
		return Inconclusive
	}
	for _, c := range []struct {
		claim   string
		want    Verdict // by their table
		row     int
		library int
		rate    float64 // that turns it
	}{
		{"at least three times", Holds, 4, 2, 90},
		{"MPICH is the slowest", Holds, 6, 3, 5000},
		{"faster than LAM", Fails, 2, 2, 80.4},
	} {
		if v := judge(c.claim); v != c.want {
			t.Errorf("%q by the table: %s, want %s", c.claim, v, c.want)
		}
		rate := &table2of001[c.row].rates[c.library]
		was := *rate
		*rate = c.rate
		if v := judge(c.claim); v == c.want {
			t.Errorf("%q by a table with %g for %g: %s", c.claim, c.rate, was, v)
		}
		*rate = was
	}
}

// tables004 returns tables of six flows on the fullest link of every tree.
func tables004() map[string][]Config {
	var configs []Config
	for _, row := range table004 {
		crossbar := fmt.Sprintf("crossbar:%d", row.nodes)
		for topology, mean := range map[string]float64{row.name: 0.06, crossbar: 0.01} {
			nodes := int64(row.nodes)
			configs = append(configs, Config{
				Axes: datasets.Axes{Topology: topology, Ranks: nodes},
				T:    []datasets.Measures{{Mean: mean, Messages: 10 * float64(nodes)}},
			})
		}
	}
	return map[string][]Config{"fat-trees": configs}
}

func TestJudges004(t *testing.T) {
	smallest := func(c *Config) bool { return c.Topology == "fat-tree:8x8x16" }
	judgeAll(t, mustFind(t, "004"), tables004, []judged{
		{"Nodes of the five", same, func(c *Config) { c.Ranks++ }},
		{"Links of the five", nil, nil},
		{"each node sends", same, func(c *Config) { c.T[0].Messages++ }},
		{"Flows over a link", same, slowed(1.05, smallest)},
		{"thousands of nodes", same, slowed(1./6, smallest)},
	})
}

// The numbers of links come from the topologies that tables name.
func TestLinksOfTable31(t *testing.T) {
	p, r := mustFind(t, "004"), &Results{configs: tables004()}
	claim := Claim{Expected: []float64{3072, 10368, 48000, 82944, 196608}}
	if ours, v := p.judges["links"](r, &claim); v != Holds {
		t.Errorf("%s: %s", ours, v)
	}
	claim.Expected[2] = 47999
	if ours, v := p.judges["links"](r, &claim); v != Fails {
		t.Errorf("%s, where another number is published: %s", ours, v)
	}
}

// A number whose interval contains the border is unclear.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		low, high, published float64
		want                 Verdict
	}{
		{95, 105, 100, Holds}, {91, 91, 100, Holds}, {105, 115, 100, Inconclusive}, {80, 89, 100, Fails},
		{111, 130, 100, Fails}, {-0.105, -0.095, -0.1, Holds},
	} {
		if v := (estimate{low: c.low, high: c.high}).near(c.published); v != c.want {
			t.Errorf("%g to %g against %g: %s", c.low, c.high, c.published, v)
		}
	}
}

// The length where the rates are the same is interpolated between two lengths.
func TestCrossing(t *testing.T) {
	rates := func(sa ...float64) map[int64]map[string]float64 {
		all := map[int64]map[string]float64{}
		for i, v := range sa {
			all[[]int64{1e3, 1e4, 1e5}[i]] = map[string]float64{"a2a-sa": v, "a2a-levels": 100}
		}
		return all
	}
	for _, c := range []struct {
		sa   []float64
		want float64
	}{
		{[]float64{120, 110, 90}, math.Sqrt(1e9)}, {[]float64{120, 100, 90}, 1e4},
		{[]float64{110, 70, 60}, math.Pow(10, 3.25)},
	} {
		if got := crossing(rates(c.sa...)); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("rates of %v against 100: %g B, want %g B", c.sa, got, c.want)
		}
	}
	if got := crossing(rates(120, 110, 105)); !math.IsNaN(got) {
		t.Errorf("rates that do not meet meet at %g B", got)
	}
}
