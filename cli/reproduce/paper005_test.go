package reproduce

import (
	"math"
	"testing"

	"jitterfly/datasets"
)

// tables005 returns tables with the published medians.
func tables005() map[string][]Config {
	tables := map[string][]Config{}
	mean := map[string]float64{"os": 2, "net": 2, "os+net": 2.5}
	add := func(study, kind, os, net string, c cell005) {
		quiet := key005()[cell005{c.system, "none", c.nodes}].mean
		tables[study] = append(tables[study], Config{
			Axes: datasets.Axes{
				NoiseProfile: c.system, OSKind: os, NetKind: net, Ranks: int64(c.nodes),
			},
			T: []datasets.Measures{
				{
					P50: key005()[cell005{c.system, kind, c.nodes}].mean, NoiseFree: quiet,
					Mean: mean[kind] * quiet, Low: mean[kind] * quiet, High: mean[kind] * quiet,
				},
			},
		})
	}
	for _, s := range systems005 {
		for _, nodes := range nodes005 {
			c, size := cell005{system: s.Preset, nodes: nodes}, ""
			if nodes == largest005 {
				size = "-large"
			}
			add("os"+size, "os", "profile", "none", c)
			add("net"+size, "net", "none", "profile", c)
			add("net"+size, "os+net", "profile", "profile", c)
		}
	}
	for _, c := range []struct {
		system         string
		quiet, os, net float64 // in µs; of 128 KiB on the most nodes
	}{
		{"azure-hc44-rush", 216.609, 337.686, 760.772}, {"azure-hbv2", 155.810, 232.544, 222.289},
		{"alps-quiet", 231.205, 715.937, 787.612}, {"piz-daint", 281.349, 413.461, 611.006},
	} {
		for study, median := range map[string]float64{"os": c.os, "net": c.net} {
			tables[study+long005] = append(tables[study+long005], Config{
				Axes: datasets.Axes{NoiseProfile: c.system, Ranks: largest005},
				T:    []datasets.Measures{{P50: 1e-6 * median, NoiseFree: 1e-6 * c.quiet}},
			})
		}
	}
	return tables
}

func TestJudges005(t *testing.T) {
	trials005 = 2
	t.Cleanup(func() { trials005 = 100 })
	slower := func(factor float64, which func(c *Config) bool) func(c *Config) {
		return func(c *Config) {
			if which(c) {
				m := &c.T[0]
				m.P50, m.Mean, m.Low, m.High = factor*m.P50, factor*m.Mean, factor*m.Low, factor*m.High
			}
		}
	}
	every := func(*Config) bool { return true }
	os := func(c *Config) bool { return c.OSKind == "profile" && c.NetKind == "none" }
	both := func(c *Config) bool { return c.OSKind == "profile" && c.NetKind == "profile" }
	hbv2 := func(c *Config) bool { return c.NoiseProfile == "azure-hbv2" }
	quiet := func(c *Config) { c.T[0].NoiseFree *= 1.01 }
	cases := []judged{
		{"alone slows down more", same, slower(1000, os)},
		{"On 64 nodes both", same, slower(2, every)},
		{"less time than the sum", same, slower(100, both)},
		{"HBv2 is the fastest", same, slower(100, hbv2)},
		{"128 KiB on 16,384 nodes without noise", same, quiet},
		{"128 KiB on 16,384 nodes the noise of the network slows down 1.4", same, slower(2, every)},
		{"128 KiB on 16,384 nodes the noise of the operating", same, slower(1.5, every)},
	}
	for _, system := range []string{"Azure HC44", "Azure HBv2", "Alps", "Piz Daint"} {
		yes := same
		if system == "Alps" { // whose published median of both noises is itself off by more than 10%
			yes = nil
		}
		cases = append(cases,
			judged{system + ", without noise", same, quiet},
			judged{system + ", noise of the operating system", same, slower(1.2, every)},
			judged{system + ", noise of the network", same, slower(1.2, every)},
			judged{system + ", both noises", yes, slower(1.2, every)},
			judged{system + ": slow-down by both", same, slower(2, every)})
	}
	judgeAll(t, mustFind(t, "005"), tables005, cases)
}

// Without noise the replica gives the published times of all systems to the digits that they have,
// with the gap that Piz Daint's need.
func TestReplica005WithoutNoise(t *testing.T) {
	for _, s := range systems005 {
		for _, nodes := range []int{4, 64, 1024} {
			c := cell005{s.Preset, "none", nodes}
			if got, want := replica005(nil, c, rule005{}, 1), key005()[c].mean; math.Abs(got/want-1) > 1e-4 {
				t.Errorf("%v: %g us, published %g us", c, 1e6*got, 1e6*want)
			}
		}
	}
}

// With the noise of the busy hour of HC44 it gives the published medians, and each correction makes
// it slower or leaves it.
func TestReplica005WithNoise(t *testing.T) {
	for _, kind := range noises005 {
		c := cell005{"azure-hc44-rush", kind, 64}
		got, want := replica005(nil, c, rule005{}, 400), key005()[c].mean
		if math.Abs(got/want-1) > 0.1 {
			t.Errorf("%v: %g us, published %g us", c, 1e6*got, 1e6*want)
		}
		for _, r := range []rule005{{waits: true}, {delays: true}, {extends: true}} {
			if corrected := replica005(nil, c, r, 400); corrected < got*0.99 {
				t.Errorf("%v with %+v: %g us, without %g us", c, r, 1e6*corrected, 1e6*got)
			}
		}
	}
	// The second message of Piz Daint is received a gap after the first, and else as it was sent.
	for _, sends := range []bool{false, true} {
		want := map[bool]float64{false: 7.31e-6, true: 6.37e-6}[sends]
		got := replica005(nil, cell005{"piz-daint", "net", 4}, rule005{sends: sends}, 400)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("piz-daint, gap only of sends %v: %g us, want %g us", sends, 1e6*got, 1e6*want)
		}
	}
	c := cell005{"azure-hbv2", "net", 256}
	ratio := replica005(nil, c, rule005{waits: true}, 100) / replica005(nil, c, rule005{}, 100)
	if ratio < 1.03 {
		t.Errorf("waiting for earlier rounds costs %.3f on HBv2", ratio)
	}
}
