// Package study reads a study: the values of its keys from a file, the
// environment and flags, and the configurations that are their product.
package study

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"jitterfly/collectives/network"
	"jitterfly/internal/units"
)

// A Key is one setting of a study.
type Key struct {
	Path    string // in the study file and for --set
	Flag    string // on the command line
	Default string // or "=path": the value of another key
	Help    string

	// Column names the axis in the results. Keys with one may be lists.
	Column string
	// How its values read: as one of Names, as a whole number, or as a
	// quantity of Dimension.
	Names []string
	Whole bool
	// Check is what a value that reads as itself must pass.
	Check     func(text string) error
	Dimension units.Dimension
	// Examples are values to offer where no Names tell them, Files the endings of
	// files that values can be.
	Examples, Files []string
	// Least is the smallest value; with Above the value must exceed it, and
	// with Below it must be less than that.
	Least float64
	Above bool
	Below float64
	// Noise marks what all collectives and redundancies in one environment
	// share: the random numbers of a configuration are named by these.
	Noise bool
}

// Names with a meaning of their own.
const (
	ring            = "ring"             // collective
	a2aRing         = "a2a-ring"         // collective
	all             = "all"              // redundancy.max, noise.os.scope
	randomRing      = "random-ring"      // collective
	permutation     = "permutation"      // collective
	auto            = "auto"             // nodes
	none            = "none"             // noise.*.kind, contention
	hol             = "hol"              // contention
	equal           = "equal"            // sharing
	maxmin          = "maxmin"           // sharing
	local           = "local"            // sync
	localController = "local-controller" // sync
	offload         = "offload"          // redundancy.reception
	polling         = "polling"          // progress.kind
	async           = "async"            // progress.kind
	periodic        = "periodic"         // noise.os.kind
	poisson         = "poisson"          // noise.*.kind
	measured        = "profile"          // noise.*.kind
	stationary      = "stationary"       // noise.os.launch
	rank            = "rank"             // noise.os.scope
	node            = "node"             // noise.os.scope
	cpu             = "cpu"              // redundancy.reception
	unlimited       = "unlimited"        // trials.effort
	precision       = "precision"        // trials.until
	choice          = "choice"           // trials.until
)

// Keys are all there are, axes first and in the order of the result columns.
var Keys = []Key{
	{Path: "collective", Flag: "collective", Column: "collective", Default: "butterfly", Names: collectiveNames(),
		Help: "the algorithm"},
	{Path: "ranks", Flag: "ranks", Column: "ranks", Default: "1024", Whole: true, Least: 2, Noise: true,
		Help: "how many ranks take part, P"},
	{Path: "bytes", Flag: "bytes", Column: "bytes", Default: "8B", Dimension: units.Size, Noise: true,
		Help: "length of every rank's vector, N"},
	{Path: "network.latency", Flag: "latency", Column: "latency_s", Default: "1us", Dimension: units.Time, Noise: true,
		Help: "α of a message's transit α + βN"},
	{Path: "network.bandwidth", Flag: "bandwidth", Column: "bandwidth_Bps", Default: "1GB/s", Dimension: units.Rate, Above: true, Noise: true,
		Help: "1/β of a message's transit"},
	{Path: "network.overhead", Flag: "overhead", Column: "overhead_s", Default: "0s", Dimension: units.Time,
		Help: "o: what sending a message costs a processor, and again receiving it"},
	{Path: "network.gap", Flag: "gap", Column: "gap_s", Default: "0s", Dimension: units.Time,
		Help: "g: least time between two messages that leave a rank"},
	{Path: "progress.kind", Flag: "progress", Column: "progress", Default: none, Names: []string{none, polling, async},
		Help: "how a rank gets at messages that have arrived"},
	{Path: "progress.poll", Flag: "poll", Column: "poll_s", Default: "0.5us", Dimension: units.Time,
		Help: "what a poll costs for each connection, of polling"},
	{Path: "progress.polls", Flag: "polls", Column: "polls", Default: "2", Whole: true, Least: 1,
		Help: "polls that a message needs at least"},
	{Path: "progress.window", Flag: "window", Column: "window_bytes", Default: "64KiB", Dimension: units.Size, Above: true,
		Help: "bytes that can be on the way before the next poll"},
	{Path: "progress.interrupt", Flag: "interrupt", Column: "interrupt_s", Default: "1us", Dimension: units.Time,
		Help: "what taking a message in costs, of async"},
	{Path: "memory.bandwidth", Flag: "memory-bandwidth", Column: "memory_bandwidth_Bps", Default: "10GB/s", Dimension: units.Rate, Above: true, Noise: true,
		Help: "1/γ: how fast a received vector is combined"},
	{Path: "nodes", Flag: "nodes", Column: "nodes", Default: auto, Names: []string{auto}, Whole: true, Least: 1,
		Help: "how many nodes there are; ranks are then as many as they hold"},
	{Path: "ranks_per_node", Flag: "ranks-per-node", Column: "ranks_per_node", Default: "1", Whole: true, Least: 1, Noise: true,
		Help: "how many ranks share a node, in their order"},
	{Path: "node.latency", Flag: "node-latency", Column: "node_latency_s", Default: "=network.latency", Dimension: units.Time, Noise: true,
		Help: "latency between ranks of one node"},
	{Path: "node.bandwidth", Flag: "node-bandwidth", Column: "node_bandwidth_Bps", Default: "=network.bandwidth", Dimension: units.Rate, Above: true, Noise: true,
		Help: "bandwidth between ranks of one node"},
	{Path: "contention", Flag: "contention", Column: "contention", Default: none, Names: []string{none, hol},
		Help: "whether messages of an all-to-all block each other at the switch"},
	{Path: "topology", Flag: "topology", Column: "topology", Default: none, Names: []string{none}, Check: checkTopology, Examples: network.Examples(),
		Help: "of the links that a2a, a2and, a2at, random-ring and permutation share, such as torus:5x5"},
	{Path: "network.hop_latency", Flag: "hop-latency", Column: "hop_latency_s", Default: "0s", Dimension: units.Time,
		Help: "what each link of the topology adds to a message's latency"},
	{Path: "sharing", Flag: "sharing", Column: "sharing", Default: equal, Names: []string{equal, maxmin},
		Help: "how flows share a link of the topology"},
	{Path: "controllers", Flag: "controllers", Column: "controllers", Default: "1", Whole: true, Least: 1,
		Help: "NCT: messages that a node of the topology sends at once"},
	{Path: "sync", Flag: "sync", Column: "sync", Default: none, Names: []string{none, local, localController},
		Help: "what a node of the topology waits for before it sends"},
	{Path: "messages", Flag: "messages", Column: "messages_per_node", Default: "10", Whole: true, Least: 1,
		Help: "messages that each node of the topology sends, of random-ring and permutation"},
	{Path: "redundancy.sources", Flag: "sources", Column: "sources", Default: "1", Whole: true, Least: 1,
		Help: "R: ranks asked for the same partial result in a round"},
	{Path: "segments", Flag: "segments", Column: "segments", Default: "1", Whole: true, Least: 1,
		Help: "S: pieces into which the ring cuts each of its chunks"},
	{Path: "redundancy.send_overhead", Flag: "send-overhead", Column: "send_overhead_s", Default: "0s", Dimension: units.Time,
		Help: "c: what posting a redundant copy costs its sender beyond that"},
	{Path: "redundancy.reception", Flag: "reception", Column: "reception", Default: offload, Names: []string{offload, cpu},
		Help: "what the arrival of a redundant copy needs"},
	{Path: "noise.profile", Flag: "noise", Column: "noise_profile", Default: none, Names: []string{none}, Check: func(string) error { return nil }, Files: []string{"yaml", "yml"}, Noise: true,
		Help: "measured noise: a preset, or the file of a profile"},
	{Path: "noise.os.kind", Flag: "os-kind", Column: "os_kind", Default: periodic, Names: []string{periodic, poisson, measured, none}, Noise: true,
		Help: "OS jitter"},
	{Path: "noise.os.period", Flag: "os-period", Column: "os_period_s", Default: "1ms", Dimension: units.Time, Above: true, Noise: true,
		Help: "time between the beginnings of two detours of a rank; of poisson the mean"},
	{Path: "noise.os.duration", Flag: "os-duration", Column: "os_duration_s", Default: "10us", Dimension: units.Time, Noise: true,
		Help: "length of a detour"},
	{Path: "noise.os.launch", Flag: "os-launch", Column: "os_launch", Default: "quiet", Names: []string{"quiet", stationary}, Noise: true,
		Help: "whether ranks can be inside a detour at the start"},
	{Path: "noise.os.scope", Flag: "os-scope", Column: "os_scope", Default: rank, Names: []string{rank, node, all}, Noise: true,
		Help: "what a detour stops"},
	{Path: "noise.network.kind", Flag: "net-kind", Column: "net_kind", Default: poisson, Names: []string{poisson, measured, none}, Noise: true,
		Help: "network noise"},
	{Path: "noise.network.interval", Flag: "net-interval", Column: "net_interval_s", Default: "=noise.os.period", Dimension: units.Time, Above: true, Noise: true,
		Help: "mean time between two events that hold a message"},
	{Path: "noise.network.duration", Flag: "net-duration", Column: "net_duration_s", Default: "=noise.os.duration", Dimension: units.Time, Noise: true,
		Help: "how long an event holds a message"},

	{Path: "permutation", Flag: "permutation", Default: none, Names: []string{none}, Check: func(string) error { return nil }, Files: []string{"txt"},
		Help: "file that says, a line each, to which node of the topology every node sends"},
	{Path: "redundancy.max", Flag: "redundancy", Default: all, Names: []string{all}, Whole: true,
		Help: "the largest T to look at"},
	{Path: "seed", Flag: "seed", Default: "1", Whole: true,
		Help: "names the random numbers"},
	{Path: "trials.min", Flag: "trials-min", Default: "30", Whole: true, Least: 2,
		Help: "trials of each configuration before the first look"},
	{Path: "trials.max", Flag: "trials-max", Default: "=trials.min", Whole: true, Least: 2,
		Help: "trials after which a configuration ends in any case"},
	{Path: "trials.until", Flag: "until", Default: precision, Names: []string{precision, choice},
		Help: "what more than the least trials are for"},
	{Path: "trials.effort", Flag: "effort", Default: unlimited, Names: []string{unlimited}, Whole: true, Least: 1,
		Help: "rank-rounds to spend on one choice at most"},
	{Path: "trials.precision", Flag: "precision", Default: "0.01", Above: true,
		Help: "relative half-width of the mean's interval to stop at"},
	{Path: "trials.confidence", Flag: "confidence", Default: "0.95", Above: true, Below: 1,
		Help: "level of that interval and of those reported"},
	{Path: "choose.objective", Flag: "objective", Default: "mean", Names: objectiveNames(),
		Help: "what T is chosen by"},
	{Path: "choose.tolerance", Flag: "tolerance", Default: "0.01", Above: true,
		Help: "how much worse than the best T a smaller one may be, relative"},
}

// Find returns the key at a path.
func Find(path string) (Key, bool) {
	i := slices.IndexFunc(Keys, func(k Key) bool { return k.Path == path })
	if i < 0 {
		return Key{}, false
	}
	return Keys[i], true
}

// nearest returns the known path that an unknown one most likely means: one that
// it begins, or the one at the smallest distance, also of the last parts alone.
func nearest(path string) string {
	path = strings.ToLower(path)
	last := func(p string) string { return p[strings.LastIndexByte(p, '.')+1:] }
	distance := func(k Key) int {
		if strings.HasPrefix(k.Path, path) {
			return 0
		}
		whole := levenshtein.ComputeDistance(path, k.Path)
		parts := levenshtein.ComputeDistance(last(path), last(k.Path))
		return min(2*whole, 2*parts+1)
	}
	return slices.MinFunc(Keys, func(a, b Key) int { return cmp.Compare(distance(a), distance(b)) }).Path
}

// unknown says what is wrong with a path that is no key's.
func unknown(path string) string {
	for _, k := range Keys {
		if strings.HasPrefix(k.Path, path+".") {
			return "a group of keys, not a value; did you mean " + k.Path + "?"
		}
	}
	return "unknown key; did you mean " + nearest(path) + "?"
}

// Env is the environment variable of the key.
func (k Key) Env() string {
	return "JITTERFLY_" + strings.ToUpper(strings.ReplaceAll(k.Path, ".", "_"))
}
