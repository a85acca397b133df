package reproduce

import (
	"fmt"
	"math"
	"strings"

	"jitterfly/collectives"
)

// related000 are the claims of section 4 on who can use the 2-level ring, of section 6 on other
// algorithms, and of section 7 on other networks.
var related000 = []Claim{
	{
		Where: "§§4, 7",
		Statement: "The 2-level ring cannot be used where servers have different numbers of processes, " +
			"which the ring can.",
		Published: "stated",
		Reading:   "190 processes, 8 on a server and 6 on the last.",
		Judge: func(*Results) (string, Verdict) {
			return refused(unequal("a2a-ring"), unequal("a2a-2level"))
		},
		Given: "the algorithms' schedules.",
	},
	{
		Where: "§§5.3, 6, 7",
		Statement: "The 2-level ring needs no more memory than the ring, and send-side aggregation " +
			"needs additional buffers.",
		Published: "stated",
		Reading:   "of 1 MB messages on 24 servers of 8 processes, beyond what is sent and received.",
		Judge: func(r *Results) (string, Verdict) {
			shapes := shapes000(r)
			buffer := func(collective string) float64 {
				return shapes[shape000{collective, 24, 8, 1e6}].T[0].Buffer
			}
			ring, levels, sa := buffer("a2a-ring"), buffer("a2a-2level"), buffer("a2a-sa")
			return fmt.Sprintf("%.0f, %.0f and %.0f MB for each process", ring/1e6, levels/1e6, sa/1e6),
				verdict(levels <= ring && sa > ring)
		},
		Given: "the algorithms' schedules: aggregation passes on what processes of its server send.",
	},
	{
		Where: "§6",
		Statement: "Hierarchical all-to-alls, in which one process of a server at a time sends to " +
			"others, have no head-of-line blocking either.",
		Published: "stated",
		Judge: func(r *Results) (string, Verdict) {
			apart := 0.0
			for _, bytes := range process000 {
				shape := shape000{"a2a-hierarchical", 24, 8, bytes}
				free, blocked := limited000(r, "none", shape), limited000(r, "hol", shape)
				apart = max(apart, math.Abs(rate(blocked)/rate(free)-1))
			}
			return fmt.Sprintf("%.2g %% apart with and without blocking", 100*apart), verdict(apart < 1e-9)
		},
		Given: "the processes of all servers take turns together, each with one server.",
	},
	{
		Where: "§6",
		Statement: "They hardly reach the 2-level ring's rate, since several processes at once use a " +
			"network better than one.",
		Published: "stated",
		Reading:   "at all lengths, on 24 servers of 8 processes.",
		Judge: func(r *Results) (string, Verdict) {
			most, text := 0.0, []string{}
			for _, bytes := range process000 {
				one := limited000(r, "hol", shape000{"a2a-hierarchical", 24, 8, bytes})
				share := rate(one) / rate(limited000(r, "hol", shape000{"a2a-2level", 24, 8, bytes}))
				most = max(most, share)
				text = append(text, fmt.Sprintf("%.2f", share))
			}
			return strings.Join(text, ", ") + " of it at 10, 50, 200 kB and 1 MB", verdict(most < 0.95)
		},
		Given: "one process sends at most 1750 MB/s of 2000, which was chosen for their rate of one " +
			"process (3.3), and each message takes its 30 µs alone.",
	},
	{
		Where: "§7",
		Statement: "In networks of several switches such as fat trees the 2-level ring is thought to " +
			"help too.",
		Published: "not evaluated",
		Judge: func(r *Results) (string, Verdict) {
			var text []string
			for _, c := range r.Of("fat-trees") {
				if c.Collective == "a2a-levels" {
					ring := find(r.Of("fat-trees"), func(c *Config) flow000 {
						return flow000{c.Collective, c.Topology, c.Sync}
					})[flow000{"a2a", c.Topology, c.Sync}]
					text = append(text, fmt.Sprintf("%+.1f %% on %s with sync %s",
						100*(rate(&c)/rate(ring)-1), c.Topology, c.Sync))
				}
			}
			return strings.Join(text, ", "), Unclear
		},
		Why: "Flows that share links have no head-of-line blocking, and then a fat tree has room for " +
			"the ring's messages to two servers at a time: the 2-level ring gains nothing, and its steps " +
			"inside servers cost time. Packets are simulated on meshes and tori only.",
	},
}

// A flow000 is a key of the configurations on fat trees.
type flow000 struct{ collective, topology, sync string }

// process000 are the lengths of the study of what one process can send.
var process000 = []int64{10e3, 50e3, 200e3, 1e6}

// limited000 returns the configuration of a shape and a contention in which one process can send
// less than its server.
func limited000(r *Results, contention string, shape shape000) *Config {
	for _, c := range r.Of(fmt.Sprintf("process-%d", shape.processes)) {
		of := shape000{c.Collective, c.Nodes, c.RanksPerNode, c.Bytes}
		if of == shape && c.Contention == contention {
			return &c
		}
	}
	panic(fmt.Sprintf("reproduce: no configuration is %v with contention %s", shape, contention))
}

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
