package collectives

import (
	"context"
	"slices"

	"jitterfly/collectives/recording"
)

// A recorder plays a schedule rank by rank, and writes down what it does. Its additions
// and comparisons are those of [Timeline], so that its trial is the same to the last bit;
// but it knows of every one which moment decided it.
type recorder struct {
	*Schedule
	p       Problem
	os      Detours
	network Delays
	lanes   []recording.Track
	copies  []*recording.Message // of each rank, that won last

	at    []*recording.Moment // until when each rank has what the rounds so far give it
	spare []float64           // until when it would have taken without the copy that won

	// Messages that are posted, as in [hosted] and [pipeline].
	ahead [][]*recording.Moment // of rounds that lag, by sender
	left  []*recording.Moment   // the last that left each rank
	turn  []*recording.Moment   // before when the last but redundant copies could not
	link  []*recording.Moment   // when the message on the link to each rank began
	busy  []float64             // and for how long it is on it
	one   [1]float64
}

// Record plays a schedule up to the result of T, as [Timeline.Play] does, and writes
// down what happens.
func Record(ctx context.Context, s *Schedule, p Problem, os Detours, network Delays, T int) (*recording.Recording, error) {
	rec := &recorder{
		Schedule: s, p: p, os: os, network: network,
		lanes: make([]recording.Track, s.Ranks), copies: make([]*recording.Message, s.Ranks),
		at: make([]*recording.Moment, s.Ranks), spare: make([]float64, s.Ranks),
		ahead: make([][]*recording.Moment, len(s.Rounds)),
		left:  make([]*recording.Moment, s.Ranks), turn: make([]*recording.Moment, s.Ranks),
		link: make([]*recording.Moment, s.Ranks), busy: make([]float64, s.Ranks),
	}
	for r := range rec.at {
		rec.lanes[r].Rank = r
		rec.at[r] = rec.work(r, &recording.Moment{Track: r}, 0, true)
	}
	n := 0
	for i, result := range s.Results[:T+1] {
		if i > 0 && settled(rec.clocks(), &s.Rounds[n], p) {
			break // as there, since rounding can make of nothing a little less
		}
		for ; n < result.Rounds; n++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rec.round(n)
		}
	}
	return rec.finish(s.Results[T]), nil
}

// clocks are until when each rank has what the rounds so far give it.
func (rec *recorder) clocks() []float64 {
	clocks := make([]float64, len(rec.at))
	for r, m := range rec.at {
		clocks[r] = m.Time
	}
	return clocks
}

// finish is the recording at a result. After it redundant copies are posted.
func (rec *recorder) finish(result Result) *recording.Recording {
	out := &recording.Recording{Ranks: len(rec.lanes), Tracks: rec.lanes}
	for r, m := range rec.at {
		if result.Posters.Lo <= r && r < result.Posters.Hi && result.Copies > 0 {
			if work := float64(result.Copies) * rec.p.Host.Overhead; work > 0 {
				m = rec.work(r, m, work, true, recording.Part{Kind: recording.Sending, Seconds: work})
			}
			m = rec.until(m, recording.Sending, m.Time+result.Post)
		}
		rec.lanes[r].Add(recording.Saved, m.Time, rec.spare[r])
		if out.End == nil || m.Time > out.End.Time {
			out.End = m
		}
		if c := rec.copies[r]; c != nil {
			out.Copies = append(out.Copies, *c)
		}
	}
	return out
}

// end is when a processor that begins at a time has done so much work.
func (rec *recorder) end(r int, start, work float64) float64 {
	rec.one[0] = start
	rec.os.Finish(r, rec.one[:], work)
	return rec.one[0]
}

// work has a rank's processor work from a moment on; what is not drawn is none of its
// own time.
func (rec *recorder) work(r int, from *recording.Moment, work float64, drawn bool, parts ...recording.Part) *recording.Moment {
	lane := &rec.lanes[r]
	if !drawn {
		lane = nil
	}
	return lane.Work(r, from, rec.end(r, from.Time, work), work, parts...)
}

// until is a later moment of the same rank, if it is later, up to which it is busy.
func (rec *recorder) until(m *recording.Moment, k recording.Kind, at float64) *recording.Moment {
	if at <= m.Time {
		return m
	}
	rec.lanes[m.Track].Add(k, m.Time, at)
	return m.Then(m.Track, k, at)
}

// round plays the round after the first n.
func (rec *recorder) round(n int) {
	before := slices.Clone(rec.at)
	for ahead := n; ahead <= n+rec.lag && ahead < len(rec.Rounds); ahead++ {
		if lag := rec.Rounds[ahead].Lag; lag > 0 && max(0, ahead-lag) == n {
			rec.ahead[ahead] = rec.post(&rec.Rounds[ahead], 0, rec.at)
		}
	}
	round := &rec.Rounds[n]
	leaves := [][]*recording.Moment{rec.ahead[n]} // by source and sender
	if round.Lag == 0 {
		leaves = leaves[:0]
		free := rec.at
		if round.Wait == Spare { // when it posts is none of its own clock's
			free = slices.Clone(free)
		}
		for m := range round.Sources {
			leaves = append(leaves, rec.post(round, m, free))
		}
	}
	rec.ahead[n] = nil
	var arrivals [][]arrival // by source and receiver
	for m := range round.Sources {
		arrivals = append(arrivals, rec.transit(round, m, leaves[m]))
	}
	for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
		switch {
		case len(round.Sources) == 0:
			rec.at[r] = rec.work(r, rec.at[r], round.Combine, true, recording.Part{Kind: recording.Computing, Seconds: round.Combine})
		case round.Every && !rec.p.Host.Free():
			for m := range round.Sources {
				rec.take(r, round, arrivals[m][r], before[r].Time, 0)
			}
			rec.at[r] = rec.work(r, rec.at[r], round.Combine, true, recording.Part{Kind: recording.Computing, Seconds: round.Combine})
		default:
			rec.receive(r, round, round.chosen(arrivals, r), before[r].Time)
		}
	}
}

// chosen is the one of a rank's copies that counts.
func (round *Round) chosen(arrivals [][]arrival, r int) arrival {
	a := arrivals[0][r]
	for _, of := range arrivals[1:] {
		if b := of[r]; round.Every && b.at > a.at || !round.Every && b.at < a.at {
			a = b
		}
	}
	return a
}

// receive has a rank go on with a copy as the round says. It came to the round at a time
// before.
func (rec *recorder) receive(r int, round *Round, a arrival, before float64) {
	p := &rec.p
	_, cpu := p.takes(round)
	switch {
	case round.Wait == Spare:
		rec.copy(r, round, a)
	case round.Wait == Combined:
		rec.take(r, round, a, before, round.Combine)
	case !cpu || p.Host.Free():
		there := a.at
		if cpu {
			there = rec.end(r, a.at, 0)
		}
		rec.wait(r, a)
		if there > rec.at[r].Time {
			rec.at[r] = rec.until(rec.at[r], recording.Detour, there)
		}
	default:
		rec.take(r, round, a, before, 0)
	}
}

// wait has a rank wait for what arrives, if that is later.
func (rec *recorder) wait(r int, a arrival) {
	m := rec.at[r]
	if !(a.at > m.Time) {
		return
	}
	free := max(m.Time, a.at-a.held)
	rec.lanes[r].Add(recording.Waiting, m.Time, free)
	rec.lanes[r].Add(recording.Delayed, free, a.at)
	rec.at[r] = a.moment(r)
}

// take has a rank's processor take what arrives, and combine it for so long. It may
// have been early.
func (rec *recorder) take(r int, round *Round, a arrival, before, combine float64) {
	p := &rec.p
	work, _ := p.takes(round)
	polling := p.Host.Polled(round.Bytes, p.Ranks)
	taking := recording.Significant(work - polling)
	work += combine
	if early := p.recopy(round.Bytes); early > 0 && a.at < before {
		work += early
		taking += early
	}
	rec.wait(r, a)
	rec.at[r] = rec.work(r, rec.at[r], work, true,
		recording.Part{Kind: recording.Polling, Seconds: polling}, recording.Part{Kind: recording.Receiving, Seconds: taking}, recording.Part{Kind: recording.Computing, Seconds: combine})
}

// copy has a rank go on with a redundant copy, if it has that earlier. It abandons for
// it what it is doing.
func (rec *recorder) copy(r int, round *Round, a arrival) {
	take, cpu := rec.p.takes(round)
	there, now := a.at, rec.at[r].Time
	if cpu {
		there = rec.end(r, a.at, take)
	}
	if !(there < now) {
		return
	}
	rec.lanes[r].Cut(a.at)
	rec.spare[r] = now
	rec.copies[r] = &recording.Message{
		From: recording.Point{Track: a.begin.Track, Time: a.begin.Time},
		To:   recording.Point{Track: r, Time: a.at},
	}
	rec.at[r] = a.moment(r)
	if cpu {
		polling := rec.p.Host.Polled(round.Bytes, rec.p.Ranks)
		rec.at[r] = rec.work(r, rec.at[r], take, true, recording.Part{Kind: recording.Polling, Seconds: polling}, recording.Part{Kind: recording.Receiving, Seconds: recording.Significant(take - polling)})
	}
}

// An arrival is a message at its receiver.
type arrival struct {
	begin *recording.Moment // of its transit, at the sender
	at    float64           // when it is there
	held  float64           // how much of its transit was noise
}

// moment is the arrival as a moment of its receiver.
func (a *arrival) moment(r int) *recording.Moment {
	if a.held > 0 {
		return a.begin.Then(recording.Transit, recording.Wire, a.at-a.held).Then(r, recording.Delayed, a.at)
	}
	return a.begin.Then(r, recording.Wire, a.at)
}
