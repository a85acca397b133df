package rounds

import (
	"context"
	"math"
	"slices"
	"sort"

	"jitterfly/collectives"
)

// The sparse executor.
//
// Noise is rare: in most trials most ranks do the same at the same time. Where every
// round is the same for all ranks, those that noise has not touched share one clock, and
// only the others need one of their own. A round then affects
//
//   - the touched ranks themselves,
//   - who receives from them,
//   - who is sent a message that the network delays,
//   - who may be in a detour by the end of the round,
//
// and those of them whose clocks turn out to be the common one are touched no more.
// Noise never helps, so no clock is ahead of the common one, and of several sources the
// first is the earliest unless it is touched itself. All times come from the additions
// and comparisons of the dense executor, so they are the same to the last bit.
//
// When a round affects too many ranks, every rank gets its clock, and the dense executor
// continues.

// A denseThreshold is the share of affected ranks, 1 in n, above which a round is cheaper
// dense than sparse: an affected rank costs about n dense ones, since its clock is in no
// cache. Where ranks receive from one source, a touched rank touches another in each round,
// and so what was spent on a few is soon lost.
type denseThreshold struct{ oneSource, several int }

var defaultThreshold = denseThreshold{oneSource: 256, several: 128}

// of returns how many affected ranks of the plan are still few.
func (d denseThreshold) of(plan *Plan) int {
	several := slices.ContainsFunc(plan.rounds, func(r round) bool { return len(r.sources) > 1 })
	if several {
		return plan.Ranks / d.several
	}
	return plan.Ranks / d.oneSource
}

// sparse is the state of the sparse executor.
type sparse struct {
	plan      *Plan
	noise     *Noise
	threshold denseThreshold

	common  float64    // the clock [s] of the ranks that are not touched
	touched clockTable // the others, and some whose clock is the common one

	affected  clockTable  // by a round
	then      []float64   // their clocks after it
	preempted []int       // scratch
	delays    [][]delayed // of the round's messages, for each source

	forwarding *forwarding

	note   func(rank int, delay float64) // adds to the delays of the source
	source int
}

// delayed is a rank to which a message is delayed, and for how long [s].
type delayed struct {
	rank  int
	delay float64
}

// run simulates a trial from its beginning. It returns before which round and which
// checkpoint every rank needs a clock of its own; after the last checkpoint all is done.
func (q *sparse) run(
	ctx context.Context, plan *Plan, n *Noise, f *forwarding, trial *Trial,
) (at, checkpoint int, err error) {
	few := q.threshold.of(plan)
	q.forwarding = f
	q.begin(plan, n)
	trial.LatestStart = q.latest()
	for {
		if plan.Checkpoints[checkpoint].Rounds == at {
			trial.Rounds = at
			done := q.settled(at)
			for more := true; more; more = done && checkpoint < len(plan.Checkpoints) {
				trial.Completion[checkpoint] = q.completion(plan.Checkpoints[checkpoint])
				checkpoint++
			}
			if plan.forward && checkpoint < len(plan.Checkpoints) {
				f.fromSparse(q, trial)
				checkpoint = len(plan.Checkpoints)
			}
			if checkpoint == len(plan.Checkpoints) {
				return at, checkpoint, nil
			}
		}
		f.history.list(at, q.common, q)
		if err := ctx.Err(); err != nil {
			return at, checkpoint, err
		}
		if !q.round(&plan.rounds[at], few) {
			return at, checkpoint, nil
		}
		at++
	}
}

// begin starts all ranks.
func (q *sparse) begin(plan *Plan, n *Noise) {
	q.plan, q.noise = plan, n
	if q.note == nil {
		q.note = func(i int, delay float64) {
			q.delays[q.source] = append(q.delays[q.source], delayed{i, delay})
		}
	}
	q.common = 0
	q.touched.clear()
	q.affected.clear()
	q.preempted = q.noise.listed.Preempted(0, q.preempted[:0])
	for _, r := range q.preempted {
		q.affected.add(r)
	}
	q.then = q.then[:0]
	for _, r := range q.affected.ranks {
		q.then = append(q.then, q.finish(r, 0, 0))
	}
	q.commit(0)
}

// clockOf returns a rank's clock [s].
func (q *sparse) clockOf(r int) float64 {
	if s := q.touched.slot(r); s.era == q.touched.era {
		return s.clock
	}
	return q.common
}

// finish is [Detours.Finish] for one rank. Detours that can be listed do not depend on which
// piece of work it is.
func (q *sparse) finish(r int, start, work float64) float64 {
	return q.noise.finishOne(piece{}, r, start, work)
}

// latest returns the last of all clocks.
func (q *sparse) latest() float64 {
	latest := q.common // none of the touched is earlier
	for _, r := range q.touched.ranks {
		latest = max(latest, q.clockOf(r))
	}
	return latest
}

// settled is as for all clocks.
func (q *sparse) settled(at int) bool {
	return at == len(q.plan.rounds) || q.latest() <= q.first()+q.plan.rounds[at].soonest
}

// first returns the earliest of all clocks.
func (q *sparse) first() float64 {
	if len(q.touched.ranks) < q.plan.Ranks {
		return q.common
	}
	first := math.Inf(1)
	for _, r := range q.touched.ranks {
		first = min(first, q.clockOf(r))
	}
	return first
}

// spread writes the clocks of all ranks.
func (q *sparse) spread(clock []float64) {
	for r := range clock {
		clock[r] = q.common
	}
	for _, r := range q.touched.ranks {
		clock[r] = q.clockOf(r)
	}
}

// round simulates a round. It returns false, and has changed nothing, if that affects
// more than a few ranks.
func (q *sparse) round(r *round, few int) bool {
	q.listDelays(r)
	if len(r.sources) > 0 && len(q.delays[0]) > few {
		return false
	}
	then := q.commonAfter(r)
	q.listAffected(r, then)
	if len(q.affected.ranks) > few {
		return false
	}
	q.then = q.then[:0]
	for _, rank := range q.affected.ranks {
		q.then = append(q.then, q.next(rank, r))
	}
	q.commit(then)
	return true
}

// listDelays finds the messages of the round that the network delays.
func (q *sparse) listDelays(r *round) {
	for m := range r.sources {
		if m == len(q.delays) {
			q.delays = append(q.delays, nil)
		}
		q.delays[m] = q.delays[m][:0]
		if r.sources[m].inside {
			continue
		}
		q.source = m
		q.noise.delayed.Delayed(r.Exchange+m, 0, q.plan.Ranks, r.transit, q.note)
	}
}

// commonAfter returns the common clock after a round.
func (q *sparse) commonAfter(r *round) float64 {
	then := q.common
	if r.Wait == collectives.Spare {
		return then
	}
	then += r.sent
	if len(r.sources) == 0 {
		return then + r.Combine
	}
	if q.plan.hosts {
		return q.commonAfterHosts(r)
	}
	arrive := q.common
	if r.sources[0].inside {
		arrive += r.sources[0].within
	}
	if y := arrive + (r.sources[0].Post + r.transit); y > then {
		then = y
	}
	if r.Wait == collectives.Combined {
		then += r.Combine
	}
	return then
}

// listAffected lists whom a round affects, given the common clock after it. A spare copy
// affects only those who have not the common clock.
func (q *sparse) listAffected(r *round, then float64) {
	q.affected.clear()
	for _, rank := range q.touched.ranks {
		q.affected.add(rank)
	}
	if r.Wait == collectives.Spare {
		return
	}
	if len(r.sources) > 0 {
		peers := r.sources[0].Peers
		for _, rank := range q.touched.ranks {
			q.affected.add(peers.To(rank))
		}
		for _, d := range q.delays[0] {
			q.affected.add(d.rank)
		}
	}
	posts := q.plan.problem.Host.Overhead > 0 && len(r.sources) > 0
	if r.cpu || posts {
		q.preempted = q.noise.listed.Preempted(then, q.preempted[:0])
		for _, rank := range q.preempted {
			q.affected.add(rank)
			if posts {
				q.affected.add(r.sources[0].Peers.To(rank))
			}
		}
	}
}

// next returns a rank's clock after a round.
func (q *sparse) next(rank int, r *round) float64 {
	if len(r.sources) == 0 {
		return q.finish(rank, q.clockOf(rank), r.Combine)
	}
	if q.plan.hosts {
		return q.nextHosts(rank, r)
	}
	arrive, transit := 0.0, r.sources[0].Post+r.transit
	for m, source := range r.sources {
		x := q.clockOf(source.Peers.From(rank))
		if source.inside {
			x += source.within
		}
		x = q.delay(x, rank, m)
		if m == 0 {
			arrive = x
		} else if y := x + (source.Post + r.transit - transit); y < arrive {
			arrive = y
		}
	}
	if r.Wait != collectives.Combined && r.Reception == collectives.CPU {
		arrive = q.finish(rank, arrive+transit, 0)
		transit = 0
	}
	now, there := q.clockOf(rank)+r.sent, arrive+transit
	switch r.Wait {
	case collectives.Combined:
		return q.finish(rank, max(now, there), r.Combine)
	case collectives.Delivered:
		return max(now, there)
	}
	return min(now, there)
}

// delay returns x and what delays the m-th source's message to a rank.
func (q *sparse) delay(x float64, rank, m int) float64 {
	list := q.delays[m]
	i := sort.Search(len(list), func(i int) bool { return list[i].rank >= rank })
	if i < len(list) && list[i].rank == rank {
		x += list[i].delay
	}
	return x
}

// commit makes the clocks those after a round.
func (q *sparse) commit(then float64) {
	q.common = then
	q.touched, q.affected = q.affected, q.touched
	touched := q.touched.ranks[:0]
	for i, r := range q.touched.ranks {
		q.touched.slot(r).clock = q.then[i]
		if q.then[i] != then {
			touched = append(touched, r)
		}
	}
	q.touched.ranks = touched
}
