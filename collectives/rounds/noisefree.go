package rounds

import "slices"

// noiseFree is a schedule's trial without noise, and where noise could touch it. In trials of
// few ranks, or where noise is rare, it mostly does not, and then they are this one, to the
// last bit: what they cost is to find that out.
type noiseFree struct {
	Trial
	done     float64 // when nobody does anything any more, at any checkpoint [s]
	messages []messages
	delayed  bool
	note     func(int, float64)
}

// messages names the messages of an exchange to n ranks from lo on.
type messages struct {
	exchange, lo, n int
	transit         float64 // of each [s]
}

// newNoiseFree builds it from the noise-free trial of a schedule.
func newNoiseFree(compiled *Compiled, trial Trial) *noiseFree {
	f := &noiseFree{Trial: trial, done: slices.Max(trial.Completion)}
	f.note = func(int, float64) { f.delayed = true }
	for i := range compiled.rounds[:trial.Rounds] {
		r := &compiled.rounds[i]
		transits := []float64{r.transit}
		if compiled.forward && r.wholeTransit != r.transit {
			transits = append(transits, r.wholeTransit)
		}
		for m := range r.sources {
			if r.sources[m].inside {
				continue
			}
			for block := range blocks(r.Receivers) {
				for _, transit := range transits {
					f.messages = append(f.messages,
						messages{r.Exchange + m, block.Lo, block.Hi - block.Lo, transit})
				}
			}
		}
	}
	return f
}

// isTrial reports whether a trial under the noise is this one: nobody is in a detour before
// all are done, and no message is delayed. It returns false if the noise does not know.
func (f *noiseFree) isTrial(n *Noise) bool {
	if n.sparse == nil || n.delayed == nil || n.sparse.Preempts(f.done) {
		return false
	}
	f.delayed = false
	for i := range f.messages {
		m := &f.messages[i]
		if !n.delayed.Delayed(m.exchange, m.lo, m.n, m.transit, f.note) || f.delayed {
			return false
		}
	}
	return true
}
