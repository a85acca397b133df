package rounds_test

import (
	"math"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
)

// A protocol is what ranks do that forward results: each sends a message on every channel,
// the result in place of a partial result if it has that. It simulates a collective event by
// event, in the order of time, and knows of other ranks only what messages say.
//
// Where partial results are shorter than the result, they are sent as well.
type protocol struct {
	*oracle
	rounds int // without redundant exchanges
	T      int
	both   bool

	events []event
	ranks  []participant
}

// A participant is the state of a rank.
type participant struct {
	round   int       // it is in
	came    []float64 // to each round so far
	free    float64   // when it has posted the messages of the round
	waiting bool
	inbox   []float64 // by round, when the first partial result arrived
	left    float64   // its last partial result
	link    float64   // when its link is free of partial results, if links are busy
	gone    float64   // the same, if it has sent any in the round
	own     float64   // when it has the result by its own rounds
	result  float64   // when it has the result
	posted  float64   // and has posted that in place of partial results
	drained float64   // when its link is free of the result, but for copies
}

// An event is that a partial result arrives, that a rank comes to a round, or that it has
// the result; of those at one time, in this order.
type event struct {
	time        float64
	kind        eventKind
	rank, round int
}

type eventKind int

const (
	partial eventKind = iota
	enter
	result
)

// forwarded returns the trial of ranks that forward results.
func forwarded(
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) rounds.Trial {
	trial := rounds.Trial{}
	for T, c := range s.Checkpoints {
		f := newProtocol(s, p, os, network, T)
		starts, last := f.start(), math.Inf(-1)
		for r, at := range f.run(starts) {
			last = max(last, f.returns(c, r, at))
		}
		trial.Completion = append(trial.Completion, last)
		trial.LatestStart = maximumOf(starts)
	}
	return trial
}

func newProtocol(
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed, T int,
) *protocol {
	f := &protocol{oracle: newOracle(s, p, os, network), rounds: s.Checkpoints[0].Rounds, T: T}
	for _, r := range s.Rounds[:f.rounds] {
		f.both = f.both || r.Bytes != p.Bytes
	}
	return f
}

// returns is when the call returns of a rank that has the result at a time.
func (f *protocol) returns(c collectives.Checkpoint, r int, at float64) float64 {
	if c.Posters.Lo <= r && r < c.Posters.Hi {
		if c.Copies > 0 {
			at = f.work(r, f.ranks[r].posted, float64(c.Copies)*f.p.Host.Overhead)
		}
		at += c.Post
		if f.Busy && c.Copies > 0 {
			f.sent[r] = at + f.drain(c)
			if p := &f.ranks[r]; p.result < p.own {
				f.sent[r] = max(f.sent[r], p.drained+c.Post+f.drain(c))
			}
		}
	}
	if f.p.Redundancy.Reception == collectives.NIC {
		at = preempt(f.os[r], at, 0)
	}
	return at
}

func (f *protocol) start() []float64 {
	starts := make([]float64, f.Ranks)
	for r := range starts {
		starts[r] = preempt(f.os[r], 0, 0)
	}
	return starts
}

// run returns when each rank has the result, given when it starts.
func (f *protocol) run(starts []float64) []float64 {
	for range f.Rounds {
		f.past = append(f.past, make([]float64, f.Ranks))
	}
	for r, at := range starts {
		f.ranks = append(f.ranks, participant{
			inbox: slices.Repeat([]float64{math.Inf(1)}, f.rounds),
			left:  math.Inf(-1), link: f.sent[r], own: math.Inf(1), result: math.Inf(1),
		})
		f.happens(at, enter, r, 0)
	}
	for len(f.events) > 0 {
		e := f.events[0]
		f.events = f.events[1:]
		p := &f.ranks[e.rank]
		switch {
		case e.kind == result:
			if p.result > e.time {
				f.finish(e.rank, e.time)
			}
		case p.result < e.time && !f.both: // it has returned
		case e.kind == enter:
			f.enter(e.rank, e.round, e.time)
		default:
			p.inbox[e.round] = min(p.inbox[e.round], e.time)
			f.proceed(e.rank)
		}
	}
	var times []float64
	for i := range f.ranks {
		times = append(times, f.ranks[i].result)
	}
	return times
}

// happens has an event happen.
func (f *protocol) happens(at float64, kind eventKind, rank, round int) {
	e := event{at, kind, rank, round}
	i := slices.IndexFunc(f.events, func(o event) bool {
		return o.time > at || o.time == at && o.kind > kind
	})
	if i < 0 {
		i = len(f.events)
	}
	f.events = slices.Insert(f.events, i, e)
}

// enter has a rank come to a round, or to the end of them.
func (f *protocol) enter(r, round int, at float64) {
	p := &f.ranks[r]
	p.round, p.free, p.came, p.gone = round, at, append(p.came, at), math.Inf(-1)
	if round == f.rounds {
		p.own = at
		f.happens(at, result, r, round)
		return
	}
	for m := range f.Rounds[round].Sources {
		if to, ok := f.receiver(round, m, r); ok {
			p.free = f.work(r, p.free, f.p.Host.Overhead)
			leave := 0.0
			if f.Busy {
				leave = f.sendPartial(p, round, m, to)
			} else {
				leave = f.leave(round, m, p.free, &p.left)
			}
			f.happens(f.arrival(f.Rounds[round], m, to, leave), partial, to, round)
		}
	}
	p.waiting = true
	f.proceed(r)
}

// receiver returns the rank that receives the m-th message of from in a round, if any does.
func (f *protocol) receiver(round, m, from int) (int, bool) {
	for to := f.Rounds[round].Receivers.Lo; to < f.Rounds[round].Receivers.Hi; to++ {
		if f.Rounds[round].Sources[m].Peers.From(to) == from {
			return to, true
		}
	}
	return 0, false
}

// leave returns when a message leaves, whose sender's last one left at some time.
func (f *protocol) leave(round, m int, posted float64, left *float64) float64 {
	at := posted + f.Rounds[round].Sources[m].Post
	if f.p.Host.Gap > 0 {
		at = max(at, *left+f.p.Host.Gap)
	}
	*left = at
	return at
}

// proceed has a rank go on to the next round, if it has what it waits for.
func (f *protocol) proceed(r int) {
	p := &f.ranks[r]
	if !p.waiting {
		return
	}
	round := f.Rounds[p.round]
	if r < round.Receivers.Lo || r >= round.Receivers.Hi {
		p.waiting = false
		f.happens(max(p.free, p.gone), enter, r, p.round+1)
		return
	}
	if math.IsInf(p.inbox[p.round], 1) {
		return
	}
	p.waiting = false
	f.now[r], f.past[p.round][r] = max(p.free, p.gone), p.came[p.round]
	f.happens(f.receive(p.round, r, []float64{p.inbox[p.round]}), enter, r, p.round+1)
}

// onLink returns how long the bytes of a source's message to a rank keep their link busy.
func (f *protocol) onLink(round, m, to int, bytes float64) float64 {
	if f.inside(f.Rounds[round], m, to) {
		return bytes / f.p.Node.Bandwidth
	}
	return bytes / f.p.Bandwidth
}

// sendPartial is when a partial result leaves a rank that it has posted, if links are busy.
func (f *protocol) sendPartial(p *participant, round, m, to int) float64 {
	r := f.Rounds[round]
	busy, c := f.onLink(round, m, to, r.Bytes), f.p.Redundancy.SendOverhead
	if f.p.Host.Free() {
		if math.IsInf(p.gone, -1) {
			p.free = max(p.free, p.link)
		}
		p.gone = max(p.free, p.gone) + busy
		p.link, p.left = p.gone, p.free+float64(m)*max(c, busy)
		return p.left
	}
	at := max(p.free, p.link)
	p.gone = at + busy
	p.link = p.gone + f.p.Host.Gap
	if m > 0 {
		at = max(at, p.left+c)
	}
	p.left = at
	return at
}

// finish has a rank send the result, which it has at a time.
func (f *protocol) finish(r int, at float64) {
	p := &f.ranks[r]
	p.result, p.posted = at, max(at, p.free)
	left, link := p.left, p.link
	for round := len(p.came); round < f.rounds; round++ {
		n := 0
		for m := range f.Rounds[round].Sources {
			if to, ok := f.receiver(round, m, r); ok {
				p.posted = f.work(r, p.posted, f.p.Host.Overhead)
				if !f.Busy {
					f.send(round, m, to, f.leave(round, m, p.posted, &left))
					continue
				}
				leave := max(p.posted, link)
				link = leave + f.onLink(round, m, to, f.p.Bytes) + f.p.Host.Gap
				if n > 0 {
					leave = max(leave, left+f.p.Redundancy.SendOverhead)
				}
				n++
				left = leave
				f.send(round, m, to, leave)
			}
		}
	}
	copies := 0
	p.drained = link
	for round := f.rounds; round < f.Checkpoints[f.T].Rounds; round++ {
		if f.Rounds[round].Copies == 0 {
			continue
		}
		copies++
		if to, ok := f.receiver(round, 0, r); ok {
			free := f.work(r, p.posted, float64(copies)*f.p.Host.Overhead)
			if f.Busy {
				at := max(free, link) + f.Rounds[round].Sources[0].Post
				if f.inside(f.Rounds[round], 0, to) {
					at += f.Rounds[round].Sources[0].Inside
				}
				f.send(round, 0, to, at)
				continue
			}
			f.send(round, 0, to, f.leave(round, 0, free, &left))
		}
	}
}

// send has a rank receive the result in a message of a round.
func (f *protocol) send(round, m, to int, leave float64) {
	message := f.Rounds[round]
	message.Bytes = f.p.Bytes
	at := f.arrival(message, m, to, leave)
	if f.p.Redundancy.Reception == collectives.CPU || f.p.Host.Progress != collectives.Arrival {
		at = preempt(f.os[to], at, f.take(f.Checkpoints[0].Rounds, to, math.Inf(1)))
	}
	f.happens(at, result, to, round)
}
