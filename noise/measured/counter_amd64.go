package measured

import "strings"

// counter returns the time-stamp counter, if it has a constant rate at any frequency of
// the core and when it sleeps; else no function.
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
