package collectives

import "jitterfly/collectives/recording"

// post has all who send to the round's receivers as its m-th source post their messages,
// with processors that are free at those moments, and returns when they leave. Posting a
// redundant copy, which is none of the sender's own time, is not in its lane.
func (rec *recorder) post(round *Round, m int, free []*recording.Moment) []*recording.Moment {
	host, leave := &rec.p.Host, make([]*recording.Moment, rec.p.Ranks)
	work, after := host.Overhead, round.Sources[m].Post
	if round.Copies > 0 {
		work *= float64(round.Copies)
	}
	for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
		q := round.Sources[m].Peers.From(r)
		if work > 0 {
			free[q] = rec.work(q, free[q], work, round.Wait != Spare, recording.Part{Kind: recording.Sending, Seconds: work})
		}
		leave[q] = free[q]
		if host.Free() {
			continue
		}
		if after > 0 && !round.Every {
			leave[q] = free[q].Then(q, posting(round), free[q].Time+after)
		}
		leave[q] = rec.queue(round, m, q, leave[q])
	}
	return leave
}

// queue has a message of a rank leave no less than a gap after the one that left before;
// one of many at once, than that is on the link. A message that is sent again has its
// place among them.
func (rec *recorder) queue(round *Round, m, q int, leave *recording.Moment) *recording.Moment {
	apart := rec.p.Host.Gap
	if apart == 0 && !round.Every {
		return leave
	}
	later := func(turn *recording.Moment) *recording.Moment {
		if turn != nil && turn.Time > leave.Time {
			return turn
		}
		return leave
	}
	if round.Wait == Spare && round.Copies == 0 {
		return later(rec.turn[q])
	}
	if round.Every && m > 0 {
		apart = max(apart, round.Sources[m].Post-round.Sources[m-1].Post)
	}
	var turn *recording.Moment
	if before := rec.left[q]; apart > 0 && before != nil {
		turn = before.Then(q, recording.Queueing, before.Time+apart)
	}
	if round.Wait != Spare {
		rec.turn[q] = turn
	}
	rec.left[q] = later(turn)
	return rec.left[q]
}

// transit has the messages of the round's m-th source, which leave at those moments, go
// through the network to their receivers.
func (rec *recorder) transit(round *Round, m int, leave []*recording.Moment) []arrival {
	p, wire, peers := &rec.p, round.wire(&rec.p), round.Sources[m].Peers
	arrivals, times := make([]arrival, p.Ranks), make([]float64, p.Ranks)
	for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
		begin := leave[peers.From(r)]
		if round.Lag > 0 {
			begin = rec.cross(round, r, begin)
		}
		arrivals[r].begin, times[r] = begin, begin.Time
	}
	each(times, round.Receivers, func(lo int, block []float64) { rec.network.Delay(round.Exchange+m, lo, block, wire) })
	for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
		a := &arrivals[r]
		a.held = recording.Significant(times[r] - a.begin.Time)
		if p.Node.same(peers.From(r), r) {
			times[r], a.held = a.begin.Time+(p.Node.Wire(round.Bytes)-wire), 0
		}
		rec.there(round, m, a, times[r])
	}
	return arrivals
}

// there says when a message is there that would be at some time without the wire. If it
// costs its host nothing, it is then that it leaves some time after the data is there.
func (rec *recorder) there(round *Round, m int, a *arrival, time float64) {
	wire, after := round.wire(&rec.p), round.Sources[m].Post
	if !rec.p.Host.Free() {
		a.at = time + wire
		return
	}
	first := round.Sources[0].Post + wire // as the passes add it, to all copies at once
	if m > 0 {
		time += after + wire - first
	}
	a.at = time + first
	if after > 0 {
		a.begin = a.begin.Then(a.begin.Track, posting(round), a.begin.Time+after)
	}
}

// posting is what a message does before it leaves, beyond what it costs its host: it is
// posted, or one of many, of which the bytes take turns.
func posting(round *Round) recording.Kind {
	if round.Every {
		return recording.Queueing
	}
	return recording.Sending
}

// cross has a message wait for the link to a rank.
func (rec *recorder) cross(round *Round, r int, leave *recording.Moment) *recording.Moment {
	if before := rec.link[r]; before != nil && before.Time+rec.busy[r] > leave.Time {
		leave = before.Then(before.Track, recording.Queueing, before.Time+rec.busy[r])
	}
	rec.link[r], rec.busy[r] = leave, round.Bytes/rec.p.Bandwidth
	if rec.p.Node.same(leave.Track, r) {
		rec.busy[r] = round.Bytes / rec.p.Node.Bandwidth
	}
	return leave
}

// same says whether two ranks are on one node.
func (node Node) same(a, b int) bool { return node.Ranks > 1 && a/node.Ranks == b/node.Ranks }
