package packet

import (
	"context"
	"errors"

	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
)

// A recorder writes one trial down.
type recorder struct{}

func Record(
	ctx context.Context, p Problem, host network.Host, delays network.Delays, polling float64,
) (*recording.Recording, error) {
	return nil, errors.New("not yet")
}
