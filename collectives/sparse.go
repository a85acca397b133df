package collectives

import (
	"context"
	"math"
	"slices"
	"sort"
)

// Sparse play.
//
// Noise is rare: in most trials most ranks do the same at the same time. Where
// every round is the same for all ranks, those that nothing has touched share one
// clock, and only the others need one of their own. A round then concerns
//
//   - the touched ranks themselves,
//   - who hears from them,
//   - who is sent a message that the network holds,
//   - who may be in a detour by the end of the round,
//
// and those of them whose times turn out to be the common ones are touched no
// more. Noise never helps, so no clock is ahead of the common one, and of several
// sources the first is the earliest unless it is touched itself. All times come
// from the additions and comparisons that the passes over blocks make, so they
// are the same to the last bit.
//
// When a round concerns too many, every rank gets its clock, and the blocks go on.

// SparseDetours know which ranks they strike.
type SparseDetours interface {
	Detours
	// Struck appends to ranks those that are in a detour at some time up to
	// the given one, in any order.
	Struck(upto float64, ranks []int) []int
}

// SparseDelays know which messages they hold.
type SparseDelays interface {
	Delays
	// Held calls hold for each message of the exchange that is held, to rank lo+i
	// of the n from lo, in the order of ranks. The ranks are as for Delay, which adds
	// the same delays, or all. The transit is a rare one.
	Held(exchange, lo, n int, transit float64, hold func(i int, delay float64))
	// Rare says that few messages of such a transit are held, so that to name them
	// costs less than to look at all.
	Rare(transit float64) bool
}

// A crowd is too many for a round to concern: one of so many ranks. A rank that it does
// costs so many times as much as one of a block, for its clock is in nobody's cache.
type crowd struct{ one, several int }

// defaultCrowd is one that pays. Where ranks hear from one source, a touched rank touches
// another in each round, and so what was spent on a few is soon lost.
var defaultCrowd = crowd{one: 256, several: 128}

// of is how many of the schedule's ranks are not yet one.
func (c crowd) of(s *Schedule) int {
	if slices.ContainsFunc(s.Rounds, func(r Round) bool { return len(r.Sources) > 1 }) {
		return s.Ranks / c.several
	}
	return s.Ranks / c.one
}

// sparse is the state of a sparse play.
type sparse struct {
	detours SparseDetours
	delays  SparseDelays
	ranks   int
	crowd   crowd // what a round concerns before every rank gets a clock

	common  float64
	touched few // and some that have the common clock

	concerned few       // in a round
	then      []float64 // their clocks after it
	struck    []int
	held      [][]held // for each source
	one       [1]float64

	note   func(rank int, delay float64) // adds to the source's held
	source int
}

// held is what holds a message to a rank.
type held struct {
	rank  int
	delay float64
}

// even says whether all ranks do the same in every round, but for a few.
func even(s *Schedule, p *Problem, delays SparseDelays) bool {
	if s.lag > 0 {
		return false
	}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		if r.Every || r.Receivers != (Span{0, s.Ranks}) || !delays.Rare(r.wire(p)) {
			return false
		}
		for _, source := range r.Sources {
			if _, ok := p.Node.evenly(source.Peers); !ok {
				return false
			}
		}
	}
	return true
}

// evenly says whether all messages of a source are inside nodes or all are not,
// if either is so.
func (node Node) evenly(peers Peers) (inside, ok bool) {
	if node.Ranks <= 1 {
		return false, true
	}
	inside, outside := peers.Nodes(node.Ranks)
	return inside, inside || outside
}

// play plays a trial from its beginning, and returns before which round and which
// result every rank has a clock; or all is done, after the last result.
func (q *sparse) play(ctx context.Context, s *Schedule, p Problem, trial *Trial) (n, result int, err error) {
	most := q.crowd.of(s)
	q.begin(s.Ranks)
	trial.LatestStart = q.latest()
	for {
		if s.Results[result].Rounds == n {
			trial.Rounds = n
			done := q.settled(s, n, p)
			for more := true; more; more = done && result < len(s.Results) {
				trial.Completion[result] = q.completion(s.Results[result], &p)
				result++
			}
			if result == len(s.Results) {
				return n, result, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return n, result, err
		}
		if !q.play1(&s.Rounds[n], &p, most) {
			return n, result, nil
		}
		n++
	}
}

// begin makes all ranks start.
func (q *sparse) begin(ranks int) {
	q.ranks = ranks
	if q.note == nil {
		q.note = func(i int, delay float64) {
			q.held[q.source] = append(q.held[q.source], held{i, delay})
		}
	}
	q.common = 0
	q.touched.clear()
	q.concerned.clear()
	q.struck = q.detours.Struck(0, q.struck[:0])
	for _, r := range q.struck {
		q.concerned.add(r)
	}
	q.then = q.then[:0]
	for _, r := range q.concerned.ranks {
		q.then = append(q.then, q.finish(r, 0, 0))
	}
	q.commit(0)
}

// at is a rank's clock.
func (q *sparse) at(r int) float64 {
	if s := q.touched.slot(r); s.era == q.touched.era {
		return s.clock
	}
	return q.common
}

// finish is [Detours] for one rank.
func (q *sparse) finish(r int, start, work float64) float64 {
	q.one[0] = start
	q.detours.Finish(r, q.one[:], work)
	return q.one[0]
}

// latest is when the last rank is where it is.
func (q *sparse) latest() float64 {
	latest := q.common // of those touched none is earlier
	for _, r := range q.touched.ranks {
		latest = max(latest, q.at(r))
	}
	return latest
}

// settled is as for all clocks.
func (q *sparse) settled(s *Schedule, n int, p Problem) bool {
	if n == len(s.Rounds) {
		return true
	}
	first := q.common
	if len(q.touched.ranks) == q.ranks {
		first = math.Inf(1)
		for _, r := range q.touched.ranks {
			first = min(first, q.at(r))
		}
	}
	return q.latest() <= first+s.Rounds[n].soonest(p)
}

// spread gives every rank its clock.
func (q *sparse) spread(clock []float64) {
	for r := range clock {
		clock[r] = q.common
	}
	for _, r := range q.touched.ranks {
		clock[r] = q.at(r)
	}
}

// play1 plays a round, unless it concerns more than most.
func (q *sparse) play1(round *Round, p *Problem, most int) bool {
	wire := round.wire(p)
	q.hold(round, wire, p)
	if len(round.Sources) > 0 && len(q.held[0]) > most {
		return false
	}
	then := q.unstruck(round, wire, p)
	q.concerns(round, then, p)
	if len(q.concerned.ranks) > most {
		return false
	}
	q.then = q.then[:0]
	for _, r := range q.concerned.ranks {
		q.then = append(q.then, q.next(r, round, wire, p))
	}
	q.commit(then)
	return true
}

// hold finds the messages that the network holds.
func (q *sparse) hold(round *Round, wire float64, p *Problem) {
	for m, source := range round.Sources {
		if m == len(q.held) {
			q.held = append(q.held, nil)
		}
		q.held[m] = q.held[m][:0]
		if inside, _ := p.Node.evenly(source.Peers); inside {
			continue
		}
		q.source = m
		q.delays.Held(round.Exchange+m, 0, q.ranks, wire, q.note)
	}
}

// unstruck is the common clock after a round.
func (q *sparse) unstruck(round *Round, wire float64, p *Problem) float64 {
	then := q.common
	if round.Wait == Spare {
		return then
	}
	if len(round.Sources) == 0 {
		return then + round.Combine
	}
	if !p.Host.Free() {
		return q.unstruckHosted(round, wire, p)
	}
	arrive := q.common
	if inside, _ := p.Node.evenly(round.Sources[0].Peers); inside {
		arrive += p.Node.Wire(round.Bytes) - wire
	}
	if y := arrive + (round.Sources[0].Post + wire); y > then {
		then = y
	}
	if round.Wait == Combined {
		then += round.Combine
	}
	return then
}

// concerns lists whom a round concerns, given the common clock after it. A spare
// copy concerns only who has not the common clock.
func (q *sparse) concerns(round *Round, then float64, p *Problem) {
	q.concerned.clear()
	for _, r := range q.touched.ranks {
		q.concerned.add(r)
	}
	if round.Wait == Spare {
		return
	}
	if len(round.Sources) > 0 {
		peers := round.Sources[0].Peers
		for _, r := range q.touched.ranks {
			q.concerned.add(peers.To(r))
		}
		for _, h := range q.held[0] {
			q.concerned.add(h.rank)
		}
	}
	posts := p.Host.Overhead > 0 && len(round.Sources) > 0
	if _, cpu := p.takes(round); cpu || posts {
		q.struck = q.detours.Struck(then, q.struck[:0])
		for _, r := range q.struck {
			q.concerned.add(r)
			if posts {
				q.concerned.add(round.Sources[0].Peers.To(r))
			}
		}
	}
}

// next is a rank's clock after a round.
func (q *sparse) next(r int, round *Round, wire float64, p *Problem) float64 {
	if len(round.Sources) == 0 {
		return q.finish(r, q.at(r), round.Combine)
	}
	if !p.Host.Free() {
		return q.nextHosted(r, round, wire, p)
	}
	arrive, transit := 0.0, round.Sources[0].Post+wire
	for m, source := range round.Sources {
		x := q.at(source.Peers.From(r))
		if inside, _ := p.Node.evenly(source.Peers); inside {
			x += p.Node.Wire(round.Bytes) - wire
		}
		x = q.delayed(x, r, m)
		if m == 0 {
			arrive = x
		} else if y := x + (source.Post + wire - transit); y < arrive {
			arrive = y
		}
	}
	if round.Wait != Combined && round.Reception == CPU {
		arrive = q.finish(r, arrive+transit, 0)
		transit = 0
	}
	now, there := q.at(r), arrive+transit
	switch round.Wait {
	case Combined:
		return q.finish(r, max(now, there), round.Combine)
	case Delivered:
		return max(now, there)
	}
	return min(now, there)
}

// delayed is when the m-th source's message to a rank, which nothing held until then,
// has been through the network but for the wire.
func (q *sparse) delayed(x float64, r, m int) float64 {
	hold := q.held[m]
	i := sort.Search(len(hold), func(i int) bool { return hold[i].rank >= r })
	if i < len(hold) && hold[i].rank == r {
		x += hold[i].delay
	}
	return x
}

// commit makes the clocks those after a round.
func (q *sparse) commit(then float64) {
	q.common = then
	q.touched, q.concerned = q.concerned, q.touched
	touched := q.touched.ranks[:0]
	for i, r := range q.touched.ranks {
		q.touched.slot(r).clock = q.then[i]
		if q.then[i] != then {
			touched = append(touched, r)
		}
	}
	q.touched.ranks = touched
}
