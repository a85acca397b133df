package study

// libraryChannels is one more than the messages of a rank in one call of the MPI library
// (MACHINE_CHANNELS in mpi/machine.h).
const libraryChannels = 128

// Deploys reports whether a library has the point's allreduce with T redundant exchanges: the MPI
// library of this project (mpi/) the butterfly from several sources and leaders of nodes, and any
// other library what has no redundancy and one leader.
func (p Point) Deploys(T int) bool {
	sources := p.Whole(Sources)
	if sources == 1 && T == 0 && p.Whole(Leaders) == 1 {
		return true
	}
	exchanging := p.Whole(Ranks)
	switch p.Name(Collective) {
	case leaders:
		exchanging = p.Whole(Nodes)
	case "butterfly":
	default:
		return false
	}
	channels, rounds := uint64(0), uint64(0)
	for group := uint64(1); group <= exchanging/2; group *= 2 {
		channels += min(sources, group)
		rounds++
	}
	return channels+rounds < libraryChannels
}
