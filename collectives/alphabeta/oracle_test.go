package alphabeta_test

import (
	"math"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/alphabeta"
)

// An oracle simulates a schedule rank by rank, from what its fields and those of the
// problem mean. It shares no code with the executors.
type oracle struct {
	collectives.Schedule
	p       collectives.Problem
	os      preempted
	network delayed

	now   []float64
	past  [][]float64       // now, before each round
	link  []float64         // when the link to each rank is free, of rounds that lag
	left  []float64         // when each rank's last message left
	place []float64         // before when its last but redundant copies could not
	ahead []map[int]float64 // when those posted ahead leave, by round and sender
}

// newOracle returns that of a schedule at whose beginning no message is on its way.
func newOracle(
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) *oracle {
	ranks := func(x float64) []float64 { return slices.Repeat([]float64{x}, s.Ranks) }
	return &oracle{
		Schedule: s, p: p, os: os, network: network,
		now: ranks(0), link: ranks(0), left: ranks(math.Inf(-1)), place: ranks(math.Inf(-1)),
		ahead: make([]map[int]float64, len(s.Rounds)),
	}
}

func expected(
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) alphabeta.Trial {
	f := newOracle(s, p, os, network)
	for r := range f.now {
		f.now[r] = preempt(os[r], 0, 0)
	}
	trial := alphabeta.Trial{LatestStart: maximumOf(f.now)}
	results := s.Checkpoints
	for n := 0; ; n++ {
		f.past = append(f.past, slices.Clone(f.now))
		for len(results) > 0 && results[0].Rounds == n {
			trial.Completion = append(trial.Completion, f.completion(results[0]))
			results = results[1:]
		}
		if len(results) == 0 {
			return trial
		}
		f.round(n)
	}
}

func (f *oracle) completion(result collectives.Checkpoint) float64 {
	last := math.Inf(-1)
	for r := range f.now {
		last = max(last, f.returns(result, r))
	}
	return last
}

// returns is when a rank's call returns.
func (f *oracle) returns(result collectives.Checkpoint, r int) float64 {
	at := f.now[r]
	if result.Posters.Lo <= r && r < result.Posters.Hi {
		at = f.work(r, at, float64(result.Copies)*f.p.Host.Overhead) + result.Post
	}
	if f.p.Redundancy.Reception == collectives.NIC {
		at = preempt(f.os[r], at, 0)
	}
	return at
}

// work is a processor's; to do nothing it is not needed.
func (f *oracle) work(r int, start, work float64) float64 {
	if work == 0 {
		return start
	}
	return preempt(f.os[r], start, work)
}

// round simulates a round, for all of its receivers.
func (f *oracle) round(n int) {
	round := f.Rounds[n]
	for ahead, r := range f.Rounds {
		if r.Lag > 0 && max(0, ahead-r.Lag) == n {
			f.ahead[ahead] = f.post(ahead, 0, f.now)
		}
	}
	free := f.now // until when each posts
	if round.Wait == collectives.Spare {
		free = slices.Clone(f.now)
	}
	var leaves []map[int]float64 // by source and sender
	for m := range round.Sources {
		leave := f.ahead[n]
		if round.Lag == 0 {
			leave = f.post(n, m, free)
		}
		leaves = append(leaves, leave)
	}
	next := slices.Clone(f.now)
	for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
		if len(round.Sources) == 0 {
			next[r] = preempt(f.os[r], f.now[r], round.Combine)
			continue
		}
		var arrive []float64
		for m, source := range round.Sources {
			arrive = append(arrive, f.arrival(round, m, r, leaves[m][source.Peers.From(r)]))
		}
		next[r] = f.receive(n, r, arrive)
	}
	f.now = next
}

// post has all senders of a source post, after the times in free, and says when their
// messages leave.
func (f *oracle) post(n, m int, free []float64) map[int]float64 {
	round, host := f.Rounds[n], f.p.Host
	leave := map[int]float64{}
	for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
		q := round.Sources[m].Peers.From(r)
		free[q] = f.work(q, free[q], host.Overhead*float64(max(1, round.Copies)))
		at, gap := free[q]+round.Sources[m].Post, host.Gap
		if round.Every {
			at = free[q]
			if m > 0 {
				gap = max(gap, round.Sources[m].Post-round.Sources[m-1].Post)
			}
		}
		again := round.Wait == collectives.Spare && round.Copies == 0
		switch {
		case again:
			leave[q] = max(at, f.place[q])
			continue
		case gap > 0:
			at = max(at, f.left[q]+gap)
		}
		if round.Wait != collectives.Spare && host.Gap > 0 {
			f.place[q] = f.left[q] + gap
		}
		leave[q], f.left[q] = at, at
	}
	return leave
}

// arrival is when a receiver has a copy that leaves its sender at some time.
func (f *oracle) arrival(round collectives.Round, m, r int, leave float64) float64 {
	latency, bytes, net := f.p.Latency, round.Bytes/f.p.Bandwidth, f.network[round.Exchange+m][r]
	if round.Slow > 0 {
		bytes *= round.Slow
	}
	stalls := 0.0
	if host := f.p.Host; host.Progress == collectives.Polling && host.Window > 0 {
		for left := round.Bytes - host.Window; left > 0; left -= host.Window {
			stalls += 2 * latency
		}
	}
	net += stalls
	for range round.Turns - 1 {
		net += latency + bytes + stalls
	}
	node := func(r int) int {
		if f.Place != nil {
			r = f.Place(r)
		}
		return r / f.p.Node.Ranks
	}
	if f.p.Node.Ranks > 1 && node(round.Sources[m].Peers.From(r)) == node(r) {
		latency, bytes, net = f.p.Node.Latency, round.Bytes/f.p.Node.Bandwidth, 0
	}
	if round.Lag > 0 {
		leave = max(leave, f.link[r])
		f.link[r] = leave + bytes
	}
	return leave + latency + bytes + net
}

// take is how long a receiver works on a message that arrives at some time, which it
// began to wait for in round n.
func (f *oracle) take(n, r int, arrive float64) float64 {
	round, host := f.Rounds[n], f.p.Host
	switch host.Progress {
	case collectives.Polling:
		polls := host.Polls
		for left := round.Bytes - host.Window; host.Window > 0 && left > 0; left -= host.Window {
			polls++
		}
		return host.Overhead + polls*host.Poll*float64(f.Ranks-1)
	case collectives.Async:
		if arrive < f.past[n][r] && round.Wait != collectives.Spare {
			return host.Overhead + host.Interrupt + round.Bytes/f.p.MemoryBandwidth
		}
		return host.Overhead + host.Interrupt
	}
	return host.Overhead
}

// receive is when a receiver is done with what arrives from the round's sources.
func (f *oracle) receive(n, r int, arrive []float64) float64 {
	round, now := f.Rounds[n], f.now[r]
	if round.Every {
		for _, there := range arrive {
			now = preempt(f.os[r], max(now, there), f.take(n, r, there))
		}
		return preempt(f.os[r], now, round.Combine)
	}
	first := slices.Min(arrive)
	take, processor := f.take(n, r, first), round.Reception == collectives.CPU ||
		f.p.Host.Progress != collectives.Arrival
	switch {
	case round.Wait == collectives.Combined:
		return preempt(f.os[r], max(now, first), take+round.Combine)
	case !processor && round.Wait == collectives.Delivered:
		return max(now, first)
	case !processor:
		return min(now, first)
	case round.Wait == collectives.Spare:
		return min(now, preempt(f.os[r], first, take))
	case f.p.Host == collectives.Host{}: // only the arrival needs it
		return max(now, preempt(f.os[r], first, 0))
	}
	return preempt(f.os[r], max(now, first), take)
}

func maximumOf(v []float64) float64 { return slices.Max(v) }
