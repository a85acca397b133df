package flow

import (
	"cmp"
	"context"
	"slices"

	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
)

// Record implements [network.Engine].
func (e *Engine) Record(
	ctx context.Context, host network.Host, delays network.Delays,
) (*recording.Recording, error) {
	rec := &recorder{
		Engine: e, kinds: make([]recording.Kind, len(e.slots)),
		incoming: make([][]recording.Activity, e.scenario.Ranks()),
	}
	rec.Recorder = network.NewRecorder(&e.Hosts, rec.carried)
	e.recorder = rec
	if _, err := e.Run(ctx, host, delays); err != nil {
		return nil, err
	}
	for n, activities := range rec.incoming {
		overlay(&rec.Tracks[rec.Receiver(n)], activities)
	}
	return &rec.Recording, nil
}

type recorder struct {
	*network.Recorder
	*Engine
	kinds    []recording.Kind       // what the message of each slot does now
	incoming [][]recording.Activity // messages to each rank
}

// full returns the rate [B/s] of a slot's message if it had its links alone.
func (rec *recorder) full(i int) float64 {
	return rec.scenario.alone(i/rec.Width, int(rec.Slots[i].To))
}

// changed records that a new rate, an event or the end of one changes what a message does.
func (rec *recorder) changed(i int32) {
	rec.close(i)
	switch s := &rec.slots[i]; {
	case s.state == delayed:
		rec.kinds[i] = recording.Delayed
	case s.rate < rec.full(int(i))*(1-1e-9):
		rec.kinds[i] = recording.Sharing
	default:
		rec.kinds[i] = recording.Flowing
	}
}

// close records what a message has done until now.
func (rec *recorder) close(i int32) {
	kind, at, now := rec.kinds[i], &rec.Flights[i], rec.Now
	track, from := &rec.Tracks[rec.Sender(int(i))], at.Since
	if kind == recording.Latency {
		from = min(now, at.Since+at.Latency)
		track.Add(recording.Latency, at.Since, from)
		kind = recording.Delayed
	}
	track.Add(kind, from, now)
	if kind == recording.Delayed {
		at.Delay += recording.Significant(now - from)
	}
	if to := rec.Slots[i].To; now > from {
		incoming := recording.Activity{Kind: kind, From: from, To: now}
		rec.incoming[to] = append(rec.incoming[to], incoming)
	}
	at.Since = now
}

// carried returns the moment at which the message of a slot arrives.
func (rec *recorder) carried(i int) *recording.Moment {
	rec.close(int32(i))
	f, now := &rec.Flights[i], rec.Now
	flowing := rec.Exchanges[rec.Slots[i].Exchange].Bytes / rec.full(i)
	m := f.Transit(f.Latency+flowing, now)
	f.Previous = m.Then(rec.Sender(i), recording.Wire, now)
	return m
}

// overlay adds activities that may overlap to a track: at each time the least disturbed of them
// (the one of the smallest kind), and waiting without activities.
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
