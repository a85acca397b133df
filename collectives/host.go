package collectives

import (
	"errors"
	"fmt"
	"math"
)

// Host is the time that a message takes the processors at its two ends, besides α + βN on the
// network. The zero value is none.
//
// Overhead and Gap are those of LogP (Culler et al., "LogP: towards a realistic model of
// parallel computation", 1993). The rest describes how a rank receives (Matsuda, Ishikawa,
// Kudoh and Tezuka, paper 001). With polling it checks its connections one by one, at least
// twice for each message; and since TCP has no more than a window of a message in transit, a
// longer one stalls until a poll has made room and its sender knows. An interrupt takes the
// same time for any number of connections, but receives a message at once, which is copied
// twice if the rank has not posted its receive yet.
//
// docs/model.md describes when in a collective all of this is spent.
type Host struct {
	// Overhead is o, the processor time [s] of sending a message, and again of receiving
	// one.
	Overhead float64
	// Gap is g, the least time [s] between two messages that leave a rank.
	Gap      float64
	Progress Progress

	// Poll is the time [s] of one poll for each connection, Polls the least number of
	// polls for a message, and Window the bytes [B] of it that can be in transit before
	// the next; 0 is no limit. They are for [Polling].
	Poll, Polls, Window float64
	// Interrupt is the receiver's processor time [s] for a message with [Async].
	Interrupt float64
}

// Progress is how a rank receives messages that have arrived.
type Progress int

const (
	// Arrival needs nothing more.
	Arrival Progress = iota
	// Polling checks the rank's connections to all other ranks (paper 001, section
	// 2.2).
	Polling
	// Async receives each message by an interrupt (paper 001, section 4).
	Async
)

// Free reports whether messages take the hosts no time.
func (h *Host) Free() bool { return h.Overhead == 0 && h.Gap == 0 && h.Progress == Arrival }

// check returns an error if a parameter is out of range, given the bandwidth of memory [B/s].
func (h *Host) check(memory float64) error {
	for _, q := range []struct {
		name  string
		value float64
	}{
		{"overhead", h.Overhead}, {"gap", h.Gap}, {"poll", h.Poll},
		{"number of polls", h.Polls}, {"window", h.Window}, {"interrupt", h.Interrupt},
	} {
		if !(q.value >= 0) || math.IsInf(q.value, 1) {
			return fmt.Errorf("a %s of %g is impossible; it must be at least 0 and finite", q.name, q.value)
		}
	}
	if h.Progress == Async && memory <= 0 {
		return errors.New("messages that arrive early are copied, which needs a memory bandwidth")
	}
	return nil
}

// Stalls returns how often a message of n bytes waits for room in its receiver's window.
func (h *Host) Stalls(n float64) float64 {
	if h.Progress != Polling || h.Window == 0 {
		return 0
	}
	return max(0, math.Ceil(n/h.Window)-1)
}

// Take returns the processor time [s] of receiving a message of n bytes, on one of so many
// ranks.
func (h *Host) Take(n float64, ranks int) float64 {
	switch h.Progress {
	case Polling:
		return h.Overhead + h.Polled(n, ranks)
	case Async:
		return h.Overhead + h.Interrupt
	}
	return h.Overhead
}

// Polled returns how much of Take is polling [s].
func (h *Host) Polled(n float64, ranks int) float64 {
	if h.Progress != Polling {
		return 0
	}
	return float64((h.Polls + h.Stalls(n)) * float64(ranks-1) * h.Poll)
}

// stall returns the time [s] that the stalls of a message of n bytes add to its transit: each
// takes a latency until the sender knows of the room, and one until what it sends arrives.
func (p *Problem) stall(n float64) float64 { return float64(p.Host.Stalls(n) * (2 * p.Latency)) }
