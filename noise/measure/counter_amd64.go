package measure

import "strings"

// counter returns the TSC, if it advances evenly whatever the frequency and the
// sleep of the core.
func counter(cpuinfo string) (name string, read func() uint64) {
	flags := " " + strings.Join(strings.Fields(cpuinfo), " ") + " "
	if strings.Contains(flags, " constant_tsc ") && strings.Contains(flags, " nonstop_tsc ") {
		return "TSC", ticks
	}
	return "", nil
}

// ticks reads the TSC.
//
//go:noescape
func ticks() uint64
