package attribution

import (
	"context"
	"errors"

	"jitterfly/internal/rng"
)

// runOrders is [Game.Run] for many sources: it estimates shares from random orders in which the
// sources are added one after the other. Each piece of trials has one order, and its reverse, which
// reduces the variance (Castro, Gómez and Tejada, "Polynomial calculation of the Shapley value
// based on sampling", 2009).
func (g *Game) runOrders(ctx context.Context, trials, workers int) error {
	n := g.Sources
	for ; g.trials < trials; g.trials += piece {
		order := rng.New(rng.NewKey(uint64(g.trials), "orders")).Perm(n)
		series := map[Set]*Series{}
		var all []*Series
		var failed error
		want := func(s Set) {
			if series[s] == nil {
				m, err := g.Model(s)
				failed = errors.Join(failed, err)
				series[s] = &Series{Model: m, First: g.trials}
				all = append(all, series[s])
			}
		}
		for i := range n {
			want(Set(0).With(i))
			want(All(n).Without(i))
		}
		forward, backward := Set(0), Set(0)
		want(0)
		for i := range n {
			forward, backward = forward.With(order[i]), backward.With(order[n-1-i])
			want(forward)
			want(backward)
		}
		if failed != nil {
			return failed
		}
		if err := Extend(ctx, g.Key, all, piece, workers); err != nil {
			return err
		}
		g.add(order, series)
	}
	return nil
}

// add appends the numbers of a piece of trials with one order of the sources: v(N), v(∅), and of
// each source what it costs alone, what its removal brings, and its share.
func (g *Game) add(order []int, series map[Set]*Series) {
	n := g.Sources
	all, none := series[All(n)].Times, series[0].Times
	if g.random == nil {
		g.random = make([][]float64, len(all)*(2+3*n))
	}
	for k := range all {
		columns := g.random[k*(2+3*n) : (k+1)*(2+3*n)]
		for j := range all[k] {
			shares := make([]float64, n)
			forward, backward := Set(0), Set(0)
			for i := range n {
				for _, step := range []struct {
					set *Set
					i   int
				}{{&forward, order[i]}, {&backward, order[n-1-i]}} {
					before := series[*step.set].Times[k][j]
					*step.set = step.set.With(step.i)
					shares[step.i] += (series[*step.set].Times[k][j] - before) / 2
				}
			}
			columns[0] = append(columns[0], all[k][j])
			columns[1] = append(columns[1], none[k][j])
			for i, share := range shares {
				alone := series[Set(0).With(i)].Times[k][j] - none[k][j]
				removed := all[k][j] - series[All(n).Without(i)].Times[k][j]
				for c, number := range []float64{alone, removed, share} {
					columns[2+3*i+c] = append(columns[2+3*i+c], number)
				}
			}
		}
	}
}

// costsOfOrders returns the costs at a checkpoint from random orders.
func (g *Game) costsOfOrders(checkpoint int) Costs {
	width := 2 + 3*g.Sources
	columns := g.random[checkpoint*width : (checkpoint+1)*width]
	return costs(g.Sources, columns, Statistic{}, func(v []float64) []float64 {
		return append([]float64{v[0], v[1], v[0] - v[1]}, v[2:]...)
	})
}
