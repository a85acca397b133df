package packet

import (
	"context"

	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
)

// Record implements [network.Engine].
func (e *Engine) Record(
	ctx context.Context, host network.Host, delays network.Delays,
) (*recording.Recording, error) {
	rec := &recorder{Engine: e, open: map[int32]network.Flight{}}
	rec.Recorder = network.NewRecorder(&e.Hosts, rec.carried)
	e.recorder = rec
	if _, err := e.Run(ctx, host, delays); err != nil {
		return nil, err
	}
	return &rec.Recording, nil
}

type recorder struct {
	*network.Recorder
	*Engine
	open map[int32]network.Flight // of messages whose tail has left, by number
}

// carries records that the first flit of a slot's message can leave at begin, for its latency and
// the events that hit it meanwhile.
func (rec *recorder) carries(i int, begin float64) {
	f, track := &rec.Flights[i], &rec.Tracks[rec.Sender(i)]
	posted := f.Posted.Time
	f.Delay = recording.Significant(begin - posted - f.Latency)
	track.Add(recording.Latency, posted, posted+f.Latency)
	track.Add(recording.Delayed, posted+f.Latency, begin)
	f.Since = begin
}

// injected records that a flit leaves a slot in this cycle. Until then it waited for a credit.
func (rec *recorder) injected(i int) {
	f, track, now := &rec.Flights[i], &rec.Tracks[rec.Sender(i)], rec.Now
	next := float64(float64(rec.now+1) * rec.cycle)
	if now-f.Since > rec.cycle/2 {
		track.Add(recording.Stalled, f.Since, now)
	}
	track.Add(recording.Flowing, track.End(), next)
	f.Since = next
}

// hit records that an event delays a slot's message from one time [s] to another.
func (rec *recorder) hit(i int, from, until float64) {
	f, track := &rec.Flights[i], &rec.Tracks[rec.Sender(i)]
	if from = max(f.Since, from); until <= from {
		return
	}
	track.Add(recording.Stalled, f.Since, from)
	track.Add(recording.Delayed, from, until)
	f.Delay += recording.Significant(until - from)
	f.Since = until
}

// left records that the tail of a slot's message leaves in this cycle.
func (rec *recorder) left(i int) {
	f := &rec.Flights[i]
	end := float64(float64(rec.now+1) * rec.cycle)
	alone := f.Latency + float64(
		float64(rec.scenario.messageFlits(rec.Exchanges[rec.Slots[i].Exchange].Bytes))*rec.cycle,
	)
	f.Previous = f.Transit(alone, end).Then(rec.Sender(i), recording.Wire, end)
	rec.open[rec.slots[i].message] = *f
}

// ejected records that a flit leaves the network at a node in this cycle.
func (rec *recorder) ejected(node int) {
	track, now := &rec.Tracks[rec.Receiver(node)], rec.Now
	if end := track.End(); end <= now+rec.cycle/2 {
		if now-end > rec.cycle/2 {
			track.Add(recording.Waiting, end, now)
		}
		track.Add(recording.Flowing, track.End(), float64(float64(rec.now+1)*rec.cycle))
	}
}

// carried returns the moment at which a message has arrived.
func (rec *recorder) carried(m int) *recording.Moment {
	message := &rec.messages[m]
	f := rec.open[int32(m)]
	delete(rec.open, int32(m))
	hops := rec.hops(int(message.slot), message.to)
	flits := rec.scenario.messageFlits(rec.Exchanges[message.exchange].Bytes)
	cycles := float64(flits + hops*rec.scenario.Hop + 1)
	return f.Transit(f.Latency+float64(cycles*rec.cycle), rec.Now)
}
