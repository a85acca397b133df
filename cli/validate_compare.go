package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/internal/output"
	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
	"jitterfly/noise"
	"jitterfly/noise/measured/formats"
)

// A predictor simulates the operations of a benchmark under its noise.
type predictor struct {
	*formats.Bench
	os      noise.OS
	network noise.Network
	trials  int
	seed    uint64
}

// costs are what an operation takes besides computing [s].
type costs struct {
	message  float64 // of a message, from a node to another if the scheme has leaders
	memory   float64 // of reading what another rank of the node has written
	overhead float64 // of posting a copy
}

// model returns the operations of a scheme: the butterfly of the library, which forwards results, or
// its leaders, and ranks receive with their processors. The fitted time of a message includes
// combining.
func (p *predictor) model(s formats.Scheme, c costs, os noise.OS) montecarlo.Model {
	network := p.network
	if _, silent := os.(noise.None); silent {
		network = noise.None{}
	}
	m := rounds.Model{
		Algorithm: collectives.Algorithms[0], OS: os, Network: network,
		Problem: collectives.Problem{
			Ranks: p.Ranks, Bytes: s.Bytes,
			Latency: c.message, Bandwidth: math.Inf(1), MemoryBandwidth: math.Inf(1),
			Redundancy: collectives.Redundancy{
				Max: s.Copies, Sources: s.Sources, SendOverhead: c.overhead,
				Reception: collectives.CPU, Forward: s.Leaders == 0,
			},
		},
	}
	if s.Leaders > 0 {
		m.Algorithm, _ = collectives.Find("leaders")
		m.Problem.Leaders, m.Problem.Share = s.Leaders, s.Share
		m.Problem.Node = collectives.Node{
			Ranks: p.RanksPerNode, Latency: c.memory, Bandwidth: math.Inf(1),
		}
	}
	if s.Iterations == 0 {
		return &m
	}
	return &rounds.Application{
		Collective: m, Iterations: s.Iterations, Calls: 1,
		Compute: rounds.Compute{Mean: s.Compute},
	}
}

// noiseFree returns what an operation takes without noise [s].
func (p *predictor) noiseFree(
	ctx context.Context, s formats.Scheme, c costs,
) (float64, error) {
	times, err := p.simulate(ctx, p.model(s, c, noise.None{}), 2, s)
	if err != nil {
		return 0, err
	}
	return times[0], nil
}

// delays returns what noise adds to operations that take a time without it [s].
func (p *predictor) delays(
	ctx context.Context, s formats.Scheme, quiet float64,
) ([]float64, error) {
	c := costs{memory: p.NodeLatency, overhead: p.SendOverhead}
	least, err := p.noiseFree(ctx, s, c)
	if err != nil {
		return nil, err
	}
	if least >= quiet {
		return nil, fmt.Errorf("without noise an operation takes %.3g s, and computing, the memory of "+
			"nodes and posting copies alone %.3g s", quiet, least)
	}
	messages, err := p.noiseFree(ctx, s, costs{message: 1})
	if err != nil {
		return nil, err
	}
	messages -= s.Compute
	c.message = (quiet - least) / messages
	if p.Ranks < 2 || messages <= 0 {
		return nil, fmt.Errorf("%d ranks send no messages", p.Ranks)
	}
	trials := p.trials
	if s.Iterations > 0 {
		trials = max(1000, trials/s.Iterations)
	}
	times, err := p.simulate(ctx, p.model(s, c, p.os), trials, s)
	for i := range times {
		times[i] = max(0, times[i]-quiet)
	}
	return times, err
}

// simulate returns the times of the given number of operations, at the redundancy of the scheme.
func (p *predictor) simulate(
	ctx context.Context, m montecarlo.Model, trials int, s formats.Scheme,
) ([]float64, error) {
	shape, err := m.Shape()
	if err != nil {
		return nil, err
	}
	if most := shape.Checkpoints[len(shape.Checkpoints)-1].T; most < s.Copies {
		return nil, fmt.Errorf("%d ranks use at most T = %d, and the file has T = %d", p.Ranks, most,
			s.Copies)
	}
	series := &attribution.Series{Config: montecarlo.Config{
		Model: m, Environment: fmt.Sprintf("validate %v", workOf(s)), // schemes meet the same noise
	}}
	if err := attribution.Extend(ctx, p.seed, []*attribution.Series{series}, trials,
		runtime.GOMAXPROCS(0)); err != nil {
		return nil, err
	}
	return series.Times(s.Copies), nil
}

type group struct {
	formats.Scheme
	operations []formats.Operation // in the order of the run
}

// groups returns the operations by their schemes, in the order of the first of each.
func groups(operations []formats.Operation) []group {
	schemes := vector.Groups(len(operations), func(i int) formats.Scheme { return operations[i].Scheme })
	return vector.Each(schemes, func(of []int) group {
		in := vector.Each(of, func(i int) formats.Operation { return operations[i] })
		slices.SortStableFunc(in, func(a, b formats.Operation) int { return int(a.Number - b.Number) })
		return group{in[0].Scheme, in}
	})
}

func timesOf(operations []formats.Operation) (noisy, quiet []float64) {
	for _, op := range operations {
		if op.Noisy {
			noisy = append(noisy, op.Seconds)
		} else {
			quiet = append(quiet, op.Seconds)
		}
	}
	slices.Sort(noisy)
	slices.Sort(quiet)
	return noisy, quiet
}

// baseline returns the times of operations without noise, sorted: times of quiet operations, or the
// fastest tenth of the noisy ones.
func baseline(noisy, quiet []float64) []float64 {
	if len(quiet) > 0 {
		return quiet
	}
	return noisy[:(len(noisy)+9)/10]
}

// A verdict says whether what was measured is what was predicted.
type verdict string

const (
	agrees     verdict = "agrees"
	differs    verdict = "differs"
	unresolved verdict = "unresolved"
)

type validation struct {
	bench     *formats.Bench
	tolerance float64
	rows      []validatedRow
	groups    []compared
	notes     []string // on what was not compared
}

// A compared group has the distributions of its operations, sorted [s].
type compared struct {
	formats.Scheme
	noisy, predicted []float64
	// delays are what noise adds to simulated operations [s], of which schemes with the same work have
	// the same noise, and quiet is the median without noise [s].
	delays []float64
	quiet  float64
}

type validatedRow struct {
	formats.Scheme
	operations          int
	statistic           string
	quiet               float64 // the median of operations without noise [s]
	measured, predicted float64 // [s]
	low, high           float64 // of their ratio
	verdict             verdict
}

func (r *validatedRow) ratio() float64 { return r.measured / r.predicted }

func (v *validation) count(of verdict) (n int) {
	for _, r := range v.rows {
		if r.verdict == of {
			n++
		}
	}
	return n
}

// statistics are what is compared, of sorted times. Each needs the given number of operations, ten
// of which are beyond a quantile.
var statistics = []struct {
	name  string
	needs int
	of    func(sorted []float64) float64
}{
	{"mean", 20, func(sorted []float64) float64 { return stat.Mean(sorted, nil) }},
	{"p50", 20, quantile(0.5)},
	{"p90", 100, quantile(0.9)},
	{"p99", 1000, quantile(0.99)},
}

func quantile(p float64) func([]float64) float64 {
	return func(sorted []float64) float64 { return stat.Quantile(p, stat.Empirical, sorted, nil) }
}

func validate(ctx context.Context, p predictor, tolerance float64) (*validation, error) {
	v := &validation{bench: p.Bench, tolerance: tolerance}
	for _, g := range groups(p.Operations) {
		noisy, quiet := timesOf(g.operations)
		switch {
		case g.Sources == 0:
			continue
		case len(noisy) < statistics[0].needs:
			v.notes = append(v.notes, fmt.Sprintf("%s: %d noisy operations are too few to compare; the "+
				"least are %d.", schemeName(g.Scheme), len(noisy), statistics[0].needs))
			continue
		}
		free := baseline(noisy, quiet)
		delays, err := p.delays(ctx, g.Scheme, quantile(0.5)(free))
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			v.notes = append(v.notes, fmt.Sprintf("%s: not simulated: %v.", schemeName(g.Scheme), err))
			continue
		}
		v.compare(g, noisy, free, delays, rng.NewKey(p.seed, "bootstrap").Derive(uint64(len(v.groups))))
	}
	if len(v.rows) == 0 {
		why := "the file has no operations of the library with noise; measure some with mpi/bench"
		if len(v.notes) > 0 {
			why = v.notes[0]
		}
		return nil, errors.New(why)
	}
	return v, nil
}

func schemeName(s formats.Scheme) string {
	text := fmt.Sprintf("%g B, R = %d, T = %d%s", s.Bytes, s.Sources, s.Copies, leaders(s))
	if s.Iterations > 0 {
		text += fmt.Sprintf(", %d iterations of %.3g s", s.Iterations, s.Compute)
	}
	return text
}

// leaders returns what to add to the name of a scheme that has leaders.
func leaders(s formats.Scheme) string {
	text := fmt.Sprintf(", %d leaders a node", s.Leaders)
	switch s.Leaders {
	case 0:
		return ""
	case 1:
		text = ", 1 leader a node"
	}
	if s.Share {
		text += " that share"
	}
	return text
}

func (v *validation) compare(g group, noisy, free, delays []float64, key rng.Key) {
	stream := rng.New(key)
	predicted := resampledSum(free, delays, len(delays), stream)
	v.groups = append(v.groups, compared{g.Scheme, noisy, predicted, delays, quantile(0.5)(free)})
	ratios := make([][]float64, len(statistics))
	for range replicates {
		sample, quiet := timesOf(resample(g.operations, stream))
		if len(sample) == 0 || len(quiet) == 0 && len(noisy) < len(g.operations) {
			continue // of quiet or of noisy operations only
		}
		n := min(len(delays), 4*len(sample)) // of which little is added to the interval
		predicted := resampledSum(baseline(sample, quiet), delays, n, stream)
		for i, s := range statistics {
			ratios[i] = append(ratios[i], s.of(sample)/s.of(predicted))
		}
	}
	for i, s := range statistics {
		if len(noisy) < s.needs {
			continue
		}
		r := validatedRow{
			Scheme: g.Scheme, operations: len(noisy), statistic: s.name, quiet: quantile(0.5)(free),
			measured: s.of(noisy), predicted: s.of(predicted),
		}
		slices.Sort(ratios[i])
		r.low, r.high = quantile(0.025)(ratios[i]), quantile(0.975)(ratios[i])
		r.verdict = v.judge(r.low, r.high)
		v.rows = append(v.rows, r)
	}
}

// judge returns the verdict on an interval of a ratio.
func (v *validation) judge(low, high float64) verdict {
	most := 1 + v.tolerance
	switch {
	case low >= 1/most && high <= most:
		return agrees
	case low > most || high < 1/most:
		return differs
	}
	return unresolved
}

// replicates is the number of samples of the bootstrap.
const replicates = 200

// blocksOfBootstrap is how many blocks of consecutive operations are drawn anew: since what an
// operation takes drifts over a run, neighbours are not independent.
const blocksOfBootstrap = 50

// resample draws blocks of consecutive operations, as many as there are, with replacement.
func resample(operations []formats.Operation, stream rng.Stream) []formats.Operation {
	n := len(operations)
	blocks := max(2, min(blocksOfBootstrap, n/10))
	var sample []formats.Operation
	for range blocks {
		b := int(stream.Uniform() * float64(blocks))
		sample = append(sample, operations[b*n/blocks:(b+1)*n/blocks]...)
	}
	return sample
}

// resampledSum returns n times without noise with delays added to them in random pairs, sorted.
func resampledSum(free, delays []float64, n int, stream rng.Stream) []float64 {
	total := make([]float64, n)
	for i := range total {
		delay := delays[int(stream.Uniform()*float64(len(delays)))]
		total[i] = free[int(math.Floor(stream.Uniform()*float64(len(free))))] + delay
	}
	slices.Sort(total)
	return total
}

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
			lines = append(lines, fmt.Sprintf("%s: saves %s of an iteration against R = 1, T = 0 on average "+
				"(measured: %s); one loop is a draw, which saves %s to %s (10%% to 90%% of loops).",
				schemeName(g.Scheme),
				output.Signed(x.mean), output.Signed(x.measured), output.Signed(x.low), output.Signed(x.high)))
		}
	}
	return lines
}
