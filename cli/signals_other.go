//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// stopSignals end a command cleanly.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}
