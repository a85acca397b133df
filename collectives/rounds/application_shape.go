package rounds

import (
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
	shape.Checkpoints, shape.Work = nil, n*calls*shape.Work
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
	shape.Hit = a.Collective.hit()/counted + a.Collective.OS.Slowness()*a.span(last)
	pieces := a.Iterations * (1 + a.Calls*len(last.Rounds))
	shape.Tail = a.Collective.tail(last, n*calls, counted, n*a.span(last), pieces, shape.Hit)
	shape.Memory += a.memory(last)
	return shape, nil
}

// memory returns about how many bytes a runner takes beyond a runner of the collective: the times
// when busy links are free, the shares of the ranks, and the listed detours of one iteration and
// about one detour beyond it.
func (a *Application) memory(s *collectives.Schedule) float64 {
	perRank := 0.
	if a.Collective.Problem.Busy {
		perRank += 8
	}
	if a.Compute.drawn() {
		perRank += 8
	}
	for _, os := range a.Collective.OS.Superpositions() {
		for _, source := range os.Components {
			perRank += (1 + a.span(s)*source.Rate()) * noise.BytesPerList
		}
	}
	return perRank * float64(s.Ranks)
}

// span returns how long an iteration takes without noise, about [s].
func (a *Application) span(s *collectives.Schedule) float64 {
	return a.Collective.span(s, a.Compute.Mean, float64(a.Calls))
}
