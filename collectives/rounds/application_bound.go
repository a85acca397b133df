package rounds

import "math"

// An iterationBound follows through the counted iterations of a trial what the clocks of the
// first and of the last rank can be ahead of, at any T. From the entry into a call on,
//
//   - all ranks take as long as [Compiled.lowerBound] says, from the first entry on;
//   - none returns before the last has entered, and not all within [Compiled.hop] of that, as all
//     need what that one contributes.
type iterationBound struct {
	all, hop    float64 // of a call [s]
	calls       float64 // in an iteration
	first, last float64 // of the clocks, from the last clock before the counted iterations on [s]
	n           float64 // counted iterations
	overlap     bool    // as [Application.Overlap]
}

func (a *Application) newBound(compiled *Compiled) iterationBound {
	b := iterationBound{all: compiled.lowerBound(), hop: compiled.hop(), calls: float64(a.Calls), overlap: a.Overlap}
	if a.Network != nil {
		b.all, b.hop = a.Network.LowerBound(), 0
	}
	if a.Warmup > 0 { // nothing is known of the first clock
		b.first = math.Inf(-1)
	}
	return b
}

// after adds an iteration in which every rank works for least to most [s].
func (b *iterationBound) after(least, most float64) {
	entry := max(b.first+most, b.last+least)
	if b.overlap { // ranks enter at once, and others need not wait until they have computed
		further := b.calls - 1
		returned := max(entry, b.last+b.hop)
		b.first = max(b.first+max(least, b.all), b.last) + float64(further*b.all)
		b.last = max(b.first, returned+float64(further*b.hop))
		b.n++
		return
	}
	b.first = max(b.first+least+b.all, entry) + float64((b.calls-1)*b.all)
	b.last = max(b.first, entry+float64(b.calls*b.hop))
	b.n++
}

// time returns a time [s] that the counted iterations do not take less than on average.
func (b *iterationBound) time() float64 { return b.last / b.n * (1 - roundingMargin) }

// LowerBound implements [montecarlo.Model].
func (a *Application) LowerBound() float64 {
	b := a.newBound(a.Collective.compile())
	for range a.Iterations - a.Warmup {
		b.after(a.Compute.least(), a.Compute.least())
	}
	return b.time()
}
