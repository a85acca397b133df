package collectives

import "slices"

// Quiet is a schedule's trial without noise, and where noise could touch it. In trials of
// few ranks, or where noise is rare, it mostly does not, and then they are this one, to the last bit: what
// they cost is to see that.
type Quiet struct {
	Trial
	done     float64 // when nobody does anything any more, at any result
	messages []messages
	struck   []int
	held     bool
	note     func(int, float64)
}

// messages are those of an exchange to n ranks from lo.
type messages struct {
	exchange, lo, n int
	wire            float64
}

// NewQuiet is for a schedule whose trial without noise is known.
func NewQuiet(s *Schedule, p *Problem, trial Trial) *Quiet {
	q := &Quiet{Trial: trial, done: slices.Max(trial.Completion)}
	q.note = func(int, float64) { q.held = true }
	for i := range s.Rounds[:trial.Rounds] {
		round := &s.Rounds[i]
		wire := round.wire(p)
		for m, source := range round.Sources {
			if inside, _ := p.Node.evenly(source.Peers); inside {
				continue
			}
			if all := (Span{0, s.Ranks}); round.Receivers == all {
				q.messages = append(q.messages, messages{round.Exchange + m, 0, s.Ranks, wire})
				continue
			}
			for block := range round.Receivers.blocks {
				q.messages = append(q.messages, messages{round.Exchange + m, block.Lo, block.Hi - block.Lo, wire})
			}
		}
	}
	return q
}

// Untouched says that noise leaves a trial alone: nobody is in a detour before all are
// done, and no message is held. Noise that cannot tell at little cost touches all.
func (q *Quiet) Untouched(os Detours, network Delays) bool {
	detours, ok1 := os.(SparseDetours)
	delays, ok2 := network.(SparseDelays)
	if !ok1 || !ok2 {
		return false
	}
	if q.struck = detours.Struck(q.done, q.struck[:0]); len(q.struck) > 0 {
		return false
	}
	q.held = false
	for i := range q.messages {
		m := &q.messages[i]
		if !delays.Rare(m.wire) {
			return false
		}
		if delays.Held(m.exchange, m.lo, m.n, m.wire, q.note); q.held {
			return false
		}
	}
	return true
}
