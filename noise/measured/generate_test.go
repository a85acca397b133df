package measured

import (
	"math"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// A madeMachine makes traces with known components.
type madeMachine struct {
	cores   int
	span    float64
	quantum float64 // of the timer, 0 for none
	sources []source
}

// A source draws the detours of one core.
type source func(s rng.Stream, span float64) []noise.Detour

// madeTicks are periodic, at a random phase, with starts that jitter by a normal deviate.
func madeTicks(period float64, length noise.Length, jitter float64) source {
	return func(s rng.Stream, span float64) []noise.Detour {
		var d []noise.Detour
		for t := period * s.Uniform(); t < span; t += period {
			d = append(d, noise.Detour{Start: max(0, t+jitter*s.NormFloat64()),
				Length: length.Quantile(s.Uniform())})
		}
		return d
	}
}

// arrivals are Poisson.
func arrivals(rate float64, length noise.Length) source {
	return func(s rng.Stream, span float64) []noise.Detour {
		var d []noise.Detour
		for t := s.ExpFloat64() / rate; t < span; t += s.ExpFloat64() / rate {
			d = append(d, noise.Detour{Start: t, Length: length.Quantile(s.Uniform())})
		}
		return d
	}
}

// bursts are Poisson, and each is of many detours.
func bursts(rate float64, many int, gap float64, length noise.Length) source {
	return func(s rng.Stream, span float64) []noise.Detour {
		var d []noise.Detour
		for t := s.ExpFloat64() / rate; t < span; t += s.ExpFloat64() / rate {
			u := t
			for range many {
				d = append(d, noise.Detour{Start: u, Length: length.Quantile(s.Uniform())})
				u += gap * s.ExpFloat64()
			}
		}
		return d
	}
}

func (m madeMachine) trace(t testing.TB, seed uint64) noise.Trace {
	t.Helper()
	var tr noise.Trace
	key := rng.NewKey(seed, "machine")
	for i := range m.cores {
		var all []noise.Detour
		for j, source := range m.sources {
			s := rng.New(key.Derive(uint64(i)).Derive(uint64(j)))
			for _, d := range source(s, m.span) {
				if m.quantum > 0 {
					d.Start = math.Floor(d.Start/m.quantum) * m.quantum
					d.Length = math.Round(d.Length/m.quantum) * m.quantum
				}
				if d.End() < m.span {
					all = append(all, d)
				}
			}
		}
		c, _, err := noise.NewCore(i, m.span, all)
		tests.NoError(t, err)
		tr.Cores = append(tr.Cores, c)
	}
	return tr
}
