package rounds

import (
	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// Reading over TCP (paper 001, sections 2.2 and 5.4), byte by byte and poll by poll. A rank that
// waits polls one time after the other. A poll finds what has arrived when it begins, and at its
// end that is read, except by the first polls that find something of a message: they read headers.
// A sender has at most a window of bytes out that are not read, and learns of a read one latency
// later. So the state of a message is what its sender has sent or may send, what has arrived, and
// what is read.

// rounding is the share of a poll's time, and of a window's bytes, that decides nothing.
const rounding = 1e-6

// A message is on its way to a rank that reads it from a socket.
type message struct {
	first  float64 // when its first byte arrives [s]
	flow   float64 // how long all of it arrives if nothing stalls [s]
	bytes  float64
	window float64 // bytes that can be out and not read; 0: unlimited
	piece  piece   // the first of polling for it
}

// A reading is how a message was read.
type reading struct {
	arrived float64 // when the last byte arrived [s]
	busy    float64 // for how long the rank polled after that [s]
	done    float64 // when it was read [s]
	left    float64 // for how long what had not arrived when polls began takes the link [s]
	polls   int
	reads   int // of its header too; all but the last are short
}

// A reader reads the messages of a machine, one after the other.
type reader struct {
	latency float64
	scan    float64 // time of a poll [s]
	same    float64 // a shorter time [s] is rounding: it decides nothing
	headers int     // polls that read headers
	blocks  bool    // what finds nothing waits

	// The state of one message.
	message
	bursts []burst
	head   int     // the burst of the first byte that is not read
	sent   float64 // bytes in the bursts
	read   float64 // bytes
	reading
}

// A burst is bytes, counted from the first of a message, that arrive at the full rate.
type burst struct {
	begin, end float64 // [s]
	from, to   float64 // [B]
}

// newReader returns the reader of a rank of the problem, with room for bursts.
func newReader(p *collectives.Problem, bursts []burst) reader {
	h := &p.Host
	return reader{
		latency: p.Latency, scan: h.Scan(p.Ranks), same: h.Scan(p.Ranks) * rounding, headers: h.Headers(),
		blocks: h.Progress == collectives.Epoll, bursts: bursts,
	}
}

// of returns how a rank that polls from a time on reads a message.
func (s *reader) of(rank int, from float64, m message, noise *Noise) reading {
	s.begin(m)
	if m.flow > 0 {
		s.left = (m.bytes - s.have(from)) * (m.flow / m.bytes)
	}
	at := s.work(rank, from, 0, noise)
	for s.sent < s.bytes {
		at = s.wait(rank, at, s.next(), noise)
		at = s.ahead(rank, at, noise)
		at = s.pollOnce(rank, at, noise)
	}
	return s.rest(rank, at, noise)
}

// begin starts message m at its sender.
func (s *reader) begin(m message) {
	s.message, s.reading, s.head, s.read = m, reading{}, 0, 0
	s.sent = m.bytes
	if m.window > 0 {
		s.sent = s.upTo(m.window)
	}
	first := burst{m.first, m.first + m.flow, 0, s.sent}
	if s.sent < m.bytes {
		first.end = m.first + m.flow*(s.sent/m.bytes)
	}
	s.bursts = append(s.bursts[:0], first)
}

// next returns when the first byte that is not read arrives, or before.
func (s *reader) next() float64 {
	for s.bursts[s.head].to <= s.read && s.head < len(s.bursts)-1 {
		s.head++
	}
	return s.bursts[s.head].begin
}

// have returns how many bytes have arrived at time at. Rounding decides neither that a burst has
// begun nor that it has ended; bytes in between are not rounded up, since the bytes that they allow
// the sender would then arrive later by the time that was rounded away.
func (s *reader) have(at float64) float64 {
	have := s.read
	for _, b := range s.bursts[s.head:] {
		if at+s.same < b.end {
			if at > b.begin+s.same {
				have = max(have, b.from+(at-b.begin)*(s.bytes/s.flow))
			}
			break
		}
		have = b.to
	}
	return have
}

// ahead reads as long as further reads allow more before what is allowed has been sent. Such reads
// do not matter one by one, except the last, after which a detour can come.
func (s *reader) ahead(rank int, at float64, noise *Noise) float64 {
	if s.reads < s.headers || s.head < len(s.bursts)-1 {
		return at
	}
	until := s.bursts[s.head].end - 2*s.latency - 2*s.scan
	for n := int((until - at) / s.scan); n > 1; n /= 2 {
		last := s.work(rank, at, float64(n-1)*s.scan, noise)
		if then := s.finish(rank, last, s.scan, noise); then <= until {
			s.polls += n - 1
			s.reads += n - 1
			return s.pollOnce(rank, last, noise)
		}
		s.piece.Step--
	}
	return at
}

// pollOnce polls for what has arrived, and reads it at the end of the poll.
func (s *reader) pollOnce(rank int, at float64, noise *Noise) float64 {
	have := s.have(at)
	at = s.poll(rank, at, 1, noise)
	if s.reads++; s.reads > s.headers {
		s.read = have
		s.open(at+2*s.latency, have+s.window)
	}
	return at
}

// open has bytes up to a number arrive, from a time on at the earliest. Rounding does not decide
// that these are more than may be sent already.
func (s *reader) open(at, upto float64) {
	upto = s.upTo(upto)
	if upto <= s.sent+s.fewBytes() {
		return
	}
	last := &s.bursts[len(s.bursts)-1]
	if at > last.end {
		s.bursts = append(s.bursts, burst{begin: at, from: s.sent})
		last = &s.bursts[len(s.bursts)-1]
	}
	s.sent, last.to = upto, upto
	last.end = last.begin + (last.to-last.from)*(s.flow/s.bytes)
}

// upTo returns how many bytes may be sent if a window allows that number: all of them if only
// rounding makes these less, since what is left would take one more poll.
func (s *reader) upTo(allowed float64) float64 {
	if allowed+s.fewBytes() >= s.bytes {
		return s.bytes
	}
	return allowed
}

// fewBytes returns a number of bytes so small that it is rounding.
func (s *reader) fewBytes() float64 { return s.window * rounding }

// rest reads what is left of a message whose window stalls nothing any more.
func (s *reader) rest(rank int, at float64, noise *Noise) reading {
	s.next()
	s.arrived = s.bursts[len(s.bursts)-1].end
	begun, more := at, 0 // the last poll, or polls
	for i, b := range s.bursts[s.head:] {
		if i > 0 && begun+s.same >= b.end {
			continue // read with the one before
		}
		at = s.wait(rank, at, b.begin, noise)
		before := s.polls
		begun = s.pollUntil(rank, at, b.end, noise)
		s.reads += s.polls - before
		if more = 1; b.end == s.arrived {
			more = max(1, 1+s.headers-s.reads)
		}
		at = s.poll(rank, begun, more, noise)
		s.reads += more
	}
	if s.polls > more { // one may be under way when the last byte arrives
		s.busy = min(max(0, begun-s.arrived), s.scan)
	}
	s.busy += float64(more) * s.scan
	s.done = at
	return s.reading
}

// finish returns when the next piece of work [s] is done, if it may begin at time at.
func (s *reader) finish(rank int, at, work float64, noise *Noise) float64 {
	return noise.finishOne(s.piece, rank, at, work)
}

// work is finish, after which another piece is the next.
func (s *reader) work(rank int, at, work float64, noise *Noise) float64 {
	done := s.finish(rank, at, work, noise)
	s.piece.Step++
	return done
}

// poll polls n times.
func (s *reader) poll(rank int, at float64, n int, noise *Noise) float64 {
	s.polls += n
	return s.work(rank, at, float64(n)*s.scan, noise)
}

// wait returns when the first poll from time at begins that finds a message of time arrival.
func (s *reader) wait(rank int, at, arrival float64, noise *Noise) float64 {
	switch {
	case at+s.same >= arrival:
		return at
	case s.blocks:
		return s.work(rank, arrival, 0, noise)
	}
	return s.pollUntil(rank, at, arrival, noise)
}

// pollUntil polls until a time, and returns the end of the last poll: as many times at once as
// detours allow.
func (s *reader) pollUntil(rank int, at, until float64, noise *Noise) float64 {
	if s.scan == 0 { // a rank alone has no connections
		return s.work(rank, max(at, until), 0, noise)
	}
	for at+s.same < until {
		n := max(1, int((until-at)/s.scan))
		then := s.finish(rank, at, float64(n)*s.scan, noise)
		for n > 1 && then > until {
			n /= 2
			then = s.finish(rank, at, float64(n)*s.scan, noise)
		}
		s.piece.Step++
		s.polls += n
		at = then
	}
	return at
}

// message returns the message of the round's m-th source that would arrive at a given time if its
// window did not delay it. Inside a node it arrives as a whole.
func (r *round) message(m int, arrive, window float64, inside bool) message {
	if inside {
		return message{first: arrive, bytes: r.Bytes, piece: r.piece(polling, m)}
	}
	return message{
		first: arrive - r.flow, flow: r.flow, bytes: r.Bytes, window: window, piece: r.piece(polling, m),
	}
}

// polledFrom returns from when on a rank polls for a message whose first byte arrives at time
// first. The rank waits for it from waits on, and is in the collective since time since: while it
// waited for other messages it polled too, at unknown times. A redundant copy comes to a rank that
// waits for the message that the copy replaces.
func polledFrom(first, waits, since float64) float64 {
	if first < waits {
		return max(first, since)
	}
	return waits
}

// counts reports whether a message of the round that would arrive at a given time, ignoring its
// window, can change what its receiver has. What is sent again must arrive before what it replaces:
// its receiver could read it earlier all the same, by luck with polls, though it never got anything
// earlier. The time of what is replaced is in came, and set to the time of the message if the
// message counts.
func (s *reader) counts(r *round, arrive float64, came *float64) bool {
	switch {
	case r.Wait == collectives.Spare && r.Copies > 0: // another rank's
		return true
	case r.Wait == collectives.Spare && arrive+s.same >= *came:
		return false
	}
	*came = arrive
	return true
}

// readEarliest has the receivers of a round, whose processors are free at the times in next, read
// the message that comes first from a socket and continue. They came to the round at the times in
// clock, and chosen is the source of that message.
func (s *Simulator) readEarliest(compiled *Compiled, r *round, clock, next []float64, noise *Noise) {
	h := &s.hosts
	for _, span := range []collectives.Span{
		{Lo: r.touched.Lo, Hi: r.Receivers.Lo}, {Lo: r.Receivers.Hi, Hi: r.touched.Hi},
	} {
		vector.Later(next[span.Lo:span.Hi], next[span.Lo:], h.wait[span.Lo:], 0)
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		chosen := h.chosen[rank]
		from := r.sources[chosen].Peers.From(rank)
		m := r.message(chosen, h.arrive[rank], compiled.problem.Host.Window, compiled.sameNode(from, rank))
		now, work := next[rank], r.take
		if !h.reader.counts(r, h.arrive[rank], &h.came[rank]) {
			continue
		}
		if r.Wait != collectives.Spare {
			h.waits[rank] = now
		}
		done := h.reader.of(rank, polledFrom(m.first, h.waits[rank], h.since[rank]), m, noise).done
		switch r.Wait {
		case collectives.Spare:
			next[rank] = min(now, noise.finishOne(r.piece(receiving, 0), rank, done, work))
			continue
		case collectives.Combined:
			work += r.Combine
		}
		if done+h.reader.same < clock[rank] {
			work += r.recopy
		}
		next[rank] = noise.finishOne(r.taking(), rank, max(now, done, h.wait[rank]), work)
	}
}

// readNext has the ranks from lo, which wait since the times in waits, read the messages of one of
// a round's sources, and raises ready to when they are read. All are polled for at the same time,
// and share the link to the rank.
func (h *hosts) readNext(
	compiled *Compiled, r *round, m, lo int, ready, waits, arrive []float64, noise *Noise,
) {
	for i, a := range arrive {
		rank := lo + i
		inside := compiled.sameNode(r.sources[m].Peers.From(rank), rank)
		got := h.reader.of(rank, waits[i], r.message(m, a, compiled.problem.Host.Window, inside), noise)
		ready[i] = h.reader.after(rank, ready[i], got, noise)
		if h.link[rank] += got.left; m == len(r.sources)-1 {
			ready[i] = h.reader.linked(rank, ready[i], waits[i]+h.link[rank], noise)
		}
	}
}

// linked returns when a rank has read messages that it would have read at one time, if the last of
// them can be over its link at a later one.
func (s *reader) linked(rank int, ready, link float64, noise *Noise) float64 {
	if link+s.same > ready {
		return s.work(rank, link, s.scan, noise)
	}
	return ready
}

// after returns when a rank that has read other messages at time ready has read one more. A call
// that finds all ready connections has found both messages; else each takes its own polls.
func (s *reader) after(rank int, ready float64, got reading, noise *Noise) float64 {
	if s.blocks {
		ready = s.work(rank, ready, float64(1+s.headers)*s.scan, noise)
	}
	return max(ready, got.done)
}
