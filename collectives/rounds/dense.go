package rounds

import (
	"context"
	"math"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// A Simulator runs compiled schedules. It is the state of one worker, about 16 bytes a rank unless
// messages are pipelined or cost their hosts, and is reused from trial to trial.
//
// The dense executor computes a round from one vector of clocks into another, block by
// block, each step of the model a pass over at most [Block] ranks that are in the
// first-level cache:
//
//	arrive[i] = clock[peer of lo+i]              Peers.Gather
//	arrive[i] += delay in the network            Delays.Delay
//	next[i]   = max or min of clock[i] and arrive[i] + wire
//	next[i]   = when the work is done            Detours.Finish
//
// Messages inside nodes, which do not cross the network, are listed before and
// corrected afterwards.
//
// So neither the algorithm nor the noise knows of the other, and each pass is a plain
// loop over numbers, which package vector has. Where only a part of the ranks receives,
// the blocks at its ends are parts too. Rounds across the dimensions of a hypercube are
// computed in another order, in place: see tiles.go.
type Simulator struct {
	clock, next  []float64        // when each rank has what the rounds so far give it [s]
	room         []float64        // one number a rank, for the noise
	changed      collectives.Span // of the ranks whose next is not their clock
	arrive, copy []float64        // of one block
	left         []float64        // of one block: times of messages inside nodes, before delays
	inside       []int
	tiles        tiling
	pipeline     pipeline // empty unless a compiled has pipelined rounds
	hosts        hosts    // empty unless messages cost their hosts
	forwarding   forwarding
	returned     []float64 // when calls return, if that is not when ranks have the result
	links        links
	cancelled    func() error // the error of the context of the trial
	// overlap has ranks that are free at the times in now compute between posting their
	// messages and waiting for them, in rounds of messages from all sources; nil if none does.
	overlap func(now []float64)
}

// NewSimulator returns a simulator of schedules of up to ranks ranks.
func NewSimulator(ranks int) *Simulator {
	block := min(ranks, Block)
	return &Simulator{
		clock:  make([]float64, ranks),
		next:   make([]float64, ranks),
		room:   make([]float64, ranks),
		arrive: make([]float64, block),
		copy:   make([]float64, block),
		left:   make([]float64, block),
		inside: make([]int, block),
		tiles: tiling{
			ranks: defaultTile, back: make([]float64, block), pair: newPair(block),
			blocks: make([]extent, (ranks-1)/Block+1),
		},
	}
}

// A Trial is what simulating a schedule once gives, in seconds from the launch.
type Trial struct {
	// Completion is when the last rank is done, for each of the schedule's checkpoints.
	Completion []float64
	// LatestStart is when the last rank begins.
	LatestStart float64
	// Rounds is how many rounds were simulated; the others would change nothing.
	Rounds int
}

// Run simulates the schedule under the noise and writes into trial, whose Completion must
// be as long as the schedule's Results. It panics if the schedule has more ranks than the
// simulator was made for. When the context is cancelled, Run returns its error at the
// end of a round.
func (s *Simulator) Run(ctx context.Context, compiled *Compiled, n *Noise, trial *Trial) error {
	s.begin(compiled, n, trial)
	return s.resume(ctx, compiled, n, trial)
}

// resume simulates the schedule from the clocks of all ranks on, and leaves there what they are after
// the last round that changes any.
func (s *Simulator) resume(ctx context.Context, compiled *Compiled, n *Noise, trial *Trial) error {
	at, checkpoint := 0, 0
	s.changed, s.cancelled = compiled.everyone(), ctx.Err
	clock := func() []float64 { return s.clock[:compiled.Ranks] }
	completion := func(r collectives.Checkpoint) float64 { return s.completion(r, clock(), compiled, n) }
	settled := func(*round) bool { return compiled.settled(clock(), at) }
	for checkpoint < len(compiled.Checkpoints) {
		if compiled.Checkpoints[checkpoint].Rounds == at {
			checkpoint = trial.conclude(compiled, checkpoint, completion, settled)
			if checkpoint == len(compiled.Checkpoints) {
				break
			}
			if compiled.forward {
				s.forwarding.run(clock(), trial, len(compiled.Checkpoints), completion,
					func(round int, sent, now []float64) { s.spareCopies(compiled, round, sent, now, n) })
				break
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.links.await(compiled, &compiled.rounds[at], clock()) {
			s.changed = compiled.everyone()
		}
		if t := s.tiledFrom(compiled, n, at, checkpoint); t.to > at {
			at = t.to
			t.clock, t.next = clock(), s.next[:compiled.Ranks]
			s.changed = compiled.everyone()
			var err error
			if checkpoint, err = s.runTiled(ctx, &t, checkpoint, trial); err != nil {
				return err
			}
			continue
		}
		s.round(compiled, at, clock(), s.next[:compiled.Ranks], n)
		if err := ctx.Err(); err != nil {
			return err
		}
		s.tiles.invalidate()
		s.clock, s.next = s.next, s.clock
		at++
		s.forwarding.remember(at, 0, clock(), s.hosts.sent)
	}
	return nil
}

// begin starts all ranks.
func (s *Simulator) begin(compiled *Compiled, n *Noise, trial *Trial) {
	trial.LatestStart = math.Inf(-1)
	each(s.clock, compiled.everyone(), func(lo int, now []float64) {
		clear(now)
		n.finish(piece{Kind: launching}, lo, now, 0)
		trial.LatestStart = max(trial.LatestStart, vector.Most(now))
	})
	s.links.free = s.links.free[:0]
	s.prepare(compiled, n)
}

// prepare clears the state of messages when a schedule begins at the clocks of all ranks: none is in
// transit.
func (s *Simulator) prepare(compiled *Compiled, n *Noise) {
	clock := s.clock[:compiled.Ranks]
	s.tiles.invalidate()
	s.links.begin(compiled)
	s.forwarding.prepare(compiled, n, s.links.free)
	if compiled.Queue {
		s.pipeline.begin(compiled)
	}
	if compiled.hosts {
		s.hosts.begin(compiled, clock, s.links.free)
	}
	s.forwarding.remember(0, 0, clock, s.hosts.sent)
}

// conclude notes a checkpoint and returns the next one; that is the number of all checkpoints
// if no later round changes anything.
func (trial *Trial) conclude(
	compiled *Compiled, checkpoint int, completion func(collectives.Checkpoint) float64,
	settled func(next *round) bool,
) int {
	at := compiled.Checkpoints[checkpoint].Rounds
	trial.Rounds = at
	trial.Completion[checkpoint] = completion(compiled.Checkpoints[checkpoint])
	if checkpoint++; checkpoint < len(compiled.Checkpoints) && settled(&compiled.rounds[at]) {
		for ; checkpoint < len(compiled.Checkpoints); checkpoint++ {
			trial.Completion[checkpoint] = completion(compiled.Checkpoints[checkpoint])
		}
	}
	return checkpoint
}

// completion returns when the last rank's call returns [s].
func (s *Simulator) completion(
	r collectives.Checkpoint, clock []float64, compiled *Compiled, n *Noise,
) float64 {
	lo, hi, posted := r.Posters.Lo, r.Posters.Hi, clock
	if r.Copies > 0 && compiled.problem.Host.Overhead > 0 {
		if compiled.forward {
			return s.lastForwarded(r, clock, compiled, n)
		}
		used := r.Posters
		if posted = s.hosts.posted[:len(clock)]; compiled.nic {
			used = compiled.everyone()
		}
		carry(posted, clock, used)
		s.postCopies(r, posted, compiled, n)
	}
	if compiled.nic {
		s.returned = append(s.returned[:0], posted...)
		if posters := s.returned[lo:hi]; r.Post > 0 {
			vector.Shift(posters, posters, r.Post)
		}
		n.finishAll(piece{Kind: returning}, s.returned, compiled.everyone(), 0)
		return vector.Most(s.returned)
	}
	return max(vector.Most(clock[:lo]), vector.Most(posted[lo:hi])+r.Post, vector.Most(clock[hi:]))
}

// settled reports whether no spare copy, of the round at or a later one, can come earlier than
// what its receiver has: even one that the first of the ranks posts would arrive after
// the last of the receivers is done. Later rounds post later. That ends most trials
// after few redundant exchanges, and changes no completion.
func (compiled *Compiled) settled(clock []float64, at int) bool {
	r := &compiled.rounds[at]
	first, _ := vector.Extremes(clock)
	return vector.Most(clock[r.awaited.Lo:r.awaited.Hi]) <= first+r.soonest
}

// round simulates one round, from one vector of clocks into the next.
func (s *Simulator) round(compiled *Compiled, at int, clock, next []float64, n *Noise) {
	if compiled.costs(&compiled.rounds[at]) {
		s.hostsRound(compiled, at, []collectives.Span{compiled.everyone()}, clock, next, n)
		return
	}
	r, sent, free := &compiled.rounds[at], clock, clock
	if compiled.Lag > 0 {
		sent = s.pipeline.sent(compiled, at, clock)
	}
	if r.uneven {
		s.returned = compiled.afterSending(s.returned, r, clock)
		free = s.returned
	}
	changed := s.changed
	if r.uneven { // then free is the clock of no rank that sends
		changed = compiled.everyone()
	}
	s.changed = r.touched
	carry(next, free, collectives.Span{Lo: changed.Lo, Hi: min(changed.Hi, r.Receivers.Lo)})
	carry(next, free, collectives.Span{Lo: max(changed.Lo, r.Receivers.Hi), Hi: changed.Hi})
	if r.Every && s.overlap != nil && r.Medium != collectives.Memory {
		copy(next, clock)
		s.overlap(next)
		free, s.changed = next, compiled.everyone()
	}
	each(next, r.Receivers, func(lo int, then []float64) {
		now := free[lo:][:len(then)]
		if len(r.sources) == 0 {
			copy(then, now)
			n.finish(piece{Kind: working, Number: at}, lo, then, r.Combine)
			return
		}
		arrive := s.arrive[:len(then)]
		transit := s.arrivals(compiled, r, arrive, sent, lo, n)
		r.receive(then, now, arrive, transit, lo, n)
	})
}

// spareCopies continues ranks from the times in now with their redundant copies of a round, if these come
// earlier, whose senders have the result at the times in sent.
func (s *Simulator) spareCopies(compiled *Compiled, at int, sent, now []float64, n *Noise) {
	r := &compiled.rounds[at]
	if compiled.costs(r) {
		s.takeEarliest(compiled, at, []collectives.Span{compiled.everyone()}, sent, now, n)
		return
	}
	each(now, r.Receivers, func(lo int, now []float64) {
		arrive := s.arrive[:len(now)]
		transit := s.arrivals(compiled, r, arrive, sent, lo, n)
		r.receive(now, now, arrive, transit, lo, n)
	})
}

// carry copies the times of a span, which may be empty.
func carry(next, clock []float64, span collectives.Span) {
	if span.Lo < span.Hi {
		copy(next[span.Lo:span.Hi], clock[span.Lo:])
	}
}

// afterSending returns, in the memory of sent, when the messages of a round have left that ranks send
// at their times in clock; for a rank that sends none, that time.
func (compiled *Compiled) afterSending(sent []float64, r *round, clock []float64) []float64 {
	sent = append(sent[:0], make([]float64, len(clock))...)
	for m := range r.sources {
		for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
			from := r.sources[m].Peers.From(rank)
			sent[from] += compiled.linkOf(&r.sources[m], from, rank)
		}
	}
	for rank, now := range clock {
		sent[rank] += now
	}
	return sent
}

// receive sets then to when the ranks from lo, whose clocks are now, continue with what
// comes transit seconds after the times in arrive.
func (r *round) receive(then, now, arrive []float64, transit float64, lo int, n *Noise) {
	if r.sent > 0 {
		vector.Shift(then, now, r.sent)
		now = then
	}
	switch r.Wait {
	case collectives.Combined:
		vector.Later(then, now, arrive, transit)
		n.finish(r.piece(combining, 0), lo, then, r.Combine)
	case collectives.Delivered:
		vector.Later(then, now, arrive, transit)
	case collectives.Spare:
		vector.Earlier(then, now, arrive, transit)
	}
}

// arrivals sets arrive to when each of as many ranks from lo, receivers of one block, has
// the earliest copy of what the round sends it, which each rank had at its time in
// sent: transit seconds after the times in arrive, so that the next pass adds it.
func (s *Simulator) arrivals(
	compiled *Compiled, r *round, arrive, sent []float64, lo int, n *Noise,
) (transit float64) {
	for m := range r.sources {
		post, from := r.sources[m].Post, arrive
		if m > 0 {
			from = s.copy[:len(arrive)]
		}
		s.copies(compiled, r, m, from, sent, lo, n)
		switch {
		case m == 0:
			transit = post + r.transit
		case r.Every:
			vector.Later(arrive, arrive, from, post+r.transit-transit)
		default:
			vector.Earlier(arrive, arrive, from, post+r.transit-transit)
		}
	}
	if r.Wait != collectives.Combined && r.Reception == collectives.CPU {
		vector.Shift(arrive, arrive, transit)
		n.finish(r.piece(receiving, 0), lo, arrive, 0)
		transit = 0
	}
	return transit
}

// copies sets from to when each of the ranks from lo has the copy of the round's m-th
// source, less the time of the wire, if it left its sender at its time in sent.
func (s *Simulator) copies(
	compiled *Compiled, r *round, m int, from, sent []float64, lo int, n *Noise,
) {
	source, p := &r.sources[m], &compiled.problem
	source.Peers.Gather(from, sent, lo)
	if r.Medium == collectives.Memory {
		return
	}
	if source.inside && !r.Queue {
		vector.Shift(from, from, source.within)
		return
	}
	span := collectives.Span{Lo: lo, Hi: lo + len(from)}
	if r.Queue {
		list := s.inside[:0]
		compiled.comes(r, source, span, func(part collectives.Span) {
			for rank := part.Lo; rank < part.Hi; rank++ {
				list = append(list, rank-lo)
			}
		})
		s.pipeline.queue(lo, from, list, r.Bytes/p.Bandwidth, r.Bytes/p.Node.Bandwidth)
	}
	left := s.left[:len(from)]
	if source.inside || source.mixed {
		copy(left, from)
	}
	n.Delays.Delay(r.Exchange+m, lo, from, r.transit)
	compiled.comes(r, source, span, func(part collectives.Span) {
		vector.Shift(from[part.Lo-lo:part.Hi-lo], left[part.Lo-lo:], source.within)
	})
}
