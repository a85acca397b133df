// Package network plays patterns of messages on topologies whose links they share:
// flows instead of packets (Suzuki et al., paper 004; the all-to-alls of Takaue
// et al., paper 002). docs/model.md, "The flow engine", says what is simulated.
//
// A [Problem] is a [Topology] (links and routes), a [Pattern] (who sends to whom, in
// which order) and the speeds of the machine; an [Engine] plays it once or many
// times, each time under the detours of a [Host] and the events of [Holds]:
//
//	place, err := network.ParseTopology("torus:5x5")
//	pattern, err := network.A2AT(place)
//	engine, err := network.NewEngine(network.Problem{Topology: place, Pattern: pattern, Bytes: 1e6, Bandwidth: 1e9, Controllers: 4})
//	result, err := engine.Run(ctx, network.Quiet{}, network.Quiet{})
//
// New topologies and patterns are types that implement these interfaces. The engine
// (engine.go) knows time and messages, its queues (queue.go) who may send, and a
// sharing (equal.go, maxmin.go) the rates; they meet in the traffic (traffic.go).
package network
