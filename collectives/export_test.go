package collectives

// Peers of algorithms.
type (
	Offset   = offset
	Rotation = rotation
	Shift    = shift
)
