package packet_test

import (
	"context"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/packet"
	"jitterfly/internal/tests"
)

// BenchmarkA2AT measures what a flit-hop costs.
func BenchmarkA2AT(b *testing.B) {
	for _, c := range []struct {
		topology string
		sync     network.Sync
		buffer   int
	}{
		{"torus:9x9", network.None, 20},
		{"torus:9x9", network.LocalCount, 20},
		{"torus:17x17", network.LocalCount, 20},
		{"mesh:17x17", network.LocalCount, 20},
		{"torus:17x17", network.None, 200},
	} {
		name := c.topology + "/" + map[network.Sync]string{0: "none", 3: "local-count"}[c.sync]
		if c.buffer != 20 {
			name += "/large-buffers"
		}
		b.Run(name, func(b *testing.B) {
			p := problem(b, c.topology, "a2at")
			p.Sync, p.Buffer = c.sync, c.buffer
			e := tests.Must(packet.NewEngine(p))(b)
			for b.Loop() {
				tests.Must(e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{}))(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/p.FlitHops(), "ns/flit-hop")
		})
	}
}
