//go:build unix

package cli

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// leastMemory is how much address space the program needs, most of which it never uses.
const leastMemory = 2 << 30

// checkMemory fails if a limit of the process leaves too little address space, since the program would
// end anywhere.
func checkMemory() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil ||
		uint64(limit.Cur) >= leastMemory { //nolint:unconvert // FreeBSD has an int64
		return nil //nolint:nilerr // no limit is known
	}
	return fmt.Errorf("the address space is limited to %d MiB, and %d MiB are needed at least; raise ulimit -v, "+
		"or limit memory by a control group", limit.Cur>>20, leastMemory>>20)
}

// checkOutput fails if standard output is closed. The Go runtime has then opened the null device in its
// place, for reading too, which users do not.
func checkOutput() error {
	var out, null unix.Stat_t
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR || unix.Fstat(1, &out) != nil ||
		unix.Stat(os.DevNull, &null) != nil || out.Rdev != null.Rdev || out.Ino != null.Ino {
		return nil
	}
	return errors.New("standard output is closed; write > /dev/null if no answer is wanted")
}
