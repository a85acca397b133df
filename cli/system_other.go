//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// stopSignals end a command cleanly.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// checkMemory returns nil: there are no such limits.
func checkMemory() error { return nil }
