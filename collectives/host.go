package collectives

import "math"

// Host is the time that a message takes of the processors at its two ends, besides α + βN on the
// network. The zero value costs nothing.
//
// Overhead and Gap are defined as in LogP (Culler et al., "LogP: towards a realistic model of
// parallel computation", 1993). The rest describes how a rank receives (Matsuda, Ishikawa, Kudoh
// and Tezuka, paper 001). Over sockets it polls its connections while it waits inside the
// collective, and reads the bytes that arrived; TCP sends at most a window of a message ahead of
// the receiver's reads. An interrupt takes the same time for any number of connections, and
// receives a message at once. A message that is received before the rank has posted its receive is
// copied once more.
//
// docs/model/hosts.md describes when in a collective these times are spent.
type Host struct {
	// Overhead is o, the processor time [s] of sending a message, and again of receiving one.
	Overhead float64
	// Gap is g, the least time [s] between two messages that leave a rank. On busy links it begins
	// when the last byte of the first has left, as in LogGP (Alexandrov et al., 1995).
	Gap      float64
	Progress Progress

	// Poll is the time [s] of one poll, more than 0: of each connection with [Polling], of the ready
	// connection with [Epoll]. Polls is the minimum number of polls that find bytes of a
	// message; all but the last of them read headers. Window is the maximum number of bytes
	// [B] of a message that are sent and not read; 0: unlimited.
	Poll, Polls, Window float64
	// Interrupt is the receiver's processor time [s] for a message with [Async].
	Interrupt float64
	// Match is the time [s] to look at one entry of a queue, of messages or of receives, unless
	// Progress is Arrival.
	Match float64
}

// Progress is how a rank receives messages that have arrived.
type Progress int

const (
	// Arrival needs nothing more.
	Arrival Progress = iota
	// Polling checks the rank's connections to all other ranks (paper 001, section 2.2).
	Polling
	// Epoll waits until a connection is ready, and looks only at that (section 7.1).
	Epoll
	// Async receives each message by an interrupt (paper 001, section 4).
	Async
)

// Sockets reports whether the rank reads messages from sockets, while it is in the collective.
func (h *Host) Sockets() bool { return h.Progress == Polling || h.Progress == Epoll }

// Free reports whether messages take the hosts no time.
func (h *Host) Free() bool { return h.Overhead == 0 && h.Gap == 0 && h.Progress == Arrival }

// Scan returns the time [s] of one poll of a rank that is connected to ranks − 1 others, or to itself
// if it is alone.
func (h *Host) Scan(ranks int) float64 {
	switch h.Progress {
	case Polling:
		return float64(max(1, ranks-1)) * h.Poll
	case Epoll:
		return h.Poll
	}
	return 0
}

// Headers returns how many of a message's polls read no more than headers.
func (h *Host) Headers() int { return max(0, int(h.Polls)-1) }

// Polled returns the least time [s] of the polls for a message.
func (h *Host) Polled(ranks int) float64 { return float64(1+h.Headers()) * h.Scan(ranks) }

// Take returns the processor time [s] of receiving a message, without polls, at a rank that has
// posted the given number of receives. A message is compared with half of them on average.
func (h *Host) Take(receives int) float64 {
	take := h.Overhead
	if h.Progress != Arrival {
		take += h.Match * float64(receives+1) / 2
	}
	if h.Progress == Async {
		take += h.Interrupt
	}
	return take
}

// PollsOfOneMessage estimates the number of polls of a message that are simulated one by one: the
// polls that decide when its bytes arrive, since the sender waits for them when a window is full.
func (p *Problem) PollsOfOneMessage() float64 {
	h := &p.Host
	scan := h.Scan(p.Ranks)
	turn := 2 * (p.Latency + scan)
	if !h.Sockets() || scan == 0 || h.Window == 0 || p.Bytes <= h.Window ||
		h.Window > 2*turn*p.Bandwidth {
		return 0
	}
	return (p.Wire(p.Bytes) + math.Ceil(p.Bytes/h.Window)*turn) / scan
}
