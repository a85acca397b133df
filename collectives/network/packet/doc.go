// Package packet simulates patterns of messages on meshes and tori flit by flit: routers with
// input buffers, virtual channels and credits, as in paper 002 (Takaue et al.) and in BookSim.
// docs/packets.md describes the model and the order of events in a cycle.
//
// A [Problem] is a problem of package network with the sizes of packets, channels and buffers.
// An [Engine] simulates it any number of times, each time under the detours of a host and the
// events of delays. A [Model] combines a problem with models of noise for package montecarlo.
//
// The engine has these parts, in the order of a cycle: arrive.go takes flits, credits and packets
// that are due, inject.go lets controllers send, allocate.go gives packets the channels of their
// next link, crossbar.go moves flits. fabric.go says which channel leads where, and route.go which
// way packets go. hosts.go has the nodes: what their sync permits and what their processors do.
package packet
