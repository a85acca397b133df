package measure

// counter returns the virtual counter, which the architecture has advance evenly.
func counter(string) (name string, read func() uint64) { return "CNTVCT", ticks }

// ticks reads CNTVCT.
//
//go:noescape
func ticks() uint64
