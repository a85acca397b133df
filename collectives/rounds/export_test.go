package rounds

import (
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// SetTile sets the largest number of ranks of a tile.
func (s *Simulator) SetTile(ranks int) { s.tiles.ranks = ranks }

// LowerBound is a time that no trial gets below.
func (plan *Plan) LowerBound() float64 { return plan.lowerBound() }

// NoiseFree is a plan's trial without noise.
type NoiseFree = noiseFree

// NewNoiseFree returns that of a plan whose trial without noise is known.
var NewNoiseFree = newNoiseFree

// IsTrial reports whether a trial under the noise is this one.
func (f *noiseFree) IsTrial(n *Noise) bool { return f.isTrial(n) }

// DetoursOf returns detours of a trial of the model's plan.
func (m *Model) DetoursOf(plan *Plan, key rng.Key) noise.Detours {
	n := m.noise(make([]float64, plan.Ranks), plan)
	n.draw(plan.Ranks, key)
	return n.Detours
}
