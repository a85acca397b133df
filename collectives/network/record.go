package network

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"jitterfly/collectives/recording"
)

// Record plays the problem once, as [Engine.Run] does, and writes down what happens: of
// every node what each of its controllers sends, what it receives, and what its processor
// does, of whose work to receive some can be polling.
func Record(ctx context.Context, p Problem, host Host, holds Delays, polling float64) (*recording.Recording, error) {
	e, err := NewEngine(p)
	if err != nil {
		return nil, err
	}
	rec := newRecorder(e, polling)
	e.recorder = rec
	if _, err := e.Run(ctx, host, holds); err != nil {
		return nil, err
	}
	for n := range e.nodes {
		overlay(&rec.lanes[rec.receiver(n)], rec.incoming[n])
	}
	return &recording.Recording{Ranks: len(e.nodes), Tracks: rec.lanes, End: rec.end}, nil
}

// Tracks is how many a node with so many controllers has in a recording: theirs, what it
// receives, and its processor.
func Tracks(controllers int) int { return max(1, controllers) + 2 }

// A recorder is told by an engine what happens, when it happens.
type recorder struct {
	*Engine
	polling  float64
	lanes    []recording.Track
	cpu      []*recording.Moment    // when each processor has done all that it was given
	flights  []flight               // of each slot
	incoming [][]recording.Activity // what flows to each node
	received [][]reception          // of each node, at the last moment at which it was any
	end      *recording.Moment
}

// A flight is a message of a slot, as far as it is under way.
type flight struct {
	posted *recording.Moment
	first  float64 // what the latency of its first byte is
	held   float64 // so far
	kind   recording.Kind
	since  float64 // of that kind
	full   float64 // the rate that its links allow
	// gone is when the message before it arrived.
	gone *recording.Moment
}

// A reception is a message that has arrived.
type reception struct {
	phase int32
	at    *recording.Moment
}

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
			rec.lanes = append(rec.lanes, recording.Track{Rank: n, Role: role})
		}
		rec.lanes = append(rec.lanes, recording.Track{Rank: n, Role: "receives"}, recording.Track{Rank: n, Role: "processor"})
	}
	return rec
}

// controller, receiver and processor are the places of lanes.
func (rec *recorder) controller(i int32) int {
	return int(i)/rec.controllers*Tracks(rec.controllers) + int(i)%rec.controllers
}
func (rec *recorder) receiver(node int) int { return node*Tracks(rec.controllers) + rec.controllers }

func (rec *recorder) processor(node int) int { return rec.receiver(node) + 1 }

// launched notes that a node starts.
func (rec *recorder) launched(node int) {
	place := rec.processor(node)
	rec.cpu[node] = rec.lanes[place].Work(place, &recording.Moment{Track: place}, rec.nodes[node].free, 0)
	rec.latest(node)
}

// latest notes when the last processor is done.
func (rec *recorder) latest(node int) {
	if m := rec.cpu[node]; rec.end == nil || m.Time > rec.end.Time {
		rec.end = m
	}
}

// sent notes that a controller has a message, which its processor works on from start
// and has posted later. Its first byte is under way for so long, but for events.
func (rec *recorder) sent(i int32, start, posted, first float64) {
	node, place := int(i)/rec.controllers, rec.controller(i)
	f, lane := &rec.flights[i], &rec.lanes[place]
	why := rec.cpu[node]
	if start <= rec.now {
		why = rec.cause(i, node)
	}
	free, cpu := rec.nodes[node].free, rec.processor(node)
	rec.cpu[node] = rec.lanes[cpu].Work(cpu, why, free, rec.problem.SendWork, recording.Part{Kind: recording.Sending, Seconds: rec.problem.SendWork})
	lane.Add(recording.Waiting, lane.End(), rec.now)
	lane.Add(recording.Blocked, rec.now, posted)
	if before := f.posted; posted > free {
		f.posted = before.Then(place, recording.Queueing, posted)
	} else {
		f.posted = rec.cpu[node].Then(place, recording.Queueing, posted)
	}
	f.first, f.held, f.kind, f.since = first, 0, recording.Latency, posted
	f.full = rec.problem.Bandwidth
	if ports := rec.problem.PortBandwidth; ports > 0 {
		f.full = min(f.full, ports)
	}
}

// cause is what has let a controller send just now: that its message before has arrived,
// or, as nodes wait for it, another of the node or one for it. Of several that arrived at
// this moment it is any.
func (rec *recorder) cause(i int32, node int) *recording.Moment {
	is := func(m *recording.Moment) bool { return m != nil && m.Time == rec.now }
	if m := rec.flights[i].gone; is(m) {
		return m
	}
	if rec.problem.Sync == Local {
		for j := node * rec.controllers; j < (node+1)*rec.controllers; j++ {
			if m := rec.flights[j].gone; is(m) {
				return m
			}
		}
	}
	for _, r := range rec.received[node] {
		if is(r.at) && r.phase < rec.slots[i].phase {
			return r.at
		}
	}
	return rec.cpu[node] // at the launch
}

// turn notes that another share, an event or the end of one changes how a message goes on.
func (rec *recorder) turn(i int32) {
	f, s := &rec.flights[i], &rec.slots[i]
	rec.close(i)
	switch {
	case s.state == held:
		f.kind = recording.Delayed
	case s.rate < f.full*(1-1e-9):
		f.kind = recording.Sharing
	default:
		f.kind = recording.Flowing
	}
}

// close ends what a message has done until now.
func (rec *recorder) close(i int32) {
	f, lane, now := &rec.flights[i], &rec.lanes[rec.controller(i)], rec.now
	from := f.since
	if f.kind == recording.Latency {
		from = min(now, f.since+f.first)
		lane.Add(recording.Latency, f.since, from)
		f.kind = recording.Delayed
	}
	lane.Add(f.kind, from, now)
	if f.kind == recording.Delayed {
		f.held += recording.Significant(now - from)
	}
	if to := rec.slots[i].to; now > from {
		rec.incoming[to] = append(rec.incoming[to], recording.Activity{Kind: f.kind, From: from, To: now})
	}
	f.since = now
}

// arrived notes that a message has arrived, on which its receiver's processor works from
// start.
func (rec *recorder) arrived(i int32, start, work float64) {
	f, s := &rec.flights[i], &rec.slots[i]
	rec.close(i)
	to, now := int(s.to), rec.now
	shared := recording.Significant(now - f.posted.Time - f.held - f.first - rec.problem.Bytes/f.full)
	m := f.posted.Then(recording.Transit, recording.Wire, now-f.held-shared)
	if f.held > 0 {
		m = m.Then(recording.Transit, recording.Delayed, now-shared)
	}
	if shared > 0 {
		m = m.Then(recording.Transit, recording.Sharing, now)
	}
	f.gone = m.Then(rec.controller(i), recording.Wire, now)
	there := m.Then(rec.receiver(to), recording.Wire, now)
	if r := rec.received[to]; len(r) > 0 && r[0].at.Time != now {
		rec.received[to] = r[:0]
	}
	rec.received[to] = append(rec.received[to], reception{s.phase, there})
	why := there
	if start > now {
		why = rec.cpu[to]
	}
	cpu, polling := rec.processor(to), min(rec.polling, work)
	rec.cpu[to] = rec.lanes[cpu].Work(cpu, why, rec.nodes[to].free, work,
		recording.Part{Kind: recording.Polling, Seconds: polling},
		recording.Part{Kind: recording.Receiving, Seconds: recording.Significant(work - polling)})
	rec.latest(to)
}

// overlay fills a lane with activities that may overlap: at each time with the one of
// them that is least disturbed, and waits where there is none.
func overlay(lane *recording.Track, all []recording.Activity) {
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
		lane.Add(kind, from, e.at)
		under[e.kind] += e.begin
		from = e.at
	}
}
