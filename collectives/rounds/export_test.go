package rounds

import (
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// SetTile sets the largest number of ranks of a tile.
func (s *Simulator) SetTile(ranks int) { s.tiles.ranks = ranks }

// LowerBound is a time that no trial gets below.
func (plan *Plan) LowerBound() float64 { return plan.lowerBound() }

// DetoursOf returns detours of a trial of the model's plan.
func (m *Model) DetoursOf(plan *Plan, key rng.Key) noise.Detours {
	n := m.noise(make([]float64, plan.Ranks), plan)
	n.draw(plan.Ranks, key)
	return n.Detours
}
