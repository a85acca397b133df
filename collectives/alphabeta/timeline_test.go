package alphabeta_test

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

func (p preempted) Finish(lo int, t []float64, work float64) {
	for i := range t {
		t[i] = preempt(p[lo+i], t[i], work)
	}
}

// Struck implements [collectives.SparseDetours].
func (p preempted) Struck(upto float64, ranks []int) []int {
	for r, detours := range p {
		if len(detours) > 0 && detours[0].begin <= upto {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// delayed says how long the message of an exchange to a rank is held.
type delayed [][]float64

func (d delayed) Delay(exchange, lo int, arrive []float64, _ float64) {
	for i := range arrive {
		arrive[i] += d[exchange][lo+i]
	}
}

// Held implements [collectives.SparseDelays].
func (d delayed) Held(exchange, lo, n int, _ float64, hold func(int, float64)) {
	for i, delay := range d[exchange][lo : lo+n] {
		if delay > 0 {
			hold(i, delay)
		}
	}
}

// Rare implements [collectives.SparseDelays], differently for transits of any two lengths.
func (d delayed) Rare(transit float64) bool { return math.Float64bits(transit)%3 != 0 }

// A scene is a butterfly and the noise of one trial.
type scene struct {
	problem collectives.Problem
	detours preempted
	delays  delayed
}

func drawScene(t *rapid.T, overheads ...int) scene {
	K := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 6}).Draw(t, "K")
	return newScene(K,
		rapid.IntRange(1, max(1, min(4, 1<<K/2))).Draw(t, "R"),
		float64(rapid.SampledFrom(overheads).Draw(t, "o")),
		rapid.SampledFrom([]collectives.Reception{collectives.Offload, collectives.CPU}).Draw(t, "reception"),
		rapid.Uint64().Draw(t, "noise"))
}

func newScene(K, sources int, overhead float64, reception collectives.Reception, seed uint64) scene {
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

// play plays the butterfly once. Given a timeline, it uses that.
func play(t rapid.TB, p collectives.Problem, os collectives.Detours, network collectives.Delays, timeline ...*collectives.Timeline) collectives.Trial {
	t.Helper()
	s, err := collectives.Butterfly(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(timeline) == 0 {
		timeline = append(timeline, collectives.NewTimeline(p.Ranks))
	}
	return playBoth(t, timeline[0], s, p, os, network)
}

// playBoth plays a trial round by round, in sweeps, sparsely for a while, and sparsely
// to the end: the same to the last bit.
func playBoth(t rapid.TB, timeline *collectives.Timeline, s collectives.Schedule, p collectives.Problem, os collectives.Detours, network collectives.Delays) collectives.Trial {
	t.Helper()
	blocks := trial(t, timeline, roundByRound(s), p, struct{ collectives.Detours }{os}, struct{ collectives.Delays }{network})
	for _, tile := range []int{1, 2, 4, 32} {
		timeline.SetTile(tile * collectives.Block)
		for _, delays := range []collectives.Delays{network, struct{ collectives.Delays }{network}} {
			if diff := cmp.Diff(blocks, trial(t, timeline, s, p, struct{ collectives.Detours }{os}, delays)); diff != "" {
				t.Errorf("trial (-round by round +in sweeps, tiles of %d blocks, delays of a %T):\n%s", tile, delays, diff)
			}
		}
		if s.Ranks <= tile*collectives.Block {
			break
		}
	}
	for _, crowd := range []int{1, 4, 16} {
		timeline.SetCrowd(crowd)
		if diff := cmp.Diff(blocks, trial(t, timeline, s, p, os, network)); diff != "" {
			t.Errorf("trial (-by blocks +sparse, up to one of %d ranks):\n%s", crowd, diff)
		}
	}
	recordedToo(t, s, p, os, network, blocks)
	return blocks
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

// trial plays a trial.
func trial(t rapid.TB, timeline *collectives.Timeline, s collectives.Schedule, p collectives.Problem, os collectives.Detours, network collectives.Delays) collectives.Trial {
	t.Helper()
	trial := collectives.Trial{Completion: make([]float64, len(s.Results))}
	if err := timeline.Play(context.Background(), &s, p, os, network, &trial); err != nil {
		t.Fatal(err)
	}
	return trial
}

func (s scene) play(t rapid.TB, timeline ...*collectives.Timeline) collectives.Trial {
	t.Helper()
	return play(t, s.problem, s.detours, s.delays, timeline...)
}

// naive is the butterfly with redundant exchange by the formulas of its model,
// rank by rank.
func (s scene) naive() collectives.Trial {
	p, P := s.problem, s.problem.Ranks
	o := p.Redundancy.SendOverhead
	wire := p.Latency + p.Bytes/p.Bandwidth
	combine := p.Bytes / p.MemoryBandwidth

	t := make([]float64, P)
	for r := range t {
		t[r] = preempt(s.detours[r], 0, 0)
	}
	trial := collectives.Trial{LatestStart: slices.Max(t)}
	exchange, K := 0, 0
	for k := 0; 1<<k < P; k++ {
		K++
		R := min(p.Redundancy.Sources, 1<<k)
		then := make([]float64, P)
		for r := range then {
			partner := r ^ 1<<k
			var copies []float64
			for m := range R {
				copies = append(copies, t[partner^m]+float64(m)*o+wire+s.delays[exchange+m][r])
			}
			then[r] = preempt(s.detours[r], max(t[r], slices.Min(copies)), combine)
		}
		t = then
		exchange += R
	}
	trial.Completion = append(trial.Completion, slices.Max(t))
	for j := range K {
		then := make([]float64, P)
		for r := range then {
			arrive := t[r^1<<j] + float64(j+1)*o + wire + s.delays[exchange][r]
			if p.Redundancy.Reception == collectives.CPU {
				arrive = preempt(s.detours[r], arrive, 0)
			}
			then[r] = min(t[r], arrive)
		}
		t = then
		exchange++
		trial.Completion = append(trial.Completion, slices.Max(t)+float64(j+1)*o)
	}
	return trial
}

func TestPlayIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 0, 1, 5)
		if diff := cmp.Diff(s.naive(), s.play(t), sameTimes); diff != "" {
			t.Errorf("trial (-model +timeline):\n%s", diff)
		}
	})
}

func TestPlayIsTheModelOverManyBlocks(t *testing.T) {
	for _, reception := range []collectives.Reception{collectives.Offload, collectives.CPU} {
		for _, sources := range []int{1, 3} {
			s := newScene(12, sources, 1, reception, 1)
			for i := range s.delays { // most blocks have none
				for r := range s.delays[i] {
					if (2*(r/collectives.Block)+i)%3 > 0 {
						s.delays[i][r] = 0
					}
				}
			}
			if diff := cmp.Diff(s.naive(), s.play(t), sameTimes); diff != "" {
				t.Errorf("trial (-model +timeline):\n%s", diff)
			}
		}
	}
}

// A trial that is settled within a sweep ends there.
func TestSettledInASweep(t *testing.T) {
	for one := range 8 { // of so many powers of two is struck
		s := newScene(12, 1, 0, collectives.Offload, uint64(one))
		for r := range s.detours {
			if r%(1<<one) != 0 {
				s.detours[r] = nil
			}
		}
		for i := range s.delays {
			clear(s.delays[i])
		}
		if diff := cmp.Diff(s.naive(), s.play(t), sameTimes); diff != "" {
			t.Errorf("trial (-model +timeline):\n%s", diff)
		}
	}
}

// checkNotEarlier checks that the same trial with one thing more in its way is
// done no earlier, at any T. One timeline plays both, the later one first.
func checkNotEarlier(t *rapid.T, more, s scene) {
	timeline := collectives.NewTimeline(s.problem.Ranks)
	after, before := more.play(t, timeline), s.play(t, timeline)
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
		c := drawScene(t, 0).play(t).Completion
		for T := 1; T < len(c); T++ {
			if c[T] > c[T-1] {
				t.Errorf("T = %d completes at %g, T = %d at %g", T-1, c[T-1], T, c[T])
			}
		}
	})
}

func TestGatherIsFrom(t *testing.T) {
	for ranks := 1; ranks <= 4096; ranks *= 2 {
		clock := make([]float64, ranks)
		for r := range clock {
			clock[r] = float64(r)
		}
		for mask := range ranks {
			peers := collectives.Xor(mask)
			for lo := 0; lo < ranks; lo += collectives.Block {
				got := make([]float64, min(collectives.Block, ranks-lo))
				peers.Gather(got, clock, lo)
				for i, from := range got {
					if want := (lo + i) ^ mask; int(from) != want || peers.From(lo+i) != want {
						t.Fatalf("%d ranks, mask %d: rank %d hears from %g by Gather, %d by From; want %d",
							ranks, mask, lo+i, from, peers.From(lo+i), want)
					}
				}
			}
		}
	}
}

// cancelling cancels when the given exchange is played, and notes the last one.
type cancelling struct {
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

func TestPlayStopsWhenCancelled(t *testing.T) {
	s := newScene(4, 1, 0, collectives.Offload, 1)
	schedule, err := collectives.Butterfly(s.problem)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	last := -1
	network := cancelling{exchange: 2, cancel: cancel, last: &last}
	trial := collectives.Trial{Completion: make([]float64, len(schedule.Results))}
	err = collectives.NewTimeline(16).Play(ctx, &schedule, s.problem, s.detours, network, &trial)
	if !errors.Is(err, context.Canceled) || last != 2 {
		t.Errorf("cancelled in exchange 2: error %v after exchange %d", err, last)
	}
}
