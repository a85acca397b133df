package rounds_test

import (
	"math"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
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
	came  []float64         // when what each needed arrived, but for its window
	waits []float64         // when each rank began to wait for what it needs
	left  []float64         // when each rank's last message left
	place []float64         // before when its last but redundant copies could not
	sent  []float64         // when its link is free of what it has sent, if links are busy
	gone  []float64         // the same of what it sends in this round
	ahead []map[int]float64 // when those posted ahead leave, by round and sender

	overlap func() // computing between posting and waiting for messages of all sources
}

// newOracle returns that of a schedule at whose beginning no message is on its way.
func newOracle(
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) *oracle {
	ranks := func(x float64) []float64 { return slices.Repeat([]float64{x}, s.Ranks) }
	return &oracle{
		Schedule: s, p: p, os: os, network: network,
		now: ranks(0), waits: ranks(0), came: ranks(0), link: ranks(0),
		left: ranks(math.Inf(-1)), place: ranks(math.Inf(-1)), sent: ranks(math.Inf(-1)),
		ahead: make([]map[int]float64, len(s.Rounds)),
	}
}

func expected(
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) rounds.Trial {
	f := newOracle(s, p, os, network)
	for r := range f.now {
		f.now[r] = preempt(os[r], 0, 0)
	}
	copy(f.waits, f.now)
	trial := rounds.Trial{LatestStart: maximumOf(f.now)}
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
		at, _ := f.returns(result, r)
		last = max(last, at)
	}
	return last
}

// returns is when a rank's call returns. Then its link may be busy with copies, until free.
func (f *oracle) returns(result collectives.Checkpoint, r int) (at, free float64) {
	at = f.now[r]
	free = at
	if result.Posters.Lo <= r && r < result.Posters.Hi {
		at = f.work(r, at, float64(result.Copies)*f.p.Host.Overhead) + result.Post
		free = at + f.drain(result)
	}
	if f.p.Redundancy.Reception == collectives.NIC {
		at = preempt(f.os[r], at, 0)
	}
	return at, free
}

// drain is for how long copies of the result keep a link busy: each takes its turn on the
// network's, or on the link inside a node if all such copies stay there, with a gap between two.
func (f *oracle) drain(result collectives.Checkpoint) float64 {
	most := 0.0
	for _, round := range f.Rounds[:result.Rounds] {
		rate := f.rate(round)
		if len(round.Sources) > 0 && f.allInside(round, 0) {
			rate = f.p.Node.Bandwidth
		}
		if n := float64(round.Copies); n > 0 {
			most = max(most, n*round.Bytes/rate+(n-1)*f.p.Host.Gap)
		}
	}
	return most
}

// rate is the bandwidth of a rank's link to other nodes.
func (f *oracle) rate(round collectives.Round) float64 { return f.p.Bandwidth / max(1, round.Slow) }

// allInside says that no message of a source leaves its node.
func (f *oracle) allInside(round collectives.Round, m int) bool {
	n := f.p.Node.Ranks
	for to := round.Receivers.Lo; to < round.Receivers.Hi; to++ {
		from := round.Sources[m].Peers.From(to)
		if n <= 1 || f.At(from)/n != f.At(to)/n {
			return false
		}
	}
	return true
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
	if round.Medium == collectives.Memory {
		f.remember(round)
		return
	}
	for ahead, r := range f.Rounds {
		if r.Lag > 0 && max(0, ahead-r.Lag) == n {
			f.ahead[ahead] = f.post(ahead, 0, f.now)
		}
	}
	f.gone = slices.Repeat([]float64{math.Inf(-1)}, f.Ranks)
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
	if round.Every && f.overlap != nil {
		f.overlap()
	}
	next := slices.Clone(f.now)
	for r := range next {
		if !f.sockets() || r < round.Receivers.Lo || r >= round.Receivers.Hi {
			next[r] = max(next[r], f.gone[r])
		}
	}
	f.now = slices.Clone(next)
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

// remember has the round's receivers read in their nodes' memory what its sources have written.
func (f *oracle) remember(round collectives.Round) {
	before, wire := slices.Clone(f.now), f.p.Node.Latency+round.Bytes/f.p.Node.Bandwidth
	for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
		var written []float64
		for _, source := range round.Sources {
			q := source.Peers.From(r)
			if f.Place(q)/f.p.Node.Ranks != f.Place(r)/f.p.Node.Ranks {
				panic("memory of another node")
			}
			written = append(written, before[q])
		}
		switch round.Wait {
		case collectives.Combined: // those of all
			f.now[r] = preempt(f.os[r], slices.Max(written)+wire, round.Combine)
		case collectives.Delivered:
			f.now[r] = preempt(f.os[r], slices.Min(written)+wire, 0)
		case collectives.Spare:
			f.now[r] = min(f.now[r], preempt(f.os[r], slices.Min(written)+wire, 0))
		}
	}
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
		if f.inside(round, m, r) && (host.Free() || round.Wait == collectives.Spare) {
			at += round.Sources[m].Inside
		}
		if f.Busy && round.Wait != collectives.Spare {
			leave[q] = f.send(round, m, r, free[q])
			continue
		}
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
		case f.Busy && gap > 0: // behind all that it has sent
			leave[q] = max(at, f.sent[q]+at-free[q])
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

// send is when the message of a source to r leaves that is posted at some time, if links are busy:
// each message keeps the rank's link busy for as long as its bytes take, and a gap more.
func (f *oracle) send(round collectives.Round, m, r int, posted float64) float64 {
	q, bytes, rate := round.Sources[m].Peers.From(r), round.Bytes, f.rate(round)
	if f.inside(round, m, r) {
		rate = f.p.Node.Bandwidth
	}
	free := f.sent[q]
	if f.p.Host.Free() {
		begin := posted
		if math.IsInf(f.gone[q], -1) {
			f.now[q] = max(posted, free)
			begin = f.now[q]
			f.gone[q] = begin
		}
		f.gone[q] += bytes / rate
		f.sent[q] = f.gone[q]
		return begin + float64(m)*max(f.p.Redundancy.SendOverhead, bytes/rate)
	}
	at := max(posted, free)
	f.gone[q] = at + bytes/rate
	f.sent[q] = f.gone[q] + f.p.Host.Gap
	switch {
	case m > 0:
		at = max(at, f.left[q]+f.p.Redundancy.SendOverhead)
	case f.p.Host.Gap > 0:
		f.place[q] = free
	}
	f.left[q] = at
	return at
}

// arrival is when a receiver has a copy that leaves its sender at some time.
func (f *oracle) arrival(round collectives.Round, m, r int, leave float64) float64 {
	latency, bytes, net := f.p.Latency, f.flow(round), f.network[round.Exchange+m][r]
	for range round.Turns - 1 {
		net += latency + bytes
	}
	if f.inside(round, m, r) {
		latency, bytes, net = f.p.Node.Latency, round.Bytes/f.p.Node.Bandwidth, 0
	}
	if round.Queue {
		leave = max(leave, f.link[r])
		f.link[r] = leave + bytes
	}
	return leave + latency + bytes + net
}

// flow is how long the bytes of a message of the round take.
func (f *oracle) flow(round collectives.Round) float64 {
	if round.Slow > 0 {
		return round.Bytes / f.p.Bandwidth * round.Slow
	}
	return round.Bytes / f.p.Bandwidth
}

// inside says that a rank and its source are on one node.
func (f *oracle) inside(round collectives.Round, m, r int) bool {
	node := func(r int) int {
		if f.Place != nil {
			r = f.Place(r)
		}
		return r / f.p.Node.Ranks
	}
	return f.p.Node.Ranks > 1 && node(round.Sources[m].Peers.From(r)) == node(r)
}

// take is how long a receiver works on a message that arrives at some time, which it
// began to wait for in round n, once it has polled for it.
func (f *oracle) take(n, r int, arrive float64) float64 {
	round, host := f.Rounds[n], f.p.Host
	receives := 1.
	if round.Every {
		receives = float64(len(round.Sources))
	}
	if host.Progress == collectives.Arrival {
		return host.Overhead
	}
	take := host.Overhead + host.Match*(receives+1)/2
	early := arrive+f.same() < f.past[n][r] && round.Wait != collectives.Spare &&
		(!round.Every || host.Progress == collectives.Async)
	if host.Progress == collectives.Async {
		take += host.Interrupt
	}
	if early {
		take += host.Match + round.Bytes/f.p.MemoryBandwidth
	}
	return take
}

// read is when a receiver that polls from a time on has read a message that would arrive, but
// for its window, and how many seconds of it are not there when it begins to.
func (f *oracle) read(
	round collectives.Round, m, r int, from, arrive float64,
) (done, left float64) {
	w := wire{
		begin: arrive - f.flow(round), bytes: round.Bytes, rate: round.Bytes / f.flow(round),
		window: f.p.Host.Window, latency: f.p.Latency,
	}
	if f.inside(round, m, r) {
		w.begin, w.rate, w.window = arrive, math.Inf(1), 0
	}
	if !round.Every {
		if round.Wait != collectives.Spare {
			f.waits[r] = from
		}
		if from = f.waits[r]; w.begin < from {
			from = max(w.begin, f.past[0][r])
		}
	}
	scan := f.p.Host.Poll
	if f.p.Host.Progress == collectives.Polling {
		scan *= float64(max(1, f.Ranks-1))
	}
	w.same = f.same()
	upto := w.bytes
	if w.window > 0 {
		upto = w.most(0)
	}
	w.allowed = [][2]float64{{w.begin, upto}}
	there, _ := w.arrived(from, 0)
	left = (w.bytes - there) / w.rate
	return w.read(upto, preempt(f.os[r], from, 0), int(max(1, f.p.Host.Polls)),
		f.p.Host.Progress == collectives.Epoll,
		func(at float64) float64 { return preempt(f.os[r], at, scan) },
		func(at float64) float64 { return preempt(f.os[r], at, 0) }), left
}

// same is what begins and arrives at the same time but for rounding.
func (f *oracle) same() float64 {
	switch f.p.Host.Progress {
	case collectives.Polling:
		return 1e-6 * f.p.Host.Poll * float64(max(1, f.Ranks-1))
	case collectives.Epoll:
		return 1e-6 * f.p.Host.Poll
	}
	return 0
}

// sockets says that ranks read from them.
func (f *oracle) sockets() bool {
	return f.p.Host.Progress == collectives.Polling || f.p.Host.Progress == collectives.Epoll
}

// receive is when a receiver is done with what arrives from the round's sources.
func (f *oracle) receive(n, r int, arrive []float64) float64 {
	round, now := f.Rounds[n], f.now[r]
	sockets := f.sockets()
	if round.Every && sockets {
		ready, link := now, now
		for m, there := range arrive {
			if f.p.Host.Progress == collectives.Epoll {
				ready = preempt(f.os[r], ready, f.p.Host.Poll*max(1, f.p.Host.Polls))
			}
			done, left := f.read(round, m, r, now, there)
			ready = max(ready, done)
			link += left
		}
		if link+f.same() > ready {
			ready = preempt(f.os[r], link, f.same()*1e6)
		}
		return preempt(f.os[r], ready, float64(len(arrive))*f.take(n, r, 0)+round.Combine)
	}
	if round.Every {
		for _, there := range arrive {
			now = preempt(f.os[r], max(now, there), f.take(n, r, there))
		}
		return preempt(f.os[r], now, round.Combine)
	}
	first := slices.Min(arrive)
	if sockets { // of those at the same time the first source's
		m := slices.IndexFunc(arrive, func(there float64) bool { return there <= first+f.same() })
		again := round.Wait == collectives.Spare && round.Copies == 0
		if again && arrive[m]+f.same() >= f.came[r] {
			return now
		}
		if again || round.Wait != collectives.Spare {
			f.came[r] = arrive[m]
		}
		first, _ = f.read(round, m, r, now, arrive[m])
		now = max(now, f.gone[r])
	}
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

// A wire carries a message over TCP to a receiver that polls: all bytes that may be sent are, in
// the order of what the receiver allowed.
type wire struct {
	begin, bytes, rate, window, latency float64

	same    float64
	allowed [][2]float64 // from a time on, bytes up to a number
}

// arrived is how many bytes have arrived at a time, and when a byte does. What begins or ends at
// the same time but for rounding has begun, but brought nothing yet, or has ended.
func (w *wire) arrived(at, wanted float64) (bytes, when float64) {
	clock, sent, when := w.begin, 0., math.Inf(1)
	for _, a := range w.allowed {
		begin := max(clock, a[0])
		if sent <= wanted && wanted < a[1] {
			when = begin + (wanted-sent)/w.rate
		}
		clock = begin + (a[1]-sent)/w.rate
		if begin+w.same < at {
			bytes = min(a[1], sent+(at-begin)*w.rate)
		}
		if clock <= at+w.same {
			bytes = a[1]
		}
		sent = a[1]
	}
	return bytes, when
}

// most returns how many bytes the sender may have sent when the receiver has read the given number.
// All but a millionth of a window is all.
func (w *wire) most(read float64) float64 {
	most := read + w.window
	if most > w.bytes-1e-6*w.window {
		return w.bytes
	}
	return most
}

// read is when all is read that is polled for one time after the other.
func (w *wire) read(
	upto, at float64, polls int, blocks bool, poll, wake func(at float64) float64,
) float64 {
	for read := 0.; ; {
		have, next := w.arrived(at, read)
		if w.bytes == 0 {
			next = w.begin
		}
		if next > at+w.same {
			if blocks {
				at = wake(next)
			} else {
				at = poll(at)
			}
			continue
		}
		at = poll(at)
		if polls--; polls > 0 {
			continue
		}
		if read = have; read >= w.bytes {
			return at
		}
		if most := w.most(read); most-upto > 1e-6*w.window {
			upto = most
			w.allowed = append(w.allowed, [2]float64{at + 2*w.latency, upto})
		}
	}
}
