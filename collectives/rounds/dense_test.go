package rounds_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// Times in this file are small whole numbers, so that == is right.

// A detour is [begin, end).
type detour struct{ begin, end float64 }

// preempt is the preemption rule, step by step, for detours in their order.
func preempt(detours []detour, start, work float64) float64 {
	for _, d := range detours {
		if d.begin <= start && start < d.end {
			start = d.end
		}
	}
	end := start + work
	for _, d := range detours {
		if start <= d.begin && d.begin < end {
			end += d.end - d.begin
		}
	}
	return end
}

// preempted are the detours of each rank.
type preempted [][]detour

func (preempted) Draw(int, ...rng.Key) {}

func (p preempted) Finish(lo int, t []float64, work float64) {
	for i := range t {
		t[i] = preempt(p[lo+i], t[i], work)
	}
}

// Preempted implements [noise.SparseDetours].
func (p preempted) Preempted(upto float64, ranks []int) []int {
	for r, detours := range p {
		if len(detours) > 0 && detours[0].begin <= upto {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// delayed has the delay of the message of an exchange to a rank: [exchange][rank].
type delayed [][]float64

func (delayed) Draw(int, ...rng.Key) {}

func (d delayed) Delay(exchange, lo int, arrive []float64, _ noise.Message) {
	for i := range arrive {
		arrive[i] += d[exchange][lo+i]
	}
}

// Delayed implements [noise.SparseDelays].
func (d delayed) Delayed(exchange, lo, n int, _ noise.Message, note func(int, float64)) {
	for i, delay := range d[exchange][lo : lo+n] {
		if delay > 0 {
			note(i, delay)
		}
	}
}

// Rare implements [noise.SparseDelays], differently for transits of any two lengths.
func (d delayed) Rare(m noise.Message) bool { return math.Float64bits(m.Transit)%3 != 0 }

// A scene is a butterfly and the noise of one trial.
type scene struct {
	problem collectives.Problem
	detours preempted
	delays  delayed
}

func drawScene(t *rapid.T, overheads ...int) scene {
	K := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 6}).Draw(t, "K")
	s := newScene(K,
		rapid.IntRange(1, max(1, min(4, 1<<K/2))).Draw(t, "R"),
		float64(rapid.SampledFrom(overheads).Draw(t, "o")),
		rapid.SampledFrom(receptions).Draw(t, "reception"),
		rapid.Uint64().Draw(t, "noise"))
	s.problem.Busy = rapid.Bool().Draw(t, "busy")
	return s
}

var receptions = []collectives.Reception{collectives.Offload, collectives.CPU, collectives.NIC}

func newScene(
	K, sources int, overhead float64, reception collectives.Reception, seed uint64,
) scene {
	random := rand.New(rand.NewPCG(seed, 0))
	whole := func(from, to int) float64 { return float64(from + random.IntN(to-from+1)) }
	s := scene{
		problem: collectives.Problem{
			Ranks: 1 << K, Bytes: 2, Latency: whole(0, 5), Bandwidth: 2, MemoryBandwidth: 2 / whole(1, 3),
			Redundancy: collectives.Redundancy{
				Max: collectives.AllExchanges, Sources: sources, SendOverhead: overhead, Reception: reception,
			},
		},
		detours: make(preempted, 1<<K),
		delays:  make(delayed, (sources+1)*K),
	}
	for r := range s.detours {
		begin := whole(-6, 20)
		for range random.IntN(6) {
			d := detour{begin, begin + whole(1, 12)}
			s.detours[r] = append(s.detours[r], d)
			begin = d.end + whole(1, 30)
		}
	}
	for i := range s.delays {
		s.delays[i] = make([]float64, 1<<K)
		for r := range s.delays[i] {
			if random.IntN(4) == 0 {
				s.delays[i][r] = whole(1, 20)
			}
		}
	}
	return s
}

// simulate simulates the butterfly once. Given a simulator, it uses that.
func simulate(
	t rapid.TB, p collectives.Problem, os noise.Detours, network noise.Delays,
	simulator ...*rounds.Simulator,
) rounds.Trial {
	t.Helper()
	s, err := collectives.Butterfly(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(simulator) == 0 {
		simulator = append(simulator, rounds.NewSimulator(p.Ranks))
	}
	return simulateAll(t, simulator[0], s, p, os, network)
}

// simulateAll simulates a trial round by round, in tiles of several sizes, with delays that are
// listed and that are not, and by the reference. It checks that all give the same to the last bit.
func simulateAll(
	t rapid.TB, simulator *rounds.Simulator, s collectives.Schedule, p collectives.Problem,
	os noise.Detours, network noise.Delays,
) rounds.Trial {
	t.Helper()
	notListed := rounds.NewNoise(struct{ noise.Detours }{os}, struct{ noise.Delays }{network})
	want := trial(t, simulator, roundByRound(s), p, notListed)
	for _, tile := range []int{1, 2, 4, 32} {
		simulator.SetTile(tile * rounds.Block)
		delayed := rounds.NewNoise(struct{ noise.Detours }{os}, network)
		for _, noise := range []*rounds.Noise{delayed, notListed} {
			if diff := cmp.Diff(want, trial(t, simulator, s, p, noise)); diff != "" {
				t.Errorf("trial (-round by round +in tiles of %d blocks, delays of a %T):\n%s", tile,
					noise.Delays, diff)
			}
		}
		if s.Ranks <= tile*rounds.Block {
			break
		}
	}
	checkRecorded(t, s, p, os, network, want)
	return want
}

// roundByRound hides that partners are across the hypercube.
func roundByRound(s collectives.Schedule) collectives.Schedule {
	s.Rounds = slices.Clone(s.Rounds)
	for i := range s.Rounds {
		s.Rounds[i].Sources = slices.Clone(s.Rounds[i].Sources)
		for m := range s.Rounds[i].Sources {
			peers := &s.Rounds[i].Sources[m].Peers
			*peers = struct{ collectives.Peers }{*peers}
		}
	}
	return s
}

// trial simulates a trial.
func trial(
	t rapid.TB, simulator *rounds.Simulator, s collectives.Schedule, p collectives.Problem,
	n *rounds.Noise,
) rounds.Trial {
	t.Helper()
	trial := rounds.Trial{Completion: make([]float64, len(s.Checkpoints))}
	if err := simulator.Run(context.Background(), rounds.Compile(&s, p), n, &trial); err != nil {
		t.Fatal(err)
	}
	return trial
}

func (s scene) simulate(t rapid.TB, simulator ...*rounds.Simulator) rounds.Trial {
	t.Helper()
	return simulate(t, s.problem, s.detours, s.delays, simulator...)
}

// naive is the butterfly with redundant exchange by the formulas of its model,
// rank by rank.
func (s scene) naive() rounds.Trial {
	p, P := s.problem, s.problem.Ranks
	o := p.Redundancy.SendOverhead
	wire := p.Latency + p.Bytes/p.Bandwidth
	busy := 0.0 // a link, with a message
	if p.Busy {
		busy = p.Bytes / p.Bandwidth
	}
	combine := p.Bytes / p.MemoryBandwidth

	t := make([]float64, P)
	for r := range t {
		t[r] = preempt(s.detours[r], 0, 0)
	}
	trial := rounds.Trial{LatestStart: slices.Max(t)}
	exchange, K := 0, 0
	for k := 0; 1<<k < P; k++ {
		K++
		R := min(p.Redundancy.Sources, 1<<k)
		then := make([]float64, P)
		for r := range then {
			partner := r ^ 1<<k
			var copies []float64
			for m := range R {
				post := float64(m) * max(o, busy)
				copies = append(copies, t[partner^m]+post+wire+s.delays[exchange+m][r])
			}
			sent := t[r] + float64(R)*busy
			then[r] = preempt(s.detours[r], max(sent, slices.Min(copies)), combine)
		}
		t = then
		exchange += R
	}
	returned := func(copies int) float64 {
		last := math.Inf(-1)
		for r, at := range t {
			at += float64(copies) * o
			if p.Redundancy.Reception == collectives.NIC {
				at = preempt(s.detours[r], at, 0)
			}
			last = max(last, at)
		}
		return last
	}
	trial.Completion = append(trial.Completion, returned(0))
	for j := range K {
		then := make([]float64, P)
		for r := range then {
			arrive := t[r^1<<j] + float64(j+1)*o + float64(j)*busy + wire + s.delays[exchange][r]
			if p.Redundancy.Reception == collectives.CPU {
				arrive = preempt(s.detours[r], arrive, 0)
			}
			then[r] = min(t[r], arrive)
		}
		t = then
		exchange++
		trial.Completion = append(trial.Completion, returned(j+1))
	}
	return trial
}

// Powers of two, so that every time in the test is exact and == is right.
func TestNoiseFreeButterflyIsTheClosedForm(t *testing.T) {
	p := collectives.Problem{
		Bytes: 8, Latency: 0x1p-23, Bandwidth: 0x1p30, MemoryBandwidth: 0x1p33,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
	round := p.Latency + p.Bytes/p.Bandwidth + p.Bytes/p.MemoryBandwidth // α + βN + γN
	for K := 0; K <= 20; K++ {
		p.Ranks = 1 << K
		for _, p.Redundancy.SendOverhead = range []float64{0, 0x1p-25} {
			trial := simulate(t, p, noise.None{}.Detours(nil), noise.None{}.Delays(0))
			if len(trial.Completion) != K+1 {
				t.Fatalf("K = %d: %d results, want one for each T = 0…K", K, len(trial.Completion))
			}
			for T, got := range trial.Completion {
				if want := float64(K)*round + float64(T)*p.Redundancy.SendOverhead; got != want {
					t.Errorf("K = %d, T = %d: %g s, want %g s", K, T, got, want)
				}
			}
			if K == 20 {
				break // large, and nothing new
			}
		}
	}
}

func TestSimulatorIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 0, 1, 5)
		if diff := cmp.Diff(s.naive(), s.simulate(t), sameTimes); diff != "" {
			t.Errorf("trial (-model +simulator):\n%s", diff)
		}
	})
}

func TestSimulatorIsTheModelOverManyBlocks(t *testing.T) {
	for _, reception := range receptions {
		for i := range 4 {
			s := newScene(12, []int{1, 3}[i/2], 1, reception, 1)
			s.problem.Busy = i%2 == 0
			for i := range s.delays { // most blocks have none
				for r := range s.delays[i] {
					if (2*(r/rounds.Block)+i)%3 > 0 {
						s.delays[i][r] = 0
					}
				}
			}
			if diff := cmp.Diff(s.naive(), s.simulate(t), sameTimes); diff != "" {
				t.Errorf("trial (-model +simulator):\n%s", diff)
			}
		}
	}
}

// A trial that is settled within tiled rounds ends there.
func TestSettledInATile(t *testing.T) {
	for one := range 8 { // rank in 2^one has detours
		s := newScene(12, 1, 0, collectives.Offload, uint64(one))
		for r := range s.detours {
			if r%(1<<one) != 0 {
				s.detours[r] = nil
			}
		}
		for i := range s.delays {
			clear(s.delays[i])
		}
		if diff := cmp.Diff(s.naive(), s.simulate(t), sameTimes); diff != "" {
			t.Errorf("trial (-model +simulator):\n%s", diff)
		}
	}
}

// checkNotEarlier checks that the same trial with one thing more in its way is
// done no earlier, at any T. One simulator does both, the later one first.
func checkNotEarlier(t *rapid.T, more, s scene) {
	simulator := rounds.NewSimulator(s.problem.Ranks)
	after, before := more.simulate(t, simulator), s.simulate(t, simulator)
	for T := range before.Completion {
		if after.Completion[T] < before.Completion[T] {
			t.Errorf("T = %d: %g, but %g without it", T, after.Completion[T], before.Completion[T])
		}
	}
}

func TestOneMoreDetourNeverHelps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 0, 1, 5)
		r := rapid.IntRange(0, s.problem.Ranks-1).Draw(t, "rank")
		begin := float64(rapid.IntRange(-5, 100).Draw(t, "begin"))
		d := detour{begin, begin + float64(rapid.IntRange(1, 10).Draw(t, "length"))}
		for _, other := range s.detours[r] {
			if d.begin < other.end && other.begin < d.end {
				t.Skip("overlaps another")
			}
		}
		more := s
		more.detours = slices.Clone(s.detours)
		more.detours[r] = append(slices.Clone(s.detours[r]), d)
		slices.SortFunc(more.detours[r], func(a, b detour) int { return int(a.begin - b.begin) })
		checkNotEarlier(t, more, s)
	})
}

func TestOneMoreDelayNeverHelps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 0, 1, 5)
		if len(s.delays) == 0 {
			t.Skip("no messages")
		}
		exchange := rapid.IntRange(0, len(s.delays)-1).Draw(t, "exchange")
		r := rapid.IntRange(0, s.problem.Ranks-1).Draw(t, "rank")
		more := s
		more.delays = slices.Clone(s.delays)
		more.delays[exchange] = slices.Clone(s.delays[exchange])
		more.delays[exchange][r] += float64(rapid.IntRange(1, 50).Draw(t, "delay"))
		checkNotEarlier(t, more, s)
	})
}

// Copies that cost nothing can only help.
func TestCompletionFallsWithT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawScene(t, 0).simulate(t).Completion
		for T := 1; T < len(c); T++ {
			if c[T] > c[T-1] {
				t.Errorf("T = %d completes at %g, T = %d at %g", T-1, c[T-1], T, c[T])
			}
		}
	})
}

// cancelling cancels when the given exchange is simulated, and notes the last one.
type cancelling struct {
	noise.Given
	exchange int
	cancel   func()
	last     *int
}

func (c cancelling) Delay(exchange, _ int, _ []float64, _ noise.Message) {
	if exchange == c.exchange {
		c.cancel()
	}
	*c.last = exchange
}

func TestRunStopsWhenCancelled(t *testing.T) {
	s := newScene(4, 1, 0, collectives.Offload, 1)
	schedule, err := collectives.Butterfly(s.problem)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	last := -1
	network := cancelling{exchange: 2, cancel: cancel, last: &last}
	trial := rounds.Trial{Completion: make([]float64, len(schedule.Checkpoints))}
	compiled, noise := rounds.Compile(&schedule, s.problem), rounds.NewNoise(s.detours, network)
	err = rounds.NewSimulator(16).Run(ctx, compiled, noise, &trial)
	if !errors.Is(err, context.Canceled) || last != 2 {
		t.Errorf("cancelled in exchange 2: error %v after exchange %d", err, last)
	}
}
