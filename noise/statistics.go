package noise

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/vector"
)

// A LengthSummary has statistics of the lengths of detours, in seconds; zeros without detours.
type LengthSummary struct {
	Min, Median, Mean, P99, P999, Max float64
}

// Summarize returns the statistics of ascending lengths, as [Trace.Lengths] returns
// them. Quantiles are interpolated as NumPy does by default.
func Summarize(lengths []float64) LengthSummary {
	n := len(lengths)
	if n == 0 {
		return LengthSummary{}
	}
	return LengthSummary{
		Min: lengths[0], Median: vector.Quantile(lengths, 0.5), Mean: stat.Mean(lengths, nil),
		P99: vector.Quantile(lengths, 0.99), P999: vector.Quantile(lengths, 0.999), Max: lengths[n-1],
	}
}

// Blocks is the number of parts into which [Trace.Spread] divides a measurement.
const Blocks = 10

// Spread returns half the width of Student's interval of the overhead at a confidence between 0 and
// 1: another measurement as long as this one has an overhead within about √2 of that, if the
// machine does the same. The overheads of [Blocks] equal parts of the time, over all cores, count
// as independent values; noise rarer than a block makes the interval too small. It is infinite
// without a core.
func (t Trace) Spread(confidence float64) float64 {
	if len(t.Cores) == 0 {
		return math.Inf(1)
	}
	var busy, spans [Blocks]float64
	for _, c := range t.Cores {
		for i, b := range c.blocks() {
			busy[i] += b
			spans[i] += c.Span / Blocks
		}
	}
	for i := range busy {
		busy[i] /= spans[i]
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: Blocks - 1}
	return student.Quantile((1+confidence)/2) * stat.StdDev(busy[:], nil) / math.Sqrt(Blocks)
}

// blocks returns the time that detours take in each part of the span.
func (c Core) blocks() [Blocks]float64 {
	var busy [Blocks]float64
	width := c.Span / Blocks
	for _, d := range c.Detours {
		for i := min(int(d.Start/width), Blocks-1); i < Blocks; i++ {
			from, to := float64(i)*width, float64(i+1)*width
			if i == Blocks-1 {
				to = c.Span
			}
			if from >= d.End() {
				break
			}
			busy[i] += max(0, min(d.End(), to)-max(d.Start, from))
		}
	}
	return busy
}

// Of returns the part of the trace that belongs to one core, all its runs.
func (t Trace) Of(id int) Trace {
	t.Cores = slices.DeleteFunc(slices.Clone(t.Cores), func(c Core) bool { return c.ID != id })
	return t
}
