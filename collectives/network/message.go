package network

// send gives a controller the message of a phase: its processor posts the message, and
// then the first byte is in transit.
func (w *worker) send(i int32, phase int32, to int) {
	s := &w.slots[i]
	from := int(i) / w.controllers
	n := &w.nodes[from]
	n.sending++
	start := max(w.now, n.free)
	n.free = w.host.Finish(from, start, w.problem.SendWork)
	t := w.traffic
	route, latency := w.problem.route(t.room(i), from, to)
	t.hops[i] = int32(len(route))
	s.state, s.phase, s.to, s.left = starting, phase, int32(to), w.problem.Bytes
	first := latency
	latency += w.delays.Extra(from, int(i)%w.controllers)
	posted := n.free
	if w.posted != nil {
		posted = max(posted, w.posted[i]+w.problem.Gap)
		w.posted[i] = posted
	}
	begin := posted + w.firstByte(i, latency)
	if w.recorder != nil {
		w.recorder.sent(i, start, posted, first)
	}
	if begin > w.now {
		w.schedule.set(int(i), begin)
	} else {
		w.join(i)
	}
}

// firstByte returns how long [s] the first byte of a message is in transit, with the events
// that hit the message meanwhile.
func (w *worker) firstByte(i int32, latency float64) float64 {
	s := &w.slots[i]
	before := 0.0
	for s.transit < latency {
		before += s.transit + w.lengths[i]
		latency -= s.transit
		w.nextEvent(i)
	}
	s.transit -= latency
	return before + latency
}

// nextEvent reads the next event of a controller.
func (w *worker) nextEvent(i int32) {
	node, controller := int(i)/w.controllers, int(i)%w.controllers
	w.slots[i].transit, w.lengths[i] = w.delays.Next(node, controller)
}

// join adds a message to the links of its route.
func (w *worker) join(i int32) {
	s := &w.slots[i]
	s.state = flowing
	s.since = w.now
	s.hit = w.now + s.transit
	w.sharing.join(w, i)
	if w.recorder != nil {
		w.recorder.changed(i)
	}
}

// hit delays a message until the end of an event. Meanwhile it is on no link.
func (w *worker) hit(i int32) {
	s := &w.slots[i]
	if w.lengths[i] == 0 {
		w.nextEvent(i)
		s.hit = w.now + s.transit
		w.schedule.set(int(i), min(s.finish, s.hit))
		return
	}
	w.sharing.leave(w, i)
	s.left = s.leftAt(w.now)
	s.rate = 0
	s.state = delayed
	if w.recorder != nil {
		w.recorder.changed(i)
	}
	w.schedule.set(int(i), w.now+w.lengths[i])
	w.nextEvent(i)
}

// arrive removes a message that has arrived from its links and makes its controller idle.
func (w *worker) arrive(i int32) {
	s := &w.slots[i]
	w.sharing.leave(w, i)
	s.rate = 0
	s.state = idle
	s.transit = max(0, s.hit-w.now)
	w.messages++
	from := i / int32(w.controllers)
	w.nodes[from].sending--
	w.markReady(from)
	to := &w.arrivals[w.ownerOfNode(s.to)]
	*to = append(*to, arrival{i, s.to, s.phase})
}

// take lets the receiver's processor receive a message that has arrived.
func (w *worker) take(r arrival) {
	n := &w.nodes[r.to]
	work := w.problem.ReceiveWork
	if n.next <= r.phase {
		work += w.problem.EarlyWork
	}
	start := max(w.now, n.free)
	n.free = w.host.Finish(int(r.to), start, work)
	if w.recorder != nil {
		w.recorder.arrived(r.slot, start, work)
	}
	w.completion = max(w.completion, n.free)
	if w.arrived != nil {
		w.arrived.set(w.bit(r.to, r.phase))
	}
	if w.problem.Sync != None {
		n.received++
		w.markReady(r.to)
	}
}

// leftAt returns the number of bytes that have not arrived at time t.
func (s *slot) leftAt(t float64) float64 {
	return max(0, s.left-float64(s.rate*(t-s.since)))
}
