package study

import (
	"fmt"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// BenchmarkRead has the time and the memory that a configuration takes before it is simulated.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{2_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := Input{Name: "s.yaml", Set: []string{
				"ranks=2", "network.latency=" + times(n/100), "noise.os.duration=" + times(100),
			}}
			b.ReportAllocs()
			for b.Loop() {
				tests.Must(Read(in, 1e7))(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/configuration")
		})
	}
}

// times returns n different times.
func times(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%dns", 1000+i))
	}
	return strings.Join(all, ",")
}
