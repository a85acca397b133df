package collectives

import "jitterfly/internal/vector"

// A pipeline is what a timeline remembers beyond its clocks for a schedule that
// lags. The hot path of the others does not know it.
type pipeline struct {
	clocks []float64 // of all ranks after each of the last rounds, in turn
	free   []float64 // when the link to each rank is free
}

// begin forgets what was played before.
func (p *pipeline) begin(s *Schedule) {
	if n := (s.lag + 1) * s.Ranks; n > len(p.clocks) {
		p.clocks = make([]float64, n)
	}
	p.free = append(p.free[:0], make([]float64, s.Ranks)...)
}

// sent remembers the clocks before a round, of which rounds have gone before, and
// returns those at which its messages leave.
func (p *pipeline) sent(s *Schedule, round int, clock []float64) []float64 {
	copy(p.of(s, round), clock)
	return p.of(s, max(0, round-s.Rounds[round].Lag))
}

// of is what is remembered of a round.
func (p *pipeline) of(s *Schedule, round int) []float64 {
	return p.clocks[round%(s.lag+1)*s.Ranks:][:s.Ranks]
}

// queue has the messages to the ranks from lo, whose data is there at the times in
// leave, wait for their links. A link is busy for as long as a message's bytes
// take; those inside nodes take another time.
func (p *pipeline) queue(lo int, leave []float64, inside []int, busy, busyInside float64) {
	free := p.free[lo:][:len(leave)]
	vector.Later(leave, leave, free, 0)
	for i, t := range leave {
		free[i] = t + busy
	}
	for _, i := range inside {
		free[i] = leave[i] + busyInside
	}
}
