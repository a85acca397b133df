//go:build unix

package cli

import (
	"testing"

	"golang.org/x/sys/unix"

	"jitterfly/internal/tests"
)

// Too little address space is an error, before anything is computed.
func TestLimitedAddressSpace(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || checkMemory() != nil {
		t.Skip("address space is limited already")
	}
	lower := limit
	lower.Cur = leastMemory - 1<<20
	if err := unix.Setrlimit(unix.RLIMIT_AS, &lower); err != nil {
		t.Skip(err)
	}
	err := checkMemory()
	tests.NoError(t, unix.Setrlimit(unix.RLIMIT_AS, &limit))
	tests.Fails(t, "limited to 2047 MiB, and 2048 MiB are needed")(err)
}
