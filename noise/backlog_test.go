package noise

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
)

var lengths = []Length{
	Constant(2), Exponential{2}, Pareto{2, 2.2}, Pareto{1, 4}, Lognormal{2, 0.5}, Lognormal{1, 1.5},
	Lognormal{2, 0},
	Empirical{[]Quantile{{0, 0}, {0.3, 1}, {0.5, 1}, {0.9, 3}, {1, 20}}},
}

// What is left of a detour at a random moment exceeds x with the density P(L > x)/E[L], so that
// it exceeds x with probability E[max(0, L − x)]/E[L].
func TestResiduals(t *testing.T) {
	const n = 1_000_000
	for _, length := range lengths {
		var drawn []float64
		for i := range n { // of a lattice
			_, v := math.Modf(float64(i) * math.Phi)
			drawn = append(drawn, length.residual((float64(i)+0.5)/n, v))
		}
		slices.Sort(drawn)
		for _, x := range []float64{0.1, 0.5, 1.3, 2.2, 3.9, 7, 19, 100} {
			below, _ := slices.BinarySearch(drawn, x)
			got, want := 1-float64(below)/n, length.Excess(x)/length.Mean()
			if math.Abs(got-want) > 1e-3*want+1e-5 {
				t.Errorf("%#v: a share %.6f of residuals exceeds %g, want %.6f", length, got, x, want)
			}
		}
	}
}

// The square of the excess is twice the integral of the excess of what is beyond.
func TestSquaredExcess(t *testing.T) {
	for _, length := range lengths {
		for _, h := range []float64{0, 0.5, 1.5, 2, 6, 60} {
			want := 0.0
			const step = 1e-3
			for x := 1e-3; x < 1e40; x *= 1 + step { // by the middle of each step
				want += 2 * x * step * length.Excess(h+x*(1+step/2))
			}
			want += 2 * 1e-3 * length.Excess(h+0.5e-3)
			if got := length.squaredExcess(h); math.Abs(got-want) > 1e-3*want+1e-12 {
				t.Errorf("%#v: E[max(0, L − %g)²] is %g, want %g", length, h, got, want)
			}
		}
	}
	if !math.IsInf(Pareto{1, 2}.squaredExcess(5), 1) {
		t.Error("Pareto lengths of shape 2 have a variance")
	}
}

// backlogOf returns the backlog of sources.
func backlogOf(sources ...Generator) backlog {
	var b backlog
	for _, c := range Components(1, sources...) {
		b.add(c, &part{})
	}
	return b
}

// A backlog of exponential detours is exponential, with a mean longer by 1/(1−ρ), and there is one
// with probability ρ.
func TestBacklogOfExponentialDetours(t *testing.T) {
	const n, mean, share = 1_000_000, 0.6, 0.6
	b := backlogOf(PoissonDetours{1, Exponential{mean}})
	left := make([]float64, n)
	b.draw(rng.New(rng.NewKey(1, "backlog")), n,
		func(_ *part, phase int, length float64) { left[phase] += length })
	for _, x := range []float64{0, 0.1, 1, 3, 8} {
		longer := 0.0
		for _, y := range left {
			if y > x {
				longer++
			}
		}
		want := share * math.Exp(-x*(1-share)/mean)
		if sigma := math.Sqrt(want / n); math.Abs(longer/n-want) > 4*sigma {
			t.Errorf("beyond %g: %g, want %g ± %.2g", x, longer/n, want, sigma)
		}
	}
}

// Underway is by how much the residuals of a backlog exceed a length, on average; of periodic
// detours there is one at most.
func TestUnderway(t *testing.T) {
	const n = 400_000
	sources := []Generator{PoissonDetours{10, Lognormal{1, 0.5}}, Ticks{20, Exponential{2}},
		PoissonDetours{5, Constant(2)}}
	b := backlogOf(sources...)
	for _, h := range []float64{0, 1, 1.9, 4} {
		sum, squares := 0.0, 0.0
		b.draw(rng.New(rng.NewKey(1, "underway")), n, func(_ *part, _ int, length float64) {
			excess := max(0, length-h)
			sum += excess
			squares += excess * excess
		})
		want := Superposition{Start: Random, Components: Components(0, sources...)}.Underway(1, h)
		if sigma := math.Sqrt(2*squares) / n; math.Abs(sum/n-want) > 4*sigma {
			t.Errorf("residuals exceed %g by %g, want %g ± %.2g", h, sum/n, want, sigma)
		}
		periodic := Periodic{Period: 10, Duration: 2, Start: Random}
		d, sum := periodic.Detours(make([]float64, Block)), 0.0
		for trial := range n / Block {
			d.Draw(Block, rng.NewKey(uint64(trial), "underway"))
			at := make([]float64, Block)
			d.Finish(Piece{}, 0, at, 0)
			for _, start := range at {
				sum += max(0, start-h) / n
			}
		}
		if want := periodic.Underway(1, h); math.Abs(sum-want) > 0.03*want+0.003 {
			t.Errorf("periodic detours exceed %g by %g, want %g", h, sum, want)
		}
	}
	for _, os := range []OS{None{}, Periodic{Period: 10, Duration: 2},
		Superposition{Components: Components(0, sources...)}} {
		if os.Underway(1, 0) != 0 {
			t.Errorf("%v is under way at a synchronized start", os)
		}
	}
}

// The backlog of Poisson detours needs no time before the launch where all are of the same ranks: 0 and 1
// ranks that share a source are the same.
func TestLead(t *testing.T) {
	source := PoissonDetours{10, Constant(2)}
	for shared, before := range []bool{false, false, true} {
		if at := lead([]Component{{Generator: source}, {Generator: source, Shared: shared}}); at > 0 != before {
			t.Errorf("with %d ranks that share a source, it begins %g s before", shared, at)
		}
	}
}

// starts calls note with when each of 100 ranks is out of its first detours [s], in each
// trial.
func starts(trials int, note func(start float64), sources ...Generator) {
	const ranks = 100
	d := Superposition{Start: Random, Components: Components(0, sources...)}.Detours(make([]float64, ranks))
	at := make([]float64, ranks)
	for trial := range trials {
		d.Draw(ranks, rng.NewKey(uint64(trial), fmt.Sprintf("%#v", sources)))
		clear(at)
		d.Finish(Piece{}, 0, at, 0)
		for _, start := range at {
			note(start)
		}
	}
}

// An M/G/1 queue has the sum of rate·E[L²] over 2(1−ρ) to do on average (Pollaczek and Khinchine),
// with what arrives until that is done 1/(1−ρ) times as much, and is busy with probability ρ.
// Detours of 200, 300, 500 and 700 µs each 1 ms are over after 31.25, 91.8, 500 and 2722 µs.
func TestArrivalsAreAQueue(t *testing.T) {
	us := func(x float64) Constant { return Constant(x * 1e-6) }
	for _, sources := range [][]Generator{
		{PoissonDetours{1e-3, us(200)}}, {PoissonDetours{1e-3, us(300)}}, {PoissonDetours{1e-3, us(500)}},
		{PoissonDetours{1e-3, us(700)}},
		{PoissonDetours{1e-3, Exponential{0.4e-3}}}, {PoissonDetours{1e-3, Lognormal{0.2e-3, 0.5}}},
		{PoissonDetours{10, lengths[len(lengths)-1]}},
		{PoissonDetours{1e-3, us(100)}, PoissonDetours{1e-2, us(3000)}, PoissonDetours{1e-4, Exponential{10e-6}}},
	} {
		var all []float64
		share, inside := expected(Components(1, sources...)), 0.0
		idle := 1 - share
		starts(int(tests.Part(5000, 2000.)*(idle*idle*idle)), func(start float64) {
			if all = append(all, start); start > 0 {
				inside++
			}
		}, sources...)
		squares, n := 0.0, float64(len(all))
		for _, s := range sources {
			squares += s.Rate() * s.Length().squaredExcess(0)
		}
		mean, deviation := stat.MeanStdDev(all, nil)
		want, sigma := squares/(2*idle*idle), deviation/math.Sqrt(n)
		if math.Abs(mean-want) > 4*sigma {
			t.Errorf("%v: %g s, want %g ± %.2g", sources, mean, want, sigma)
		}
		if sigma := math.Sqrt(share * idle / n); math.Abs(inside/n-share) > 4*sigma {
			t.Errorf("%v: inside with probability %g, want %g ± %.2g", sources, inside/n, share, sigma)
		}
	}
}

// Few of many Pareto lengths are long, and they are what a random start meets: it is beyond x with
// probability ρ/(1−ρ) · P(residual > x). So of 120,000 trials of 1024 ranks 125, 55 and 24 would
// start after 2, 4 and 8 ms.
func TestTailOfParetoDetours(t *testing.T) {
	tests.OnlyWhole(t, "TestResiduals has other lengths")
	const trials = 400_000
	length := Pareto{3e-6, 2.2}
	times := []float64{0.1e-3, 0.5e-3, 2e-3, 4e-3, 8e-3}
	for _, source := range []Generator{PoissonDetours{1e-3, length}, Ticks{1e-3, length}} {
		beyond := make([]float64, len(times))
		starts(trials, func(start float64) {
			for i := 0; i < len(times) && start > times[i]; i++ {
				beyond[i]++
			}
		}, source)
		for i, x := range times {
			share := load(source) / (1 - load(source)) * length.Excess(x) / length.Mean()
			want := trials * 100 * share
			if math.Abs(beyond[i]-want) > 3*math.Sqrt(want) {
				t.Errorf("%T: %g starts are beyond %g s, want %.0f", source, beyond[i], x, want)
			}
		}
	}
}

// Sources beside each other have what they have left after hundreds of periods, by another program:
// a queue that begins empty.
func TestBacklogOfSeveralSources(t *testing.T) {
	for _, c := range []struct {
		arrivals float64 // length [s], one a second
		periods  []float64
		ticks    []float64 // lengths [s]
	}{
		{0.1, []float64{1}, []float64{0.2}},
		{0.3, []float64{1, 0.7}, []float64{0.2, 0.1}},
		{0, []float64{1, 0.8}, []float64{0.34, 0.32}},
	} {
		var sources []Generator
		if c.arrivals > 0 {
			sources = append(sources, PoissonDetours{1, Constant(c.arrivals)})
		}
		for i, period := range c.periods {
			sources = append(sources, Ticks{period, Constant(c.ticks[i])})
		}
		const launch, end = 400.0, 450.0
		trials := tests.Part(8000, 2000)
		random, want := rand.New(rand.NewPCG(1, 2)), make([]float64, trials)
		for trial := range want {
			var all [][2]float64 // beginnings and lengths
			for at := random.ExpFloat64(); c.arrivals > 0 && at < end; at += random.ExpFloat64() {
				all = append(all, [2]float64{at, c.arrivals})
			}
			for i, period := range c.periods {
				for at := period * random.Float64(); at < end; at += period {
					all = append(all, [2]float64{at, c.ticks[i]})
				}
			}
			slices.SortFunc(all, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
			done := 0.0
			for _, x := range all {
				if x[0] > max(launch, done) {
					break
				}
				done = max(done, x[0]) + x[1]
			}
			want[trial] = max(0, done-launch)
		}
		var all []float64
		starts(tests.Part(4000, 1000), func(start float64) { all = append(all, start) }, sources...)
		mean, deviation := stat.MeanStdDev(want, nil)
		got, ours := stat.MeanStdDev(all, nil)
		sigma := math.Hypot(deviation/math.Sqrt(float64(trials)), ours/math.Sqrt(float64(len(all))))
		t.Logf("%v: %.5f s, want %.5f ± %.5f", sources, got, mean, sigma)
		if math.Abs(got-mean) > 4*sigma {
			t.Errorf("%v: %.5f s, want %.5f ± %.5f", sources, got, mean, sigma)
		}
	}
}
