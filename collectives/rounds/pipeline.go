package rounds

import "jitterfly/internal/vector"

// A pipeline is what a simulator remembers beyond its clocks for rounds whose messages wait for
// their links, and for pipelined rounds: their messages leave when their senders have done all
// rounds except the last few before it.
type pipeline struct {
	clocks []float64 // of all ranks after each of the last rounds, in turn
	free   []float64 // when the link to each rank is free [s]
}

// begin prepares the pipeline for a trial of the schedule.
func (p *pipeline) begin(compiled *Compiled) {
	if n := (compiled.Lag + 1) * compiled.Ranks; n > len(p.clocks) {
		p.clocks = make([]float64, n)
	}
	p.free = append(p.free[:0], make([]float64, compiled.Ranks)...)
}

// sent remembers the clocks before a round, and returns those at which its messages
// leave.
func (p *pipeline) sent(compiled *Compiled, at int, clock []float64) []float64 {
	copy(p.of(compiled, at), clock)
	return p.of(compiled, max(0, at-compiled.rounds[at].Lag))
}

// of returns what is remembered of a round.
func (p *pipeline) of(compiled *Compiled, at int) []float64 {
	return p.clocks[at%(compiled.Lag+1)*compiled.Ranks:][:compiled.Ranks]
}

// queue delays the messages to the ranks from lo, whose data is there at the times in
// leave, until their links are free. A link is busy for as long as a message's bytes
// take [s]; those inside nodes, listed in inside, take busyInside.
func (p *pipeline) queue(lo int, leave []float64, inside []int, busy, busyInside float64) {
	free := p.free[lo:][:len(leave)]
	vector.Later(leave, leave, free, 0)
	vector.Shift(free, leave, busy)
	for _, i := range inside {
		free[i] = leave[i] + busyInside
	}
}
