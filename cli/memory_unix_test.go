//go:build unix

package cli

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
	if failed := unix.Setrlimit(unix.RLIMIT_AS, &limit); failed != nil {
		t.Fatal(failed)
	}
	if err == nil || !strings.Contains(err.Error(), "limited to 2047 MiB, and 2048 MiB are needed") {
		t.Errorf("the error is %v", err)
	}
}
