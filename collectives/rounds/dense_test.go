package rounds_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
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

func (preempted) Draw(int, rng.Key) {}

func (p preempted) Finish(_ noise.Piece, lo int, t []float64, work float64) {
	for i := range t {
		t[i] = preempt(p[lo+i], t[i], work)
	}
}

// Preempts implements [noise.SparseDetours].
func (p preempted) Preempts(upto float64) bool {
	return slices.ContainsFunc(p, func(of []detour) bool { return len(of) > 0 && of[0].begin <= upto })
}

// delayed has the delay of the message of an exchange to a rank: [exchange][rank].
type delayed [][]float64

func (delayed) Draw(int, rng.Key) {}

func (d delayed) Delay(exchange, lo int, arrive []float64, _ float64) {
	for i := range arrive {
		arrive[i] += d[exchange][lo+i]
	}
}

// Delayed implements [noise.SparseDelays], differently for transits of any two lengths.
func (d delayed) Delayed(exchange, lo, n int, transit float64, note func(int, float64)) bool {
	if math.Float64bits(transit)%3 == 0 {
		return false
	}
	for i, delay := range d[exchange][lo : lo+n] {
		if delay > 0 {
			note(i, delay)
		}
	}
	return true
}

// A scene is a butterfly and the noise of one trial.
type scene struct {
	problem collectives.Problem
	detours preempted
	delays  delayed
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
		delays:  noDelays((sources+1)*K, 1<<K),
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
		for r := range s.delays[i] {
			if random.IntN(4) == 0 {
				s.delays[i][r] = whole(1, 20)
			}
		}
	}
	return s
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
	for _, tile := range []int{1, 2, 4, 8, 32} {
		simulator.SetTile(tile * rounds.Block)
		delayed := rounds.NewNoise(struct{ noise.Detours }{os}, network)
		for _, noise := range []*rounds.Noise{delayed, notListed} {
			if diff := tests.Diff(want, trial(t, simulator, s, p, noise)); diff != "" {
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
	tests.NoError(t, simulator.Run(context.Background(), rounds.Compile(&s, p), n, &trial))
	return trial
}

// check compares the simulated butterfly with the oracle.
func (s scene) check(t *testing.T) {
	t.Helper()
	butterfly := models.Schedule(t, "butterfly", s.problem)
	checkTrial(t, expected(butterfly, s.problem, s.detours, s.delays),
		simulateSchedule(t, butterfly, s.problem, s.detours, s.delays))
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
			s.check(t)
		}
	}
}

func TestHostsSimulationOverManyBlocks(t *testing.T) {
	for i := range 4 {
		s := newScene(13, 1+i/2, 1, collectives.CPU, 1)
		s.problem.Busy, s.problem.Host = i == 1, collectives.Host{Overhead: 1, Gap: float64(i % 2)}
		s.problem.Redundancy.Forward = i == 2
		simulateSchedule(t, models.Schedule(t, "butterfly", s.problem), s.problem, s.detours, s.delays)
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
		s.check(t)
	}
}

// cancelling cancels when the given exchange is simulated, and notes the last one.
type cancelling struct {
	noise.Given
	exchange int
	cancel   func()
	last     *int
}

func (c cancelling) Delay(exchange, _ int, _ []float64, _ float64) {
	if exchange == c.exchange {
		c.cancel()
	}
	*c.last = exchange
}

func TestRunStopsWhenCancelled(t *testing.T) {
	s := newScene(4, 1, 0, collectives.Offload, 1)
	schedule := tests.Must(collectives.Butterfly(s.problem))(t)
	ctx, cancel := context.WithCancel(context.Background())
	last := -1
	network := cancelling{exchange: 2, cancel: cancel, last: &last}
	trial := rounds.Trial{Completion: make([]float64, len(schedule.Checkpoints))}
	compiled, noise := rounds.Compile(&schedule, s.problem), rounds.NewNoise(s.detours, network)
	err := rounds.NewSimulator(16).Run(ctx, compiled, noise, &trial)
	if !errors.Is(err, context.Canceled) || last != 2 {
		t.Errorf("cancelled in exchange 2: error %v after exchange %d", err, last)
	}
}
