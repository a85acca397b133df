package study

import "slices"

// The values of [Assume].
const (
	onHosts = "hosts" // what processors, interfaces and links of hosts do
	paper   = "paper" // what Matsumoto and Suda assume
)

// assume makes the keys that neither the user nor the command gave, and that have a Paper value,
// vary with assume: to each of its values belongs one of theirs.
func (a *axes) assume() error {
	a.assumed = map[*Key]bool{}
	for _, k := range Axes {
		if k.Paper == "" || !a.assumes(k) {
			continue
		}
		a.assumed[k] = true
		as := map[string]string{onHosts: k.Default, paper: k.Paper}
		a.values[k] = Each(a.values[Assume], func(v Value) Value { return k.replacement(Rule{As: as[v.Name]}) })
	}
	return nil
}

// assumes reports whether neither the user nor the command has given a key, and no given key fixes it.
func (a *axes) assumes(k *Key) bool {
	return !a.given(k) && a.Defaults[k.Path] == "" && !slices.Contains(a.fixed, k)
}

// fitAssumed sets the overhead of a message where assume does, and what the latency includes where the
// overhead is known. The messages of allreduces cost their hosts the default; but at least half of a
// latency is transit, also inside nodes, so that each of two overheads is at most a quarter of it.
func (s *Study) fitAssumed(p Point) error {
	known := s.profiles[p.Name(NoiseProfile)].Network.Overhead != nil
	switch {
	case known || !s.axes.assumes(Overhead):
		if s.axes.assumes(LatencyIs) {
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

// paperText returns the default with assume: paper in code quotes, "" if it is the same.
func (k *Key) paperText() string {
	if k.Paper == "" {
		return ""
	}
	return "`" + k.Paper + "` with `assume: paper`"
}
