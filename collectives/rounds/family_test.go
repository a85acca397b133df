package rounds_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

func simulateSchedule(
	t rapid.TB, s collectives.Schedule, p collectives.Problem, os noise.Detours,
	network noise.Delays,
) rounds.Trial {
	t.Helper()
	return simulateAll(t, rounds.NewSimulator(s.Ranks), s, p, os, network)
}

// Without noise every algorithm takes what its closed form says, and redundant copies are never later.
func TestNoiseFreeAlgorithmsAreTheClosedForms(t *testing.T) {
	p := collectives.Problem{
		Bytes: 1 << 12, Latency: 0x1p-20, Bandwidth: 0x1p30, MemoryBandwidth: 0x1p33,
		Node:       collectives.Node{Latency: 0x1p-23, Bandwidth: 0x1p33},
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
	shapes := [][2]int{{64, 8}, {24, 8}, {30, 5}} // ranks, and those of a node
	for _, ranks := range []int{192, 193, 255, 256, 257, 1025} {
		shapes = append(shapes, [2]int{ranks, 1})
	}
	for ranks := 1; ranks <= 70; ranks++ {
		shapes = append(shapes, [2]int{ranks, 1})
	}
	for _, a := range collectives.Algorithms {
		seen := 0
		for _, shape := range shapes {
			p.Ranks, p.Node.Ranks = shape[0], shape[1]
			p = suited(a, p)
			allToAll := a.Operation == collectives.AllToAll
			if !allToAll && p.Node.Ranks > 1 || allToAll && p.Ranks > 300 {
				continue
			}
			if _, err := a.Schedule(p); err != nil {
				continue
			}
			seen++
			got := noiseFree(t, a.Name, p)
			least, most := closedForms[a.Name](p)
			if got[0] > most*(1+1e-12) || got[0] < least*(1-1e-12) {
				t.Errorf("%s, ranks and those of a node %v: %g s, want %g to %g s", a.Name, shape, got[0], least, most)
			}
			for T := 1; T < len(got); T++ {
				if got[T] > got[T-1] {
					t.Errorf("%s, %v: %g s at T = %d, %g s at %d", a.Name, shape, got[T-1], T-1, got[T], T)
				}
			}
		}
		if seen < 8 {
			t.Errorf("%s: only %d problems", a.Name, seen)
		}
	}
}

// exact reports whether all times of a problem of drawFamily are sums of the same power of two.
// Others are sums of thirds, sevenths or worse, and rounding decides which of two equal ones is
// the earlier.
func exact(p collectives.Problem) bool {
	return p.Contention == collectives.NoContention && p.Node.ProcessBandwidth == 0
}

// apart moves detours away from all other times of a problem that is not exact, so that rounding
// does not decide which work they hit: whole numbers become multiples of π/3.
func (p preempted) apart(of collectives.Problem) {
	if exact(of) {
		return
	}
	for _, detours := range p {
		for i := range detours {
			detours[i].begin *= math.Pi / 3
			detours[i].end *= math.Pi / 3
		}
	}
}

// suited adds what some algorithms need to a problem: a grid with one rank on each node, a list of
// targets.
func suited(a collectives.Algorithm, p collectives.Problem) collectives.Problem {
	p.Sides, p.Messages = []int{1, p.Ranks}, 3
	p.Targets = collectives.RandomRing(p.Ranks, rand.New(rand.NewPCG(1, 1)).Shuffle)
	wrong, one := new(collectives.Invalid), p
	one.Redundancy.Sources = 1
	if _, err := a.Schedule(one); errors.As(err, &wrong) && wrong.Parameter == collectives.ParameterSides {
		p.Node.Ranks = 1
	}
	return p
}

// noDelays returns delays of messages of exchanges to ranks, all 0.
func noDelays(exchanges, ranks int) delayed {
	delays := make(delayed, exchanges)
	for i := range delays {
		delays[i] = make([]float64, ranks)
	}
	return delays
}

// drawFamily draws an algorithm, a problem whose times are whole numbers but for [exact], and
// the noise of a trial. Messages cost what host returns for the problem, nothing without it.
func drawFamily(
	t *rapid.T, ranks, overhead int, host ...func(collectives.Problem) collectives.Host,
) (s collectives.Schedule, p collectives.Problem, os preempted, network delayed) {
	a := rapid.SampledFrom(collectives.Algorithms).Draw(t, "algorithm")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "noise"), 0))
	whole := func(from, to int) float64 { return float64(from + random.IntN(to-from+1)) }
	p = collectives.Problem{
		Busy:  rapid.Bool().Draw(t, "busy"),
		Ranks: ranks, Bytes: 256, Latency: whole(0, 5), Bandwidth: 64, MemoryBandwidth: 128 / whole(1, 3),
		Node: collectives.Node{
			Ranks:   rapid.IntRange(1, 5).Draw(t, "ranks per node"),
			Latency: whole(0, 9), Bandwidth: 128,
			ProcessBandwidth: rapid.SampledFrom([]float64{0, 32, 128}).Draw(t, "process"),
		},
		Leaders: rapid.IntRange(1, 3).Draw(t, "q"), Share: rapid.Bool().Draw(t, "share"),
		Segments: rapid.IntRange(1, 4).Draw(t, "S"),
		Contention: rapid.SampledFrom([]collectives.Contention{collectives.NoContention,
			collectives.HoL, collectives.HoLQueue}).Draw(t, "contention"),
		Redundancy: collectives.Redundancy{
			Max:          collectives.AllExchanges,
			Sources:      rapid.IntRange(1, 3).Draw(t, "R"),
			SendOverhead: float64(overhead),
			Reception:    rapid.SampledFrom(receptions).Draw(t, "reception"),
		},
	}
	if a.Name == "ring" { // times are exact, so that == of detours and arrivals is
		p.Bytes = 64 * float64(ranks*p.Segments)
	}
	if a.Name == "a2a-pairwise" && ranks&(ranks-1) != 0 {
		a.Name = "a2a-ring"
	}
	if whole := a.Name == "a2a-levels" || a.Name == "a2a-sa" || a.Name == "leaders"; whole &&
		ranks%p.Node.Ranks != 0 {
		p.Node.Ranks = 1
	}
	p.Leaders = min(p.Leaders, p.Node.Ranks, ranks)
	if a, err := collectives.Find(a.Name); err == nil {
		p = suited(a, p)
		p = hostedBy(p, host)
		if s, err = a.Schedule(p); err != nil {
			p.Redundancy.Sources = 1
			s = models.Schedule(t, a.Name, p)
		}
	}
	os = make(preempted, ranks)
	for r := range os {
		begin := whole(-6, 20)
		for range random.IntN(4) {
			d := detour{begin, begin + whole(1, 12)}
			os[r] = append(os[r], d)
			begin = d.end + whole(1, 30)
		}
	}
	os.apart(p)
	exchanges := 0
	for _, round := range s.Rounds {
		exchanges = max(exchanges, round.Exchange+len(round.Sources))
	}
	network = noDelays(exchanges, ranks)
	for i := range network {
		for r := range network[i] {
			if random.IntN(4) == 0 {
				network[i][r] = whole(1, 20)
			}
		}
	}
	return s, p, os, network
}

// sameTimes compares trials however many rounds it took to know them.
var sameTimes = cmpopts.IgnoreFields(rounds.Trial{}, "Rounds")

var close9 = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) })

// checkTrial compares a trial with what is expected.
func checkTrial(t rapid.TB, want, got rounds.Trial, options ...cmp.Option) {
	t.Helper()
	if diff := tests.Diff(want, got, append(options, sameTimes)...); diff != "" {
		t.Errorf("expected (-) and simulator (+):\n%s", diff)
	}
}

// Of hosts that messages cost nothing, and of others.
func TestRunIsTheScheduleForTheFamily(t *testing.T) {
	for _, hosts := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			s, p, os, delays := drawFamily(t, rapid.IntRange(1, 70).Draw(t, "P"),
				rapid.IntRange(0, 3).Draw(t, "o"), hostedIf(t, hosts))
			checkTrial(t, expected(s, p, os, delays), simulateSchedule(t, s, p, os, delays), close9)
		})
	}
}

// Several blocks, the last of them and the folded ones in part, and nodes that are in two of them;
// and on hosts senders that are not next to each other.
func TestRunIsTheScheduleForSeveralBlocks(t *testing.T) {
	host := collectives.Host{Overhead: 2e-7, Gap: 3e-7, Progress: collectives.Async, Interrupt: 1e-7}
	for _, a := range collectives.Algorithms {
		for _, c := range []struct {
			P          int
			contention collectives.Contention
			sources    int
			host       collectives.Host
		}{
			{1025, collectives.HoL, 1, collectives.Host{}}, {1500, collectives.HoL, 1, collectives.Host{}},
			{2047, collectives.HoL, 1, collectives.Host{}}, {3000, collectives.HoL, 1, collectives.Host{}},
			{5000, collectives.HoL, 1, collectives.Host{}}, {1500, collectives.NoContention, 2, host},
		} {
			t.Run(fmt.Sprintf("%s/P=%d/R=%d", a.Name, c.P, c.sources), func(t *testing.T) {
				switch a.Name {
				case "a2a-levels", "a2a-sa", "leaders":
					c.P -= c.P % 48
				case "a2a-pairwise":
					c.P = 1 << bits.Len(uint(c.P))
				}
				p := suited(a, collectives.Problem{
					Ranks: c.P, Bytes: 8, Latency: 1e-7, Bandwidth: 1e9, MemoryBandwidth: 1e10,
					Contention: c.contention, Segments: 3, Host: c.host,
					Node: collectives.Node{Ranks: 48, Latency: 1e-8, Bandwidth: 1e10},
					Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: c.sources,
						SendOverhead: 1e-9},
				})
				if _, err := a.Schedule(p); err != nil {
					p.Redundancy.Sources = 1
				}
				checkSeveralBlocks(t, models.Schedule(t, a.Name, p), p)
			})
		}
	}
}

// checkSeveralBlocks compares a schedule of several blocks with the oracle, under a detour of every
// rank and a few delays. Of what has as many rounds or sources as ranks it takes a few.
func checkSeveralBlocks(t *testing.T, s collectives.Schedule, p collectives.Problem) {
	t.Helper()
	P := p.Ranks
	if len(s.Rounds) > 100 {
		s.Rounds, s.Checkpoints = s.Rounds[:10], s.Checkpoints[:1]
		s.Checkpoints[0].Rounds = 10
	}
	s.Rounds[0].Sources = s.Rounds[0].Sources[:min(10, len(s.Rounds[0].Sources))]
	random := rand.New(rand.NewPCG(1, uint64(P)))
	os, network := make(preempted, P), noDelays(10+3*len(s.Rounds), P)
	for r := range os {
		begin := random.Float64() * 1e-5
		os[r] = []detour{{begin, begin + 1e-6}}
	}
	for i := range network {
		network[i][random.IntN(P)] = 1e-6
	}
	same := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(a) })
	checkTrial(t, expected(s, p, os, network), simulateSchedule(t, s, p, os, network), same)
}

// What a simulator has simulated before does not matter.
func TestSimulatorIsReused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		simulator := rounds.NewSimulator(70)
		for range 3 {
			s, p, os, network := drawFamily(t, rapid.IntRange(1, 70).Draw(t, "P"), 1)
			got := trial(t, simulator, s, p, rounds.NewNoise(os, network))
			if diff := tests.Diff(simulateSchedule(t, s, p, os, network), got); diff != "" {
				t.Errorf("simulator of its own (-) and reused (+):\n%s", diff)
			}
		}
	})
}

// Three ranks, of which rank 2 is folded into rank 0. A message that rank 0
// waits for is delayed by 100; with a spare copy neither it nor rank 2 waits.
func TestFoldedRanksGetWhatRedundancySaves(t *testing.T) {
	p := collectives.Problem{
		Ranks: 3, Latency: 10, Bandwidth: 1, MemoryBandwidth: 1,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1, SendOverhead: 1},
	}
	network := noDelays(4, 3)
	network[1][0] = 100 // the core's one exchange
	got := simulateSchedule(t, models.Schedule(t, "butterfly", p), p, noise.None{}.Detours(nil),
		network).Completion
	// T = 0: rank 0 has the result at 110, and rank 2 at 120.
	// T = 1: rank 1 has it at 20, its copy leaves at 21 and arrives at 31, and
	// rank 2 has it at 41, when rank 0 has long posted its own.
	if diff := tests.Diff([]float64{120, 41}, got); diff != "" {
		t.Errorf("completions (-want +got):\n%s", diff)
	}
}

// A trial ends at the first redundancy after which no copy can be the earlier
// one; whether it does changes no time, which the reference shows.
func TestTrialEndsWhereNothingCanChange(t *testing.T) {
	p := collectives.Problem{
		Ranks: 16, Latency: 10, Bandwidth: 1, MemoryBandwidth: 1,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1, SendOverhead: 1},
	}
	silent := noise.None{}
	s := models.Schedule(t, "butterfly", p)
	trial := simulateSchedule(t, s, p, silent.Detours(nil), silent.Delays())
	if trial.Rounds != 4 || trial.Completion[4] != 44 {
		t.Errorf("%d rounds, and completion at %g; want 4, and 44: T postings more", trial.Rounds,
			trial.Completion[4])
	}
	network := noDelays(8, 16)
	network[0][0] = 100 // delays the even ranks, and one exchange mends that
	trial = simulateSchedule(t, s, p, silent.Detours(nil), network)
	if diff := tests.Diff(rounds.Trial{Completion: []float64{140, 52, 53, 54, 55}, Rounds: 5},
		trial); diff != "" {
		t.Errorf("trial (-want +got):\n%s", diff)
	}

	// A copy of what is there at 40 arrives at 50.
	p.Redundancy.SendOverhead = 0
	for delay, want := range map[float64]rounds.Trial{
		10: {Completion: []float64{50, 50, 50, 50, 50}, Rounds: 4},
		11: {Completion: []float64{51, 50, 50, 50, 50}, Rounds: 5},
	} {
		network[0][0] = delay
		if diff := tests.Diff(want, simulateSchedule(t, models.Schedule(t, "butterfly", p), p, silent.Detours(nil),
			network)); diff != "" {
			t.Errorf("delayed by %g (-want +got):\n%s", delay, diff)
		}
	}
}

// lowerBound is a time that no trial gets below.
func lowerBound(s *collectives.Schedule, p collectives.Problem) float64 {
	return rounds.Compile(s, p).LowerBound()
}

// The closed forms of how many messages are sent, and what no trial gets below.
func TestMessagesAndLowerBound(t *testing.T) {
	p := collectives.Problem{
		Ranks: 16, Bytes: 16, Latency: 10, Bandwidth: 1, MemoryBandwidth: 1,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 2},
	}
	for _, c := range []struct {
		name           string
		ranks, sources int
		at0, atMost    float64
		least          float64
	}{
		{"butterfly", 16, 1, 4 * 16, 8 * 16, 4 * (26 + 16)},
		{"butterfly", 16, 2, 16 + 3*2*16, 16 + 3*2*16 + 4*16, 4 * (26 + 16)},
		{"butterfly", 19, 1, 3 + 4*16 + 3, 3 + 8*16 + 3, 0}, // what is folded is handed out once
		{"dissemination", 19, 1, 5 * 19, 10 * 19, 5 * (26 + 16)},
		{"rabenseifner", 16, 1, 8 * 16, 12 * 16, 2*(10+8+10+4+10+2+10+1) + 15},
		{"ring", 16, 1, 30 * 16, 30 * 16, 30*11 + 15},
		{"binomial", 16, 1, 15 + 15, 30 + 4*16, 0},
	} {
		p.Ranks, p.Redundancy.Sources = c.ranks, c.sources
		s := models.Schedule(t, c.name, p)
		if at0, atMost := s.Messages(0), s.Messages(len(s.Checkpoints)-1); at0 != c.at0 ||
			atMost != c.atMost {
			t.Errorf("%s, P = %d, R = %d: %g to %g messages, want %g to %g", c.name, c.ranks, c.sources, at0,
				atMost, c.at0, c.atMost)
		}
		if least := lowerBound(&s, p); least != c.least {
			t.Errorf("%s, P = %d, R = %d: at least %g, want %g", c.name, c.ranks, c.sources, least, c.least)
		}
	}
}

// The pieces of a segmented ring go round it one after the other, each with 30
// messages of which 15 are combined, and the last two combinations behind.
func TestLowerBoundOfSegments(t *testing.T) {
	p := collectives.Problem{
		Ranks: 16, Bytes: 64, Latency: 10, Bandwidth: 1, MemoryBandwidth: 1, Segments: 2,
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	s := models.Schedule(t, "ring", p)
	if least, want := lowerBound(&s, p), 30.*(10+2)+15*2+2; least != want {
		t.Errorf("at least %g, want %g", least, want)
	}
}

// Ranks are folded in pairs of neighbours, and so inside their nodes.
func TestFoldingStaysInsideNodes(t *testing.T) {
	p := collectives.Problem{
		Ranks: 6, Bytes: 64, Latency: 10, Bandwidth: 64, MemoryBandwidth: 64,
		Node:       collectives.Node{Ranks: 2, Latency: 1, Bandwidth: 64},
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	s := models.Schedule(t, "butterfly", p)
	got := noiseFree(t, "butterfly", p)[0]
	// Ranks 1 and 3 to 0 and 2, on their nodes: 1+1, and 1 to combine. Then across nodes, 10+1
	// and 1, twice; ranks 4 and 5, which are last, have none to hand the result to.
	if want := 3. + 12 + 12; got != want {
		t.Errorf("complete at %g, want %g", got, want)
	}
	m := model(6)
	m.Problem.Node.Ranks = 2
	m.OS = noise.Periodic{Period: 1e-3, Duration: 1e-4, Start: noise.Random, Shared: 2}
	detours := m.DetoursOf(rounds.Compile(&s, m.Problem), rng.NewKey(1, "folding"))
	ends := make([]float64, 6) // sums of when work ends, by rank of the program
	for r := range ends {
		for begin := range 27 {
			at := []float64{float64(begin) * 37e-6}
			detours.Finish(noise.Piece{}, r, at, 0)
			ends[s.Place(r)] += at[0]
		}
	}
	if ends[0] != ends[1] || ends[2] != ends[3] || ends[4] != ends[5] || ends[0] == ends[2] {
		t.Errorf("ranks of a node are done at %v", ends)
	}
}
