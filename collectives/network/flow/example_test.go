package flow_test

import (
	"context"
	"fmt"
	"log"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/recording"
)

// With four controllers on each node, A2AT uses all links of a 5 × 5 torus until the end,
// so that its completion time is the lower bound: 5·6·4/8 times that of one message.
func Example() {
	torus, err := network.ParseTopology("torus:5x5")
	if err != nil {
		log.Fatal(err)
	}
	a2at, err := collectives.Find("a2at")
	if err != nil {
		log.Fatal(err)
	}
	schedule, err := a2at.Schedule(collectives.Problem{
		Ranks: 25, Bytes: 1e6, Bandwidth: 1e9, Sides: []int{5, 5},
		Redundancy: collectives.Redundancy{Sources: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	p := flow.Network{Scenario: network.Scenario{Schedule: schedule, Topology: torus, Bandwidth: 1e9,
		Controllers: 4}}
	engine := flow.NewEngine(p)
	result, err := engine.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d messages in %.3f ms\n", result.Received, result.CompletionTime*1e3)
	fmt.Printf("lower bound %.3f ms\n", p.LowerBound()*1e3)
	// Output:
	// 600 messages in 15.000 ms
	// lower bound 15.000 ms
}

// A slowHost is a detour of 2 ms on node 0 at the start.
type slowHost struct{}

// Finish implements [network.Host].
func (slowHost) Finish(node int, t, work float64) float64 {
	if node == 0 {
		t = max(t, 2e-3)
	}
	return t + work
}

// On a line of four nodes the messages from 0 to 2 and from 1 to 3 share a link. A detour of
// node 0 delays its message, which then has the link alone at the end.
func ExampleEngine_Record() {
	schedule, err := collectives.Permutation(collectives.Problem{
		Ranks: 4, Bytes: 6e6, Bandwidth: 1e9, Targets: []int32{2, 3, 0, 1}, Messages: 1,
		Redundancy: collectives.Redundancy{Sources: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	line, err := network.ParseTopology("mesh:4")
	if err != nil {
		log.Fatal(err)
	}
	p := flow.Network{Scenario: network.Scenario{Schedule: schedule, Topology: line, Bandwidth: 1e9}}
	engine := flow.NewEngine(p)
	rec, err := engine.Record(context.Background(), slowHost{}, network.NoiseFree{})
	if err != nil {
		log.Fatal(err)
	}
	path := rec.CriticalPath()
	fmt.Printf("completion time %.0f ms\n", rec.End.Time*1e3)
	fmt.Printf("detours %.0f ms\n", path.Spent[recording.Detour]*1e3)
	fmt.Printf("messages alone %.0f ms\n", path.Spent[recording.Wire]*1e3)
	fmt.Printf("shared links %.0f ms\n", path.Spent[recording.Sharing]*1e3)
	// Output:
	// completion time 12 ms
	// detours 2 ms
	// messages alone 6 ms
	// shared links 4 ms
}
