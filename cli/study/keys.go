// Package study reads a study: the values of its keys from a file, the environment and
// flags, and the configurations that are their product.
package study

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"jitterfly/internal/units"
)

//go:generate go test -run Generated . -update

// A Key describes one setting of a study. Its flag, environment variable, help, completion,
// column in the results, JSON Schema and rows in docs/format.md follow from the descriptor.
type Key struct {
	Path    string // in the study file and for --set
	Flag    string // on the command line
	Group   string // heading in help, one of Groups
	Default string // or "=path": the value of another key
	Paper   string // the default with assume: paper, if it is another one
	Help    string // what it is, in one line
	Title   string // in pictures and reports; "" is Flag with spaces

	// Column names the axis in the results; "" if the key is not an axis. Axes may be lists.
	Column string
	// A value is a name in Names, a whole number if Whole, or else a quantity of Dimension. Names that
	// stand for constants of a package are in the order of these, from 0 on.
	Names     []string
	Whole     bool
	Dimension units.Dimension
	// Share marks shares of a whole, whose values above 1 have to be written in per cent.
	Share bool
	// Aliases maps other spellings to names in Names.
	Aliases map[string]string
	// Check accepts further values: strings for which it returns nil. They match the regular
	// expression Pattern; an empty Pattern matches all.
	Check   func(text string) error
	Pattern string
	// Examples are values to offer for completion besides Names.
	Examples []string
	// Files are extensions of the files that values other than Names name. Files are checked when
	// they are read.
	Files []string
	// Least is the smallest value. With Above the value must exceed it, and if Below is not 0
	// the value must be less than Below.
	Least float64
	Above bool
	Below float64

	// Rules say where the key has no effect. The first that applies sets its value.
	Rules []Rule
	// Environment marks the keys that name the random numbers of a configuration, where they name the
	// configuration: collectives and redundancies with the same values of these meet the same noise.
	Environment bool
	// Chosen marks the keys that a study of choices chooses. It compares their values for
	// every deployment, which all other keys describe.
	Chosen bool

	// Rare marks the keys that help names without their flags: few studies need them.
	Rare bool

	axis  int  // the place in Axes from 1 on; of what is not there 0, which finds no value
	named bool // among named
}

// Groups are the headings of keys in help, in order.
var Groups = []string{
	groupNetwork, groupNoise, groupRedundancy, groupApplication, GroupTrials, GroupChoice,
	GroupCollective, groupHosts, groupNodes, groupTopology, groupPackets,
}

// The headings. GroupTrials also heads other flags that say how much is simulated.
const (
	GroupCollective  = "Collective"
	groupRedundancy  = "Redundancy"
	groupNetwork     = "Network"
	groupHosts       = "What a message costs its hosts"
	groupNodes       = "Nodes"
	groupTopology    = "Topology"
	groupPackets     = "Packets"
	groupNoise       = "Noise"
	groupApplication = "Application: iterations of computing and calls of the collective"
	GroupTrials      = "Trials"
	GroupChoice      = "Choice"
)

// Names with a meaning of their own.
const (
	ring          = "ring"            // collective
	leaders       = "leaders"         // collective
	no            = "false"           // share
	yes           = "true"            // share
	all           = "all"             // redundancy.max, noise.os.scope, application.overlap
	randomRing    = "random-ring"     // collective
	permutation   = "permutation"     // collective
	auto          = "auto"            // nodes, network.engine
	none          = "none"            // noise.*.kind, contention
	equal         = "equal"           // sharing
	block         = "block"           // placement
	roundRobin    = "round-robin"     // placement
	random        = "random"          // placement
	byRounds      = "rounds"          // network.engine
	byFlow        = "flow"            // network.engine
	packets       = "packet"          // network.engine
	port          = "port"            // packet.crossbar
	class         = "class"           // packet.channel_rule
	offload       = "offload"         // redundancy.reception
	polling       = "polling"         // progress.kind
	epoll         = "epoll"           // progress.kind
	async         = "async"           // progress.kind
	periodic      = "periodic"        // noise.os.kind
	poisson       = "poisson"         // noise.*.kind
	kindProfile   = "profile"         // noise.*.kind
	quiet         = "quiet"           // noise.os.launch
	stationary    = "stationary"      // noise.os.launch
	rank          = "rank"            // noise.os.scope
	node          = "node"            // noise.os.scope
	nic           = "nic"             // redundancy.reception
	cpu           = "cpu"             // redundancy.reception
	final         = "final"           // redundancy.forward
	busy          = "busy"            // network.links
	free          = "free"            // network.links
	halfRoundTrip = "half-round-trip" // network.latency_is
	transit       = "transit"         // network.latency_is
	unlimited     = "unlimited"       // trials.effort
	choice        = "choice"          // trials.until
)

// Axes are the keys that have a column, in the order of columns.
var Axes = axesOf(Keys)

// axesOf returns the keys that have a column. It numbers them, and sets the key of conditions on
// the key itself.
func axesOf(keys []*Key) []*Key {
	var axes []*Key
	for _, k := range keys {
		k.named = slices.Contains(named, k)
		if k.axis = 0; k.Column != "" {
			axes = append(axes, k)
			k.axis = len(axes)
		}
		for _, r := range k.Rules {
			for i := range r.If {
				r.If[i].Key = cmp.Or(r.If[i].Key, k)
			}
		}
	}
	return axes
}

// Find returns the key at a path.
func Find(path string) (*Key, bool) {
	i := slices.IndexFunc(Keys, func(k *Key) bool { return k.Path == path })
	if i < 0 {
		return nil, false
	}
	return Keys[i], true
}

// nearest returns the key that an unknown path most likely means, and its distance: one whose path it begins,
// at 0, or the one at the smallest edit distance, of the whole or of the last part alone.
func nearest(path string) (*Key, int) {
	path = strings.ToLower(path)
	last := func(p string) string { return p[strings.LastIndexByte(p, '.')+1:] }
	distance := func(k *Key) int {
		if strings.HasPrefix(k.Path, path) {
			return 0
		}
		whole := levenshtein.ComputeDistance(path, k.Path)
		parts := levenshtein.ComputeDistance(last(path), last(k.Path))
		return min(2*whole, 2*parts+1)
	}
	k := slices.MinFunc(Keys, func(a, b *Key) int { return cmp.Compare(distance(a), distance(b)) })
	return k, distance(k)
}

// unknown returns what is wrong with a path that is not a key's.
func unknown(path string) string {
	for _, k := range Keys {
		if strings.HasPrefix(k.Path, path+".") {
			return "a group of keys, not a value; did you mean " + k.Path + "?"
		}
	}
	if k, distance := nearest(path); distance <= len(path) {
		return "unknown key; did you mean " + k.Path + "?"
	}
	return "unknown key, and none is like it; jitterfly schema lists all keys"
}

// Label returns the name of the key in pictures and reports, such as "detour length".
func (k *Key) Label() string {
	if k.Title != "" {
		return k.Title
	}
	return strings.ReplaceAll(k.Flag, "-", " ")
}

// Env returns the environment variable of the key.
func (k *Key) Env() string {
	return "JITTERFLY_" + strings.ToUpper(strings.ReplaceAll(k.Path, ".", "_"))
}

// canFollow reports whether the values of one key read like the values of another, which it can
// then follow: both are axes, or none is.
func canFollow(from, to *Key) bool {
	return sameKind(from, to) && (from.Column == "") == (to.Column == "")
}

// sameKind reports whether values of two keys read the same way.
func sameKind(a, b *Key) bool {
	return a.Dimension == b.Dimension && a.Whole == b.Whole &&
		(a.Names != nil) == (b.Names != nil)
}

// words reports whether the key's values in the results are words.
func (k *Key) words() bool { return k.Names != nil && !k.Whole }

// whole reports whether the key's values in the results are whole numbers.
func (k *Key) whole() bool { return k.Whole || k.Dimension == units.Size }
