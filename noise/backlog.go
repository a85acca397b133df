package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// A backlog is the noise that sources have left to do at a random moment. That of [PoissonDetours] is
// exactly a sum of residuals, of detours that are drawn independently, in proportion to the share
// of time that their source takes. The number N of these is geometric: P(N ≥ n) is the n-th power
// of the share of time that all sources take (Pollaczek and Khinchine; L. Kleinrock, Queueing
// Systems I, 1975, equation 5.157). [Ticks] are taken for PoissonDetours. A [Replay] adds nothing, as it
// begins at a moment of its own.
type backlog struct {
	lengths []Length
	upto    []float64 // the shares of time that the sources take up to each
}

func newBacklog(sources []Source) backlog {
	b, sum := backlog{}, 0.0
	for _, s := range sources {
		if _, ok := s.(Replay); !ok {
			sum += load(s)
			b.lengths, b.upto = append(b.lengths, s.Length()), append(b.upto, sum)
		}
	}
	return b
}

// draw calls add for each residual of a block's phases, as a detour that begins at a time [s].
func (b *backlog) draw(stream rng.Stream, of phases, at float64, add addDetour) {
	if len(b.upto) == 0 {
		return
	}
	// Each phase has another residual with the same probability, whatever it has already: so
	// the number of phases from one residual to the next is geometric, 0 if both are of one.
	all := b.upto[len(b.upto)-1]
	perGap := -1 / math.Log1p(-all)
	gap := func() int { return int(min(Block, stream.ExpFloat64()*perGap)) }
	for i := gap(); i < of.n; i += gap() {
		source, drawn := 0, 0.0
		if len(b.upto) > 1 {
			drawn = all * stream.Uniform()
		}
		for source+1 < len(b.upto) && b.upto[source] <= drawn {
			source++
		}
		add(of.lo+i, at, b.lengths[source].Residual(stream.Uniform(), stream.Uniform()))
	}
}

// lead returns how long before a random launch [s] sources begin with their backlog. That of
// PoissonDetours has the same distribution at any moment. That of others is near it, which is forgotten
// after some d/(1−ρ)², where sources take a share ρ of the time, and d is their longest detour,
// except for one in 10^4 that are longer. Where ρ is small d suffices, as what began before is over.
func lead(sources []Source) float64 {
	longest := 0.0
	for _, s := range sources {
		if _, ok := s.(PoissonDetours); !ok {
			longest = max(longest, s.Length().Quantile(1-1e-4))
		}
	}
	share := expected(sources)
	return (1 + 4*share) * longest / ((1 - share) * (1 - share))
}
