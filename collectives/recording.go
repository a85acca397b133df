package collectives

import (
	"context"
	"errors"
	"slices"
)

// A Recording is what happened in one trial, to a rank at a time.
type Recording struct {
	// Start is when each rank begins.
	Start []float64
	// Rounds has the steps of all ranks in each round.
	Rounds [][]Step
	// Completion is when the last rank, Last, is done. It posts copies after it has the
	// result, for Post.
	Completion, Post float64
	Last             int
}

// A Step is what a round did to one rank.
type Step struct {
	// Before and After are until when the rank had what the rounds before gave it,
	// and this one.
	Before, After float64
	// From is who sent the message that counted, or −1 if there was none: Sent is when
	// it left, Arrive when it came, and Held how much of that was noise.
	From               int
	Sent, Arrive, Held float64
	// Won says that the rank goes on when it does because of the message, and not
	// of its own.
	Won bool
	// Work is what the rank computed, and Lost how much longer that took.
	Work, Lost float64
	// Spare says that the message was a redundant copy.
	Spare bool
}

// Record plays a schedule up to the result of T, as [Timeline.Play] does, and writes
// down what it sees between the rounds.
func Record(ctx context.Context, s *Schedule, p Problem, os Detours, network Delays, T int) (*Recording, error) {
	if !p.Host.Free() {
		return nil, errors.New("messages that cost their hosts are not recorded; leave overhead, gap and progress out")
	}
	if s.lag > 0 {
		return nil, errors.New("a ring in segments is not recorded; leave segments out")
	}
	t, watch := NewTimeline(s.Ranks), newWatch(s, network)
	var start Trial
	seen := struct{ Detours }{os} // who they strike is not to be known ahead
	if _, _, err := t.begin(ctx, s, p, seen, watch, &start); err != nil {
		return nil, err
	}
	clock, next := t.clock[:s.Ranks], t.next[:s.Ranks]
	rec := &Recording{Start: slices.Clone(clock)}
	result := s.Results[T]
	for n := range result.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		watch.round = &s.Rounds[n]
		t.round(s, n, clock, next, &p, seen, watch)
		rec.Rounds = append(rec.Rounds, watch.steps(clock, next, &p))
		clock, next = next, clock
	}
	rec.Completion = t.completion(result, clock, &p, seen)
	rec.Last = -1
	for r, at := range clock {
		post := 0.0
		if result.Posters.Lo <= r && r < result.Posters.Hi {
			post = result.Post
		}
		if rec.Last < 0 && at+post == rec.Completion {
			rec.Last, rec.Post = r, post
		}
	}
	return rec, nil
}

// A watch remembers when the messages of a round come.
type watch struct {
	Delays
	round        *Round
	arrive, held [][]float64 // of each source and receiver; without the wire
}

func newWatch(s *Schedule, network Delays) *watch {
	w := &watch{Delays: network}
	for i := range s.Rounds {
		for len(w.arrive) < len(s.Rounds[i].Sources) {
			w.arrive = append(w.arrive, make([]float64, s.Ranks))
			w.held = append(w.held, make([]float64, s.Ranks))
		}
	}
	return w
}

// Delay implements [Delays].
func (w *watch) Delay(exchange, lo int, arrive []float64, transit float64) {
	m := exchange - w.round.Exchange
	copy(w.held[m][lo:], arrive)
	w.Delays.Delay(exchange, lo, arrive, transit)
	for i, at := range arrive {
		w.arrive[m][lo+i], w.held[m][lo+i] = at, at-w.held[m][lo+i]
	}
}

// steps are those of the round, which brought the clocks from before to after.
func (w *watch) steps(before, after []float64, p *Problem) []Step {
	steps := make([]Step, len(before))
	for r := range steps {
		steps[r] = Step{Before: before[r], After: after[r], From: -1}
		if r < w.round.Receivers.Lo || r >= w.round.Receivers.Hi {
			continue
		}
		s := &steps[r]
		for m := range w.round.Sources {
			w.hear(s, r, m, before, p)
		}
		ready := s.Before
		switch {
		case s.From < 0:
		case w.round.Wait == Spare:
			s.Spare, s.Won = true, s.After < s.Before
			ready = s.Arrive
		default:
			s.Won = s.Arrive > s.Before
			ready = max(ready, s.Arrive)
		}
		if w.round.Wait == Combined {
			s.Work = w.round.Combine
		}
		if s.Won || !s.Spare {
			s.Lost = lost(s.After - ready - s.Work)
		}
	}
	return steps
}

// hear has a step know of the message of the m-th source to rank r, if it counts more
// than those before.
func (w *watch) hear(s *Step, r, m int, before []float64, p *Problem) {
	source := w.round.Sources[m]
	from := source.Peers.From(r)
	sent := before[from] + source.Post
	arrive, held := w.arrive[m][r]+source.Post+w.round.wire(p), w.held[m][r]
	if n := p.Node.Ranks; n > 1 && from/n == r/n {
		arrive, held = sent+p.Node.Wire(w.round.Bytes), 0
	}
	if s.From < 0 || w.round.Every && arrive > s.Arrive || !w.round.Every && arrive < s.Arrive {
		s.From, s.Sent, s.Arrive, s.Held = from, sent, arrive, lost(held)
	}
}

// lost is a loss, less what rounding may make of none.
func lost(seconds float64) float64 {
	if seconds < 1e-12 {
		return 0
	}
	return seconds
}

// A Point is a rank at a time.
type Point struct {
	Rank int
	Time float64
}

// A Way leads from the beginning of a trial to its end. The times add up to the
// completion.
type Way struct {
	// Points come in pairs: between the two of a pair it is on one rank, and from a
	// pair to the next it is a message.
	Points []Point
	// Work is computed, Lost are detours, Wire is the undisturbed transit of messages
	// and Held what noise adds to it. Posting is the rest: what is posted before a
	// message leaves, or before the call returns.
	Work, Lost, Wire, Held, Posting float64
}

// Critical is the way by which the collective took as long as it did: what the last
// rank waited for, what the sender of that had waited for, and so on.
func (rec *Recording) Critical() Way {
	rank := rec.Last
	w := Way{Points: []Point{{rank, rec.Completion}}}
	for n := len(rec.Rounds) - 1; n >= 0; n-- {
		s := &rec.Rounds[n][rank]
		if s.Won || !s.Spare {
			w.Work, w.Lost = w.Work+s.Work, w.Lost+s.Lost
		}
		if s.Won {
			w.Held, w.Wire = w.Held+s.Held, w.Wire+s.Arrive-s.Sent-s.Held
			w.Points = append(w.Points, Point{rank, s.Arrive}, Point{s.From, s.Sent})
			rank = s.From
		}
	}
	w.Lost += rec.Start[rank]
	w.Posting = lost(rec.Completion - w.Work - w.Lost - w.Wire - w.Held)
	w.Points = append(w.Points, Point{rank, 0})
	slices.Reverse(w.Points)
	return w
}
