package noise

import (
	"math"
	"slices"

	"jitterfly/internal/rng"
)

// A backlog is the noise that components have left to do at a random moment. The backlog of
// [PoissonDetours] is exactly a sum of residuals, of detours that are drawn independently, in
// proportion to the share of time that their component takes. The number N of these is geometric:
// P(N ≥ n) is the n-th power of the share of time that all components take (Pollaczek and
// Khinchine; L. Kleinrock, Queueing Systems I, 1975, equation 5.157). [Ticks] are taken for
// PoissonDetours. A [Replay] adds nothing, as it begins at a moment of its own.
//
// A backlog belongs to components that share their detours among the same ranks. Residuals of
// components that are removed, aligned or shortened are drawn, so that the others are the same, and
// dropped.
type backlog struct {
	parts   []*part // nil if dropped
	lengths []Length
	upto    []float64 // the shares of time that the components take up to each
	stream  uint64    // the child of a trial's key
}

func (b *backlog) add(c Component, p *part) {
	length, ok := c.Length().(Length)
	if !ok { // of a replay
		return
	}
	sum := load(c)
	if n := len(b.upto); n > 0 {
		sum += b.upto[n-1]
	}
	b.parts, b.lengths, b.upto = append(b.parts, p), append(b.lengths, length), append(b.upto, sum)
}

// draw calls add for each residual of n phases, with its part.
func (b *backlog) draw(stream rng.Stream, n int, add func(p *part, phase int, length float64)) {
	if len(b.upto) == 0 {
		return
	}
	// Each phase has another residual with the same probability, whatever it has already: so the
	// number of phases from one residual to the next is geometric, 0 if both belong to one phase.
	all := b.upto[len(b.upto)-1]
	perGap := -1 / math.Log1p(-all)
	gap := func() int { return int(min(float64(n), stream.ExpFloat64()*perGap)) }
	for i := gap(); i < n; i += gap() {
		which, drawn := 0, 0.0
		if len(b.upto) > 1 {
			drawn = all * stream.Uniform()
		}
		for which+1 < len(b.upto) && b.upto[which] <= drawn {
			which++
		}
		length := b.lengths[which].residual(stream.Uniform(), stream.Uniform())
		if p := b.parts[which]; p != nil {
			add(p, i, length)
		}
	}
}

// lead returns how long before a random launch [s] components begin with their backlog. That of
// PoissonDetours has the same distribution at any moment, if all are drawn for the same ranks.
// Other backlogs are near it, which is forgotten after some d/(1−ρ)², where components take a share
// ρ of the time, and d is their longest detour, except for one in 10^4 that are longer. Where ρ is
// small d suffices, as what began before is over.
func lead(components []Component) float64 {
	longest, shared := 0.0, max(1, components[0].Shared)
	together := !slices.ContainsFunc(components, func(c Component) bool { return max(1, c.Shared) != shared })
	for _, c := range components {
		if _, ok := c.Generator.(PoissonDetours); !ok || !together {
			longest = max(longest, c.Length().Quantile(1-1e-4))
		}
	}
	share := expected(components)
	return (1 + 4*share) * longest / ((1 - share) * (1 - share))
}
