// Package network simulates patterns of messages on topologies whose links the messages
// share: flows instead of packets (Suzuki et al., paper 004; the all-to-alls of Takaue
// et al., paper 002). The section "The flow engine" of docs/model.md describes the model.
//
// A [Problem] is a [Topology] (links and routes), a [Pattern] (who sends to whom, in
// which order) and the speeds of the machine. An [Engine] simulates it any number of
// times, each time under the detours of a [Host] and the events of [Delays]. Engines
// can share topologies and patterns, which do not change. A [Model] combines a problem
// with models of noise for package montecarlo, and [Record] writes one trial down.
//
// To add a topology or a pattern, implement [Topology] or [Pattern] and add a row to the
// table topologies or [Patterns]. The engine itself has five parts: engine.go advances
// time, worker.go and message.go what happens at a moment, queue.go decides who may send,
// equal.go (with several workers together.go) and maxmin.go compute the rates of flows, and
// traffic.go stores which flow is on which link. Workers meet in team.go and barrier.go.
package network
