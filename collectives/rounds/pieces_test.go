package rounds_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// pieced is a collective of P ranks whose copies the processor receives, under detours of 1 µs in
// one of ten pieces of work.
func pieced(t testing.TB, name string, P, T int) rounds.Model {
	t.Helper()
	a := tests.Must(collectives.Find(name))(t)
	m := model(P)
	m.Algorithm = a
	m.Problem.Redundancy.Max, m.Problem.Redundancy.Reception = T, collectives.CPU
	m.OS = noise.Superposition{Pieces: []noise.Bernoulli{{Probability: 0.1, Lengths: noise.Constant(1e-6)}}}
	m.Network = noise.None{}
	return m
}

// completions returns those of many trials, by T.
func completions(t testing.TB, m rounds.Model, n int) [][]float64 {
	t.Helper()
	by := make([][]float64, m.Problem.Redundancy.Max+1)
	for _, trial := range models.Run(t, &m, models.Keys("pieces", n)...) {
		for T, x := range trial.Completion {
			by[T] = append(by[T], x)
		}
	}
	return by
}

// Pieces of work are preempted independently, also those that begin at the same moment, as do two
// copies that a rank is sent at T = 2. A message that is sent again is the same piece.
func TestPiecesAreIndependent(t *testing.T) {
	n := tests.Part(20000, 5000)
	for _, c := range []struct {
		name string
		P    int
	}{{"butterfly", 16}, {"butterfly", 13}, {"binomial", 16}, {"dissemination", 16}} {
		m := pieced(t, c.name, c.P, 2)
		s := models.Schedule(t, c.name, m.Problem)
		random, want := rand.New(rand.NewPCG(1, 2)), make([][]float64, 3)
		for range n {
			now, longer := make([]float64, c.P), map[[2]int]float64{}
			work := func(message, rank int) float64 {
				piece := [2]int{message, rank}
				if _, ok := longer[piece]; !ok {
					longer[piece] = 0
					if random.Float64() < 0.1 {
						longer[piece] = 1e-6
					}
				}
				return longer[piece]
			}
			for i, r := range s.Rounds {
				then := slices.Clone(now)
				for q := r.Receivers.Lo; q < r.Receivers.Hi; q++ {
					arrive := now[r.Sources[0].Peers.From(q)] + m.Problem.Wire(r.Bytes)
					switch r.Wait {
					case collectives.Combined:
						then[q] = max(now[q], arrive) + r.Combine + work(r.Exchange, q)
					case collectives.Delivered:
						then[q] = max(now[q], arrive+work(r.Exchange, q))
					case collectives.Spare:
						then[q] = min(now[q], arrive+work(r.Exchange, q))
					}
				}
				now = then
				for T, at := range s.Checkpoints {
					if at.Rounds == i+1 {
						want[T] = append(want[T], slices.Max(now))
					}
				}
			}
		}
		for T, got := range completions(t, m, n) {
			got, want := estimateOf(got), estimateOf(want[T])
			if math.Abs(got.mean-want.mean) > 4*math.Hypot(got.error, want.error) {
				t.Errorf("%s, P = %d, T = %d: %.4g ± %.1g µs, independent pieces %.4g ± %.1g", c.name, c.P,
					T, got.mean, got.error, want.mean, want.error)
			}
		}
	}
}

// A picosecond more or less in the network changes no trial by more than some: what is preempted
// does not depend on when it begins.
func TestPiecesDoNotDependOnTimes(t *testing.T) {
	for _, name := range []string{"butterfly", "binomial", "dissemination", "ring", "a2a-ring",
		"a2a-spread", "rabenseifner"} {
		for _, host := range []collectives.Host{{}, {Overhead: 2e-7}, {Gap: 5e-8}} {
			m := pieced(t, name, 16, 2)
			m.Problem.Host, m.Problem.Segments = host, 2
			if name == "ring" || strings.HasPrefix(name, "a2a") {
				m.Problem.Redundancy.Max = 0
			}
			want := completions(t, m, 50)
			m.Network = noise.Latencies{Lengths: noise.Exponential{Average: 1e-12}}
			for T, got := range completions(t, m, 50) {
				for i, x := range got {
					if d := x - want[T][i]; d < 0 || d > 2e-9 {
						t.Errorf("%s, %+v, T = %d: a trial of %g s takes %g s longer", name, host, T,
							want[T][i], d)
						break
					}
				}
			}
		}
	}
}

// All executors meet the same in a piece of work.
func TestPiecesAreRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, _, network := drawFamily(t, rapid.IntRange(1, 40).Draw(t, "P"),
			rapid.IntRange(0, 1).Draw(t, "c"), hosted(t, everyProgress...))
		if rapid.Bool().Draw(t, "forward") {
			s, p, _, network = drawRedundant(t, hosted(t, collectives.Arrival, collectives.Async))
			p.Redundancy.Forward = true
		}
		os := noise.Superposition{Pieces: []noise.Bernoulli{{
			Probability: rapid.SampledFrom([]float64{0.05, 0.3}).Draw(t, "probability"),
			Lengths:     noise.Exponential{Average: 30},
		}}}
		detours := os.Detours(make([]float64, s.Ranks))
		detours.Draw(s.Ranks, rng.NewKey(rapid.Uint64().Draw(t, "pieces"), "recorded"))
		simulator := rounds.NewSimulator(s.Ranks)
		got := trial(t, simulator, s, p, rounds.NewNoise(detours, network))
		checkRecorded(t, s, p, detours, network, got)
	})
}

// Each call of an application is of other pieces of work, and each iteration computes another.
func TestPiecesOfCallsAreIndependent(t *testing.T) {
	const iterations, calls, compute = 20000, 2, 3e-6
	m := pieced(t, "butterfly", 2, 0)
	a := rounds.Application{
		Collective: m, Compute: rounds.Compute{Mean: compute}, Iterations: iterations, Calls: calls,
	}
	random := rand.New(rand.NewPCG(1, 2))
	work := func(seconds float64) float64 {
		if random.Float64() < 0.1 {
			seconds += 1e-6
		}
		return seconds
	}
	now, took, wire, combine := [2]float64{}, []float64{}, m.Problem.Wire(8), m.Problem.Combine(8)
	for range iterations {
		before := max(now[0], now[1])
		for r := range now {
			now[r] += work(compute)
		}
		for c := range calls {
			if c > 0 {
				now[0], now[1] = now[0]+work(0), now[1]+work(0)
			}
			ready := [2]float64{max(now[0], now[1]+wire), max(now[1], now[0]+wire)}
			now[0], now[1] = ready[0]+work(combine), ready[1]+work(combine)
		}
		took = append(took, max(now[0], now[1])-before)
	}
	got, want := runOnce(t, &a, rng.NewKey(1, "calls")), estimateOf(took)
	if x := 1e6 * iterationsOf(&a, got)[0]; math.Abs(x-want.mean) > 6*want.error {
		t.Errorf("an iteration takes %.4g µs, want %.4g ± %.1g", x, want.mean, want.error)
	}
}
