package rounds

import (
	"cmp"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/recording"
	"jitterfly/internal/vector"
)

// forwardResults continues late ranks with the messages that bring the result first, up to a
// checkpoint.
func (rec *recorder) forwardResults(checkpoint int) {
	clock, f := rec.clocks(), &rec.forwarding
	proper := rec.Checkpoints[0].Rounds
	if rec.settled(clock, proper) {
		return
	}
	last := map[int]edge{}
	f.note = func(e edge) { last[e.to] = e }
	trial := Trial{Completion: make([]float64, len(rec.Checkpoints))}
	f.run(clock, &trial, checkpoint+1,
		func(collectives.Checkpoint) float64 { return vector.Most(clock) })
	var early []edge
	for rank, e := range last {
		if clock[rank] < rec.at[rank].Time {
			early = append(early, e)
		}
	}
	slices.SortFunc(early, func(a, b edge) int {
		return cmp.Or(cmp.Compare(clock[a.to], clock[b.to]), cmp.Compare(a.to, b.to))
	})
	for _, e := range early { // after those who have sent them the result
		p := rec.rounds[e.round].piece(receiving, e.source)
		rec.copy(p, e.to, &rec.rounds[proper], rec.arrivalOf(e))
		rec.copies[e.to].Forwarded = e.round < proper
	}
}

// arrivalOf returns a message with the result at its receiver.
func (rec *recorder) arrivalOf(e edge) arrival {
	r, begin := &rec.rounds[e.round], rec.at[e.from]
	leave := e.leave
	if !rec.departs() {
		leave += r.Sources[e.source].Post
	}
	if leave > begin.Time {
		begin = begin.Then(e.from, recording.Sending, leave)
	}
	return arrival{begin: begin, at: e.arrival, delay: recording.Significant(e.delay)}
}

// postForwarded posts the results of late ranks in place of partial results, where posting takes
// processor time.
func (rec *recorder) postForwarded(checkpoint collectives.Checkpoint) {
	if checkpoint.Copies == 0 || rec.problem.Host.Overhead == 0 {
		return
	}
	for _, rank := range rec.forwarding.late {
		m := rec.at[rank]
		rec.at[rank] = rec.until(m, recording.Sending, rec.forwarding.inOrder(rank, m.Time, 0).posted)
	}
}
