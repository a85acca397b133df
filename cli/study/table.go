package study

import (
	"strings"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/noise/profile"
)

// Conditions and rules of several keys.
var (
	allToAlls        = among("an all-to-all", collectives.AllToAll)
	allreduces       = among("an allreduce", collectives.Allreduce)
	inRounds         = is(Engine, byRounds)
	ofPackets        = []Rule{where("", not(simulatesPackets))}
	packetNames      = []Rule{where(none, not(simulatesPackets))}
	simulatesPackets = is(Engine, packets)
	withSockets      = []Rule{where("", not(is(Progress, polling, epoll)))}
	onePerNode       = is(RanksPerNode, "1")
	noJitter         = is(OSKind, none)
	noNetNoise       = is(NetKind, none)
	oneLaunch        = is(Iterations, "0")
)

// The keys.
var (
	Collective = &Key{Path: "collective", Flag: "collective", Column: "collective", Group: GroupCollective,
		Default: "butterfly", Names: collectiveNames(), Chosen: true,
		Aliases: map[string]string{"recursive-doubling": "butterfly"},
		Help:    "algorithm"}
	Ranks = &Key{Path: "ranks", Flag: "ranks", Column: "ranks", Group: GroupCollective,
		Default: "1024", Whole: true, Least: 2, Environment: true,
		Help: "P: number of ranks"}
	Bytes = &Key{Path: "bytes", Flag: "bytes", Column: "bytes", Group: GroupCollective,
		Default: "8B", Dimension: units.Size, Environment: true,
		Help: "N: length of the vector of each rank"}
	Latency = &Key{Path: "network.latency", Flag: "latency", Column: "latency_s", Group: groupNetwork,
		Default: "1us", Dimension: units.Time, Environment: true,
		Help: "α: latency of a message, which takes α + βN"}
	Bandwidth = &Key{Path: "network.bandwidth", Flag: "bandwidth", Column: "bandwidth_Bps", Group: groupNetwork,
		Default: "1GB/s", Dimension: units.Rate, Above: true, Environment: true,
		Help: "1/β: bandwidth of a link"}
	Overhead = &Key{Path: "network.overhead", Flag: "overhead", Column: "overhead_s", Group: groupHosts,
		Default: "150ns", Paper: "0s", Dimension: units.Time,
		Help: "o: processor time to send a message, and to receive it"}
	Gap = &Key{Path: "network.gap", Flag: "gap", Column: "gap_s", Group: groupHosts,
		Default: "0s", Dimension: units.Time,
		Help: "g: minimum time between two messages that leave a rank; with busy links after the bytes of " +
			"the first"}
	Progress = &Key{Path: "progress.kind", Flag: "progress", Column: "progress", Group: groupHosts,
		Default: none, Names: []string{none, polling, epoll, async},
		Help: "method by which a rank notices messages that have arrived"}
	Poll = &Key{Path: "progress.poll", Flag: "poll", Column: "poll_s", Group: groupHosts,
		Default: "0.5us", Dimension: units.Time, Above: true, Rules: withSockets, Rare: true,
		Help: "time to poll one connection; epoll polls only those that are ready"}
	Polls = &Key{Path: "progress.polls", Flag: "polls", Column: "polls", Group: groupHosts,
		Default: "2", Whole: true, Least: 1, Rules: withSockets, Rare: true,
		Help: "minimum number of polls to read a message with its headers"}
	Window = &Key{Path: "progress.window", Flag: "window", Column: "window_bytes", Group: groupHosts,
		Default: "64KiB", Dimension: units.Size, Above: true, Rules: withSockets, Rare: true,
		Help: "maximum bytes of a message sent but not yet read by its receiver"}
	Interrupt = &Key{Path: "progress.interrupt", Flag: "interrupt", Column: "interrupt_s", Group: groupHosts,
		Default: "1us", Dimension: units.Time, Rules: []Rule{where("", not(is(Progress, async)))}, Rare: true,
		Help: "processor time of the interrupt by a message"}
	Match = &Key{Path: "progress.match", Flag: "match", Column: "match_s", Group: groupHosts,
		Default: "0s", Dimension: units.Time, Rules: []Rule{where("", is(Progress, none))}, Rare: true,
		Help: "processor time per searched entry of a queue of messages or receives"}
	MemoryBandwidth = &Key{Path: "memory.bandwidth", Flag: "memory-bandwidth", Column: "memory_bandwidth_Bps",
		Group: groupHosts, Default: "10GB/s", Dimension: units.Rate, Above: true, Environment: true,
		Help: "1/γ: rate at which a received vector is combined"}
	Nodes = &Key{Path: "nodes", Flag: "nodes", Column: "nodes", Group: groupNodes,
		Default: auto, Names: []string{auto}, Whole: true, Least: 1,
		Help: "number of nodes; sets the ranks to nodes × ranks per node"}
	RanksPerNode = &Key{Path: "ranks_per_node", Flag: "ranks-per-node", Column: "ranks_per_node",
		Group:   groupNodes,
		Default: "1", Whole: true, Least: 1, Environment: true,
		Help: "ranks on a node; consecutive ranks share one"}
	NodeLatency = &Key{Path: "node.latency", Flag: "node-latency", Column: "node_latency_s", Group: groupNodes,
		Default: "=network.latency", Dimension: units.Time, Environment: true,
		Rules: []Rule{where("", onePerNode)},
		Help:  "latency between ranks of one node"}
	NodeBandwidth = &Key{Path: "node.bandwidth", Flag: "node-bandwidth", Column: "node_bandwidth_Bps",
		Group:   groupNodes,
		Default: "=network.bandwidth", Dimension: units.Rate, Above: true, Environment: true,
		Rules: []Rule{where("", onePerNode)},
		Help:  "bandwidth between ranks of one node"}
	ProcessBandwidth = &Key{Path: "node.process_bandwidth", Flag: "process-bandwidth",
		Column: "process_bandwidth_Bps",
		Group:  groupNodes, Default: "=network.bandwidth", Dimension: units.Rate, Above: true,
		Rules: []Rule{where("", allreduces)},
		Help:  "maximum bandwidth of one rank to other nodes, in all-to-alls"}
	Contention = &Key{Path: "contention", Flag: "contention", Column: "contention", Group: groupNodes,
		Default: none, Names: []string{none, "hol", "hol-queue"},
		Rules: []Rule{where(none, not(allToAlls)), where(none, onePerNode), where(none, not(inRounds))},
		Help:  "blocking of all-to-all messages at the switch"}
	Topology = &Key{Path: "topology", Flag: "topology", Column: "topology", Group: groupTopology,
		Default: none, Names: []string{none}, Pattern: topologyPattern(),
		Check:    func(name string) error { _, err := network.ParseTopology(name); return err },
		Examples: network.TopologyExamples(),
		Help:     "nodes and links of the network, such as torus:5x5"}
	HopLatency = &Key{Path: "network.hop_latency", Flag: "hop-latency", Column: "hop_latency_s",
		Group:   groupTopology,
		Default: "0s", Dimension: units.Time,
		Rules: []Rule{where("", inRounds), where("", simulatesPackets)},
		Help:  "latency that each link of the topology adds to a message"}
	Sharing = &Key{Path: "sharing", Flag: "sharing", Column: "sharing", Group: groupTopology,
		Default: equal, Names: []string{equal, "maxmin"},
		Rules: []Rule{where(equal, inRounds), where(equal, simulatesPackets)},
		Help:  "sharing of a link by flows"}
	Controllers = &Key{Path: "controllers", Flag: "controllers", Column: "controllers", Group: groupTopology,
		Default: "1", Whole: true, Least: 1, Rules: []Rule{where("1", inRounds)}, Rare: true,
		Help: "NCT: messages that a node sends at the same time"}
	Sync = &Key{Path: "sync", Flag: "sync", Column: "sync", Group: groupTopology,
		Default: none, Names: []string{none, "local", "local-controller", "local-count"},
		Rules: []Rule{where(none, inRounds), where(none, allreduces)}, Rare: true,
		Help: "messages that a node awaits before it sends the next"}
	Messages = &Key{Path: "messages", Flag: "messages", Column: "messages_per_node", Group: groupTopology,
		Default: "10", Whole: true, Least: 1,
		Rules: []Rule{where("", not(is(Collective, randomRing, permutation)))}, Rare: true,
		Help: "messages that each node sends, of random-ring and permutation"}
	Engine = &Key{Path: "network.engine", Flag: "engine", Column: "engine", Group: groupTopology,
		Default: auto, Names: []string{byRounds, byFlow, packets, auto},
		Help: "engine: rounds, flows that share the topology's links, or packets flit by flit"}
	PacketFlit = &Key{Path: "packet.flit", Flag: "packet-flit", Column: "packet_flit_bytes", Group: groupPackets,
		Default: "64B", Dimension: units.Size, Above: true, Rules: ofPackets, Rare: true,
		Help: "bytes of a flit; a link carries one per cycle (Garnet: ni_flit_size)"}
	PacketFlits = &Key{Path: "packet.flits", Flag: "packet-flits", Column: "packet_flits", Group: groupPackets,
		Default: "100", Whole: true, Least: 1, Rules: ofPackets, Rare: true,
		Help: "F: flits of a packet; the last packet of a message is shorter (BookSim: packet_size)"}
	PacketChannels = &Key{Path: "packet.channels", Flag: "packet-channels", Column: "packet_channels",
		Group: groupPackets, Default: "2", Whole: true, Least: 1, Rules: ofPackets, Rare: true,
		Help: "V: virtual channels of a port (BookSim: num_vcs; Garnet: vcs_per_vnet)"}
	PacketBuffer = &Key{Path: "packet.buffer", Flag: "packet-buffer", Column: "packet_buffer_flits",
		Group: groupPackets, Default: "20", Whole: true, Least: 1, Rules: ofPackets, Rare: true,
		Help: "B: flits of the buffer of a channel (BookSim: vc_buf_size)"}
	PacketHop = &Key{Path: "packet.hop", Flag: "packet-hop", Column: "packet_hop_cycles", Group: groupPackets,
		Default: "1", Whole: true, Least: 1, Rules: ofPackets, Rare: true,
		Help: "H: cycles of a flit from one router to the next (Garnet: link_latency)"}
	PacketCredit = &Key{Path: "packet.credit", Flag: "packet-credit", Column: "packet_credit_cycles",
		Group: groupPackets, Default: "1", Whole: true, Least: 1, Rules: ofPackets, Rare: true,
		Help: "C: cycles until the sender learns of room in a buffer (BookSim: credit_delay)"}
	Crossbar = &Key{Path: "packet.crossbar", Flag: "crossbar", Column: "packet_crossbar", Group: groupPackets,
		Default: port, Names: []string{port, "full"}, Rules: packetNames, Rare: true,
		Help: "flits that leave an input port in a cycle: one (port), or one to each output (full)"}
	ChannelRule = &Key{Path: "packet.channel_rule", Flag: "channel-rule", Column: "packet_channel_rule",
		Group: groupPackets, Default: class, Names: []string{class, "destination"},
		Rules: packetNames, Rare: true,
		Help: "virtual channels that a packet may use: by its dateline class, or by its destination"}
	StartSkew = &Key{Path: "network.start_skew", Flag: "start-skew", Column: "start_skew_s",
		Group:   groupTopology,
		Default: "0s", Dimension: units.Time, Rules: []Rule{where("", inRounds)}, Rare: true,
		Help: "maximum delay of a rank's start, drawn uniformly"}
	Sources = &Key{Path: "redundancy.sources", Flag: "sources", Column: "sources", Group: groupRedundancy,
		Default: "1", Whole: true, Least: 1, Chosen: true,
		Help: "R: ranks that send a rank the same partial result in a round"}
	Segments = &Key{Path: "segments", Flag: "segments", Column: "segments", Group: GroupCollective,
		Default: "1", Whole: true, Least: 1, Chosen: true,
		Rules: []Rule{where("1", not(is(Collective, ring)))},
		Help:  "S: pieces of each chunk of the ring"}
	SendOverhead = &Key{Path: "redundancy.send_overhead", Flag: "send-overhead", Column: "send_overhead_s",
		Group: groupRedundancy, Default: "0s", Dimension: units.Time,
		Rules: []Rule{where("", not(allreduces))},
		Help:  "c: processor time to post a redundant copy, on top of the overhead"}
	Reception = &Key{Path: "redundancy.reception", Flag: "reception", Column: "reception",
		Group:   groupRedundancy,
		Default: cpu, Paper: offload, Names: []string{offload, nic, cpu},
		Rules: []Rule{where(offload, not(allreduces)), where(cpu, not(is(Progress, none)))},
		Help:  "receiver of a redundant copy"}
	NoiseProfile = &Key{Path: "noise.profile", Flag: "noise", Title: "noise profile", Column: "noise_profile",
		Group: groupNoise, Default: none, Names: []string{none},
		Files: []string{"yaml", "yml"}, Environment: true,
		Rules: []Rule{where(none,
			not(is(OSKind, kindProfile)), not(is(NetKind, kindProfile)))},
		Help: "measured noise: name of a preset, or file of a profile"}
	OSKind = &Key{Path: "noise.os.kind", Flag: "os-kind", Title: "OS noise", Column: "os_kind",
		Group: groupNoise, Default: periodic, Names: []string{periodic, poisson, kindProfile, none},
		Environment: true,
		Help:        "OS jitter"}
	OSPeriod = &Key{Path: "noise.os.period", Flag: "os-period", Title: "detour period", Column: "os_period_s",
		Group: groupNoise, Default: "1ms", Dimension: units.Time, Above: true, Environment: true,
		Rules: []Rule{where("", noJitter)},
		Help:  "detour period: time between the starts of two detours of a rank; mean for poisson"}
	OSDuration = &Key{Path: "noise.os.duration", Flag: "os-duration", Title: "detour length",
		Column: "os_duration_s",
		Group:  groupNoise, Default: "10us", Dimension: units.Time, Environment: true,
		Rules: []Rule{where("", noJitter)},
		Help:  "detour length: time that a detour takes from a rank; shorter than the period"}
	OSLaunch = &Key{Path: "noise.os.launch", Flag: "os-launch", Title: "start", Column: "os_launch",
		Group: groupNoise, Default: stationary, Paper: quiet, Names: []string{quiet, stationary}, Environment: true,
		Rules: []Rule{where(none, noJitter), where(stationary, not(oneLaunch))},
		Help:  "synchronized start outside of detours (quiet), or random start (stationary)"}
	OSScope = &Key{Path: "noise.os.scope", Flag: "os-scope", Title: "detours of a", Column: "os_scope",
		Group: groupNoise, Default: rank, Names: profile.Scopes, Environment: true,
		Rules: []Rule{where(none, noJitter), where(rank, itself(node), onePerNode)},
		Help:  "ranks that a detour stops"}
	NetKind = &Key{Path: "noise.network.kind", Flag: "net-kind", Title: "network noise", Column: "net_kind",
		Group: groupNoise, Default: none, Paper: poisson, Names: []string{poisson, kindProfile, none},
		Environment: true,
		Help:        "network noise"}
	NetInterval = &Key{Path: "noise.network.interval", Flag: "net-interval", Title: "network event interval",
		Column: "net_interval_s", Group: groupNoise,
		Default: "=noise.os.period", Dimension: units.Time, Above: true, Environment: true,
		Rules: []Rule{where("", noNetNoise)},
		Help:  "mean time between two network events"}
	NetDuration = &Key{Path: "noise.network.duration", Flag: "net-duration", Title: "network delay",
		Column: "net_duration_s", Group: groupNoise,
		Default: "=noise.os.duration", Dimension: units.Time, Environment: true,
		Rules: []Rule{where("", noNetNoise)},
		Help:  "time by which a network event delays a message"}
	Iterations = &Key{Path: "application.iterations", Flag: "iterations", Column: "iterations",
		Group: groupApplication, Default: auto, Names: []string{auto}, Whole: true,
		Help: "iterations of a trial; 0: a single call"}
	Warmup = &Key{Path: "application.warmup", Flag: "warmup", Column: "warmup",
		Group: groupApplication, Default: auto, Names: []string{auto}, Whole: true,
		Rules: []Rule{where("0", oneLaunch)},
		Help:  "first iterations of a trial that are not counted"}
	Calls = &Key{Path: "application.calls", Flag: "calls", Column: "calls",
		Group: groupApplication, Default: "1", Whole: true, Least: 1,
		Rules: []Rule{where("1", oneLaunch)},
		Help:  "calls of the collective in an iteration"}
	Compute = &Key{Path: "application.compute", Flag: "compute", Title: "compute time", Column: "compute_s",
		Group: groupApplication, Default: "0s", Dimension: units.Time,
		Rules: []Rule{where("", oneLaunch)},
		Help:  "w: mean processor time that a rank computes between calls"}
	Overlap = &Key{Path: "application.overlap", Flag: "overlap", Column: "overlap",
		Group: groupApplication, Default: none, Names: []string{none, all},
		Rules: []Rule{where(none, oneLaunch), where(none, not(is(Collective, "a2a-spread")))},
		Help:  "computing that overlaps with the messages of a2a-spread"}
	ComputeFile = &Key{Path: "application.compute_file", Flag: "compute-file", Column: "compute_file",
		Group: groupApplication, Default: none, Names: []string{none},
		Files: []string{"parquet", "csv"}, Rules: []Rule{where(none, oneLaunch)},
		Help: "file of measured compute times: rank, iteration, seconds"}
	Imbalance = &Key{Path: "application.imbalance.random", Flag: "imbalance", Column: "imbalance",
		Group: groupApplication, Default: "0", Share: true,
		Rules: []Rule{where("", oneLaunch)},
		Help:  "relative standard deviation of the compute time of an iteration, such as 2%"}
	ImbalancePersistent = &Key{Path: "application.imbalance.persistent", Flag: "imbalance-persistent",
		Title: "persistent imbalance", Column: "imbalance_persistent",
		Group: groupApplication, Default: "0", Share: true,
		Rules: []Rule{where("", oneLaunch)},
		Help:  "relative standard deviation of the ranks' compute times, drawn once per trial"}
	Forward = &Key{Path: "redundancy.forward", Flag: "forward", Column: "forward", Group: groupRedundancy,
		Default: none, Names: []string{none, final},
		Rules: []Rule{where(none, not(allreduces)), where(none, is(Collective, ring, leaders)),
			where(none, is(Progress, polling, epoll))},
		Help: "forwarding: a rank that has the result sends it instead of partial results"}
	Links = &Key{Path: "network.links", Flag: "links", Column: "links", Group: groupNetwork,
		Default: busy, Paper: free, Names: []string{busy, free},
		Rules: []Rule{where(free, not(allreduces)), where(busy, not(inRounds))},
		Help:  "links: messages of a rank leave one after the other (busy), or all at the same time (free)"}
	Assume = &Key{Path: "assume", Flag: "assume", Column: "assume", Group: groupHosts,
		Default: onHosts, Names: []string{onHosts, paper},
		Help: "defaults of other keys: most machines (hosts), or the paper's assumptions (paper)"}
	Placement = &Key{Path: "placement", Flag: "placement", Column: "placement", Group: groupTopology,
		Default: block, Names: []string{block, roundRobin, random}, Files: []string{"txt"},
		Rules: []Rule{where(block, inRounds), where(block, itself(roundRobin), onePerNode)},
		Help:  "nodes that ranks are on: a rule, or a file"}
	Leaders = &Key{Path: "leaders", Flag: "leaders", Column: "leaders", Group: groupNodes,
		Default: "1", Whole: true, Least: 1, Chosen: true,
		Rules: []Rule{where("1", not(is(Collective, leaders)))},
		Help:  "q: ranks of a node that exchange with other nodes, with leaders"}
	Share = &Key{Path: "share", Flag: "share", Column: "leaders_share", Group: groupNodes,
		Default: no, Names: []string{no, yes}, Chosen: true,
		Rules: []Rule{where(no, not(is(Collective, leaders))), where(no, is(Leaders, "1"))},
		Help:  "sharing: a node's leaders take the earliest of their results after each round"}

	ClassShare = &Key{Path: "noise.class_share", Flag: "class-share", Title: "share of the class",
		Column: "class_share", Group: groupNoise, Default: "0", Below: 1,
		Rules: []Rule{where("", not(is(OSKind, kindProfile)))},
		Help:  "share of nodes that belong to the one unusual class"}

	LatencyIs = &Key{Path: "network.latency_is", Flag: "latency-is", Title: "latency is", Column: "latency_is",
		Group: groupHosts, Default: halfRoundTrip, Paper: transit, Names: []string{halfRoundTrip, transit},
		Rules: []Rule{where(transit, is(Overhead, "0"))},
		Help:  "meaning of the latency: a measured half of a round trip, with two overheads in it, or transit only"}

	ApplicationPreset = &Key{Path: "application.preset", Flag: "application", Group: groupApplication,
		Default: none, Names: append([]string{none}, datasets.Applications().Names()...),
		Help: "preset of an application, which sets the other keys that are not given"}
	Permutation = &Key{Path: "permutation", Flag: "permutation", Group: groupTopology,
		Default: none, Names: []string{none}, Files: []string{"txt"},
		Help: "file with the destination of each node, one per line"}
	MaxRedundancy = &Key{Path: "redundancy.max", Flag: "redundancy", Group: groupRedundancy,
		Default: all, Names: []string{all}, Whole: true,
		Help: "maximum number of redundant exchanges T"}
	Seed = &Key{Path: "seed", Flag: "seed", Group: GroupTrials,
		Default: "1", Whole: true,
		Help: "random seed"}
	TrialsMin = &Key{Path: "trials.min", Flag: "trials-min", Group: GroupTrials,
		Default: "30", Whole: true, Least: 2,
		Help: "minimum trials of each configuration"}
	TrialsMax = &Key{Path: "trials.max", Flag: "trials-max", Group: GroupTrials,
		Default: "300000", Whole: true, Least: 2,
		Help: "maximum trials of each configuration"}
	TrialsUntil = &Key{Path: "trials.until", Flag: "until", Group: GroupTrials,
		Default: choice, Names: []string{choice, "precision"},
		Help: "stopping rule"}
	TrialsEffort = &Key{Path: "trials.effort", Flag: "effort", Group: GroupTrials,
		Default: "10^10", Names: []string{unlimited}, Whole: true, Least: 1,
		Help: "maximum simulated messages per choice"}
	TrialsPrecision = &Key{Path: "trials.precision", Flag: "precision", Group: GroupTrials,
		Default: "0.01", Above: true,
		Help: "relative half-width of the mean's interval, with --until precision"}
	TrialsConfidence = &Key{Path: "trials.confidence", Flag: "confidence", Group: GroupTrials,
		Default: "0.95", Above: true, Below: 1,
		Help: "confidence of choices and intervals"}
	Objective = &Key{Path: "choose.objective", Flag: "objective", Group: GroupChoice,
		Default: "mean",
		Names:   vector.Each(montecarlo.Objectives, func(o montecarlo.Objective) string { return o.Name }),
		Help:    "statistic that the choice minimizes"}
	Tolerance = &Key{Path: "choose.tolerance", Flag: "tolerance", Group: GroupChoice,
		Default: "0.01", Above: true, Below: 1,
		Help: "tolerance: distance of a choice from the best, relative"}
)

// Keys are all keys, axes first and in the order of their columns in the results.
var Keys = []*Key{
	Collective, Ranks, Bytes, Latency, Bandwidth, Overhead, Gap, Progress, Poll, Polls, Window,
	Interrupt, Match, MemoryBandwidth, Nodes, RanksPerNode, NodeLatency, NodeBandwidth,
	ProcessBandwidth, Contention, Topology, HopLatency, Sharing, Controllers, Sync, Messages,
	Engine, PacketFlit, PacketFlits, PacketChannels, PacketBuffer, PacketHop, PacketCredit,
	Crossbar, ChannelRule, StartSkew, Sources, Segments, SendOverhead, Reception, NoiseProfile,
	OSKind, OSPeriod, OSDuration, OSLaunch, OSScope, NetKind, NetInterval, NetDuration,
	Iterations, Warmup, Calls, Compute, Overlap, ComputeFile, Imbalance, ImbalancePersistent,
	Forward, Links, Assume, Placement, Leaders, Share, ClassShare, LatencyIs, ApplicationPreset, Permutation,
	MaxRedundancy, Seed, TrialsMin, TrialsMax, TrialsUntil, TrialsEffort, TrialsPrecision,
	TrialsConfidence, Objective, Tolerance,
}

// named are the axes whose values are part of the names of all configurations. Values of other axes
// are part of a name only where they have an effect, so that results from before there was a key
// remain what they are.
var named = []*Key{
	Collective, Ranks, Bytes, Latency, Bandwidth, Overhead, Gap, Progress, Poll, Polls, Window,
	Interrupt, MemoryBandwidth, Nodes, RanksPerNode, NodeLatency, NodeBandwidth, Contention,
	Topology, HopLatency, Sharing, Controllers, Sync, Messages, Sources, Segments, SendOverhead,
	Reception, NoiseProfile, OSKind, OSPeriod, OSDuration, OSLaunch, OSScope, NetKind,
	NetInterval, NetDuration,
}

// topologyPattern returns a regular expression that matches the names of topologies.
func topologyPattern() string {
	kinds := vector.Each(network.TopologyExamples(), func(example string) string {
		kind, _, _ := strings.Cut(example, ":")
		return kind
	})
	return alternatives(kinds) + `:\+?[0-9]+(x\+?[0-9]+)*(:\+?[0-9]+)?`
}
