package reproduce

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"jitterfly/cli/figures"
	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// paper005 is the paper that simulates collectives on measured clouds with LogGOPSim.
var paper005 = Paper{
	ID:    "005",
	Adapt: adapt005,
	draws: map[string]drawing{
		"alps-quiet": clouds005, "azure-hc44-rush": clouds005, "azure-hbv2": clouds005,
		"piz-daint": clouds005,
	},
	judges: map[string]judge{
		"cells":     cells005,
		"slow-down": slowdown005,
		"os above network": func(r *Results, c *Claim) (string, Verdict) {
			return each005(func(system string) estimate {
				os := median005(r, cell005{system, "os", largest005})
				return os.of(median005(r, cell005{system, "net", largest005}))
			}, func(e estimate, system string) Verdict {
				if slices.Contains(c.Studies, system) {
					return e.atLeast(1)
				}
				return e.atMost(1)
			})
		},
		"small": func(r *Results, c *Claim) (string, Verdict) {
			return each005(func(system string) estimate {
				return slow005(r, cell005{system, "os+net", 64})
			}, func(e estimate, _ string) Verdict { return e.atMost(c.expected()) })
		},
		"below the sum": func(r *Results, _ *Claim) (string, Verdict) {
			return each005(func(system string) estimate {
				more := func(kind string) estimate {
					m := config005(r, cell005{system, kind, largest005}).T[0]
					return estimate{m.Mean - m.NoiseFree, m.Low - m.NoiseFree, m.High - m.NoiseFree}
				}
				sum := mid(more("os"), more("net"))
				return more("os+net").of(estimate{2 * sum.mean, 2 * sum.low, 2 * sum.high})
			}, func(e estimate, _ string) Verdict { return e.atMost(1) })
		},
		"fastest": func(r *Results, c *Claim) (string, Verdict) {
			fastest := median005(r, cell005{c.Part, "os+net", largest005})
			verdicts := []Verdict{}
			for _, s := range systems005 {
				if s.Preset != c.Part {
					other := median005(r, cell005{s.Preset, "os+net", largest005})
					verdicts = append(verdicts, other.above(fastest))
				}
			}
			return micro005(fastest), all(verdicts...)
		},
		"128 KiB, quiet":   quietLong005,
		"128 KiB, network": judgeLong005("net"),
		"128 KiB, os":      judgeLong005("os"),
		"not simulated":    unsimulated("not simulated"),
	},
	values: map[string]value{"replica": replicated005(effects005, 1024),
		"reception": replicated005(reception005, largest005)},
}

// replicated005 returns a text about the cell of a claim, whose Part is the preset and the noise.
func replicated005(text func(*Archive, cell005) string, nodes int) value {
	return func(r *Results, c *Claim, _ string) string {
		system, kind, _ := strings.Cut(c.Part, " ")
		return text(r.Archive, cell005{system, kind, nodes})
	}
}

// bytes005 is N of the messages. The studies have one byte less, which cost what LogGP charges.
const bytes005 = 16

// largest005 is the largest number of nodes.
const largest005 = 16384

// nodes005 are the numbers of nodes that are compared.
var nodes005 = []int{4, 64, 1024, largest005}

// noises005 are the kinds of noise, by their names in the published data.
var noises005 = []string{"os", "net", "os+net"}

// A system005 is a system of the paper with its preset, its run in the published data, the shortest
// of its half round trips [s], and what the paper scales them by.
type system005 struct {
	Preset, run string
	shortest    float64
	middle      func(noise.Length) float64
}

// systems005 are the systems whose traces are known. The published code scales latencies by the
// median; the published results have been scaled by the mean on two systems.
var systems005 = []system005{
	{"azure-hc44-rush", "azure_hpc44rs_azure_rush_same_rack/2022_03_18_22_04_11",
		1.576613e-6, profile.Median},
	{"azure-hbv2", "azure_hbv2_rush_hour/2022_03_25_17_01_24", 1.6495e-6, profile.Median},
	{"alps-quiet", "alps/2022_07_14_12_59_18", 2.5045e-6, noise.Length.Mean},
	{"piz-daint", "daint/2022_05_19_13_03_39", 1.192e-6, noise.Length.Mean},
}

// systemOf005 returns the system of a preset. It panics if the paper has none.
func systemOf005(preset string) system005 {
	i := slices.IndexFunc(systems005, func(s system005) bool { return s.Preset == preset })
	if i < 0 {
		panic("reproduce: paper 005 has no system " + preset)
	}
	return systems005[i]
}

// adapt005 returns the machine of a system: measured latencies are scaled to L in studies of network
// noise. In the archive both noises are replayed.
func adapt005(p profile.Profile, study Study, a *Archive) (Machine, error) {
	s, m := systemOf005(p.Name), Machine{ID: "005"}
	shortest := s.shortest
	if a != nil {
		seen, err := a.measurements(s)
		if err != nil {
			return m, err
		}
		shortest, m.Trace, m.ID = seen.shortest, seen.trace, seen.digest
		p.OS = []profile.Component{{Kind: profile.Replay, Trace: detours005}}
		p.Network.Noise = &profile.MessageNoise{Duration: seen.excess}
	}
	m.Profile = p
	noisy := strings.HasPrefix(study.Name, "net")
	if noisy {
		var err error
		if m.Network, err = m.Network.Rescaled(shortest, s.middle); err != nil {
			return m, err
		}
	}
	if strings.HasSuffix(study.Name, long005) {
		m.Network = lengthened005(m.Network, s, noisy)
	}
	return m, nil
}

// A cell005 is a configuration of the published data.
type cell005 struct {
	system, noise string
	nodes         int
}

// table005 returns the rows of an embedded table below its head.
func table005(name string) [][]string {
	text, err := files.Open("papers/005-" + name + ".csv")
	if err != nil {
		panic(err) // it is embedded
	}
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil {
		panic(err)
	}
	return rows[1:]
}

// key005 returns the published medians [s], of 16 B and the algorithm without computing.
var key005 = sync.OnceValue(func() map[cell005]estimate {
	key := map[cell005]estimate{}
	for _, row := range table005("key") {
		c := cell005{row[0], row[1], int(number(row[2]))}
		key[c] = estimate{number(row[4]), number(row[5]), number(row[6])}
	}
	return key
})

// study005 returns the study that simulates a noise.
func study005(noise string) string {
	if noise == "os" || noise == "none" {
		return "os"
	}
	return "net"
}

// config005 returns the configuration of a cell.
func config005(r *Results, c cell005) *Config {
	study, os := study005(c.noise), "none"
	if c.noise != "net" {
		os = "profile"
	}
	if c.nodes == largest005 {
		study += "-large"
	}
	return r.config(study, func(config *Config) bool {
		name, _, _ := strings.Cut(config.NoiseProfile, "@")
		return name == c.system && config.OSKind == os && config.Ranks == int64(c.nodes)
	})
}

// median005 returns our median time [s] of a cell, with the interval of its order statistics.
func median005(r *Results, c cell005) estimate {
	return medianOf005(config005(r, c))
}

// medianOf005 is median005 of a configuration.
func medianOf005(config *Config) estimate {
	e := exact(config.T[0].P50)
	if len(config.Trials) == 0 {
		return e
	}
	sorted := slices.Clone(config.Trials[0])
	slices.Sort(sorted)
	n, half := len(sorted), int(math.Ceil(0.98*math.Sqrt(float64(len(sorted)))))
	e.low, e.high = sorted[max(0, n/2-half)], sorted[min(n-1, n/2+half)]
	return e
}

// quiet005 returns our time [s] without noise.
func quiet005(r *Results, system string, nodes int) float64 {
	return config005(r, cell005{system, "none", nodes}).T[0].NoiseFree
}

// slow005 returns our median of a cell over the time without noise.
func slow005(r *Results, c cell005) estimate {
	return median005(r, c).of(exact(quiet005(r, c.system, c.nodes)))
}

// cells005 judges the medians of a system under one noise at all numbers of nodes: Part is the
// preset and the noise.
func cells005(r *Results, c *Claim) (string, Verdict) {
	system, kind, _ := strings.Cut(c.Part, " ")
	var verdicts []Verdict
	var ours []string
	for _, nodes := range nodes005 {
		cell := cell005{system, kind, nodes}
		published := key005()[cell]
		e := exact(quiet005(r, system, nodes))
		if kind == "none" {
			verdicts = append(verdicts, verdict(math.Abs(e.mean/published.mean-1) < 1e-5))
		} else {
			e = median005(r, cell)
			verdicts = append(verdicts, e.of(published).within(1-tolerance, 1+tolerance))
		}
		ours = append(ours, fmt.Sprintf("%.4g", 1e6*e.mean))
	}
	return strings.Join(ours, ", ") + " µs", all(verdicts...)
}

// slowdown005 judges a slow-down by both noises on the most nodes: Part is the preset.
func slowdown005(r *Results, c *Claim) (string, Verdict) {
	e := slow005(r, cell005{c.Part, "os+net", largest005})
	return e.factor(), e.nearRatio(c.expected())
}

// each005 judges a number of each system.
func each005(of func(system string) estimate,
	judge func(e estimate, system string) Verdict,
) (string, Verdict) {
	var verdicts []Verdict
	var ours []string
	for _, s := range systems005 {
		e := of(s.Preset)
		verdicts = append(verdicts, judge(e, s.Preset))
		ours = append(ours, s.Preset+" "+e.factor())
	}
	return strings.Join(ours, ", "), all(verdicts...)
}

// micro005 returns a time in microseconds as text.
func micro005(e estimate) string {
	return estimate{1e6 * e.mean, 1e6 * e.low, 1e6 * e.high}.text("%.1f", " µs")
}

// clouds005 draws completion over nodes of the system that the figure is named after, under the
// four noises: ours and theirs.
func clouds005(r *Results, name string) figures.Figure {
	chart := figures.Chart{
		Title: "16 B dissemination, " + name + ": median",
		X:     figures.ChartAxis{Name: "nodes", Whole: true},
		Y:     figures.ChartAxis{Name: "completion", Dimension: units.Time},
	}
	for i, kind := range append([]string{"none"}, noises005...) {
		our := figures.Line{Label: kind, Dots: true, Color: i + 1}
		their := figures.Line{Label: kind + ", published", Dots: true, Dashed: true, Color: i + 1}
		for _, nodes := range nodes005 {
			cell := cell005{name, kind, nodes}
			e := exact(quiet005(r, name, nodes))
			if kind != "none" {
				e = median005(r, cell)
			}
			our.X, our.Y = append(our.X, float64(nodes)), append(our.Y, e.mean)
			their.X = append(their.X, float64(nodes))
			their.Y = append(their.Y, key005()[cell].mean)
		}
		chart.Lines = append(chart.Lines, our, their)
	}
	return chart.Figure(name)
}
