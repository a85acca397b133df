package formats_test

import (
	"fmt"
	"strings"

	"jitterfly/noise/measured/formats"
)

// Latencies of the OSU benchmarks give α and β of the protocol that serves a size.
func ExampleRead() {
	output := `# OSU MPI Latency Test v7.4
# Size          Latency (us)
1                       1.00
1000                    1.50
2000                    2.00
4000                    3.00
`
	m, err := formats.Read(strings.NewReader(output), "osu_latency.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := formats.FitCurve(m.Curves[0].Points)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := f.At(1000)
	fmt.Printf("%s: %s, %d sizes\n", m.Format, m.Curves[0].Operation, len(m.Curves[0].Points))
	fmt.Printf("α = %.3g s, β = %.3g s/B\n", s.Alpha, s.Beta)
	// Output:
	// OSU: latency, 4 sizes
	// α = 1e-06 s, β = 5e-10 s/B
}
