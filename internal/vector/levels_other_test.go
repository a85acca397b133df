//go:build !amd64 || purego

package vector

import "testing"

func atEveryLevel(t *testing.T, run func(*testing.T)) {
	t.Helper()
	run(t)
}

func benchmarkEveryLevel(b *testing.B, name string, run func(*testing.B)) {
	b.Helper()
	b.Run(name+"/plain", run)
}
