package formats_test

import (
	"fmt"
	"strings"

	"jitterfly/noise/measured/formats"
)

// The format of a file is recognised by its content.
func ExampleRead() {
	output := `# OSU MPI Latency Test v7.4
# Size          Latency (us)
1                       1.00
1000                    1.50
2000                    2.00
4000                    3.00
`
	m, err := formats.Read(strings.NewReader(output), "osu_latency.txt", -1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s, %d sizes\n", m.Format, m.Curves[0].Operation, len(m.Curves[0].Points))
	// Output:
	// OSU: latency, 4 sizes
}
