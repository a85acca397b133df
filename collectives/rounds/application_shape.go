package rounds

import (
	"math"

	"jitterfly/collectives"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// Shape implements [montecarlo.Model]. Its error says why the algorithm has no schedule for the
// problem. The clocks fall with T as the completion of the collective does, but a difference of
// two of them need not, so that the shape is monotone only without warm-up.
func (a *Application) Shape() (montecarlo.Shape, error) {
	var call montecarlo.Model = &a.Collective
	if a.Network != nil {
		call = a.Network
	}
	shape, err := call.Shape()
	if err != nil {
		return shape, err
	}
	schedules := a.redundancies()
	monotone := a.Warmup == 0 && !a.Compute.random()
	shape.Monotone = shape.Monotone && monotone
	shape.NoiseOnlyDelays = shape.NoiseOnlyDelays && monotone
	n, calls := float64(a.Iterations), float64(a.Calls)
	ranks := float64(a.Collective.Problem.Ranks)
	computing := n * ranks
	shape.Checkpoints = make([]montecarlo.Checkpoint, 0, len(schedules)*a.perRedundancy())
	shape.Work *= n * calls
	if a.Network == nil { // each T has all rounds
		shape.Work = 0
	}
	for i := range schedules {
		s := &schedules[i]
		if shape.Work += computing; a.Network == nil {
			shape.Work += n * calls * s.Work()
		}
		c := montecarlo.Checkpoint{
			T: s.Checkpoints[i].T, Messages: calls * s.Messages(i), Buffer: s.Buffer,
		}
		for k := range a.perRedundancy() {
			c.Sample = 0 < k && k <= a.samples()
			shape.Checkpoints = append(shape.Checkpoints, c)
		}
	}
	counted := float64(a.Iterations - a.Warmup)
	last := &schedules[len(schedules)-1]
	span := a.Collective.span(last, a.Compute.Mean, calls) // of an iteration [s]
	shape.Span, shape.Noise = span, a.Collective.drawing(n*(span+a.Collective.hit()))
	shape.Hit = a.Collective.hit()/counted + a.Collective.OS.Slowness()*span
	pieces := a.Iterations * (1 + a.Calls*last.Length())
	shape.Tail = a.Collective.tail(last, n*calls, counted, n*span, pieces, shape.Hit)
	shape.Memory += a.memory(last, span)
	return shape, nil
}

// memory returns about how many bytes a runner takes beyond a runner of the collective: the clocks
// of each T and the times when busy links are free, the shares of the ranks, and the listed detours
// of one iteration of a span [s], as all T are about as far, and about one detour beyond it.
func (a *Application) memory(s *collectives.Schedule, span float64) float64 {
	perRank := 8.
	if a.Collective.Problem.Busy {
		perRank += 8
	}
	perRank *= float64(1 + len(s.Checkpoints))
	if a.Compute.drawn() {
		perRank += 8
	}
	for _, os := range a.Collective.OS.Superpositions() {
		perRank += (float64(len(os.Components)) + span*os.Rate()) * noise.BytesPerList
	}
	return perRank * float64(s.Ranks)
}

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
	b := iterationBound{
		all: compiled.lowerBound(), hop: compiled.hop(), calls: float64(a.Calls), overlap: a.Overlap,
	}
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
	b := a.newBound(a.Collective.outline().Compiled)
	for range a.Iterations - a.Warmup {
		b.after(a.Compute.least(), a.Compute.least())
	}
	return b.time()
}
