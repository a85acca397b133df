package vector

import "testing"

// atEveryLevel runs a test with the kernels of each width that the processor has, and without.
func atEveryLevel(t *testing.T, run func(*testing.T)) {
	t.Helper()
	has := widest
	defer func() { widest = has }()
	for _, widest = range levels {
		run(t)
	}
}

func benchmarkEveryLevel(b *testing.B, name string, run func(*testing.B)) {
	b.Helper()
	has := widest
	defer func() { widest = has }()
	for _, widest = range levels {
		b.Run(name+"/"+widest.name, run)
	}
}
