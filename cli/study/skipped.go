package study

import (
	"fmt"

	"jitterfly/collectives"
)

// skips are the configurations of a study that are impossible.
type skips struct {
	first   error
	all     int
	count   map[string]int // by reason, of the first maxSkipped reasons
	reasons []string
	others  int // configurations with other reasons
}

// maxSkipped is the largest number of reasons to skip configurations that are listed.
const maxSkipped = 10

// add adds a configuration, and why it is impossible.
func (x *skips) add(why error) {
	if x.all++; x.all == 1 {
		x.first, x.count = why, map[string]int{}
	}
	reason := why.Error()
	if x.count[reason] == 0 {
		if len(x.reasons) == maxSkipped {
			x.others++
			return
		}
		x.reasons = append(x.reasons, reason)
	}
	x.count[reason]++
}

// noteSkipped notes how many configurations were skipped, and why. It fails with the first reason
// if all were.
func (s *Study) noteSkipped() error {
	x := &s.skipped
	if x.all == 0 {
		return nil
	}
	if len(s.Configurations) == 0 {
		return x.first
	}
	s.note(fmt.Sprintf("skipped %d of %d configurations, which are impossible; --strict refuses them",
		x.all, x.all+len(s.Configurations)))
	for _, reason := range x.reasons {
		s.note(fmt.Sprintf("skipped %d: %s", x.count[reason], reason))
	}
	if x.others > 0 {
		s.note(fmt.Sprintf("skipped %d for other reasons", x.others))
	}
	return nil
}

// faults are the keys of the parameters of a collective.
var faults = map[collectives.Parameter]*Key{
	collectives.ParameterRanks: Ranks, collectives.ParameterSources: Sources,
	collectives.ParameterSegments: Segments, collectives.ParameterNodeRanks: RanksPerNode,
	collectives.ParameterMessages: Messages, collectives.ParameterSides: Topology,
	collectives.ParameterEngine: Engine, collectives.ParameterLeaders: Leaders,
	collectives.ParameterBytes: Bytes, collectives.ParameterControllers: Controllers,
	collectives.ParameterFlit: PacketFlit, collectives.ParameterFlits: PacketFlits,
	collectives.ParameterChannels: PacketChannels, collectives.ParameterBuffer: PacketBuffer,
	collectives.ParameterHop: PacketHop, collectives.ParameterCredit: PacketCredit,
}
