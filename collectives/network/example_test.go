package network_test

import (
	"context"
	"fmt"
	"log"

	"jitterfly/collectives/network"
)

// With four controllers a node, A2AT keeps all links of a 5 × 5 torus busy until the
// end: 5·6·4/8 times as long as one message takes alone.
func Example() {
	place, err := network.ParseTopology("torus:5x5")
	if err != nil {
		log.Fatal(err)
	}
	pattern, err := network.A2AT(place)
	if err != nil {
		log.Fatal(err)
	}
	p := network.Problem{Topology: place, Pattern: pattern, Bytes: 1e6, Bandwidth: 1e9, Controllers: 4}
	engine, err := network.NewEngine(p)
	if err != nil {
		log.Fatal(err)
	}
	result, err := engine.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d messages in %.3f ms, at least %.3f ms\n", result.Messages, result.CompletionTime*1e3, p.LowerBound()*1e3)
	// Output: 600 messages in 15.000 ms, at least 15.000 ms
}
