package packet

// A recorder writes one trial down.
type recorder struct{}
