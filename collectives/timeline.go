package collectives

import (
	"context"
	"math"

	"jitterfly/internal/vector"
)

// Detours delay the processors of one trial; noise.Detours documents them.
type Detours interface {
	Finish(lo int, t []float64, work float64)
}

// Delays hold the messages of one trial; noise.Delays documents them.
type Delays interface {
	Delay(exchange, lo int, arrive []float64, transit float64)
}

// A Timeline plays schedules. It is the state of one simulation, 16 bytes a
// rank unless a schedule lags, and is reused from trial to trial.
//
// A round is played from one vector of clocks into another, block by block,
// each step of the model a pass over a block of at most [Block] ranks that is
// in the first-level cache:
//
//	arrive[i] = clock[peer of lo+i]              Peers.Gather
//	arrive[i] += delay in the network            Delays.Delay
//	next[i]   = max or min of clock[i] and arrive[i] + wire
//	next[i]   = when the work is done            Detours.Finish
//
// Messages inside nodes, which are no matter of the network's, are listed before
// and put right after it.
//
// So neither the algorithm nor the noise knows of the other, and each pass is
// a plain loop over numbers, which package vector has. Where only a part of the
// ranks receives, the blocks at its ends are parts too. Rounds across the
// dimensions of a hypercube are played in another order, in place: see sweep.go.
type Timeline struct {
	clock, next  []float64 // when each rank has what the rounds so far give it
	sparse       sparse
	arrive, copy []float64 // scratch, one block each
	left         []float64 // as much again, for messages inside nodes
	inside       []int
	sweeping     sweeping
	pipeline     pipeline // empty unless a schedule lags
	hosted       hosted   // empty unless messages cost their hosts
}

// NewTimeline returns a timeline for schedules of up to ranks ranks.
func NewTimeline(ranks int) *Timeline {
	block, blocks := min(ranks, Block), (ranks-1)/Block+1
	return &Timeline{
		clock:  make([]float64, ranks),
		next:   make([]float64, ranks),
		arrive: make([]float64, block),
		copy:   make([]float64, block),
		sparse: sparse{crowd: defaultCrowd},
		left:   make([]float64, block),
		inside: make([]int, block),
		sweeping: sweeping{
			tile: defaultTile, back: make([]float64, block), blocks: make([]extent, blocks),
			meeting: newMeeting(block),
		},
	}
}

// A Trial is what playing a schedule once gives, in seconds from the launch.
type Trial struct {
	// Completion is when the last rank is done, for each of the schedule's
	// results.
	Completion []float64
	// LatestStart is when the last rank begins.
	LatestStart float64
	// Rounds is how many rounds were played; the others would have changed
	// nothing.
	Rounds int
}

// Play runs the schedule under the noise and writes into trial, whose
// Completion must be as long as the schedule's Results. A schedule of more
// ranks than the timeline was made for panics. When the context is cancelled
// Play returns its error at the end of a round.
func (t *Timeline) Play(ctx context.Context, s *Schedule, p Problem, os Detours, network Delays, trial *Trial) error {
	clock, next := t.clock[:s.Ranks], t.next[:s.Ranks]
	completion := func(r Result) float64 { return t.completion(r, clock, &p, os) }
	settled := func(round *Round) bool { return settled(clock, round, p) }
	rare, _ := network.(SparseDelays)
	gaps, _ := os.(GapDetours)
	n, result, err := t.begin(ctx, s, p, os, network, trial)
	for result < len(s.Results) && err == nil {
		if s.Results[result].Rounds == n {
			if result = trial.conclude(s, result, completion, settled); result == len(s.Results) {
				break
			}
		}
		if err = ctx.Err(); err != nil {
			break
		}
		if w := t.sweepFrom(n, result, s, &p); w.to > n {
			n = w.to
			w.clock, w.detours, w.delays, w.rare, w.gaps = clock, os, network, rare, gaps
			result, err = t.sweep(ctx, &w, result, trial)
			continue
		}
		t.round(s, n, clock, next, &p, os, network)
		t.sweeping.lose()
		clock, next = next, clock
		n++
	}
	return err
}

// conclude notes a result, and returns which is next: none if no later round changes
// anything.
func (trial *Trial) conclude(s *Schedule, result int, completion func(Result) float64, settled func(next *Round) bool) int {
	n := s.Results[result].Rounds
	trial.Rounds = n
	trial.Completion[result] = completion(s.Results[result])
	if result++; result < len(s.Results) && settled(&s.Rounds[n]) {
		for ; result < len(s.Results); result++ {
			trial.Completion[result] = completion(s.Results[result])
		}
	}
	return result
}

// round plays the round after the first n, from one vector of clocks into the next.
func (t *Timeline) round(s *Schedule, n int, clock, next []float64, p *Problem, os Detours, network Delays) {
	if !p.Host.Free() {
		t.playHosted(s, n, clock, next, p, os, network)
		return
	}
	round, sent := &s.Rounds[n], clock
	if s.lag > 0 {
		sent = t.pipeline.sent(s, n, clock)
	}
	copy(next[:round.Receivers.Lo], clock)
	copy(next[round.Receivers.Hi:], clock[round.Receivers.Hi:])
	each(next, round.Receivers, func(lo int, then []float64) {
		now := clock[lo:][:len(then)]
		if len(round.Sources) == 0 {
			copy(then, now)
			os.Finish(lo, then, round.Combine)
			return
		}
		arrive := t.arrive[:len(then)]
		transit := t.arrivals(arrive, round, sent, lo, p, os, network)
		round.receive(then, now, arrive, transit, lo, os)
	})
}

// receive sets then to when the ranks from lo, which are where they are at the times in
// now, go on with what comes transit after the times in arrive.
func (r *Round) receive(then, now, arrive []float64, transit float64, lo int, os Detours) {
	switch r.Wait {
	case Combined:
		vector.Later(then, now, arrive, transit)
		os.Finish(lo, then, r.Combine)
	case Delivered:
		vector.Later(then, now, arrive, transit)
	case Spare:
		vector.Earlier(then, now, arrive, transit)
	}
}

// begin lets all ranks start, and returns before which round and which result
// every rank has a clock of its own. That is at the beginning, or where noise has
// touched many; after the last result all is done.
func (t *Timeline) begin(ctx context.Context, s *Schedule, p Problem, os Detours, network Delays, trial *Trial) (n, result int, err error) {
	t.sweeping.begin()
	detours, ok1 := os.(SparseDetours)
	delays, ok2 := network.(SparseDelays)
	if ok1 && ok2 && p.Host.sparsely() && even(s, &p, delays) {
		t.sparse.detours, t.sparse.delays = detours, delays
		n, result, err = t.sparse.play(ctx, s, p, trial)
		if result < len(s.Results) {
			t.sparse.spread(t.clock[:s.Ranks])
			if !p.Host.Free() {
				t.hosted.begin(s.Ranks)
			}
		}
		return n, result, err
	}
	clock := t.clock[:s.Ranks]
	trial.LatestStart = math.Inf(-1)
	each(clock, Span{0, s.Ranks}, func(lo int, now []float64) {
		clear(now)
		os.Finish(lo, now, 0)
		trial.LatestStart = max(trial.LatestStart, vector.Most(now))
	})
	if s.lag > 0 {
		t.pipeline.begin(s)
	}
	if !p.Host.Free() {
		t.hosted.begin(s.Ranks)
	}
	return 0, 0, nil
}

// completion is when the last rank is done.
func (r Result) completion(clock []float64) float64 {
	return max(vector.Most(clock[:r.Posters.Lo]), vector.Most(clock[r.Posters.Lo:r.Posters.Hi])+r.Post, vector.Most(clock[r.Posters.Hi:]))
}

// settled says that no spare copy, of this or a later round, can come earlier than
// what its receiver has: even one that the first of the ranks posts would arrive
// after the last of the receivers is done. Later rounds post later. That ends
// most trials after few redundant exchanges, and changes no completion.
func settled(clock []float64, round *Round, p Problem) bool {
	first, _ := vector.Extremes(clock)
	return vector.Most(clock[round.Receivers.Lo:round.Receivers.Hi]) <= first+round.soonest(p)
}

// soonest is what a message of the round takes at least from its sender's having
// it.
func (r *Round) soonest(p Problem) float64 {
	least := r.Sources[0].Post + p.fastest(r.Bytes)
	if p.Host.Free() {
		return least
	}
	take, _ := p.takes(r)
	return least + (float64(r.Copies)*p.Host.Overhead+take)*(1-1e-9)
}

// each applies step to what is in the span of every block of a vector.
func each(v []float64, span Span, step func(lo int, block []float64)) {
	for block := range span.blocks {
		step(block.Lo, v[block.Lo:block.Hi])
	}
}

// blocks are what is in the span of every block.
func (s Span) blocks(yield func(Span) bool) {
	for lo := s.Lo; lo < s.Hi; {
		hi := min(s.Hi, (lo/Block+1)*Block)
		if !yield(Span{lo, hi}) {
			return
		}
		lo = hi
	}
}

// arrivals sets arrive to when each of as many ranks from lo, receivers of one block, has
// the earliest copy of what the round sends it, which each rank had at its time in
// sent: transit after the times in arrive, so that the next pass adds it on its way.
func (t *Timeline) arrivals(arrive []float64, round *Round, sent []float64, lo int, p *Problem, os Detours, network Delays) (transit float64) {
	wire := round.wire(p)
	for m, source := range round.Sources {
		from := arrive
		if m > 0 {
			from = t.copy[:len(arrive)]
		}
		t.copies(from, sent, lo, m, round, p, network)
		switch {
		case m == 0:
			transit = source.Post + wire
		case round.Every:
			vector.Later(arrive, arrive, from, source.Post+wire-transit)
		default:
			vector.Earlier(arrive, arrive, from, source.Post+wire-transit)
		}
	}
	if round.Wait != Combined && round.Reception == CPU {
		for i := range arrive {
			arrive[i] += transit
		}
		os.Finish(lo, arrive, 0)
		transit = 0
	}
	return transit
}

// copies sets from to when each of the ranks from lo has the copy of the round's
// m-th source, less the time of the wire, if it left its sender at its time in sent.
func (t *Timeline) copies(from, sent []float64, lo, m int, round *Round, p *Problem, network Delays) {
	peers, wire := round.Sources[m].Peers, round.wire(p)
	peers.Gather(from, sent, lo)
	inside := p.Node.inside(t.inside[:len(from)], lo, len(from), peers)
	if round.Lag > 0 {
		t.pipeline.queue(lo, from, inside, round.Bytes/p.Bandwidth, round.Bytes/p.Node.Bandwidth)
	}
	for k, i := range inside {
		t.left[k] = from[i]
	}
	network.Delay(round.Exchange+m, lo, from, wire)
	if len(inside) > 0 {
		shorter := p.Node.Wire(round.Bytes) - wire
		for k, i := range inside {
			from[i] = t.left[k] + shorter
		}
	}
}

// inside lists which of the n ranks from lo hear from a rank of their own node,
// as indices from lo. The list is as long as n.
func (node Node) inside(list []int, lo, n int, peers Peers) []int {
	if node.Ranks <= 1 {
		return nil
	}
	if _, outside := peers.Nodes(node.Ranks); outside {
		return nil
	}
	found := 0
	for first := lo - lo%node.Ranks; first < lo+n; first += node.Ranks {
		end := first + node.Ranks
		for r := max(lo, first); r < min(lo+n, end); r++ {
			list[found] = r - lo
			if from := peers.From(r); first <= from && from < end {
				found++
			}
		}
	}
	return list[:found]
}
