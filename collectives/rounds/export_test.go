package rounds

import (
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// SetTile sets the largest number of ranks of a tile.
func (s *Simulator) SetTile(ranks int) { s.tiles.ranks = ranks }

// Clocks returns when each of so many ranks has the result of the last trial [s], if it was not settled.
func (s *Simulator) Clocks(ranks int) []float64 { return s.clock[:ranks] }

// LowerBound is a time that no trial gets below.
func (compiled *Compiled) LowerBound() float64 { return compiled.lowerBound() }

// NoiseFree is a schedule's trial without noise.
type NoiseFree = noiseFree

// NewNoiseFree returns that of a schedule whose trial without noise is known.
var NewNoiseFree = newNoiseFree

// IsTrial reports whether a trial under the noise is this one.
func (f *noiseFree) IsTrial(n *Noise) bool { return f.isTrial(n) }

// DetoursOf returns detours of a trial of the model's schedule.
func (m *Model) DetoursOf(compiled *Compiled, key rng.Key) noise.Detours {
	k := m.newKit(compiled.Place, nil)
	k.noise.draw(compiled.Ranks, key)
	return k.noise.Detours
}
