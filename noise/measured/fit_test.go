package measured

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

const us = 1e-6

func periodicOf(period float64, d noise.Length) profile.Component {
	return profile.Component{Kind: profile.Periodic, Period: period, Duration: d}
}

func poissonOf(rate float64, d noise.Length) profile.Component {
	return profile.Component{Kind: profile.Poisson, Interval: 1 / rate, Duration: d}
}

// anything stands for a distribution of which only the mean is known.
type anything struct{ noise.Constant }

// What a trace was made of is found again: periods within 1e-4 and mean lengths within
// 2% or three standard errors, rates within three standard errors and what was lost
// by merging, and families of lengths. The verdict is good.
func TestTraceRecovers(t *testing.T) {
	exp4 := noise.Exponential{Average: 4 * us}
	for _, c := range []struct {
		name string
		madeMachine
		want []profile.Component
	}{
		{"a tick", madeMachine{1, 10, 0, []source{madeTicks(4e-3, noise.Constant(3.2*us), 0)}},
			[]profile.Component{periodicOf(4e-3, noise.Constant(3.2*us))}},
		{"a tick at another phase on each core",
			madeMachine{4, 10, 0,
				[]source{madeTicks(4e-3, noise.Lognormal{Median: 3.2 * us, Sigma: 0.2}, 1*us)}},
			[]profile.Component{periodicOf(4e-3, noise.Lognormal{Median: 3.2 * us, Sigma: 0.2})}},
		{"250 Hz and long detours at 1 Hz",
			madeMachine{2, 30, 0, []source{madeTicks(4e-3, noise.Constant(3.2*us), 0.3*us),
				madeTicks(1, noise.Constant(223*us), 0.3*us), arrivals(31, exp4)}},
			[]profile.Component{periodicOf(4e-3, noise.Constant(3.2*us)),
				periodicOf(1, noise.Constant(223*us)), poissonOf(31, exp4)}},
		{"every 250th tick long",
			madeMachine{2, 30, 0,
				[]source{sometimesLong(madeTicks(4e-3, noise.Constant(3.2*us), 0.3*us), 250, 220*us),
					arrivals(31, exp4)}},
			// One component: the long ticks are its own.
			[]profile.Component{
				periodicOf(4e-3, anything{noise.Constant((3.2 + 220./250) * us)}), poissonOf(31, exp4)}},
		{"two ticks of one period",
			madeMachine{1, 10, 0,
				[]source{madeTicks(1e-3, noise.Constant(3.1*us), 0),
					madeTicks(1e-3, noise.Constant(3.1*us), 0)}},
			[]profile.Component{periodicOf(1e-3, noise.Constant(3.1*us)),
				periodicOf(1e-3, noise.Constant(3.1*us))}},
		{"as many arrivals as ticks",
			madeMachine{2, 10, 0,
				[]source{madeTicks(1e-3, noise.Constant(4.3*us), 0.3*us),
					arrivals(1000, noise.Lognormal{Median: 12 * us, Sigma: 0.4})}},
			[]profile.Component{periodicOf(1e-3, noise.Constant(4.3*us)),
				// 1.2% of the arrivals are merged with another, which no lognormal tail has.
				poissonOf(1000, anything{noise.Constant(12 * 1.0833 * us)})}},
		{"a tick that waits for others",
			madeMachine{2, 20, 0,
				[]source{madeTicks(4e-3, noise.Constant(3.2*us), 20*us), arrivals(100, exp4)}},
			[]profile.Component{periodicOf(4e-3, noise.Constant(3.2*us)), poissonOf(100, exp4)}},
		{"ticks of exponential length",
			madeMachine{2, 20, 0, []source{madeTicks(4e-3, noise.Exponential{Average: 20 * us}, 0)}},
			[]profile.Component{periodicOf(4e-3, noise.Exponential{Average: 20 * us})}},
		{"a long period",
			madeMachine{1, 60, 0,
				[]source{madeTicks(5, noise.Constant(500*us), 5*us), arrivals(100, exp4)}},
			[]profile.Component{periodicOf(5, noise.Constant(500*us)), poissonOf(100, exp4)}},
		{"exponential lengths", madeMachine{2, 30, 0, []source{arrivals(300, exp4)}},
			[]profile.Component{poissonOf(300, exp4)}},
		{"lognormal lengths",
			madeMachine{3, 20, 0, []source{arrivals(300, noise.Lognormal{Median: 5 * us, Sigma: 0.5})}},
			[]profile.Component{poissonOf(300, noise.Lognormal{Median: 5 * us, Sigma: 0.5})}},
		{"a heavy tail",
			madeMachine{2, 30, 0, []source{arrivals(300, noise.Pareto{Least: 2 * us, Shape: 2.5})}},
			[]profile.Component{poissonOf(300, noise.Pareto{Least: 2 * us, Shape: 2.5})}},
		{"two constant lengths",
			madeMachine{1, 30, 0,
				[]source{arrivals(350, noise.Constant(5.4*us)),
					arrivals(230, noise.Constant(15.9*us))}},
			[]profile.Component{poissonOf(580, anything{noise.Constant((350*5.4 + 230*15.9) / 580 * us)})}},
		{"a timer with steps",
			madeMachine{2, 20, 40e-9,
				[]source{madeTicks(1e-3, noise.Exponential{Average: 3.1 * us}, 0.3*us),
					arrivals(100, exp4)}},
			[]profile.Component{periodicOf(1e-3, noise.Exponential{Average: 3.1 * us}),
				poissonOf(100, exp4)}},
		{"noise for an eighth of the time",
			madeMachine{2, 20, 0,
				[]source{madeTicks(1e-2, noise.Constant(1000*us), 0),
					arrivals(250, noise.Exponential{Average: 100 * us})}},
			[]profile.Component{periodicOf(1e-2, noise.Constant(1000*us)),
				poissonOf(250, noise.Exponential{Average: 100 * us})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range tests.Part(uint64(2), 1) {
				tr := c.trace(t, seed)
				p := FitTrace(tr, "test")
				if p.Check() != nil || p.Fit.Verdict != profile.Good || len(p.OS) != len(c.want) {
					t.Fatalf("seed %d: %s, %s\n%s", seed, p.Fit.Verdict, p.Fit.Reason, show(p))
				}
				for i, want := range c.want {
					compare(t, p.OS[i], want, float64(c.cores)*c.span, tr.Overhead())
				}
				if math.Abs(p.Overhead()/tr.Overhead()-1) > 0.05 {
					t.Errorf("overhead %.5g, in the trace %.5g", p.Overhead(), tr.Overhead())
				}
			}
		})
	}
}

func compare(t *testing.T, got, want profile.Component, span, busy float64) {
	t.Helper()
	n := want.Rate() * span
	deviations := (got.Rate()/want.Rate() - 1) * math.Sqrt(n)
	length := got.Duration.Mean()/want.Duration.Mean() - 1
	t.Logf("%s: rate %+.1e or %+.2f deviations, length %+.2g%%", got.Kind,
		got.Rate()/want.Rate()-1, deviations, 100*length)
	if got.Kind != want.Kind {
		t.Fatalf("a component is %s, want %s", got.Kind, want.Kind)
	}
	if want.Kind == profile.Periodic && math.Abs(got.Period/want.Period-1) > 1e-4 {
		t.Errorf("period %.8g, want %.8g", got.Period, want.Period)
	}
	// A share busy of arrivals is merged with other noise.
	if merged := busy * math.Sqrt(n); want.Kind == profile.Poisson &&
		(deviations > 3 || deviations < -3-merged) {
		t.Errorf("rate %.5g/s, want %.5g", got.Rate(), want.Rate())
	}
	may := 0.02 + 3*relativeDeviation(want.Duration)/math.Sqrt(n)
	if want.Kind == profile.Poisson {
		may += busy // merged with others they are longer
	}
	if _, ok := want.Duration.(anything); !ok &&
		fmt.Sprintf("%T", got.Duration) != fmt.Sprintf("%T", want.Duration) {
		t.Errorf("lengths are %T %v, want %T", got.Duration, got.Duration, want.Duration)
	}
	if math.Abs(length) > may {
		t.Errorf("length %.5g, want %.5g", got.Duration.Mean(), want.Duration.Mean())
	}
}

// relativeDeviation is the standard deviation of a length over its mean.
func relativeDeviation(d noise.Length) float64 {
	switch d := d.(type) {
	case noise.Exponential, anything:
		return 1
	case noise.Lognormal:
		return math.Sqrt(math.Expm1(d.Sigma * d.Sigma))
	case noise.Pareto:
		return 1 / math.Sqrt(d.Shape*(d.Shape-2))
	}
	return 0
}

// sometimesLong makes every n-th detour longer.
func sometimesLong(f source, n int, by float64) source {
	return func(s rng.Stream, span float64) []noise.Detour {
		d := f(s, span)
		for i := 0; i < len(d); i += n {
			d[i].Length += by
		}
		return d
	}
}

func show(p profile.Profile) string {
	var b strings.Builder
	for _, c := range p.OS {
		fmt.Fprintf(&b, "%s %.6g s: %T mean %.4g s\n", c.Kind, 1/c.Rate(), c.Duration,
			c.Duration.Mean())
	}
	return b.String()
}

// Arrivals without memory have no period, and pass as such: of 60 traces none has a
// false component, and at most 2 are called bursty.
func TestTraceFindsNoFalsePeriods(t *testing.T) {
	bursty := 0
	for seed := range tests.Part(uint64(60), 20) {
		rate := []float64{2, 50, 400, 3000}[seed%4]
		m := madeMachine{1 + int(seed)%3, min(10, 1500/rate), 0,
			[]source{arrivals(rate, noise.Exponential{Average: 5 * us})}}
		p := FitTrace(m.trace(t, seed), "test")
		if len(p.OS) != 1 || p.OS[0].Kind != profile.Poisson {
			t.Errorf("seed %d, %g/s: false components\n%s", seed, rate, show(p))
		}
		if p.Fit.Verdict != profile.Good {
			t.Logf("seed %d, %g/s: %s", seed, rate, p.Fit.Reason)
			bursty++
		}
	}
	if bursty > 2 {
		t.Errorf("%d of 60 Poisson traces are to be replayed", bursty)
	}
}

// What is neither periodic nor without memory is to be replayed.
func TestTraceSaysReplay(t *testing.T) {
	for _, c := range []struct {
		name string
		madeMachine
		want string
	}{
		{"bursts", madeMachine{1, 30, 0, []source{bursts(2, 50, 1e-3, noise.Constant(5*us))}},
			"distribution of gaps"},
		{"bursts among ticks",
			madeMachine{1, 30, 0,
				[]source{madeTicks(4e-3, noise.Constant(3.2*us), 0),
					bursts(2, 50, 1e-3, noise.Constant(50*us))}}, "distribution of gaps"},
		{"a rate that changes slowly", madeMachine{1, 60, 0, []source{changing(150, 250, 3)}},
			"counts in windows"},
		{"ticks of which many are missing",
			madeMachine{2, 10, 0,
				[]source{missing(0.3, madeTicks(4e-3, noise.Constant(3.2*us), 0))}}, "distribution of gaps"},
		{"ticks on some cores",
			madeMachine{4, 10, 0,
				[]source{onFirst(3, madeTicks(4e-3, noise.Constant(3.2*us), 0)),
					arrivals(50, noise.Constant(3*us))}}, "overhead"},
	} {
		p := FitTrace(c.trace(t, 1), "test")
		if p.Fit.Verdict != profile.ReplayIt || !strings.Contains(p.Fit.Reason, c.want) {
			t.Errorf("%s: %s, %q, want %q\n%s", c.name, p.Fit.Verdict, p.Fit.Reason, c.want,
				show(p))
		}
	}
}

// Cores that are busy at different times with what would leave none of them time give
// a profile that is to be replayed.
func TestTraceOfBusyCores(t *testing.T) {
	core := 0
	busy := madeMachine{2, 10, 0, []source{func(s rng.Stream, span float64) []noise.Detour {
		core++
		if core == 1 {
			return madeTicks(10e-3, noise.Constant(6e-3), 0)(s, span)
		}
		return madeTicks(7e-3, noise.Constant(4e-3), 0)(s, span)
	}}}
	p := FitTrace(busy.trace(t, 1), "busy")
	if p.Fit.Verdict != profile.ReplayIt || !strings.Contains(p.Fit.Reason, "on all of them") ||
		len(p.OS) != 1 {
		t.Errorf("%s: %q\n%s", p.Fit.Verdict, p.Fit.Reason, show(p))
	}
}

// changing arrivals alternate between the rates a and b, each for every seconds.
func changing(a, b, every float64) source {
	return func(s rng.Stream, span float64) []noise.Detour {
		var d []noise.Detour
		for from := 0.0; from < span; from += every {
			for _, x := range arrivals(a, noise.Exponential{Average: 5 * us})(s, every) {
				d = append(d, noise.Detour{Start: from + x.Start, Length: x.Length})
			}
			a, b = b, a
		}
		return d
	}
}

func missing(share float64, f source) source {
	return func(s rng.Stream, span float64) []noise.Detour {
		return slices.DeleteFunc(f(s, span), func(noise.Detour) bool { return s.Uniform() < share })
	}
}

// onFirst is on the first n cores that ask.
func onFirst(n int, f source) source {
	return func(s rng.Stream, span float64) []noise.Detour {
		n--
		if n < 0 {
			return nil
		}
		return f(s, span)
	}
}

func TestTraceOfFewDetours(t *testing.T) {
	c, _, err := noise.NewCore(0, 10, []noise.Detour{{Start: 1, Length: 1 * us},
		{Start: 2, Length: 2 * us}, {Start: 3, Length: 3 * us}})
	tests.NoError(t, err)
	p := FitTrace(noise.Trace{Cores: []noise.Core{c}}, "few")
	if p.Fit.Verdict != profile.ReplayIt || !strings.HasPrefix(p.Fit.Reason,
		"3 detours are too few") {
		t.Errorf("%s, %s", p.Fit.Verdict, p.Fit.Reason)
	}
	if len(p.OS) != 1 || math.Abs(p.Rate()-0.3) > 1e-12 || math.Abs(p.Overhead()-0.6*us) > 1e-18 {
		t.Errorf("rate %g, overhead %g", p.Rate(), p.Overhead())
	}
}

func TestTraceOfSilence(t *testing.T) {
	p := FitTrace(noise.Trace{Cores: []noise.Core{{Span: 20},
		{Span: 40, Detours: []noise.Detour{{Start: 1}}}}, Resolution: 1e-7}, "silent")
	if len(p.OS) != 0 || p.Overhead() != 0 || p.Fit.Verdict != profile.Good {
		t.Errorf("%+v", p)
	}
	want := []string{"Detours shorter than 100 ns were not seen.",
		"No detour was seen in 60 s: there are fewer than 0.05/s, with 95% confidence."}
	if diff := tests.Diff(want, p.Caveats); diff != "" {
		t.Error(diff)
	}
}

// The trace is not changed, and gives the same profile again.
func TestTraceIsAFunction(t *testing.T) {
	m := madeMachine{2, 10, 0,
		[]source{madeTicks(4e-3, noise.Constant(3.2*us), 0),
			arrivals(100, noise.Exponential{Average: 5 * us})}}
	tr := m.trace(t, 1)
	first := FitTrace(tr, "test")
	if diff := tests.Diff(m.trace(t, 1), tr); diff != "" {
		t.Error(diff)
	}
	again := FitTrace(tr, "test")
	if diff := tests.Diff(first, again); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkTrace(b *testing.B) {
	m := madeMachine{1, 500, 0,
		[]source{madeTicks(1e-3, noise.Constant(4.3*us), 0.3*us),
			madeTicks(0.1, noise.Constant(30*us), 0.3*us),
			arrivals(1000, noise.Lognormal{Median: 5 * us, Sigma: 0.5})}}
	tr := m.trace(b, 1)
	for b.Loop() {
		FitTrace(tr, "test")
	}
	b.ReportMetric(float64(len(tr.Cores[0].Detours)), "detours")
}

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
