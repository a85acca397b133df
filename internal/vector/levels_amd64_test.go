//go:build !purego

package vector

import "testing"

var levels = []string{"plain", "AVX2", "AVX512"}

// atEveryLevel runs a test with the kernels of each width that the processor has.
func atEveryLevel(t *testing.T, run func(*testing.T)) {
	t.Helper()
	has := widest
	defer func() { widest = has }()
	for widest = plain; widest <= has; widest++ {
		run(t)
	}
}

func benchmarkEveryLevel(b *testing.B, name string, run func(*testing.B)) {
	b.Helper()
	has := widest
	defer func() { widest = has }()
	for widest = plain; widest <= has; widest++ {
		b.Run(name+"/"+levels[widest], run)
	}
}
