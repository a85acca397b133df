package reproduce

import (
	"fmt"
	"math"
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
				Axes: axes,
				T:    []datasets.Measures{{Mean: mean, Low: 0.999 * mean, High: 1.001 * mean, Bandwidth: rate}},
			},
		)
	}
	for _, n := range connections001 {
		for _, bytes := range lengths001 {
			alone := float64(bytes) / 117e6
			for progress, poll := range map[string]float64{"polling": 1e-6 * float64(n), "async": 0} {
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
	add("is", datasets.Axes{Progress: "async"}, 1, 0)
	for i, times := range []float64{3, 2.5, 2, 1.5, 1.2, 1.01} {
		add("is", datasets.Axes{Progress: "polling", Window: windows001[i]}, times, 0)
	}
	add("imbalance", datasets.Axes{Progress: "polling", Bytes: 1e6}, 1, 0)
	add("imbalance", datasets.Axes{Progress: "async", Bytes: 1e6}, 1.01, 0)
	return tables
}

// slowed makes some configurations take longer by a factor.
func slowed(by float64, is func(c *Config) bool) func(c *Config) {
	return func(c *Config) {
		if is(c) {
			m := &c.T[0]
			m.Mean, m.Low, m.High, m.Bandwidth = m.Mean*by, m.Low*by, m.High*by, m.Bandwidth/by
		}
	}
}

func TestJudges001(t *testing.T) {
	window := func(bytes int64) func(c *Config) bool {
		return func(c *Config) bool { return c.Window == bytes }
	}
	imbalanced := func(c *Config) bool {
		return c.Bytes == 1e6 && c.Ranks == 0 && c.Progress == "async"
	}
	judgeAll(t, &paper001, tables001, []judged{
		{"makes IS slow", same, slowed(2, window(32<<10))},
		{"cost of select does not show", same, slowed(1.1, window(128<<10))},
		{
			"bandwidth falls",
			same,
			slowed(
				0.1,
				func(c *Config) bool { return c.Progress == "polling" && c.Ranks == 501 && c.Bytes == 30e3 },
			),
		},
		{
			"same for any number",
			same,
			slowed(
				1.02,
				func(c *Config) bool { return c.Progress == "async" && c.Ranks == 101 && c.Bytes == 30e3 },
			),
		},
		{"poll takes for each", same, slowed(2, func(c *Config) bool { return c.Polls > 0 })},
		{
			"about linear",
			same,
			slowed(1.5, func(c *Config) bool { return c.Polls == 2 && c.Ranks == 601 }),
		},
		{
			"poll takes at 1000",
			same,
			slowed(2, func(c *Config) bool { return c.Polls == 2 && c.Ranks == 1001 }),
		},
		{
			"at least two polls",
			same,
			slowed(
				2,
				func(c *Config) bool { return c.Progress == "polling" && c.Ranks == 1001 && c.Bytes == 10e3 },
			),
		},
		{"the slower where messages come", same, slowed(0.98, imbalanced)},
		{"worth paying", same, slowed(1.3, imbalanced)},
	})
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
	judgeAll(t, &paper004, tables004, []judged{
		{"Nodes of the five", same, func(c *Config) { c.Ranks++ }},
		{"Links of the five", nil, nil},
		{"each node sends", same, func(c *Config) { c.T[0].Messages++ }},
		{"Flows over a link", same, slowed(1.05, smallest)},
		{"thousands of nodes", same, slowed(1./6, smallest)},
	})
}

// The numbers of links come from the topologies that tables name.
func TestLinksOfTable31(t *testing.T) {
	for i, claim := range claims004 {
		if claim.Statement != "Links of the five trees." {
			continue
		}
		r := &Results{configs: tables004()}
		if ours, v := claims004[i].Judge(r); v != Holds {
			t.Errorf("%s: %s", ours, v)
		}
		defer func(was int) { table004[2].links = was }(table004[2].links)
		table004[2].links = 47999
		if ours, v := claims004[i].Judge(r); v != Fails {
			t.Errorf("%s, where another number is published: %s", ours, v)
		}
		return
	}
	t.Error("no claim is about links")
}

// A number whose interval contains the border is unclear.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		low, high, published float64
		want                 Verdict
	}{
		{95, 105, 100, Holds}, {91, 91, 100, Holds}, {105, 115, 100, Unclear}, {80, 89, 100, Fails},
		{111, 130, 100, Fails}, {-0.105, -0.095, -0.1, Holds},
	} {
		if v := near(c.low, c.high, c.published); v != c.want {
			t.Errorf("%g to %g against %g: %s", c.low, c.high, c.published, v)
		}
	}
}

// The length where the rates are the same is interpolated between two lengths.
func TestCrossing(t *testing.T) {
	rates := func(sa ...float64) map[int64]map[string]float64 {
		all := map[int64]map[string]float64{}
		for i, v := range sa {
			all[[]int64{1e3, 1e4, 1e5}[i]] = map[string]float64{"a2a-sa": v, "a2a-2level": 100}
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
