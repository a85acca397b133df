// Package flow simulates messages on topologies whose links they share: flows instead of packets
// (Suzuki et al., paper 004). The section "The flow engine" of docs/model/topologies.md describes
// it.
//
// A [Network] is a scenario of package network and how flows share links. An [Engine] simulates it any
// number of times. It has four parts: engine.go advances time, message.go says what happens to a
// message, equal.go and maxmin.go compute the rates of flows, and traffic.go stores which flow is
// on which link.
package flow
