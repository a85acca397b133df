package cli

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// stopSignals end a command cleanly: a person's, a system's, and one that schedulers
// send before a time limit.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1}

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
	return fmt.Errorf("the address space is limited to %d MiB, and %d MiB are needed at least; "+
		"raise ulimit -v, or limit memory by a control group", limit.Cur>>20, leastMemory>>20)
}
