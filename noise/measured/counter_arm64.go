package measured

// counter returns the virtual counter, whose rate is constant by the architecture.
func counter(string) (name string, read func() uint64) { return "CNTVCT", ticks }

// ticks reads CNTVCT.
//
//go:noescape
func ticks() uint64
