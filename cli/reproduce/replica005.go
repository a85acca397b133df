package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"jitterfly/collectives/goal"
	"jitterfly/datasets"
	"jitterfly/internal/rng"
	"jitterfly/noise"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// A rule005 is where the simulation of paper 005 differs from jitterfly, and can follow it. All but
// the last correct the simulation.
type rule005 struct {
	waits   bool // a rank sends when all earlier rounds are done, not only the last
	delays  bool // a detour of a sender delays its message
	extends bool // detours in the time that a detour takes extend it further
	sends   bool // the gap is between messages that a rank sends, not between those it receives
}

// schedgen005 returns the dissemination of schedgen's nwaydissemination, whose ranks post all
// receives at once and begin a round when the message of the last round has come. Messages of
// earlier rounds may be missing then; with waits a rank waits for them.
func schedgen005(ranks int, bytes int64, waits bool) goal.Schedule {
	s := make(goal.Schedule, ranks)
	for rank := range s {
		var received, reduced []int
		for k := range bits.Len(uint(ranks - 1)) {
			send := goal.Op{Kind: goal.Send, Size: bytes, Peer: (rank + 1<<k) % ranks, Tag: k}
			if k > 0 {
				reduce := goal.Op{Kind: goal.Calc, Requires: slices.Clone(received)}
				if waits {
					reduce.Requires = append(reduce.Requires, reduced...)
				}
				s[rank] = append(s[rank], reduce)
				reduced = []int{len(s[rank]) - 1}
				send.Requires = reduced
			}
			from := (rank - 1<<k + ranks) % ranks
			s[rank] = append(s[rank], send, goal.Op{Kind: goal.Recv, Size: bytes, Peer: from, Tag: k})
			received = []int{len(s[rank]) - 1}
		}
	}
	return s
}

// A noise005 is the noise of LogGOPSim: each rank replays the trace from a time of its own, and each
// message has a latency drawn from the measured ones.
type noise005 struct {
	detours []trace.Detour // in the order of their starts
	span    float64        // of the trace [s]
	offsets []float64      // of the ranks
	extends bool

	latency float64      // the least [s]
	excess  noise.Length // beyond it; nil if it is the only one
	draws   rng.Counter
	drawn   int
}

// Work implements [goal.Noise], as LogGOPSim does: with what is left of a detour, and with all that
// begin before the work would be done without noise.
func (n *noise005) Work(rank int, from, to float64) float64 {
	if len(n.detours) == 0 {
		return 0
	}
	start := math.Mod(from+n.offsets[rank], n.span)
	end, extra := start+to-from, 0.0
	next := sort.Search(len(n.detours), func(i int) bool { return n.detours[i].Start > start })
	if next > 0 {
		extra = max(0, n.detours[next-1].End()-start)
	}
	for ; next < len(n.detours); next++ {
		if n.extends {
			end = start + to - from + extra
		}
		if n.detours[next].Start >= end {
			break
		}
		extra += n.detours[next].Length
	}
	return extra
}

// Latency implements [goal.Noise].
func (n *noise005) Latency() float64 {
	if n.excess == nil {
		return n.latency
	}
	n.drawn++
	return n.latency + n.excess.Quantile(rng.Unit(n.draws.Word(n.drawn)))
}

// traceSpan005 is the length [s] of the traces that are drawn from presets, about as long as theirs.
const traceSpan005 = 100

// draw draws the noise of the trial that a key names.
func (n *noise005) draw(key rng.Key) {
	starts := key.Derive(0).Counter()
	for rank := range n.offsets {
		n.offsets[rank] = n.span * rng.Unit(starts.Word(rank))
	}
	n.draws, n.drawn = key.Derive(1).Counter(), 0
}

// noiseOf005 returns the noise of a profile for the ranks, of the given kind, and the parameters of
// its machine. Detours are of the trace, one core after the other, or are drawn if it has no cores.
func noiseOf005(p Machine, kind string, ranks int) (*noise005, goal.LogGP) {
	n := &noise005{offsets: make([]float64, ranks), latency: *p.Network.Latency}
	for _, core := range p.Trace.Cores {
		for _, d := range core.Detours {
			n.detours = append(n.detours, trace.Detour{Start: n.span + d.Start, Length: d.Length})
		}
		n.span += core.Span
	}
	if len(p.Trace.Cores) == 0 {
		n.span = traceSpan005
		n.detours = p.Draw(rng.NewKey(1, p.Name), n.span)
		slices.SortFunc(n.detours, func(a, b trace.Detour) int { return cmp.Compare(a.Start, b.Start) })
	}
	if kind == "none" || kind == "net" {
		n.detours = nil
	}
	if kind == "net" || kind == "os+net" {
		n.latency, n.excess = *p.Network.Latency, p.Network.Noise.Duration
	}
	return n, goal.LogGP{O: *p.Network.Overhead, Gap: *p.Network.Gap, G: 1 / *p.Network.Bandwidth}
}

// replica005 returns the median completion time [s] of a cell by the rules of paper 005, under the
// noise of the archive, or of the preset if that is nil.
func replica005(a *Archive, cell cell005, r rule005, trials int) float64 {
	p := preset005(cell.system)
	m, err := adapt005(p, Study{Name: study005(cell.noise)}, a)
	if err != nil {
		panic("reproduce: " + err.Error()) // presets have all, and the studies have read the archive
	}
	n, machine := noiseOf005(m, cell.noise, cell.nodes)
	n.extends = r.extends
	x := goal.NewSimulator(schedgen005(cell.nodes, bytes005, r.waits))
	all := make([]float64, trials)
	for i := range all {
		n.draw(rng.NewKey(uint64(i), "replica of paper 005"))
		all[i] = slices.Max(x.Run(machine, n, goal.Rules{SenderDelays: r.delays, GapOfSends: r.sends}))
	}
	slices.Sort(all)
	return all[(trials-1)/2]
}

// trials005 is how many trials the replica runs of each cell.
var trials005 = 100

// effects005 returns what the replica gives for a cell, and what each correction makes of it.
func effects005(a *Archive, c cell005) string {
	asTheirs := replica005(a, c, rule005{}, trials005)
	effect := func(r rule005) string {
		return fmt.Sprintf("%+.0f%%", 100*(replica005(a, c, r, trials005)/asTheirs-1))
	}
	corrected := rule005{waits: true, delays: true, extends: true}
	text := fmt.Sprintf("A replica of their rules gives %.4g µs at %d nodes. If a rank waits for all "+
		"earlier rounds: %s; if a sender's detour delays its message: %s; if detours extend each "+
		"other: %s; all three: %s", 1e6*asTheirs, c.nodes, effect(rule005{waits: true}),
		effect(rule005{delays: true}), effect(rule005{extends: true}), effect(corrected))
	if *preset005(c.system).Network.Gap > 0 {
		corrected.sends = true
		text += "; and if the gap is only between sends: " + effect(corrected)
	}
	return text + "."
}

// reception005 returns what the gap between messages that a rank receives makes of a cell.
func reception005(a *Archive, c cell005) string {
	time := func(r rule005) string {
		return fmt.Sprintf("%.4g µs", 1e6*replica005(a, c, r, max(1, trials005/4)))
	}
	return fmt.Sprintf("On %d nodes the replica gives %s; %s if a rank waits for all earlier rounds; "+
		"and %s if besides the gap is only between sends.", c.nodes, time(rule005{}),
		time(rule005{waits: true}), time(rule005{waits: true, sends: true}))
}

// preset005 returns the preset of a name. It panics if there is none.
func preset005(name string) profile.Profile {
	for _, preset := range datasets.Presets() {
		if preset.Name == name {
			p, err := profile.Read(preset.YAML, name)
			if err != nil {
				panic(err) // a test reads all
			}
			return p
		}
	}
	panic("reproduce: no preset is named " + name)
}
