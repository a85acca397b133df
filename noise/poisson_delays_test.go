package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/rng"
)

// events counts the events that strike messages, which meet mean of them on
// average: four blocks of messages in each exchange.
func events(mean float64, messages int) []float64 {
	const interval, duration = 2, 4
	d := PoissonDelays{Interval: interval, Lengths: Constant(duration)}.Delays()
	d.Draw(4*Block, rng.NewKey(1, "events"))
	counts := make([]float64, messages)
	for i := 0; i < messages; i += Block {
		arrive := counts[i:min(i+Block, messages)]
		d.Delay(i/Block/4, i/Block%4*Block, arrive, mean*interval)
		for i := range arrive {
			arrive[i] /= duration
		}
	}
	return counts
}

func TestPoissonEvents(t *testing.T) {
	const n = 1 << 21
	for _, mean := range []float64{1e-4, 3e-4, 0.0039, 0.004, 0.01, 0.06, 0.065, 1, 7.9, 15.9, 16.1,
		100} {
		t.Run(fmt.Sprint(mean), func(t *testing.T) {
			counts := events(mean, n)
			m, variance := stat.MeanVariance(counts, nil)
			if sigma := math.Sqrt(mean / n); math.Abs(m-mean) > 4.5*sigma {
				t.Errorf("mean %g, want %g ± %.1g", m, mean, sigma)
			}
			if sigma := math.Sqrt((mean + 2*mean*mean) / n); math.Abs(variance-mean) > 4.5*sigma {
				t.Errorf("variance %g, want %g ± %.1g", variance, mean, sigma)
			}
			if r := stat.Correlation(counts[1:], counts[:n-1], nil); math.Abs(r) > 4.5/math.Sqrt(n) {
				t.Errorf("correlation of neighbours %.5f, want 0 ± %.5f", r, 1/math.Sqrt(n))
			}
			if p := poissonTest(counts, mean); p < 1e-5 {
				t.Errorf("chi-square test against the Poisson distribution: p = %g", p)
			}
		})
	}
}

// poissonTest is the p-value of the chi-square test that the counts are from a
// Poisson distribution; counts are put together until 10 of a kind are expected.
func poissonTest(counts []float64, mean float64) float64 {
	histogram := make([]float64, int(slices.Max(counts))+1)
	for _, c := range counts {
		histogram[int(c)]++
	}
	n, law := float64(len(counts)), distuv.Poisson{Lambda: mean}
	var observed, expected []float64
	var o, e float64
	k := 0
	for ; k < len(histogram) && n*law.Survival(float64(k)) >= 10; k++ {
		o += histogram[k]
		e += n * law.Prob(float64(k))
		if e >= 10 {
			observed, expected = append(observed, o), append(expected, e)
			o, e = 0, 0
		}
	}
	for _, h := range histogram[k:] {
		o += h
	}
	observed, expected = append(observed, o), append(expected, e+n*law.Survival(float64(k)-1))
	return distuv.ChiSquared{K: float64(len(observed) - 1)}.Survival(stat.ChiSquare(observed,
		expected))
}

func TestNothingStrikesWithoutTransit(t *testing.T) {
	for i, c := range events(0, 1000*Block) {
		if c != 0 {
			t.Fatalf("message %d of no transit time met %g events", i, c)
		}
	}
}

func TestPoissonBlocksInAnyOrder(t *testing.T) {
	const ranks, exchanges = 2*Block + 9, 3
	for _, mean := range []float64{0.003, 0.05, 1, 10} {
		d := PoissonDelays{Interval: 1, Lengths: Constant(1)}.Delays()
		draw := func(trial string, order func(int) int) []float64 {
			d.Draw(ranks, rng.NewKey(1, trial))
			all := make([]float64, exchanges*ranks)
			const blocks = (ranks + Block - 1) / Block
			for i := range exchanges * blocks {
				exchange, lo := order(i)/blocks, order(i)%blocks*Block
				part := all[exchange*ranks:][:ranks]
				d.Delay(exchange, lo, part[lo:min(lo+Block, ranks)], mean)
			}
			return all
		}
		forward := draw("a", func(i int) int { return i })
		if other := draw("b", func(i int) int { return i }); slices.Equal(forward, other) {
			t.Error("two trials are alike")
		}
		if backward := draw("a", func(i int) int { return 8 - i }); !slices.Equal(forward, backward) {
			t.Error("visiting exchanges and blocks backwards gives other delays")
		}
		if slices.Equal(forward[:Block], forward[Block:2*Block]) {
			t.Error("two blocks are alike")
		}
		if slices.Equal(forward[:ranks], forward[ranks:2*ranks]) {
			t.Error("two exchanges are alike")
		}
	}
}

// Events of lengths of their own delay messages by as much on average, few events or
// many, and on lanes.
func TestPoissonLengths(t *testing.T) {
	const n = 256 * Block
	for _, mean := range []float64{0.05, 0.5, 20} {
		d := PoissonDelays{Interval: 1, Lengths: Exponential{3}}.Delays()
		d.Draw(n, rng.NewKey(1, "lengths"))
		late := make([]float64, n)
		for lo := 0; lo < n; lo += Block {
			d.Delay(0, lo, late[lo:lo+Block], mean)
		}
		// The sum of n lengths has the variance n·2·3², as their number varies too.
		m, variance := stat.MeanVariance(late, nil)
		if sigma := math.Sqrt(18 * mean / n); math.Abs(m-3*mean) > 4.5*sigma ||
			math.Abs(variance/(18*mean)-1) > 0.1 {
			t.Errorf("%g events: mean %g, want %g ± %g; variance %g, want %g", mean, m, 3*mean, sigma,
				variance, 18*mean)
		}
		sum, events := 0.0, PoissonDelays{Interval: 1, Lengths: Exponential{3}}.Events()
		events.Draw(rng.NewKey(1, "lengths"))
		for event := range n {
			_, hold := events.Next(1, event)
			sum += hold
		}
		if math.Abs(sum/n-3) > 4.5*3/math.Sqrt(n) {
			t.Errorf("events on lanes last %g on average, want 3", sum/n)
		}
	}
}

// Of all messages of an exchange those are held that are block by block, or part by part of the
// last.
func TestDelayedOfAllRanks(t *testing.T) {
	const ranks = 3*Block + 100
	for _, mean := range []float64{1e-5, 3e-4, 1e-3, 0.01, 0.05} {
		d := PoissonDelays{Interval: 1, Lengths: Exponential{1}}.Delays().(*poissonBlocks)
		held := 0
		for exchange := range 100 {
			d.Draw(ranks, rng.NewKey(1, "all"))
			all, parts := make([]float64, ranks), make([]float64, ranks)
			d.Delayed(exchange, 0, ranks, mean, func(i int, delay float64) { all[i] += delay })
			for lo := 0; lo < ranks; lo += Block {
				d.Delayed(exchange, lo, min(Block, ranks-lo), mean,
					func(i int, delay float64) { parts[lo+i] += delay; held++ })
			}
			if !slices.Equal(all, parts) {
				t.Fatalf("mean %g: other messages are held, or for longer", mean)
			}
		}
		if want := 100 * ranks * (1 - math.Exp(-mean)); math.Abs(float64(held)-want) > 4.5*math.Sqrt(want) {
			t.Errorf("mean %g: %d messages are held, want %.0f", mean, held, want)
		}
	}
}

// Among the messages whose number of sixteen bits says that they may meet events, as many meet them
// as ought to among all.
func TestGivenShares(t *testing.T) {
	for _, mean := range []float64{0.004, 0.01, 1. / 17, 1. / 16, 0.5} {
		d := newDistribution(mean)
		candidates := float64(1<<16-int(d.candidate)) / (1 << 16)
		for k, bound := range d.bounds {
			want := distuv.Poisson{Lambda: mean}.Survival(float64(k))
			got := candidates * float64(-d.given[k]) / (1 << 64)
			if d.given[k] == 0 {
				got = candidates
			}
			if math.Abs(got-want) > 1e-12*want+1e-15 ||
				math.Abs(got-float64(-bound)/(1<<64)) > 1e-12*want+1e-15 {
				t.Errorf("mean %g: a share of %g meets more than %d events, want %g", mean, got, k, want)
			}
		}
	}
}
