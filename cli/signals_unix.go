//go:build unix

package cli

import (
	"os"
	"syscall"
)

// stopSignals end a command cleanly: a person's, a system's, and one that schedulers
// send before a time limit.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1}
