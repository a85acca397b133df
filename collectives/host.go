package collectives

import (
	"errors"
	"fmt"
	"math"
)

// Host is what a message costs the processors at its two ends. The network alone
// would have it cost α + βN; its zero value is that.
//
// Overhead and Gap are those of LogP (Culler et al., "LogP: towards a realistic model
// of parallel computation", 1993). The rest is how a rank gets at what has arrived
// for it (Matsuda, Ishikawa, Kudoh and Tezuka, paper 001). One that polls looks at its
// connections one by one, though messages come on few, and it looks at least twice
// for each message; and since TCP has no more than a window of it on the way, a longer
// one stalls until a poll has made room, and its sender has heard of that. An interrupt
// costs the same however many connections there are. But it takes the message in at
// once, where the rank may not have said yet where it is to be: then it is copied twice.
//
// docs/model.md says when in a collective all of this is paid.
type Host struct {
	// Overhead is o: how many seconds a processor works to send a message, and
	// again to receive one.
	Overhead float64
	// Gap is g: the least number of seconds between two messages that leave a
	// rank.
	Gap      float64
	Progress Progress

	// Poll is how many seconds one poll takes for each connection, Polls how
	// many a message needs at least, and Window how many bytes of it can be on
	// the way before the next; 0 is no limit. They are for [Polling].
	Poll, Polls, Window float64
	// Interrupt is how many seconds of the receiver's processor a message takes
	// with [Async].
	Interrupt float64
}

// Progress is how a rank gets at the messages that have arrived for it.
type Progress int

const (
	// Arrival is enough: what has arrived is there.
	Arrival Progress = iota
	// Polling looks at the connections to all other ranks, for as long as the
	// rank waits for anything (paper 001, section 2.2).
	Polling
	// Async has interrupts take messages in (paper 001, section 4).
	Async
)

// Free says that a message costs the hosts nothing.
func (h *Host) Free() bool { return h.Overhead == 0 && h.Gap == 0 && h.Progress == Arrival }

// check refuses what no host can cost that copies so many bytes a second.
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

// Stalls is how often a message of n bytes waits for room in its receiver's window.
func (h *Host) Stalls(n float64) float64 {
	if h.Progress != Polling || h.Window == 0 {
		return 0
	}
	return max(0, math.Ceil(n/h.Window)-1)
}

// Take is how many seconds the processor of one of so many ranks works to receive a
// message of n bytes.
func (h *Host) Take(n float64, ranks int) float64 {
	switch h.Progress {
	case Polling:
		return h.Overhead + h.Polled(n, ranks)
	case Async:
		return h.Overhead + h.Interrupt
	}
	return h.Overhead
}

// Polled is how much of that is polling.
func (h *Host) Polled(n float64, ranks int) float64 {
	if h.Progress != Polling {
		return 0
	}
	return float64((h.Polls + h.Stalls(n)) * float64(ranks-1) * h.Poll)
}

// stall is what the stalls of a message of n bytes add to its transit: each is
// over when the sender has heard of the room, and what it sends then has come.
func (p *Problem) stall(n float64) float64 { return float64(p.Host.Stalls(n) * (2 * p.Latency)) }
