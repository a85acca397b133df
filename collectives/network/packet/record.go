package packet

import (
	"context"
	"fmt"

	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
)

// Record simulates one trial, as [Engine.Run] does, and returns its recording, with a track for
// each controller of a node, one for what the node receives, and one for its processor; and the
// use of links and buffers over time. Of [network.Problem.ReceiveWork], polling [s] is recorded as
// polling. Record fails if NewEngine or Run does.
func Record(
	ctx context.Context, p Problem, host network.Host, delays network.Delays, polling float64,
) (*recording.Recording, error) {
	e, err := NewEngine(p)
	if err != nil {
		return nil, err
	}
	rec := newRecorder(e, polling)
	e.recorder = rec
	e.after = func(*Engine) { rec.uses.count() }
	if _, err := e.Run(ctx, host, delays); err != nil {
		return nil, err
	}
	return &recording.Recording{
		Ranks: len(e.nodes), Tracks: rec.tracks, End: rec.end, Uses: rec.uses.all(rec.end.Time),
	}, nil
}

// A recorder writes one trial down. Its engine calls it when something happens.
type recorder struct {
	*Engine
	polling  float64
	tracks   []recording.Track
	cpu      []*recording.Moment   // when each processor has completed all its work
	flights  []flight              // of each slot's message
	open     map[int32]flight      // of messages whose tail has left, by number
	received [][]*recording.Moment // messages that arrived at each node at its last arrival
	end      *recording.Moment
	uses     uses
}

// A flight is what the recorder knows of a slot's message.
type flight struct {
	posted   *recording.Moment
	latency  float64           // [s]
	delay    float64           // by noise, so far [s]
	since    float64           // until when its track is recorded [s]
	previous *recording.Moment // when the tail of the slot's message before it had left
}

// newRecorder returns a recorder of one trial of an engine.
func newRecorder(e *Engine, polling float64) *recorder {
	rec := &recorder{
		Engine: e, polling: polling, cpu: make([]*recording.Moment, len(e.nodes)),
		flights: make([]flight, len(e.slots)), open: map[int32]flight{},
		received: make([][]*recording.Moment, len(e.nodes)), uses: newUses(e),
	}
	for n := range e.nodes {
		for c := range e.fabric.controllers {
			role := "sends"
			if e.fabric.controllers > 1 {
				role = fmt.Sprintf("sends, controller %d", c)
			}
			rec.tracks = append(rec.tracks, recording.Track{Rank: n, Role: role})
		}
		rec.tracks = append(rec.tracks,
			recording.Track{Rank: n, Role: "receives"}, recording.Track{Rank: n, Role: "processor"})
	}
	return rec
}

// place returns the index of the track of a slot, receiver and processor those of a node.
func (rec *recorder) place(i int) int {
	each := rec.fabric.controllers
	return i/each*network.Tracks(each) + i%each
}
func (rec *recorder) receiver(node int) int {
	return node*network.Tracks(rec.fabric.controllers) + rec.fabric.controllers
}
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

// sent records that a slot got a message, which its processor works on from start and the slot
// posts at posted. Its first flit can leave at begin, for the latency and the delay [s] of events.
func (rec *recorder) sent(i int, start, posted, latency, begin float64) {
	node, place := i/rec.fabric.controllers, rec.place(i)
	f, track, now := &rec.flights[i], &rec.tracks[place], rec.seconds()
	cause := rec.cpu[node]
	if start <= now {
		cause = rec.cause(i, node)
	}
	free, cpu, work := rec.nodes[node].free, rec.processor(node), rec.problem.SendWork
	rec.cpu[node] = rec.tracks[cpu].Work(cpu, cause, free, work,
		recording.Part{Kind: recording.Sending, Seconds: work})
	track.Add(recording.Waiting, track.End(), now)
	track.Add(recording.Blocked, now, posted)
	from := rec.cpu[node]
	if posted > free && f.posted != nil {
		from = f.posted // the gap
	}
	f.posted = from.Then(place, recording.Queueing, posted)
	f.latency, f.delay = latency, recording.Significant(begin-posted-latency)
	track.Add(recording.Latency, posted, posted+latency)
	track.Add(recording.Delayed, posted+latency, begin)
	f.since = begin
}

// cause returns the moment that lets a slot send now: the tail of its previous message has left
// or, depending on the sync, another message has arrived. Of several it returns any.
func (rec *recorder) cause(i, node int) *recording.Moment {
	now := rec.seconds()
	if m := rec.flights[i].previous; m != nil && m.Time == now {
		return m
	}
	for _, m := range rec.received[node] {
		if m.Time == now {
			return m
		}
	}
	return rec.cpu[node] // at the start
}

// injected records that a flit leaves a slot in this cycle. Until then it waited for a credit.
func (rec *recorder) injected(i int) {
	f, track, now := &rec.flights[i], &rec.tracks[rec.place(i)], rec.seconds()
	next := float64(float64(rec.now+1) * rec.cycle)
	if now-f.since > rec.cycle/2 {
		track.Add(recording.Stalled, f.since, now)
	}
	track.Add(recording.Flowing, track.End(), next)
	f.since = next
	rec.uses.injected++
}

// hit records that an event delays a slot's message from one time [s] to another.
func (rec *recorder) hit(i int, from, until float64) {
	f, track := &rec.flights[i], &rec.tracks[rec.place(i)]
	if from = max(f.since, from); until <= from {
		return
	}
	track.Add(recording.Stalled, f.since, from)
	track.Add(recording.Delayed, from, until)
	f.delay += recording.Significant(until - from)
	f.since = until
}

// left records that the tail of a slot's message leaves in this cycle.
func (rec *recorder) left(i int) {
	f := &rec.flights[i]
	end := float64(float64(rec.now+1) * rec.cycle)
	alone := f.latency + float64(float64(rec.problem.MessageFlits())*rec.cycle)
	f.previous = rec.transit(f, alone, end).Then(rec.place(i), recording.Wire, end)
	rec.open[rec.slots[i].message] = *f
}

// transit returns the moment until which a message is on its way, of which alone [s] would suffice
// without other messages and noise.
func (rec *recorder) transit(f *flight, alone, end float64) *recording.Moment {
	shared := recording.Significant(end - f.posted.Time - f.delay - alone)
	m := f.posted.Then(recording.Transit, recording.Wire, end-f.delay-shared)
	if f.delay > 0 {
		m = m.Then(recording.Transit, recording.Delayed, end-shared)
	}
	if shared > 0 {
		m = m.Then(recording.Transit, recording.Sharing, end)
	}
	return m
}

// ejected records that a flit leaves the network at a node in this cycle.
func (rec *recorder) ejected(node int) {
	track, now := &rec.tracks[rec.receiver(node)], rec.seconds()
	if end := track.End(); end <= now+rec.cycle/2 {
		if now-end > rec.cycle/2 {
			track.Add(recording.Waiting, end, now)
		}
		track.Add(recording.Flowing, track.End(), float64(float64(rec.now+1)*rec.cycle))
	}
	rec.uses.ejected++
}

// arrived records that a message has arrived, on which its receiver's processor works for
// work [s] from start.
func (rec *recorder) arrived(m int32, start, work float64) {
	message, now := &rec.messages[m], rec.seconds()
	to := int(message.to)
	f := rec.open[m]
	delete(rec.open, m)
	hops := rec.problem.grid().Hops(int(message.slot)/rec.fabric.controllers, to)
	cycles := float64(rec.problem.MessageFlits() + hops*rec.problem.Hop + 1)
	alone := f.latency + float64(cycles*rec.cycle)
	there := rec.transit(&f, alone, now).Then(rec.receiver(to), recording.Wire, now)
	if r := rec.received[to]; len(r) > 0 && r[0].Time != now {
		rec.received[to] = r[:0]
	}
	rec.received[to] = append(rec.received[to], there)
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
