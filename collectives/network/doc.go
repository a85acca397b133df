// Package network simulates what the ranks of a collective do on machines that a network connects:
// the queue of each rank's messages, what they wait for before they send, and the work of their
// processors. It does not know how messages get from one rank to another: that is a [Network], an
// engine of a package of its own such as flow and packet. A [Topology] describes nodes, links, and
// the route from every node to every other.
//
// A [Scenario] is a schedule, and where its ranks are. A [Model] combines a network with models of
// noise for package montecarlo. [Hosts] are the ranks in one trial; an engine embeds them, and
// calls them when a message has left or arrived. A [Recorder] writes down what they do.
//
// A new engine is a package with a type that implements [Engine] and one that implements [Network];
// package flow is the example.
package network
