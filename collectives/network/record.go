package network

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"jitterfly/collectives/recording"
)

// Record simulates one trial, as [Engine.Run] does, and returns its recording, with a track
// for each controller of a node, one for what the node receives, and one for its processor.
// Of [Problem.ReceiveWork], polling [s] is recorded as polling. Record fails if NewEngine or
// Run does.
func Record(
	ctx context.Context, p Problem, host Host, delays Delays, polling float64,
) (*recording.Recording, error) {
	e, err := NewEngine(p)
	if err != nil {
		return nil, err
	}
	rec := newRecorder(e, polling)
	e.recorder = rec
	if _, err := e.Run(ctx, host, delays); err != nil {
		return nil, err
	}
	for n := range e.nodes {
		overlay(&rec.tracks[rec.receiver(n)], rec.incoming[n])
	}
	return &recording.Recording{Ranks: len(e.nodes), Tracks: rec.tracks, End: rec.end}, nil
}

// Tracks returns the number of tracks in a recording of a node with that many controllers:
// one for each, one for what the node receives, and one for its processor.
func Tracks(controllers int) int { return max(1, controllers) + 2 }

// A recorder writes one trial down. Its engine calls it when something happens.
type recorder struct {
	*Engine
	polling  float64
	tracks   []recording.Track
	cpu      []*recording.Moment    // when each processor has completed all its work
	flights  []flight               // of each slot
	incoming [][]recording.Activity // messages to each node
	received [][]reception          // messages that arrived at each node at its last arrival
	end      *recording.Moment
}

// A flight is the state of a slot's message in transit.
type flight struct {
	posted   *recording.Moment
	latency  float64           // of its first byte [s]
	delay    float64           // by noise, so far [s]
	kind     recording.Kind    // what it does now
	since    float64           // when that began
	full     float64           // rate if it had its links alone [B/s]
	previous *recording.Moment // when the slot's message before it arrived
}

// A reception is a message that has arrived.
type reception struct {
	phase int32
	at    *recording.Moment
}

// newRecorder returns a recorder of one trial of an engine.
func newRecorder(e *Engine, polling float64) *recorder {
	nodes := len(e.nodes)
	rec := &recorder{
		Engine: e, polling: polling,
		cpu: make([]*recording.Moment, nodes), flights: make([]flight, len(e.slots)),
		incoming: make([][]recording.Activity, nodes), received: make([][]reception, nodes),
	}
	for n := range nodes {
		for c := range e.controllers {
			role := "sends"
			if e.controllers > 1 {
				role = fmt.Sprintf("sends, controller %d", c)
			}
			rec.tracks = append(rec.tracks, recording.Track{Rank: n, Role: role})
		}
		rec.tracks = append(rec.tracks,
			recording.Track{Rank: n, Role: "receives"}, recording.Track{Rank: n, Role: "processor"})
	}
	return rec
}

// controller returns the index of the track of a slot.
func (rec *recorder) controller(i int32) int {
	return int(i)/rec.controllers*Tracks(rec.controllers) + int(i)%rec.controllers
}

// receiver returns the index of the track of what a node receives.
func (rec *recorder) receiver(node int) int {
	return node*Tracks(rec.controllers) + rec.controllers
}

// processor returns the index of the track of a node's processor.
func (rec *recorder) processor(node int) int { return rec.receiver(node) + 1 }

// started records the start of a node.
func (rec *recorder) started(node int) {
	track := rec.processor(node)
	begin := &recording.Moment{Track: track}
	rec.cpu[node] = rec.tracks[track].Work(track, begin, rec.nodes[node].free, 0)
	rec.latest(node)
}

// latest updates the end of the recording after work of a node's processor.
func (rec *recorder) latest(node int) {
	if m := rec.cpu[node]; rec.end == nil || m.Time > rec.end.Time {
		rec.end = m
	}
}

// sent records that a controller got a message, which its processor works on from start
// and the controller posts at posted. The latency of its first byte [s] excludes events.
func (rec *recorder) sent(i int32, start, posted, latency float64) {
	node, place := int(i)/rec.controllers, rec.controller(i)
	f, track := &rec.flights[i], &rec.tracks[place]
	cause := rec.cpu[node]
	if start <= rec.now {
		cause = rec.cause(i, node)
	}
	free, cpu, work := rec.nodes[node].free, rec.processor(node), rec.problem.SendWork
	rec.cpu[node] = rec.tracks[cpu].Work(cpu, cause, free, work,
		recording.Part{Kind: recording.Sending, Seconds: work})
	track.Add(recording.Waiting, track.End(), rec.now)
	track.Add(recording.Blocked, rec.now, posted)
	if before := f.posted; posted > free {
		f.posted = before.Then(place, recording.Queueing, posted)
	} else {
		f.posted = rec.cpu[node].Then(place, recording.Queueing, posted)
	}
	f.latency, f.delay, f.kind, f.since = latency, 0, recording.Latency, posted
	f.full = rec.problem.alone(node, int(rec.slots[i].to))
}

// cause returns the moment that lets a controller send now: the arrival of its previous
// message or, depending on the sync, of another message from or to the node. Of several
// that arrived now it returns any.
func (rec *recorder) cause(i int32, node int) *recording.Moment {
	isNow := func(m *recording.Moment) bool { return m != nil && m.Time == rec.now }
	if m := rec.flights[i].previous; isNow(m) {
		return m
	}
	if rec.problem.Sync == Local {
		for j := node * rec.controllers; j < (node+1)*rec.controllers; j++ {
			if m := rec.flights[j].previous; isNow(m) {
				return m
			}
		}
	}
	for _, r := range rec.received[node] {
		if isNow(r.at) && r.phase < rec.slots[i].phase {
			return r.at
		}
	}
	return rec.cpu[node] // at the start
}

// changed records that a new rate, an event or the end of one changes what a message does.
func (rec *recorder) changed(i int32) {
	f, s := &rec.flights[i], &rec.slots[i]
	rec.close(i)
	switch {
	case s.state == delayed:
		f.kind = recording.Delayed
	case s.rate < f.full*(1-1e-9):
		f.kind = recording.Sharing
	default:
		f.kind = recording.Flowing
	}
}

// close records what a message has done until now.
func (rec *recorder) close(i int32) {
	f, track, now := &rec.flights[i], &rec.tracks[rec.controller(i)], rec.now
	from := f.since
	if f.kind == recording.Latency {
		from = min(now, f.since+f.latency)
		track.Add(recording.Latency, f.since, from)
		f.kind = recording.Delayed
	}
	track.Add(f.kind, from, now)
	if f.kind == recording.Delayed {
		f.delay += recording.Significant(now - from)
	}
	if to := rec.slots[i].to; now > from {
		incoming := recording.Activity{Kind: f.kind, From: from, To: now}
		rec.incoming[to] = append(rec.incoming[to], incoming)
	}
	f.since = now
}

// arrived records that a message has arrived, on which its receiver's processor works for
// work [s] from start.
func (rec *recorder) arrived(i int32, start, work float64) {
	f, s := &rec.flights[i], &rec.slots[i]
	rec.close(i)
	to, now := int(s.to), rec.now
	flowing := rec.problem.Bytes / f.full
	shared := recording.Significant(now - f.posted.Time - f.delay - f.latency - flowing)
	m := f.posted.Then(recording.Transit, recording.Wire, now-f.delay-shared)
	if f.delay > 0 {
		m = m.Then(recording.Transit, recording.Delayed, now-shared)
	}
	if shared > 0 {
		m = m.Then(recording.Transit, recording.Sharing, now)
	}
	f.previous = m.Then(rec.controller(i), recording.Wire, now)
	there := m.Then(rec.receiver(to), recording.Wire, now)
	if r := rec.received[to]; len(r) > 0 && r[0].at.Time != now {
		rec.received[to] = r[:0]
	}
	rec.received[to] = append(rec.received[to], reception{s.phase, there})
	cause := there
	if start > now {
		cause = rec.cpu[to]
	}
	cpu, polling := rec.processor(to), min(rec.polling, work)
	rec.cpu[to] = rec.tracks[cpu].Work(cpu, cause, rec.nodes[to].free, work,
		recording.Part{Kind: recording.Polling, Seconds: polling},
		recording.Part{Kind: recording.Receiving, Seconds: recording.Significant(work - polling)})
	rec.latest(to)
}

// overlay adds activities that may overlap to a track: at each time the least disturbed of
// them (the one of the smallest kind), and waiting where there is none.
func overlay(track *recording.Track, all []recording.Activity) {
	type edge struct {
		at    float64
		kind  recording.Kind
		begin int
	}
	var edges []edge
	for _, a := range all {
		edges = append(edges, edge{a.From, a.Kind, 1}, edge{a.To, a.Kind, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var under [recording.Kinds]int
	from := 0.0
	for _, e := range edges {
		kind := recording.Waiting
		for k, n := range under {
			if n > 0 {
				kind = recording.Kind(k)
				break
			}
		}
		track.Add(kind, from, e.at)
		under[e.kind] += e.begin
		from = e.at
	}
}
