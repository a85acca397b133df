package study

import "jitterfly/internal/vector"

// Values of keys follow from values of others by the steps of these tables, in this order: each
// step sees what the earlier ones have set. The first two apply to all configurations of a study,
// the last to each. After them the rules of the keys set the keys that have no effect
// ([Point.ignore]).

// listSteps find the values of every key.
var listSteps = []func(*Study) error{
	(*Study).usePreset,    // application.preset gives values to keys that the user has not given
	(*Study).parse,        // what was written
	(*Study).kindsOfNoise, // --noise none is none, and a described noise of the network acts
	(*Study).imbalances,   // an imbalance of no computing is refused
	(*Study).assume,       // assume gives defaults to keys that nobody has given
	(*Study).resolve,      // =path is the values of another key
	(*Study).belong,       // collectives must do what --operation asks for
}

// fileSteps read the files that values name, and replace the names by the names in results.
var fileSteps = []func(*Study) error{
	(*Study).readProfiles,
	(*Study).readTimes,
	(*Study).readFiles,
	(*Study).settings, // seed, trials and choice
}

// pointSteps set the values of one configuration.
var pointSteps = []func(*Study, Point) error{
	(*Study).measured,   // the profile has the noise, and what messages cost
	(*Study).fitAssumed, // an overhead that is assumed is part of the latency
	(*Study).populate,   // ranks follow from nodes or the topology
	(*Study).measure,    // the file of compute times has the work
	(*Study).iterate,    // iterations of an application, and how many are not counted
}

// The values of [Assume].
const (
	onHosts = "hosts" // what processors, interfaces and links of hosts do
	paper   = "paper" // what Matsumoto and Suda assume
)

// assume makes the keys that neither the user nor the command gave, and that have a Paper value,
// vary with assume: to each of its values belongs one of theirs.
func (s *Study) assume() error {
	for _, k := range Axes {
		if k.Paper == "" || !s.assumes(k) {
			continue
		}
		as := map[string]string{onHosts: k.Default, paper: k.Paper}
		value := func(assume Value) Value { return k.replacement(Rule{As: as[assume.Name]}) }
		s.keys[k].assumed, s.keys[k].values = true, vector.Each(s.keys[Assume].values, value)
	}
	return nil
}

// assumes reports whether neither the user nor the command has given a key, and no given key fixes it.
func (s *Study) assumes(k *Key) bool {
	return !s.given(k) && s.in.Defaults[k.Path] == "" && !s.keys[k].fixed
}

// fitAssumed sets the overhead of a message where assume does, and what the latency includes where the
// overhead is known. The messages of allreduces cost their hosts the default; but at least half of a
// latency is transit, also inside nodes, so that each of two overheads is at most a quarter of it.
func (s *Study) fitAssumed(p Point) error {
	known := s.profiles[p.Name(NoiseProfile)].Network.Overhead != nil
	switch {
	case known || !s.assumes(Overhead):
		if s.assumes(LatencyIs) {
			p.at(LatencyIs).Name = transit
		}
	case p.AllToAll():
		*p.at(Overhead) = Value{}
	default:
		o := min(p.Number(Overhead), p.Number(Latency)/4)
		if p.Whole(RanksPerNode) > 1 {
			o = min(o, p.Number(NodeLatency)/4)
		}
		p.at(Overhead).Number = o
	}
	return nil
}
