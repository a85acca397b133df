package noise

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
)

func TestLengths(t *testing.T) {
	measured := Empirical{[]Quantile{{0, 1}, {0.5, 2}, {0.9, 2}, {1, 12}}}
	for _, c := range []struct {
		name string
		l    Length
		p, x float64
	}{
		{"constant", Constant(3), 0.3, 3},
		{"exponential", Exponential{2}, 1 - math.Exp(-1), 2},
		{"Pareto", Pareto{2, 3}, 1 - 1./8, 4},
		{"lognormal", Lognormal{5, 0.7}, 0.5, 5},
		{"lognormal, a sigma up", Lognormal{5, 0.7}, 0.8413447460685429, 5 * math.Exp(0.7)},
		{"measured", measured, 0.25, 1.5},
		{"measured, flat", measured, 0.7, 2},
		{"measured, tail", measured, 0.95, 7},
		{"measured, least", measured, 0, 1},
	} {
		if err := c.l.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := c.l.Quantile(c.p); math.Abs(got/c.x-1) > 1e-9 {
			t.Errorf("%s: quantile %g is %g, want %g", c.name, c.p, got, c.x)
		}
		// The mean is that of the quantiles.
		const n = 1 << 20
		sum := 0.0
		for i := range n {
			sum += c.l.Quantile((float64(i) + 0.5) / n)
		}
		if got, want := c.l.Mean(), sum/n; math.Abs(got/want-1) > 0.001 {
			t.Errorf("%s: mean %g, want %g", c.name, got, want)
		}
	}
	for _, l := range []Length{
		Constant(0), Constant(math.Inf(1)), Constant(math.NaN()), Exponential{-1}, Pareto{1, 1},
		Pareto{0, 2}, Lognormal{0, 1}, Lognormal{1, -1}, Lognormal{1, math.NaN()},
		Empirical{}, Empirical{[]Quantile{{0, 1}}}, Empirical{[]Quantile{{0, 1}, {0.5, 2}}},
		Empirical{[]Quantile{{0, 2}, {1, 1}}}, Empirical{[]Quantile{{0, 0}, {1, 0}}},
		Empirical{[]Quantile{{0, 1}, {0.5, 2}, {0.5, 3}, {1, 4}}}, Empirical{[]Quantile{{0, -1}, {1, 1}}},
		Empirical{[]Quantile{{0, 1}, {0.5, math.NaN()}, {1, 4}}},
	} {
		if l.Check() == nil {
			t.Errorf("%#v passes", l)
		}
	}
}

// What is looked up is the quantile function.
func TestTable(t *testing.T) {
	for _, l := range []Length{
		Exponential{2}, Constant(3),
		Empirical{[]Quantile{{0, 0}, {0.5, 1e-6}, {0.75, 1e-6}, {0.9, 3e-6}, {0.999, 1e-4}, {1, 1}}},
		Empirical{[]Quantile{{0, 5}, {1, 7}}},
	} {
		table := tabulate(l)
		for i := range 10_000 {
			p := float64(i) / 10_000
			if got, want := table.quantile(p), l.Quantile(p); math.Abs(got-want) > 1e-12*l.Quantile(0.9999) {
				t.Fatalf("%v: quantile %g is %g, want %g", l, p, got, want)
			}
		}
	}
}

// Messages are late as often and by as much as measured, in rounds and on lanes.
func TestLatencies(t *testing.T) {
	const n = 20 * Block
	d := Latencies{Exponential{3}}.Delays()
	key := rng.NewKey(1, "latencies")
	d.Draw(n, key)
	want := make([]float64, n)
	for i := range want {
		want[i] = 10 + Exponential{3}.Quantile((float64(i)+0.5)/n)
	}
	one, other, lanes := slices.Repeat([]float64{10}, n), slices.Repeat([]float64{10},
		n), slices.Repeat([]float64{10}, n)
	for lo := 0; lo < n; lo += Block {
		d.Delay(0, lo, one[lo:lo+Block], 5)
		d.Delay(1, lo, other[lo:lo+Block], 5)
	}
	events := Latencies{Exponential{3}}.Events()
	events.Draw(key)
	for i := range lanes {
		lanes[i] += events.Extra(i%7, i/7)
	}
	if stat.Correlation(one, other, nil) > 4/math.Sqrt(n) || slices.Equal(one, lanes) {
		t.Error("two exchanges are alike")
	}
	again := slices.Repeat([]float64{10}, Block)
	d.Delay(1, Block, again, 5)
	if !slices.Equal(again, other[Block:2*Block]) {
		t.Error("asked again, a message takes another time")
	}
	for name, got := range map[string][]float64{"rounds": one, "lanes": lanes} {
		slices.Sort(got)
		if distance := stat.KolmogorovSmirnov(got, nil, want, nil); distance > 2.5/math.Sqrt(n) {
			t.Errorf("%s: Kolmogorov-Smirnov distance %g", name, distance)
		}
	}
	if transit, _ := events.Next(0, 0); !math.IsInf(transit, 1) {
		t.Error("an event is to come")
	}
}

// Excess is the integral of the share that exceeds a length, from it on, and the quantile of all the length
// that none exceeds.
func TestExcess(t *testing.T) {
	for _, l := range []Distribution{
		Constant(3), Exponential{2}, Pareto{1, 3}, Lognormal{2, 0.5}, Lognormal{2, 0},
		Empirical{[]Quantile{{0, 1}, {0.5, 2}, {0.9, 2}, {1, 7}}}, replayedLengths{1, 2, 2, 5},
	} {
		for _, h := range []float64{0, 0.5, 1, 1.5, 2, 2.5, 4, 6, 9} {
			const n = 400_000
			want := 0.0
			for i := range n {
				want += max(0, l.Quantile((float64(i)+0.5)/n)-h) / n
			}
			if got := l.Excess(h); math.Abs(got-want) > 1e-3*l.Mean() {
				t.Errorf("%+v beyond %g: %g, want %g", l, h, got, want)
			}
		}
		if most := l.Quantile(1); !math.IsInf(most, 1) && most-l.Quantile(1-1e-12) > 1e-9 {
			t.Errorf("%+v: at most %g, and quantiles do not reach that", l, most)
		}
	}
}

// Every message has the quantile of its own word.
func TestLatencyOfEachMessage(t *testing.T) {
	lengths := Empirical{[]Quantile{{0, 1}, {0.5, 2}, {0.801, 2}, {0.802, 3}, {0.803, 9}, {1, 12}}}
	d, key := Latencies{lengths}.Delays(), rng.NewKey(1, "each")
	got := make([]float64, 1000)
	for _, ask := range []struct{ trial, exchange, messages int }{
		{1, 7, 10}, {1, 7, 1000}, {1, 7, 1000}, {1, 8, 1000}, {2, 7, 500}, {1, 7, 1000}, {1, 1 << 20, 1000},
	} {
		trial, got := key.Derive(uint64(ask.trial)), got[:ask.messages]
		d.Draw(4*Block, trial)
		clear(got)
		d.Delay(ask.exchange, 3*Block, got, 0)
		words := trial.Derive(networkChild).Derive(uint64(ask.exchange)).Derive(3).Counter()
		for i, x := range got {
			if want := lengths.Quantile(rng.Unit(words.Word(i))); math.Abs(x-want) > 1e-12*want {
				t.Fatalf("%+v: message %d takes %g s longer, want %g s", ask, i, x, want)
			}
		}
	}
}
