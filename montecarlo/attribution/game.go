package attribution

import (
	"context"
	"maps"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A Game is a collective under every subset of the sources.
type Game struct {
	Sources int
	// Config returns the collective with the sources of a set only. All have the same environment.
	Config func(Set) (montecarlo.Config, error)
	Seed   uint64

	subsets map[Set]*Series // by set, with at most [MostExact] sources
	random  [][][]float64   // by T, then as [numbers] has them, then by trial, with more sources
	trials  int
}

// Run simulates trials until each set of sources has the given number.
func (g *Game) Run(ctx context.Context, trials, workers int) error {
	if g.Sources > MostExact {
		return g.runOrders(ctx, trials, workers)
	}
	if g.subsets == nil {
		g.subsets = map[Set]*Series{}
		for s := range All(g.Sources) + 1 {
			g.subsets[s] = nil
		}
	}
	return g.extend(ctx, g.subsets, 0, trials, workers)
}

// extend simulates trials from the first on under sets of sources, whose series are nil at first.
func (g *Game) extend(ctx context.Context, series map[Set]*Series, first, trials, workers int) error {
	var all []*Series
	for _, s := range slices.Sorted(maps.Keys(series)) {
		if series[s] == nil {
			c, err := g.Config(s)
			if err != nil {
				return err
			}
			c.First = first
			series[s] = &Series{Config: c}
		}
		all = append(all, series[s])
	}
	return Extend(ctx, g.Seed, all, trials, workers)
}

// Costs returns the costs of the sources [s] with redundancy T. With more sources than
// [MostExact] the objective must be the mean.
func (g *Game) Costs(T int, objective Statistic) Costs {
	if g.Sources > MostExact {
		return costs(g.Sources, g.random[T], Statistic{}, slices.Clone)
	}
	times := make([][]float64, len(g.subsets))
	for s, series := range g.subsets {
		times[s] = series.Times(T)
	}
	return Exact(g.Sources, times, objective)
}

// piece is how many trials have one order of the sources.
const piece = 32

// runOrders is [Game.Run] for many sources: it estimates shares from random orders in which the
// sources are added one after the other. Each piece of trials has one order, and its reverse, which
// reduces the variance (Castro, Gómez and Tejada, "Polynomial calculation of the Shapley value
// based on sampling", 2009).
func (g *Game) runOrders(ctx context.Context, trials, workers int) error {
	n := g.Sources
	for ; g.trials < trials; g.trials += piece {
		order := rng.New(rng.NewKey(uint64(g.trials), "orders")).Perm(n)
		orders := [][]int{order, slices.Clone(order)}
		slices.Reverse(orders[1])
		series := map[Set]*Series{0: nil}
		for i := range n {
			series[Set(0).With(i)], series[All(n).Without(i)] = nil, nil
		}
		for _, order := range orders {
			set := Set(0)
			for _, i := range order {
				set = set.With(i)
				series[set] = nil
			}
		}
		if err := g.extend(ctx, series, g.trials, piece, workers); err != nil {
			return err
		}
		g.add(orders, series)
	}
	return nil
}

// add appends the numbers of a piece of trials with orders of the sources, whose shares are the means of
// what they add to those before them.
func (g *Game) add(orders [][]int, series map[Set]*Series) {
	for T := range series[0].result.Finals() {
		if T == len(g.random) {
			g.random = append(g.random, make([][]float64, 2+3*g.Sources))
		}
		times := map[Set][]float64{}
		for s, x := range series {
			times[s] = x.Times(T)
		}
		for j := range times[0] {
			time := func(s Set) float64 { return times[s][j] }
			share := func(source int) (share float64) {
				for _, order := range orders {
					before := Set(0)
					for _, i := range order[:slices.Index(order, source)] {
						before = before.With(i)
					}
					share += (time(before.With(source)) - time(before)) / float64(len(orders))
				}
				return share
			}
			for c, number := range numbers(g.Sources, time, share) {
				g.random[T][c] = append(g.random[T][c], number)
			}
		}
	}
}

// A Series is consecutive trials of one configuration.
type Series struct {
	montecarlo.Config
	result montecarlo.Result
}

// Times returns the completion times [s] with redundancy T, by trial.
func (s *Series) Times(T int) []float64 {
	times, each, final := make([]float64, len(s.result.LowerBound)), len(s.result.Checkpoints), s.result.Final(T)
	for i := range times {
		times[i] = s.result.Completion[i*each+final]
	}
	return times
}

// Extend simulates trials of every series until it has the given number of them, from 2 on.
func Extend(ctx context.Context, seed uint64, series []*Series, trials, workers int) error {
	study := montecarlo.Settings{
		Seed: seed, Tolerance: 1, // of choices, which are not used
		Trials: montecarlo.Trials{Min: trials, Max: trials, Confidence: 0.95},
	}
	var err error
	if study.Objective, err = montecarlo.FindObjective("max"); err != nil { // is not tested
		return err
	}
	field := func(i int) montecarlo.Field { return montecarlo.Field{series[i].Config} }
	return montecarlo.Run(ctx, &study, len(series), field, montecarlo.Options{
		Workers: workers,
		Resume:  func(i int) []montecarlo.Kept { return []montecarlo.Kept{series[i].result.Kept} },
		Done: func(i int, d montecarlo.Decision) error {
			series[i].result = d.Results[0]
			return nil
		},
	})
}
