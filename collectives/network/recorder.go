package network

import (
	"fmt"

	"jitterfly/collectives/recording"
)

// A Recorder writes down what the ranks of a trial do, with a track for each slot of a rank, one
// for what the rank receives, and one for its processor. Its engine adds what messages do on the
// network.
type Recorder struct {
	recording.Recording
	Flights []Flight // of each slot's message
	// Carried returns the moment at which a message arrives now, given the engine's number of it.
	Carried  func(message int) *recording.Moment
	hosts    *Hosts
	cpu      []*recording.Moment // when each processor has completed all its work
	received [][]reception       // messages that arrived at each rank at its last arrival
}

// A Flight is what a recorder knows of a slot's message.
type Flight struct {
	Posted  *recording.Moment
	Latency float64 // of its first byte, without events [s]
	Delay   float64 // by noise, so far [s]
	Since   float64 // until when its track is recorded [s]
	// Previous is when the slot's message before it had left, or arrived.
	Previous *recording.Moment
}

type reception struct {
	exchange int
	at       *recording.Moment
}

// NewRecorder returns a recorder of one trial of hosts, which call it from then on.
func NewRecorder(h *Hosts, carried func(message int) *recording.Moment) *Recorder {
	rec := &Recorder{
		Recording: recording.Recording{Ranks: h.Ranks},
		hosts:     h, Carried: carried, Flights: make([]Flight, len(h.Slots)),
		cpu: make([]*recording.Moment, len(h.ranks)), received: make([][]reception, len(h.ranks)),
	}
	for n := range h.ranks {
		for c := range h.Width {
			role := "sends"
			if h.Width > 1 {
				role = fmt.Sprintf("sends, controller %d", c)
			}
			rec.Tracks = append(rec.Tracks, recording.Track{Rank: n, Role: role})
		}
		rec.Tracks = append(rec.Tracks,
			recording.Track{Rank: n, Role: "receives"}, recording.Track{Rank: n, Role: "processor"})
	}
	h.Recorder = rec
	return rec
}

// Sender returns the index of the track of a slot.
func (rec *Recorder) Sender(i int) int {
	w := rec.hosts.Width
	return i/w*Tracks(w) + i%w
}

// Receiver returns the index of the track of what a rank receives.
func (rec *Recorder) Receiver(n int) int { return n*Tracks(rec.hosts.Width) + rec.hosts.Width }

func (rec *Recorder) processor(n int) int { return rec.Receiver(n) + 1 }

// Tracks returns the number of tracks in a recording of a rank with that many slots.
func Tracks(width int) int { return width + 2 }

// work records work [s] of a rank's processor after a moment.
func (rec *Recorder) work(n int, cause *recording.Moment, work float64, parts ...recording.Part) {
	track := rec.processor(n)
	rec.cpu[n] = rec.Tracks[track].Work(track, cause, rec.hosts.ranks[n].free, work, parts...)
}

func (rec *Recorder) started(n int) {
	rec.work(n, &recording.Moment{Track: rec.processor(n)}, 0)
	rec.latest(n)
}

// latest updates the end of the recording after work of a rank's processor.
func (rec *Recorder) latest(n int) {
	if !rec.hosts.Direct {
		return // ends when ranks have the result, whatever comes later
	}
	if m := rec.cpu[n]; rec.End == nil || m.Time > rec.End.Time {
		rec.End = m
	}
}

// sent records that a slot got a message, which its processor works on from start and the slot
// posts at posted. The latency of its first byte [s] excludes events.
func (rec *Recorder) sent(i int, start, posted, latency float64) {
	n, place, now := i/rec.hosts.Width, rec.Sender(i), rec.hosts.Now
	f, track := &rec.Flights[i], &rec.Tracks[place]
	from := rec.before(n, start)
	if start <= now {
		from = rec.cause(i, n)
	}
	if work := rec.hosts.Scenario.SendWork; work > 0 || rec.hosts.Direct {
		rec.work(n, from, work, recording.Part{Kind: recording.Sending, Seconds: work})
		from = rec.cpu[n]
	}
	track.Add(recording.Waiting, track.End(), now)
	track.Add(recording.Blocked, now, posted)
	if posted > rec.hosts.ranks[n].free && f.Posted != nil {
		from = f.Posted // the gap
	}
	f.Posted = from.Then(place, recording.Queueing, posted)
	f.Latency, f.Delay, f.Since = latency, 0, posted
}

// cause returns the moment that lets a slot send now: its previous message has left or arrived or,
// depending on the sync, another message from or to the rank has arrived. Of several that did it
// now it returns any.
func (rec *Recorder) cause(i, n int) *recording.Moment {
	h := rec.hosts
	isNow := func(m *recording.Moment) bool { return m != nil && m.Time == h.Now }
	if m := rec.Flights[i].Previous; isNow(m) {
		return m
	}
	if h.Scenario.Sync == Local {
		for j := n * h.Width; j < (n+1)*h.Width; j++ {
			if m := rec.Flights[j].Previous; isNow(m) {
				return m
			}
		}
	}
	for _, r := range rec.received[n] {
		if isNow(r.at) && r.exchange < int(h.Slots[i].Exchange) {
			return r.at
		}
	}
	return rec.before(n, h.Now) // at the start
}

// before returns the last moment of a rank's processor, or of what that has waited for, that is not after
// a time [s].
func (rec *Recorder) before(n int, at float64) *recording.Moment {
	m := rec.cpu[n]
	for m.Time > at && m.Cause != nil {
		m = m.Cause
	}
	return m
}

// Transit returns the moment until which a slot's message is on its way; without other messages and
// noise it would take alone [s].
func (f *Flight) Transit(alone, end float64) *recording.Moment {
	shared := recording.Significant(end - f.Posted.Time - f.Delay - alone)
	m := f.Posted.Then(recording.Transit, recording.Wire, end-f.Delay-shared)
	if f.Delay > 0 {
		m = m.Then(recording.Transit, recording.Delayed, end-shared)
	}
	if shared > 0 {
		m = m.Then(recording.Transit, recording.Sharing, end)
	}
	return m
}

// arrived records that a message has arrived, on which its receiver's processor works for work [s]
// from start.
func (rec *Recorder) arrived(message, to, exchange int, start, work float64) {
	now, there := rec.hosts.Now, rec.came(message, to, exchange)
	cause := there
	if start > now {
		cause = rec.cpu[to]
	}
	polling := min(rec.hosts.Scenario.Polling, work)
	rec.work(to, cause, work,
		recording.Part{Kind: recording.Polling, Seconds: polling},
		recording.Part{Kind: recording.Receiving, Seconds: recording.Significant(work - polling)})
	rec.latest(to)
}

// came records that a message has arrived, used or not, and returns that moment.
func (rec *Recorder) came(message, to, exchange int) *recording.Moment {
	now := rec.hosts.Now
	there := rec.Carried(message).Then(rec.Receiver(to), recording.Wire, now)
	if r := rec.received[to]; len(r) > 0 && r[0].at.Time != now {
		rec.received[to] = r[:0]
	}
	rec.received[to] = append(rec.received[to], reception{exchange, there})
	return there
}

// completed records that rank n has the result at time at [s], and that its call returns at time
// returns.
func (rec *Recorder) completed(n int, at, returns float64) {
	m := rec.before(n, at)
	for _, r := range rec.received[n] {
		if m.Time != at && r.at.Time == at {
			m = r.at
		}
	}
	if returns > m.Time {
		m = m.Then(rec.processor(n), recording.Sending, returns)
	}
	if rec.End == nil || m.Time > rec.End.Time {
		rec.End = m
	}
}

// combined records work [s] of a rank's processor on what it has received.
func (rec *Recorder) combined(n int, work float64) {
	rec.work(n, rec.cpu[n], work, recording.Part{Kind: recording.Computing, Seconds: work})
	rec.latest(n)
}
