package rounds

import (
	"math"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/recording"
)

// An arrival is a message at its receiver.
type arrival struct {
	begin *recording.Moment // of its transit, at the sender
	at    float64           // when it is there [s]
	delay float64           // how much of its transit was noise [s]
	// inside reports whether it is from a rank of the same node.
	inside bool
	source int // which of the round's
}

// moment returns the arrival as a moment of its receiver.
func (a *arrival) moment(rank int) *recording.Moment {
	if a.delay > 0 {
		sent := a.begin.Then(recording.Transit, recording.Wire, a.at-a.delay)
		return sent.Then(rank, recording.Delayed, a.at)
	}
	return a.begin.Then(rank, recording.Wire, a.at)
}

// message returns the arrival as a message to its receiver.
func (a *arrival) message(rank int) recording.Message {
	return recording.Message{
		From: recording.Point{Track: a.begin.Track, Time: a.begin.Time},
		To:   recording.Point{Track: rank, Time: a.at},
	}
}

// postAll makes all ranks post the messages that leave in a round, including messages of later
// pipelined rounds. It returns when the messages of the round leave, by source and sender.
func (rec *recorder) postAll(at int) [][]*recording.Moment {
	for ahead := at; ahead <= at+rec.Lag && ahead < len(rec.rounds); ahead++ {
		if lag := rec.rounds[ahead].Lag; lag > 0 && max(0, ahead-lag) == at {
			rec.ahead[ahead] = rec.post(&rec.rounds[ahead], 0, rec.at)
		}
	}
	r := &rec.rounds[at]
	if r.Medium == collectives.Memory { // nobody posts anything
		return slices.Repeat([][]*recording.Moment{slices.Clone(rec.at)}, len(r.sources))
	}
	if r.Lag > 0 {
		leaves := rec.ahead[at]
		rec.ahead[at] = nil
		return [][]*recording.Moment{leaves}
	}
	free := rec.at
	if r.Wait == collectives.Spare { // posting a spare copy does not delay the sender
		free = slices.Clone(free)
	}
	var leaves [][]*recording.Moment
	for m := range r.sources {
		leaves = append(leaves, rec.post(r, m, free))
	}
	return leaves
}

// post posts the messages of the round's m-th sources, on processors that are free at the moments
// in free, and returns when the messages leave. Posting a redundant copy does not delay the sender
// itself, and is not in its track.
func (rec *recorder) post(r *round, m int, free []*recording.Moment) []*recording.Moment {
	host, leave := &rec.problem.Host, make([]*recording.Moment, rec.Ranks)
	work, after := host.Overhead, r.sources[m].Post
	if r.Copies > 0 {
		work *= float64(r.Copies)
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		q := r.sources[m].Peers.From(rank)
		if work > 0 {
			free[q] = rec.work(r.postingOf(m), q, free[q], work, r.Wait != collectives.Spare,
				recording.Part{Kind: recording.Sending, Seconds: work})
		}
		leave[q] = free[q]
		if rec.awaited(r) {
			leave[q] = rec.send(r, m, q, free[q])
			continue
		}
		if !rec.hosts {
			continue
		}
		if rec.behind(r) {
			leave[q] = queued(leave[q], q, rec.sent[q])
		}
		if after > 0 && !r.Every {
			at := leave[q].Time + after
			if rec.stays(&r.sources[m], q, rank) {
				at += r.sources[m].Inside
			}
			leave[q] = leave[q].Then(q, r.posting(), at)
		}
		leave[q] = rec.queue(r, m, q, leave[q])
	}
	return leave
}

// queued returns the moment when a message of rank q leaves that could do so at m, but not before a
// time.
func queued(m *recording.Moment, q int, before float64) *recording.Moment {
	if before > m.Time {
		return m.Then(q, recording.Queueing, before)
	}
	return m
}

// send sends a posted message of rank q on its link, and returns when the message leaves.
func (rec *recorder) send(r *round, m, q int, posted *recording.Moment) *recording.Moment {
	leave, s := posted, &r.sources[m]
	link := rec.linkOf(s, q, s.Peers.To(q))
	if !rec.hosts {
		rec.takes[q] += link
		rec.gone[q] = posted.Time + rec.takes[q]
		return leave
	}
	gap := rec.problem.Host.Gap
	if m == 0 && gap > 0 {
		rec.turn[q] = rec.sent[q]
	}
	leave = queued(leave, q, rec.sent[q])
	rec.gone[q] = leave.Time + link
	rec.sent[q] = rec.gone[q] + gap
	if m > 0 {
		leave = queued(leave, q, rec.left[q].Time+rec.problem.Redundancy.SendOverhead)
	}
	rec.left[q] = leave
	return leave
}

// awaitLinks delays the senders of a round until their links are free of an earlier call's copies,
// where messages cost their hosts nothing.
func (rec *recorder) awaitLinks(r *round) {
	if rec.hosts || !rec.awaited(r) {
		return
	}
	for m := range r.sources {
		for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
			q := r.sources[m].Peers.From(rank)
			rec.at[q] = rec.until(rec.at[q], recording.Sending, rec.free[q])
		}
	}
}

// queue returns when a message of rank q leaves: at leave or, if that is later, a gap after the
// message that left before, where links are free. Several messages of one round follow each other
// after their time on the link. A message that is sent again has its place among them.
func (rec *recorder) queue(r *round, m, q int, leave *recording.Moment) *recording.Moment {
	apart := rec.problem.Host.Gap
	if r.Every {
		apart = max(apart, r.sources[m].apart)
	}
	if apart == 0 && !r.Every {
		return leave
	}
	if r.Wait == collectives.Spare && r.Copies == 0 {
		return queued(leave, q, rec.turn[q])
	}
	if rec.Busy {
		return leave
	}
	before, turn := rec.left[q], math.Inf(-1)
	if apart > 0 && before != nil {
		turn = before.Time + apart
	}
	if r.Wait != collectives.Spare {
		rec.turn[q] = turn
	}
	if turn > leave.Time {
		leave = before.Then(q, recording.Queueing, turn)
	}
	rec.left[q] = leave
	return leave
}

// arrivals returns when the messages of the round's m-th source, which leave at those
// moments, arrive at their receivers.
func (rec *recorder) arrivals(r *round, m int, leave []*recording.Moment) []arrival {
	arrivals, times := make([]arrival, rec.Ranks), make([]float64, rec.Ranks)
	source := &r.sources[m]
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		begin := leave[source.Peers.From(rank)]
		if r.Queue {
			begin = rec.cross(r, rank, begin)
		}
		arrivals[rank].begin, times[rank] = begin, begin.Time
	}
	if r.Medium != collectives.Memory {
		each(times, r.Receivers, func(lo int, block []float64) {
			rec.noise.Delays.Delay(r.Exchange+m, lo, block, r.transit)
		})
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		a := &arrivals[rank]
		a.source = m
		a.delay = recording.Significant(times[rank] - a.begin.Time)
		if rec.stays(source, source.Peers.From(rank), rank) {
			times[rank], a.delay, a.inside = a.begin.Time+source.within, 0, true
		}
		rec.arrive(r, m, a, times[rank])
	}
	return arrivals
}

// arrive sets when the message of arrival a arrives; without the wire it would be there at time. If
// it costs its host nothing, it leaves some time after the data is there.
func (rec *recorder) arrive(r *round, m int, a *arrival, time float64) {
	after := r.sources[m].Post
	if rec.costs(r) {
		a.at = time + r.transit
		return
	}
	first := r.sources[0].Post + r.transit // as the passes add it, to all copies at once
	if m > 0 {
		time += after + r.transit - first
	}
	a.at = time + first
	if after > 0 {
		a.begin = a.begin.Then(a.begin.Track, r.posting(), a.begin.Time+after)
	}
}

// posting returns what a message does before it leaves, beyond what it costs its host: it is
// posted, or it waits for its turn on the link.
func (r *round) posting() recording.Kind {
	if r.Every {
		return recording.Queueing
	}
	return recording.Sending
}

// cross makes a message wait for the link to a rank.
func (rec *recorder) cross(r *round, rank int, leave *recording.Moment) *recording.Moment {
	if before := rec.link[rank]; before != nil && before.Time+rec.busy[rank] > leave.Time {
		leave = before.Then(before.Track, recording.Queueing, before.Time+rec.busy[rank])
	}
	rec.link[rank], rec.busy[rank] = leave, r.Bytes/rec.problem.Bandwidth
	if rec.sameNode(leave.Track, rank) {
		rec.busy[rank] = r.Bytes / rec.problem.Node.Bandwidth
	}
	return leave
}

// The recorder where ranks read from sockets. It reads as sockets.go does.

// message returns what arrives as a message to read.
func (rec *recorder) message(r *round, a *arrival) message {
	return r.message(a.source, a.at, rec.problem.Host.Window, a.inside)
}

// read reads the message of arrival a on a rank that polls from time from on, and sets when its
// last byte arrives.
func (rec *recorder) read(rank int, r *round, a *arrival, from float64) reading {
	got := rec.reader.of(rank, from, rec.message(r, a), rec.noise)
	a.at = got.arrived
	rec.polls += got.polls
	rec.reads += got.reads
	return got
}

// poll draws the polls of a rank after the last byte has arrived.
func (rec *recorder) poll(rank int, got reading) {
	m := rec.at[rank]
	if !(got.done > m.Time) {
		return
	}
	work := min(got.busy, got.done-m.Time)
	if recording.Significant(got.done-m.Time-work) == 0 {
		work = got.done - m.Time // no detour, but rounding
	}
	rec.at[rank] = rec.tracks[rank].Work(rank, m, got.done, work,
		recording.Part{Kind: recording.Polling, Seconds: work})
}

// readOne reads the message of arrival a on a rank, and combines it if the round combines. The rank
// came to the round at time before; bytes that it had read by then are copied once more.
func (rec *recorder) readOne(rank int, r *round, a arrival, before float64) {
	m := rec.message(r, &a)
	rec.reader.counts(r, a.at, &rec.came[rank])
	rec.waits[rank] = rec.at[rank].Time
	from := polledFrom(m.first, rec.waits[rank], rec.since[rank])
	got := rec.read(rank, r, &a, from)
	taking, work, combine := r.take, r.take, 0.0
	if r.Wait == collectives.Combined {
		combine = r.Combine
		work += combine
	}
	if got.done+rec.reader.same < before {
		taking += r.recopy
		work += r.recopy
	}
	if got.done > rec.at[rank].Time {
		rec.wait(rank, a)
		rec.poll(rank, got)
	}
	rec.at[rank] = rec.until(rec.at[rank], recording.Sending, rec.gone[rank])
	rec.at[rank] = rec.work(r.taking(), rank, rec.at[rank], work, true,
		recording.Part{Kind: recording.Receiving, Seconds: taking},
		recording.Part{Kind: recording.Computing, Seconds: combine})
}

// readAll reads and combines the messages of all sources on a rank, which polls for all of them at
// the same time.
func (rec *recorder) readAll(rank int, r *round, arrivals [][]arrival) {
	waits := rec.at[rank].Time
	ready, link, last, lastAt := waits, 0.0, reading{}, arrival{}
	for m := range r.sources {
		a := arrivals[m][rank]
		got := rec.read(rank, r, &a, waits)
		if ready = rec.reader.after(rank, ready, got, rec.noise); m == 0 || got.done >= last.done {
			last, lastAt = got, a
		}
		link += got.left
	}
	ready = rec.reader.linked(rank, ready, waits+link, rec.noise)
	if waits+link > lastAt.at { // the link is busy with messages until then
		lastAt.at = waits + link
	}
	rec.wait(rank, lastAt)
	last.busy += max(0, ready-last.done) // polls for others
	last.done = ready
	rec.poll(rank, last)
	taking := float64(len(r.sources)) * r.take
	rec.at[rank] = rec.work(r.piece(combining, 0), rank, rec.at[rank], r.Combine+taking, true,
		recording.Part{Kind: recording.Receiving, Seconds: taking},
		recording.Part{Kind: recording.Computing, Seconds: r.Combine})
}
