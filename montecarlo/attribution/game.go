package attribution

import (
	"context"

	"jitterfly/montecarlo"
)

// A Game is a collective under every subset of the sources.
type Game struct {
	Sources int
	// Config returns the collective with the sources of a set only. All have the same environment.
	Config func(Set) (montecarlo.Config, error)
	Seed   uint64

	subsets []*Series   // by set, with at most [MostExact] sources
	random  [][]float64 // by checkpoint, then as orders has them, then by trial, with more sources
	trials  int
}

// Run simulates trials until each set of sources has the given number.
func (g *Game) Run(ctx context.Context, trials, workers int) error {
	if g.Sources > MostExact {
		return g.runOrders(ctx, trials, workers)
	}
	if g.subsets == nil {
		for s := range All(g.Sources) + 1 {
			c, err := g.Config(s)
			if err != nil {
				return err
			}
			g.subsets = append(g.subsets, &Series{Config: c})
		}
	}
	g.trials = trials
	return Extend(ctx, g.Seed, g.subsets, trials, workers)
}

// Costs returns the costs of the sources [s] at a checkpoint of the model. With more sources than
// [MostExact] the objective must be the mean.
func (g *Game) Costs(checkpoint int, objective Statistic) Costs {
	if g.Sources > MostExact {
		return g.costsOfOrders(checkpoint)
	}
	times := make([][]float64, len(g.subsets))
	for s, series := range g.subsets {
		times[s] = series.Times(checkpoint)
	}
	return Exact(g.Sources, times, objective)
}
