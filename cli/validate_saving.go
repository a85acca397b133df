package cli

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/internal/output"
	"jitterfly/noise/measured/formats"
)

// A work is what operations do, whatever their scheme.
type work struct {
	bytes, compute float64
	iterations     int
}

func workOf(s formats.Scheme) work { return work{s.Bytes, s.Compute, s.Iterations} }

// A saving is what redundancy saves of an iteration of a loop [s]: the simulated mean over loops, the
// measured one, and the 10% and 90% quantiles over simulated loops, whose phases of noise last. It is
// NaN if there is none.
type saving struct{ mean, measured, low, high float64 }

// saved returns what a scheme saves its loops against R = 1 and T = 0 without leaders.
func (v *validation) saved(s formats.Scheme) saving {
	plain := formats.Scheme{Bytes: s.Bytes, Sources: 1, Iterations: s.Iterations, Compute: s.Compute}
	find := func(s formats.Scheme) int {
		return slices.IndexFunc(v.groups, func(g compared) bool { return g.Scheme == s })
	}
	i, j := find(plain), find(s)
	if s.Iterations == 0 || s == plain || i < 0 || j < 0 {
		none := math.NaN()
		return saving{none, none, none, none}
	}
	base, with := v.groups[i], v.groups[j]
	loops := make([]float64, min(len(base.delays), len(with.delays)))
	for k := range loops {
		loops[k] = base.quiet + base.delays[k] - with.quiet - with.delays[k]
	}
	slices.Sort(loops)
	return saving{
		mean: stat.Mean(loops, nil), measured: stat.Mean(base.noisy, nil) - stat.Mean(with.noisy, nil),
		low: quantile(0.1)(loops), high: quantile(0.9)(loops),
	}
}

// savings returns sentences on what redundancy saves loops.
func (v *validation) savings() []string {
	var lines []string
	for _, g := range v.groups {
		if x := v.saved(g.Scheme); !math.IsNaN(x.mean) {
			lines = append(lines, fmt.Sprintf("%s: saves %s of an iteration against R = 1, T = 0 on average (measured: %s); "+
				"one loop is a draw, which saves %s to %s (10%% to 90%% of loops).", schemeName(g.Scheme),
				output.Signed(x.mean), output.Signed(x.measured), output.Signed(x.low), output.Signed(x.high)))
		}
	}
	return lines
}
