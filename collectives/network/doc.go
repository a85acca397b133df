// Package network plays patterns of messages on topologies whose links they share:
// flows instead of packets (Suzuki et al., paper 004; the all-to-alls of Takaue
// et al., paper 002). docs/model.md, "The flow engine", says what is simulated.
//
// A [Problem] is a [Topology] (links and routes), a [Pattern] (who sends to whom, in
// which order) and the speeds of the machine; an [Engine] plays it as often as
// needed, each time under the detours of a [Host] and the events of [Delays]. Engines
// can share topologies and patterns, which do not change.
//
// New topologies and patterns are types that implement these interfaces. The engine
// (engine.go) knows time and messages, its queues (queue.go) who may send, and a
// sharing (equal.go, maxmin.go) the rates; they meet in the traffic (traffic.go).
package network
