package rounds

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/recording"
	"jitterfly/internal/vector"
)

// A recorder is the reference executor: it simulates a schedule rank by rank, and records what each
// does. It adds and compares as [Simulator] does, so that its trial is the same to the last bit;
// but it knows for every result which moment decided it.
type recorder struct {
	*Compiled
	noise  *Noise
	tracks []recording.Track
	copies []*recording.Message // to each rank, the last that came first
	used   []recording.Message  // the same of earlier calls

	at     []*recording.Moment // when each rank has what the rounds so far give it
	spare  []float64           // when it would have had it without that copy [s]
	detour []float64           // when the detour ends in which it received that copy [s]
	waited []recording.Message // for which ranks waited

	// Messages that are posted, as in [hosts] and [pipeline].
	ahead [][]*recording.Moment // of pipelined rounds, by sender
	left  []*recording.Moment   // the last that left each rank
	turn  []float64             // before when the last but redundant copies could not leave [s]
	link  []*recording.Moment   // when the message on the link to each rank began
	busy  []float64             // and for how long it is on it [s]
	sent  []float64             // when each rank's link is free for its next message [s]
	gone  []float64             // when the bytes that it sends in this round have left [s]
	takes []float64             // for how long that takes its link [s]
	free  []float64             // when it is free of an earlier call's copies, or this call's rounds [s]

	forwarding forwarding
	// Where ranks read from sockets.
	reader             reader
	since, waits, came []float64 // as in [hosts]
	polls, reads       int       // of all ranks
	// overlap has a rank compute between posting its messages and waiting for them, in rounds of
	// messages from all sources; nil if none does.
	overlap func()
}

// Record simulates a schedule up to a checkpoint, as [Simulator.Run] does, and returns what every
// rank did. When the context is cancelled it returns its error.
func Record(
	ctx context.Context, compiled *Compiled, n *Noise, checkpoint int,
) (*recording.Recording, error) {
	rec := newRecorder(compiled, n)
	for r := range rec.at {
		rec.at[r] = rec.work(piece{Kind: launching}, r, &recording.Moment{Track: r}, 0, true)
	}
	if err := rec.upTo(ctx, checkpoint); err != nil {
		return nil, err
	}
	return rec.finish(compiled.Checkpoints[checkpoint]), nil
}

// upTo simulates the rounds up to a checkpoint.
func (rec *recorder) upTo(ctx context.Context, checkpoint int) error {
	at := 0
	rec.forwarding.prepare(rec.Compiled, rec.noise, rec.free)
	rec.since, rec.waits, rec.came = rec.clocks(), rec.clocks(), rec.clocks()
	for i, c := range rec.Checkpoints[:checkpoint+1] {
		if i > 0 && rec.forward {
			rec.forwardResults(checkpoint)
			break
		}
		if i > 0 && rec.settled(rec.clocks(), at) {
			break // as there, since further rounds could differ by rounding
		}
		for ; at < c.Rounds; at++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if rec.forward {
				rec.forwarding.remember(at, 0, rec.clocks(), rec.sent)
			}
			rec.round(at)
		}
	}
	return nil
}

// newRecorder returns a recorder whose ranks have not started.
func newRecorder(compiled *Compiled, n *Noise) *recorder {
	rec := &recorder{
		Compiled: compiled, noise: n,
		tracks: make([]recording.Track, compiled.Ranks), copies: make([]*recording.Message, compiled.Ranks),
		at: make([]*recording.Moment, compiled.Ranks), spare: make([]float64, compiled.Ranks),
		detour: make([]float64, compiled.Ranks),
	}
	for r := range rec.tracks {
		rec.tracks[r].Rank = r
	}
	rec.reader = newReader(&compiled.problem, nil)
	rec.idle()
	return rec
}

// idle clears the state of messages: none is in transit.
func (rec *recorder) idle() {
	moments := func() []*recording.Moment { return make([]*recording.Moment, rec.Ranks) }
	rec.ahead = make([][]*recording.Moment, len(rec.rounds))
	rec.left, rec.link, rec.turn = moments(), moments(), rec.never()
	rec.busy = make([]float64, rec.Ranks)
	rec.sent = rec.never()
	if rec.free == nil {
		rec.free = rec.never()
	}
	copy(rec.sent, rec.free)
}

// never returns a time for each rank before all others.
func (rec *recorder) never() []float64 {
	return slices.Repeat([]float64{math.Inf(-1)}, rec.Ranks)
}

// clocks returns when each rank has what the rounds so far give it [s].
func (rec *recorder) clocks() []float64 {
	clocks := make([]float64, len(rec.at))
	for rank, m := range rec.at {
		clocks[rank] = m.Time
	}
	return clocks
}

// finish returns the recording at a checkpoint, after which redundant copies are posted.
func (rec *recorder) finish(checkpoint collectives.Checkpoint) *recording.Recording {
	out := &recording.Recording{
		Ranks: len(rec.tracks), Copies: rec.used, Polls: rec.polls, Reads: rec.reads,
	}
	rec.postCopies(checkpoint)
	for rank, m := range rec.at {
		rec.tracks[rank].Add(recording.Detour, m.Time, rec.detour[rank])
		rec.tracks[rank].Add(recording.Saved, max(m.Time, rec.detour[rank]), rec.spare[rank])
		if out.End == nil || m.Time > out.End.Time {
			out.End = m
		}
		if c := rec.copies[rank]; c != nil {
			out.Copies = append(out.Copies, *c)
		}
	}
	out.Messages = slices.DeleteFunc(rec.waited, func(m recording.Message) bool {
		return m.To.Time > rec.at[m.To.Track].Time // a copy was there first
	})
	out.Tracks = rec.tracks
	if rec.Place != nil {
		place(out, rec.Place)
	}
	return out
}

// place numbers the tracks of a recording by the ranks of the program.
func place(rec *recording.Recording, at func(int) int) {
	tracks := make([]recording.Track, len(rec.Tracks))
	for r, track := range rec.Tracks {
		track.Rank = at(r)
		tracks[track.Rank] = track
	}
	rec.Tracks = tracks
	for _, messages := range [][]recording.Message{rec.Copies, rec.Messages} {
		for i := range messages {
			m := &messages[i]
			m.From.Track, m.To.Track = at(m.From.Track), at(m.To.Track)
		}
	}
	for m := rec.End; m != nil; m = m.Cause {
		if m.Track != recording.Transit {
			m.Track = at(m.Track)
		}
	}
}

// postCopies posts the ranks' redundant copies at a checkpoint, and ends their calls.
func (rec *recorder) postCopies(checkpoint collectives.Checkpoint) {
	result := rec.clocks()
	rec.postForwarded(checkpoint)
	for rank, m := range rec.at {
		if checkpoint.Posters.Lo <= rank && rank < checkpoint.Posters.Hi && checkpoint.Copies > 0 {
			if work := float64(checkpoint.Copies) * rec.problem.Host.Overhead; work > 0 {
				m = rec.work(piece{Kind: copying}, rank, m, work, true,
					recording.Part{Kind: recording.Sending, Seconds: work})
			}
			m = rec.until(m, recording.Sending, m.Time+checkpoint.Post)
			rec.free[rank] = m.Time + rec.drained
		} else {
			rec.free[rank] = m.Time // before that its own messages have left
		}
		if rec.nic {
			m = rec.work(piece{Kind: returning}, rank, m, 0, true)
		}
		rec.at[rank] = m
	}
	if rec.Busy && rec.forward && checkpoint.Copies > 0 {
		rec.forwarding.drain(rec.free, result, checkpoint.Posters, checkpoint.Post+rec.drained)
	}
}

// work has a rank's processor work from a moment on, and returns when it is done. The work
// is drawn in the rank's track unless it does not delay the rank itself.
func (rec *recorder) work(
	p piece, rank int, from *recording.Moment, work float64, drawn bool, parts ...recording.Part,
) *recording.Moment {
	track := &rec.tracks[rank]
	if !drawn {
		track = nil
	}
	end := rec.noise.finishOne(p, rank, from.Time, work)
	return track.Work(rank, from, end, work, parts...)
}

// until returns the moment of m's rank at time at, up to which it is busy; or m, if m is later.
func (rec *recorder) until(m *recording.Moment, k recording.Kind, at float64) *recording.Moment {
	if at <= m.Time {
		return m
	}
	rec.tracks[m.Track].Add(k, m.Time, at)
	return m.Then(m.Track, k, at)
}

// round simulates one round.
func (rec *recorder) round(at int) {
	before := slices.Clone(rec.at)
	r := &rec.rounds[at]
	rec.gone, rec.takes = rec.never(), make([]float64, rec.Ranks)
	rec.awaitLinks(r)
	leaves := rec.postAll(at)
	if r.Every && rec.overlap != nil && r.Medium != collectives.Memory {
		rec.overlap()
	}
	var arrivals [][]arrival // by source and receiver
	for m := range r.sources {
		arrivals = append(arrivals, rec.arrivals(r, m, leaves[m]))
	}
	for rank, sent := range rec.gone {
		rec.free[rank] = max(rec.free[rank], sent)
		if !rec.fromSockets(r) || rank < r.Receivers.Lo || rank >= r.Receivers.Hi {
			rec.at[rank] = rec.until(rec.at[rank], recording.Sending, sent)
		}
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		rec.proceed(rank, at, arrivals, before[rank].Time)
	}
}

// proceed simulates a rank's part of a round with what arrives, by source and receiver. The rank
// came to the round at time before.
func (rec *recorder) proceed(rank, at int, arrivals [][]arrival, before float64) {
	r := &rec.rounds[at]
	combine := recording.Part{Kind: recording.Computing, Seconds: r.Combine}
	switch {
	case len(r.sources) == 0:
		rec.at[rank] = rec.work(
			piece{Kind: working, Number: at}, rank, rec.at[rank], r.Combine, true, combine)
	case r.Every && rec.fromSockets(r):
		rec.readAll(rank, r, arrivals)
	case r.Every && rec.costs(r):
		for m := range r.sources {
			rec.take(r.piece(receiving, m), rank, r, arrivals[m][rank], before, 0)
		}
		rec.at[rank] = rec.work(r.piece(combining, 0), rank, rec.at[rank], r.Combine, true, combine)
	default:
		rec.receive(rank, r, rec.chosen(r, arrivals, rank), before)
	}
}

// chosen returns the one of a rank's copies that counts.
func (rec *recorder) chosen(r *round, arrivals [][]arrival, rank int) arrival {
	same := 0.0 // a shorter time decides nothing
	if rec.fromSockets(r) {
		same = rec.reader.same
	}
	a := arrivals[0][rank]
	for _, of := range arrivals[1:] {
		if b := of[rank]; r.Every && b.at > a.at || !r.Every && b.at+same < a.at {
			a = b
		}
	}
	return a
}

// receive continues a rank with the message of arrival a, as the round says. The rank came to the
// round at time before.
func (rec *recorder) receive(rank int, r *round, a arrival, before float64) {
	if rec.fromSockets(r) && r.Wait != collectives.Spare {
		rec.readOne(rank, r, a, before)
		return
	}
	switch {
	case r.Wait == collectives.Spare:
		rec.copy(r.taking(), rank, r, a)
	case r.Wait == collectives.Combined:
		rec.take(r.taking(), rank, r, a, before, r.Combine)
	case !r.cpu || !rec.costs(r):
		there := a.at
		if r.cpu {
			there = rec.noise.finishOne(r.taking(), rank, a.at, 0)
		}
		rec.wait(rank, a)
		rec.at[rank] = rec.until(rec.at[rank], recording.Detour, there)
	default:
		rec.take(r.taking(), rank, r, a, before, 0)
	}
}

// wait makes a rank wait for what arrives, if that is later.
func (rec *recorder) wait(rank int, a arrival) {
	m := rec.at[rank]
	if !(a.at > m.Time) {
		return
	}
	rec.waited = append(rec.waited, a.message(rank))
	free := max(m.Time, a.at-a.delay)
	rec.tracks[rank].Add(recording.Waiting, m.Time, free)
	rec.tracks[rank].Add(recording.Delayed, free, a.at)
	rec.at[rank] = a.moment(rank)
}

// take makes a rank's processor receive what arrives, and combine it for the given time [s]. What
// arrives before the rank came to the round is copied once more.
func (rec *recorder) take(p piece, rank int, r *round, a arrival, before, combine float64) {
	taking, work := r.take, r.take+combine
	if r.recopy > 0 && a.at < before {
		work += r.recopy
		taking += r.recopy
	}
	rec.wait(rank, a)
	rec.at[rank] = rec.work(p, rank, rec.at[rank], work, true,
		recording.Part{Kind: recording.Receiving, Seconds: taking},
		recording.Part{Kind: recording.Computing, Seconds: combine})
}

// copy continues a rank with the redundant copy of arrival a, if it has the copy earlier than its
// own result. The rank then abandons its work.
func (rec *recorder) copy(p piece, rank int, r *round, a arrival) {
	var got reading
	there, now := a.at, rec.at[rank].Time
	if rec.fromSockets(r) {
		if !rec.reader.counts(r, a.at, &rec.came[rank]) {
			return
		}
		m := rec.message(r, &a)
		from := polledFrom(m.first, rec.waits[rank], rec.since[rank])
		got = rec.reader.of(rank, from, m, rec.noise)
		a.at, there = got.arrived, got.done
	}
	if r.cpu {
		there = rec.noise.finishOne(p, rank, there, r.take)
	}
	if !(there < now) {
		return
	}
	if under := rec.tracks[rank].Cut(a.at); under.Kind == recording.Detour {
		rec.detour[rank] = under.To
	}
	rec.spare[rank] = now
	used := a.message(rank)
	rec.copies[rank] = &used
	rec.at[rank] = a.moment(rank)
	rec.poll(rank, got)
	if r.cpu {
		rec.at[rank] = rec.work(p, rank, rec.at[rank], r.take, true,
			recording.Part{Kind: recording.Receiving, Seconds: r.take})
	}
}

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
		func(collectives.Checkpoint) float64 { return vector.Most(clock) }, nil)
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
	if rec.onTop(&rec.rounds[e.round]) {
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
	for _, e := range rec.forwarding.early {
		rank := e.rank
		m := rec.at[rank]
		rec.at[rank] = rec.until(m, recording.Sending, rec.forwarding.replace(rank, m.Time).posted)
	}
}
