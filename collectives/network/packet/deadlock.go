package packet

import (
	"fmt"
	"strings"
)

// A Deadlock says that packets wait for each other in a circle.
type Deadlock struct {
	Cycle    int64 // since the start
	Messages int   // that have not been received
	// Circle has the packets of one circle: each waits for what the next one occupies.
	Circle []Waiting
}

// Waiting is a packet that cannot move.
type Waiting struct {
	From, To int // nodes
	At       int // router where its first flit is
}

// Error implements error.
func (d *Deadlock) Error() string {
	text := fmt.Sprintf("deadlock in cycle %d with %d messages to be received", d.Cycle, d.Messages)
	var packets []string
	for _, w := range d.Circle[:min(len(d.Circle), mostInError)] {
		packets = append(packets, fmt.Sprintf("%d→%d at router %d", w.From, w.To, w.At))
	}
	if len(d.Circle) > mostInError {
		packets = append(packets, fmt.Sprintf("%d more", len(d.Circle)-mostInError))
	}
	if len(packets) > 0 {
		text += ": these packets wait for each other in a circle: " + strings.Join(packets, ", ")
	}
	return text + "; use more virtual channels"
}

const mostInError = 8 // packets

// deadlock returns the error of a state in which nothing can move.
func (e *Engine) deadlock() error {
	d := &Deadlock{Cycle: e.now, Messages: e.Expected - e.Received}
	at := map[int32]int{} // place in the walk, by channel
	var walk []int32
	for c := e.blocked(); c >= 0; c = e.waitsFor(c) {
		if begin, again := at[c]; again {
			for _, c := range walk[begin:] {
				d.Circle = append(d.Circle, e.describe(c))
			}
			break
		}
		at[c] = len(walk)
		walk = append(walk, c)
	}
	return d
}

// blocked returns a channel whose first packet cannot move, or -1.
func (e *Engine) blocked() int32 {
	for c := range e.fabric.firstEjection {
		if e.channels[c].flits > 0 {
			return int32(c)
		}
	}
	return free
}

// waitsFor returns the channel whose first packet must move before the first packet of channel c
// can, or -1.
func (e *Engine) waitsFor(c int32) int32 {
	ch := &e.channels[c]
	if ch.out >= 0 {
		return ch.out // has no credit: its buffer is full
	}
	p := &e.packets[ch.packet]
	o := int(ch.router)*e.fabric.ports + int(ch.output)
	from, _ := e.admissible(p, int(ch.output))
	held := e.fabric.next[o] + int32(from)
	if e.channels[held].flits == 0 { // its packet has not sent a flit yet, or waits further on
		return e.channels[held].owner
	}
	return held
}

func (e *Engine) describe(c int32) Waiting {
	ch := &e.channels[c]
	p := &e.packets[ch.packet]
	slot := int(e.messages[p.message].slot)
	return Waiting{From: slot / e.fabric.controllers, To: int(p.to), At: int(ch.router)}
}
