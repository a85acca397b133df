package packet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const mostInError = 8 // packets

// deadlock returns the error of a state in which nothing can move. It names packets of one circle:
// each waits for what the next one occupies.
func (e *Engine) deadlock() error {
	var packets []string
	circle := e.circle()
	for _, c := range circle[:min(len(circle), mostInError)] {
		ch := &e.channels[c]
		p := &e.packets[ch.packet]
		from := int(e.messages[p.message].slot) / e.fabric.controllers
		packets = append(packets, fmt.Sprintf("%d→%d at router %d", from, p.to, ch.router))
	}
	if more := len(circle) - mostInError; more > 0 {
		packets = append(packets, fmt.Sprintf("%d more", more))
	}
	text := fmt.Sprintf("deadlock in cycle %d with %d messages to be received", e.now, e.Expected-e.Received)
	if len(packets) > 0 {
		text += ": these packets wait for each other in a circle: " + strings.Join(packets, ", ")
	}
	return errors.New(text + "; use more virtual channels")
}

// circle returns the channels whose first packets wait for each other in a circle, nil if there is
// no circle.
func (e *Engine) circle() []int32 {
	at := map[int32]int{} // place in the walk, by channel
	var walk []int32
	waits := func(ch channel) bool { return ch.flits > 0 }
	for c := int32(slices.IndexFunc(e.channels[:e.fabric.firstEjection], waits)); c >= 0; c = e.waitsFor(c) {
		if begin, again := at[c]; again {
			return walk[begin:]
		}
		at[c] = len(walk)
		walk = append(walk, c)
	}
	return nil
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
