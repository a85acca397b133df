// Package packet simulates messages on meshes and tori flit by flit: routers with input buffers,
// virtual channels and credits, as in paper 002 (Takaue et al.) and in BookSim. docs/packets.md
// describes the model and the order of events in a cycle.
//
// A [Network] is a scenario of package network with the sizes of packets, channels and buffers. An
// [Engine] simulates it any number of times.
//
// The engine has these parts, in the order of a cycle: arrive.go takes flits, credits and packets
// that are due, inject.go lets controllers send, allocate.go gives packets the channels of their
// next link, crossbar.go moves flits. fabric.go says which channel leads where, and route.go which
// way packets go.
package packet
