// Jitterfly analyses collective operations under OS jitter and network noise by
// Monte Carlo simulation; run it with --help.
package main

import (
	"os"

	"jitterfly/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
