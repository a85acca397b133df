package attribution

import (
	"context"
	"errors"

	"jitterfly/internal/rng"
)

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
		series := map[Set]*Series{}
		var all []*Series
		var failed error
		want := func(s Set) {
			if series[s] == nil {
				c, err := g.Config(s)
				failed = errors.Join(failed, err)
				c.First = g.trials
				series[s] = &Series{Config: c}
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
		if err := Extend(ctx, g.Seed, all, piece, workers); err != nil {
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
	if g.random == nil {
		g.random = make([][]float64, series[0].results*(2+3*n))
	}
	for k := range series[0].results {
		times := map[Set][]float64{}
		for s, x := range series {
			times[s] = x.Times(k)
		}
		all, none := times[All(n)], times[0]
		columns := g.random[k*(2+3*n) : (k+1)*(2+3*n)]
		for j := range all {
			shares := make([]float64, n)
			forward, backward := Set(0), Set(0)
			for i := range n {
				for _, step := range []struct {
					set *Set
					i   int
				}{{&forward, order[i]}, {&backward, order[n-1-i]}} {
					before := times[*step.set][j]
					*step.set = step.set.With(step.i)
					shares[step.i] += (times[*step.set][j] - before) / 2
				}
			}
			columns[0] = append(columns[0], all[j])
			columns[1] = append(columns[1], none[j])
			for i, share := range shares {
				alone := times[Set(0).With(i)][j] - none[j]
				removed := all[j] - times[All(n).Without(i)][j]
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
