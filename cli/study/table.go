package study

import (
	"strings"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/units"
)

// Conditions and rules of several keys.
var (
	flows     = among("one on a topology", runsOnTopology)
	allToAlls = among("an all-to-all in rounds", func(collective string) bool {
		return operation(collective) == collectives.AllToAll
	})
	allreduces = among("an allreduce", func(collective string) bool {
		return operation(collective) == collectives.Allreduce
	})
	withPolling = []Rule{where("", not(is("progress.kind", polling)))}
	onePerNode  = is("ranks_per_node", "1")
	noJitter    = is("noise.os.kind", none)
	noNetNoise  = is("noise.network.kind", none)
)

// Keys are all keys, axes first and in the order of their columns in the results.
var Keys = []Key{
	{Path: "collective", Flag: "collective", Column: "collective", Group: groupCollective,
		Default: "butterfly", Names: collectiveNames(), Chosen: true,
		Aliases: map[string]string{"recursive-doubling": "butterfly"},
		Help:    "the algorithm"},
	{Path: "ranks", Flag: "ranks", Column: "ranks", Group: groupCollective,
		Default: "1024", Whole: true, Least: 2, Environment: true,
		Help: "how many ranks take part, P"},
	{Path: "bytes", Flag: "bytes", Column: "bytes", Group: groupCollective,
		Default: "8B", Dimension: units.Size, Environment: true,
		Help: "length of every rank's vector, N"},
	{Path: "network.latency", Flag: "latency", Column: "latency_s", Group: groupNetwork,
		Default: "1us", Dimension: units.Time, Environment: true,
		Help: "α of a message's transit α + βN"},
	{Path: "network.bandwidth", Flag: "bandwidth", Column: "bandwidth_Bps", Group: groupNetwork,
		Default: "1GB/s", Dimension: units.Rate, Above: true, Environment: true,
		Help: "1/β of a message's transit"},
	{Path: "network.overhead", Flag: "overhead", Column: "overhead_s", Group: groupHosts,
		Default: "0s", Dimension: units.Time,
		Help: "o: processor time to send a message, and again to receive it",
		Doc:  "see [model.md](model.md#what-a-message-costs-its-hosts)"},
	{Path: "network.gap", Flag: "gap", Column: "gap_s", Group: groupHosts,
		Default: "0s", Dimension: units.Time,
		Help: "g: least time between two messages that leave a rank"},
	{Path: "progress.kind", Flag: "progress", Column: "progress", Group: groupHosts,
		Default: none, Names: []string{none, polling, async},
		Help: "how a rank receives messages that have arrived"},
	{Path: "progress.poll", Flag: "poll", Column: "poll_s", Group: groupHosts,
		Default: "0.5us", Dimension: units.Time, Rules: withPolling,
		Help: "what a poll costs for each connection"},
	{Path: "progress.polls", Flag: "polls", Column: "polls", Group: groupHosts,
		Default: "2", Whole: true, Least: 1, Rules: withPolling,
		Help: "polls that a message needs at least"},
	{Path: "progress.window", Flag: "window", Column: "window_bytes", Group: groupHosts,
		Default: "64KiB", Dimension: units.Size, Above: true, Rules: withPolling,
		Help: "bytes that can be in transit before the next poll"},
	{Path: "progress.interrupt", Flag: "interrupt", Column: "interrupt_s", Group: groupHosts,
		Default: "1us", Dimension: units.Time, Rules: []Rule{where("", not(is("progress.kind", async)))},
		Help: "what the interrupt by a message costs"},
	{Path: "memory.bandwidth", Flag: "memory-bandwidth", Column: "memory_bandwidth_Bps",
		Group: groupHosts, Default: "10GB/s", Dimension: units.Rate, Above: true, Environment: true,
		Help: "1/γ: how fast a received vector is combined"},
	{Path: "nodes", Flag: "nodes", Column: "nodes", Group: groupNodes,
		Default: auto, Names: []string{auto}, Whole: true, Least: 1,
		Help: "how many nodes there are; ranks are then as many as they have room for",
		Doc:  "`auto`: as many as the ranks need"},
	{Path: "ranks_per_node", Flag: "ranks-per-node", Column: "ranks_per_node", Group: groupNodes,
		Default: "1", Whole: true, Least: 1, Environment: true,
		Help: "how many ranks share a node, in their order",
		Doc:  "rank r is on node ⌊r / this⌋"},
	{Path: "node.latency", Flag: "node-latency", Column: "node_latency_s", Group: groupNodes,
		Default: "=network.latency", Dimension: units.Time, Environment: true,
		Rules: []Rule{where("", onePerNode)},
		Help:  "latency between ranks of one node"},
	{Path: "node.bandwidth", Flag: "node-bandwidth", Column: "node_bandwidth_Bps", Group: groupNodes,
		Default: "=network.bandwidth", Dimension: units.Rate, Above: true, Environment: true,
		Rules: []Rule{where("", onePerNode)},
		Help:  "bandwidth between ranks of one node"},
	{Path: "contention", Flag: "contention", Column: "contention", Group: groupNodes,
		Default: none, Names: []string{none, hol},
		Rules: []Rule{where(none, not(allToAlls)), where(none, onePerNode)},
		Help:  "whether messages of an all-to-all block each other at the switch",
		Doc:   "`hol` is head-of-line blocking ([model.md](model.md#all-to-alls))"},
	{Path: "topology", Flag: "topology", Column: "topology", Group: groupTopology,
		Default: none, Names: []string{none}, Check: checkTopology, Pattern: topologyPattern(),
		Examples: network.Examples(), Rules: []Rule{where(none, not(flows))},
		Help: "the links that a2a, a2and, a2at, random-ring and permutation share, such as torus:5x5",
		Doc:  "`ranks` are then its nodes"},
	{Path: "network.hop_latency", Flag: "hop-latency", Column: "hop_latency_s", Group: groupTopology,
		Default: "0s", Dimension: units.Time, Rules: []Rule{where("", not(flows))},
		Help: "what each link of the topology adds to a message's latency"},
	{Path: "sharing", Flag: "sharing", Column: "sharing", Group: groupTopology,
		Default: equal, Names: []string{equal, maxmin}, Rules: []Rule{where(equal, not(flows))},
		Help: "how flows share a link of the topology"},
	{Path: "controllers", Flag: "controllers", Column: "controllers", Group: groupTopology,
		Default: "1", Whole: true, Least: 1, Rules: []Rule{where("1", not(flows))},
		Help: "NCT: messages that a node of the topology sends at once"},
	{Path: "sync", Flag: "sync", Column: "sync", Group: groupTopology,
		Default: none, Names: []string{none, local, localController},
		Rules: []Rule{where(none, not(flows))},
		Help:  "what a node of the topology waits for before it sends"},
	{Path: "messages", Flag: "messages", Column: "messages_per_node", Group: groupTopology,
		Default: "10", Whole: true, Least: 1,
		Rules: []Rule{where("", not(is("collective", randomRing, permutation)))},
		Help:  "messages that each node of the topology sends, of random-ring and permutation"},
	{Path: "redundancy.sources", Flag: "sources", Column: "sources", Group: groupRedundancy,
		Default: "1", Whole: true, Least: 1, Chosen: true,
		Help: "R: ranks asked for the same partial result in a round",
		Doc: "at most as many as have the same partial result " +
			"([model.md](model.md#the-other-allreduces))"},
	{Path: "segments", Flag: "segments", Column: "segments", Group: groupCollective,
		Default: "1", Whole: true, Least: 1, Chosen: true,
		Rules: []Rule{where("1", not(is("collective", ring)))},
		Help:  "S: pieces into which the ring cuts each of its chunks",
		Doc:   "`ranks` × this is at most 2^18"},
	{Path: "redundancy.send_overhead", Flag: "send-overhead", Column: "send_overhead_s",
		Group: groupRedundancy, Default: "0s", Dimension: units.Time,
		Rules: []Rule{where("", not(allreduces))},
		Help:  "c: what posting a redundant copy costs its sender beyond the overhead"},
	{Path: "redundancy.reception", Flag: "reception", Column: "reception", Group: groupRedundancy,
		Default: offload, Names: []string{offload, cpu},
		Rules: []Rule{where(offload, not(allreduces)), where(cpu, not(is("progress.kind", none)))},
		Help:  "what the arrival of a redundant copy needs"},
	{Path: "noise.profile", Flag: "noise", Title: "noise profile", Column: "noise_profile",
		Group: groupNoise, Default: none, Names: []string{none}, Check: anyFile,
		Files: []string{"yaml", "yml"}, Environment: true,
		Rules: []Rule{where(none,
			not(is("noise.os.kind", kindProfile)), not(is("noise.network.kind", kindProfile)))},
		Help: "measured noise: a preset, or the file of a profile",
		Doc: "a preset of `jitterfly presets`, or a [profile](#noise-profiles), which results name by " +
			"name@digest of its content"},
	{Path: "noise.os.kind", Flag: "os-kind", Title: "OS noise", Column: "os_kind",
		Group: groupNoise, Default: periodic, Names: []string{periodic, poisson, kindProfile, none},
		Environment: true,
		Help:        "OS jitter",
		Doc:         "`profile` is the default with one"},
	{Path: "noise.os.period", Flag: "os-period", Title: "detour period", Column: "os_period_s",
		Group: groupNoise, Default: "1ms", Dimension: units.Time, Above: true, Environment: true,
		Rules: []Rule{where("", noJitter)},
		Help:  "time between the beginnings of two detours of a rank; of poisson the mean"},
	{Path: "noise.os.duration", Flag: "os-duration", Title: "detour length", Column: "os_duration_s",
		Group: groupNoise, Default: "10us", Dimension: units.Time, Environment: true,
		Rules: []Rule{where("", noJitter)},
		Help:  "length of a detour, below the period"},
	{Path: "noise.os.launch", Flag: "os-launch", Title: "start", Column: "os_launch",
		Group: groupNoise, Default: quiet, Names: []string{quiet, stationary}, Environment: true,
		Rules: []Rule{where(none, noJitter)},
		Help:  "synchronized start, before any detour, or random start, which can be inside one"},
	{Path: "noise.os.scope", Flag: "os-scope", Title: "detours of a", Column: "os_scope",
		Group: groupNoise, Default: rank, Names: []string{rank, node, all}, Environment: true,
		Rules: []Rule{where(none, noJitter), where(rank, is("noise.os.scope", node), onePerNode)},
		Help:  "what a detour stops"},
	{Path: "noise.network.kind", Flag: "net-kind", Title: "network noise", Column: "net_kind",
		Group: groupNoise, Default: poisson, Names: []string{poisson, kindProfile, none},
		Environment: true,
		Help:        "network noise",
		Doc:         "`profile` is the default with one"},
	{Path: "noise.network.interval", Flag: "net-interval", Title: "network event interval",
		Column: "net_interval_s", Group: groupNoise,
		Default: "=noise.os.period", Dimension: units.Time, Above: true, Environment: true,
		Rules: []Rule{where("", noNetNoise)},
		Help:  "mean time between two events that delay a message"},
	{Path: "noise.network.duration", Flag: "net-duration", Title: "network delay",
		Column: "net_duration_s", Group: groupNoise,
		Default: "=noise.os.duration", Dimension: units.Time, Environment: true,
		Rules: []Rule{where("", noNetNoise)},
		Help:  "how long an event delays a message"},

	{Path: "permutation", Flag: "permutation", Group: groupTopology,
		Default: none, Names: []string{none}, Check: anyFile, Files: []string{"txt"},
		Help: "file that says, a line each, to which node of the topology every node sends",
		Doc:  "node 0 first"},
	{Path: "redundancy.max", Flag: "redundancy", Group: groupRedundancy,
		Default: all, Names: []string{all}, Whole: true,
		Help: "the largest T to look at",
		Doc: "`all`: as many as the algorithm can use; " +
			"more than any of the collectives can is an error"},
	{Path: "seed", Flag: "seed", Group: GroupTrials,
		Default: "1", Whole: true,
		Help: "names the random numbers",
		Doc:  "up to 2^64−1; quote those above 2^53 in JSON"},
	{Path: "trials.min", Flag: "trials-min", Group: GroupTrials,
		Default: "30", Whole: true, Least: 2,
		Help: "trials of each configuration before the first look"},
	{Path: "trials.max", Flag: "trials-max", Group: GroupTrials,
		Default: "300000", Whole: true, Least: 2,
		Help: "trials after which a configuration ends in any case",
		Doc:  "at least `trials.min`"},
	{Path: "trials.until", Flag: "until", Group: GroupTrials,
		Default: choice, Names: []string{choice, precision},
		Help: "what more than the least trials are for",
		Doc:  "see [model.md](model.md#statistics-and-the-choice-of-t)"},
	{Path: "trials.effort", Flag: "effort", Group: GroupTrials,
		Default: "10^10", Names: []string{unlimited}, Whole: true, Least: 1,
		Help: "simulated messages to spend on one choice at most",
		Doc:  "beyond the least trials"},
	{Path: "trials.precision", Flag: "precision", Group: GroupTrials,
		Default: "0.01", Above: true,
		Help: "relative half-width of the mean's interval to stop at",
		Doc:  "with `trials.until: precision`"},
	{Path: "trials.confidence", Flag: "confidence", Group: GroupTrials,
		Default: "0.95", Above: true, Below: 1,
		Help: "of choices and of intervals"},
	{Path: "choose.objective", Flag: "objective", Group: GroupChoice,
		Default: "mean", Names: objectiveNames(),
		Help: "what T is chosen by"},
	{Path: "choose.tolerance", Flag: "tolerance", Group: GroupChoice,
		Default: "0.01", Above: true,
		Help: "how much worse than the best T a smaller one may be, relative"},
}

// anyFile accepts all texts: what is wrong with a file is found when it is read.
func anyFile(string) error { return nil }

// topologyPattern returns a regular expression that matches the names of topologies.
func topologyPattern() string {
	var kinds []string
	for _, example := range network.Examples() {
		kind, _, _ := strings.Cut(example, ":")
		kinds = append(kinds, kind)
	}
	return `(` + strings.Join(kinds, "|") + `):\+?[0-9]+(x\+?[0-9]+)*`
}
