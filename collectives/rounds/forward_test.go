package rounds_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// drawRedundant draws a collective with redundant exchanges, and noise, such that all times
// are sums of the same power of two.
func drawRedundant(t *rapid.T, host ...func(collectives.Problem) collectives.Host) (
	s collectives.Schedule, p collectives.Problem, os preempted, network delayed,
) {
	name := rapid.SampledFrom([]string{
		"butterfly", "butterfly", "dissemination", "binomial", "rabenseifner",
	}).Draw(t, "collective")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "noise"), 0))
	whole := func(from, to int) float64 { return float64(from + random.IntN(to-from+1)) }
	p = collectives.Problem{
		Busy:  rapid.Bool().Draw(t, "busy"),
		Ranks: rapid.OneOf(rapid.SampledFrom([]int{8, 16, 32}), rapid.IntRange(1, 40)).Draw(t, "P"),
		Bytes: 64, Latency: whole(0, 6), Bandwidth: 64, MemoryBandwidth: 64,
		Node: collectives.Node{Ranks: int(max(1, whole(-3, 5))), Latency: whole(0, 2), Bandwidth: 128},
		Redundancy: collectives.Redundancy{
			Max: collectives.AllExchanges, Sources: rapid.IntRange(1, 3).Draw(t, "R"),
			SendOverhead: float64(rapid.IntRange(0, 3).Draw(t, "c")),
			Reception:    rapid.SampledFrom(receptions).Draw(t, "reception"),
		},
	}
	p = hostedBy(p, host)
	a, err := collectives.Find(name)
	tests.NoError(t, err)
	if s, err = a.Schedule(p); err != nil {
		p.Redundancy.Sources = 1
		s = models.Schedule(t, name, p)
	}
	os = make(preempted, p.Ranks)
	many := random.IntN(3)
	for r := range os {
		begin := whole(-6, 40)
		for range random.IntN(1 + many) {
			d := detour{begin, begin + whole(1, 30)}
			os[r] = append(os[r], d)
			begin = d.end + whole(1, 30)
		}
	}
	for i := range s.Rounds {
		for len(network) < s.Rounds[i].Exchange+len(s.Rounds[i].Sources) {
			delays := make([]float64, p.Ranks)
			for r := range delays {
				if random.IntN(4) < many {
					delays[r] = whole(1, 20)
				}
			}
			network = append(network, delays)
		}
	}
	return s, p, os, network
}

// What ranks do that forward results, event by event, is the shortest paths among the late
// ranks, to the last bit; also where messages cost their hosts.
func TestForwardingIsTheProtocol(t *testing.T) {
	for _, progress := range [][]collectives.Progress{nil, {collectives.Arrival, collectives.Async}} {
		rapid.Check(t, func(t *rapid.T) {
			s, p, os, network := drawRedundant(t, hosted(t, progress...))
			p.Redundancy.Forward = true
			checkTrial(t, forwarded(s, p, os, network), simulateSchedule(t, s, p, os, network))
		})
	}
}

// Iterations of an application call the protocol from when each rank has computed.
func TestForwardingInApplicationsIsTheProtocol(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, os, network := drawRedundant(t, hosted(t, collectives.Arrival))
		p.Redundancy.Forward = true
		a := rounds.Application{
			Collective: scheduled(s, p, os, network), Iterations: 2, Calls: 2,
			Compute: rounds.Compute{Mean: float64(rapid.IntRange(0, 20).Draw(t, "compute"))},
		}
		got := runOnce(t, &a, rng.NewKey(0, ""))
		for T, c := range s.Checkpoints {
			clock := make([]float64, s.Ranks)
			links := slices.Repeat([]float64{math.Inf(-1)}, s.Ranks)
			for range a.Iterations {
				for r := range clock {
					clock[r] = preempt(os[r], clock[r], a.Compute.Mean)
				}
				for call := range a.Calls {
					f := newProtocol(s, p, os, network, T)
					f.sent = links
					for r := range clock {
						if call > 0 {
							clock[r] = preempt(os[r], clock[r], 0)
						}
					}
					for r, at := range f.run(clock) {
						clock[r] = f.returns(c, r, at)
					}
				}
			}
			want := slices.Max(clock) / float64(a.Iterations)
			if x := got[finalOf(&a, T)]; x != want {
				t.Errorf("T = %d: protocol %v, simulator %v", T, want, x)
			}
		}
	})
}

// Several blocks of ranks, in part of them.
func TestForwardingOverSeveralBlocks(t *testing.T) {
	for _, a := range []string{"butterfly", "binomial"} {
		p := collectives.Problem{
			Ranks: 1500, Bytes: 64, Latency: 3, Bandwidth: 64, MemoryBandwidth: 64,
			Redundancy: collectives.Redundancy{Max: 2, Sources: 2, Forward: true},
		}
		s, random := models.Schedule(t, a, p), rand.New(rand.NewPCG(1, 0))
		os, network := make(preempted, p.Ranks), noDelays(3*len(s.Rounds), p.Ranks)
		for r := range os {
			if begin := float64(random.IntN(2000)); begin < 100 {
				os[r] = []detour{{begin, begin + 50}}
			}
		}
		for i := range network {
			network[i][random.IntN(p.Ranks)] = 30
		}
		checkTrial(t, forwarded(s, p, os, network), simulateSchedule(t, s, p, os, network))
	}
}

// Many ranks are late, and help each other in turn.
func TestForwardingAmongManyLateRanks(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		whole := func(most int) float64 { return float64(random.IntN(most + 1)) }
		p := collectives.Problem{
			Ranks: []int{64, 200, 256}[random.IntN(3)], Bytes: 1 + 511*whole(1),
			Latency: 10 + whole(20), Bandwidth: 64, MemoryBandwidth: 64, Busy: random.IntN(4) > 0,
			Redundancy: collectives.Redundancy{
				SendOverhead: max(0, whole(3)-1), Max: 1 + random.IntN(6), Sources: 1 + random.IntN(5)/4, Forward: true,
				Reception: []collectives.Reception{collectives.CPU, collectives.Offload}[random.IntN(2)],
			},
		}
		if random.IntN(3) > 0 {
			p.Host = collectives.Host{Overhead: whole(6), Gap: max(0, whole(16)-4)}
		}
		algorithm := "butterfly"
		if p.Redundancy.Sources == 1 {
			algorithm = []string{"butterfly", "dissemination", "rabenseifner"}[random.IntN(3)]
		}
		rounded := random.IntN(5) == 0 // then a protocol that adds in another order has other last digits
		if rounded {
			p.Latency, p.Bandwidth = p.Latency+0.1, 63
		}
		s := models.Schedule(t, algorithm, p)
		os, network := make(preempted, p.Ranks), noDelays(3*len(s.Rounds), p.Ranks)
		for r := range os {
			for begin := whole(200); begin < 400; begin += 1 + whole(200) {
				length := 1 + whole(10)
				if random.IntN(20) == 0 {
					length = 1 + whole(300)
				}
				os[r] = append(os[r], detour{begin, begin + length})
				begin += length
			}
		}
		simulator := rounds.NewSimulator(p.Ranks)
		if trial := simulateAll(t, simulator, s, p, os, network); rounded || trial.Rounds < len(s.Rounds) {
			continue // or settled
		}
		f := newProtocol(s, p, os, network, len(s.Checkpoints)-1)
		if diff := tests.Diff(f.run(f.start()), simulator.Clocks(p.Ranks)); diff != "" {
			t.Fatalf("%s seed %d: %+v: protocol (-) and simulator (+):\n%s", algorithm, seed, p, diff)
		}
	}
}

// A copy from the other block helps a block of which all ranks are late.
func TestForwardingBetweenBlocks(t *testing.T) {
	p := collectives.Problem{
		Ranks: 2 * rounds.Block, Bytes: 64, Latency: 3, Bandwidth: 64, MemoryBandwidth: 64,
		Redundancy: collectives.Redundancy{
			Max: collectives.AllExchanges, Sources: 1, Forward: true,
		},
	}
	s := models.Schedule(t, "butterfly", p)
	os, network := make(preempted, p.Ranks), noDelays(len(s.Rounds), p.Ranks)
	last := len(s.Checkpoints) - 1
	proper := s.Checkpoints[0].Rounds
	for r := range rounds.Block {
		network[s.Rounds[proper-1].Exchange][r] = 100
		network[s.Rounds[s.Checkpoints[last].Rounds-1].Exchange][r] = float64(r % 7)
	}
	f := newProtocol(s, p, os, network, last)
	want := slices.Max(f.run(f.start()))
	got := simulateSchedule(t, s, p, os, network).Completion
	if got[last] != want || got[last] > got[last-1]-50 {
		t.Errorf("protocol %v, simulator %v and, without the last copy, %v", want, got[last], got[last-1])
	}
}

// Means in µs of another simulation of the protocol, and their standard errors.
func TestForwardingHasKnownMeans(t *testing.T) {
	for _, c := range []struct {
		ranks, sources, T int
		start             noise.Start
		trials            int
		plain, forward    estimate
	}{
		{1 << 10, 1, 0, noise.Synchronized, 2000, estimate{10.14, 0.16}, estimate{10.14, 0.16}},
		{1 << 10, 1, 1, noise.Synchronized, 2000, estimate{1.971, 0.061}, estimate{1.373, 0.029}},
		{1 << 10, 1, 2, noise.Synchronized, 2000, estimate{1.210, 0.015}, estimate{1.206, 0.014}},
		{1 << 10, 1, 1, noise.Random, 2000, estimate{12.48, 0.06}, estimate{10.68, 0.04}},
		{1 << 10, 2, 1, noise.Random, 2000, estimate{10.151, 0.028}, estimate{10.154, 0.028}},
		{1 << 12, 1, 1, noise.Synchronized, 1000, estimate{7.84, 0.17}, estimate{3.50, 0.12}},
		{1 << 14, 1, 2, noise.Synchronized, 300, estimate{10.58, 0.16}, estimate{6.87, 0.27}},
	} {
		m := model(c.ranks)
		m.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: c.start}
		m.Network = noise.None{}
		m.Problem.Redundancy.Sources, m.Problem.Redundancy.Max = c.sources, c.T
		for _, forward := range []bool{false, true} {
			m.Problem.Redundancy.Forward = forward
			want := c.plain
			if forward {
				want = c.forward
			}
			checkMean(t, &m, tests.Part(c.trials, c.trials/3), c.T, want)
		}
	}
}

// The processor, the network interface, or memory alone receives a copy: means in µs.
func TestReceptionHasKnownMeans(t *testing.T) {
	for reception, want := range map[collectives.Reception]float64{
		collectives.Offload: 1.19, collectives.CPU: 7.66,
	} {
		m := model(1024)
		m.Network = noise.None{}
		m.Problem.Redundancy.Reception = reception
		checkMean(t, &m, 4000, 3, estimate{want, 0.0015})
	}
}

// estimate is a mean and its standard error [µs].
type estimate struct{ mean, error float64 }

// checkMean fails if the mean of trials at T is further from one that is known than 3.5 standard errors.
func checkMean(t *testing.T, m *rounds.Model, trials, T int, want estimate) {
	t.Helper()
	mean, stdErr := models.Mean(models.Run(t, m, models.Keys("means", trials)...), T)
	if mean, stdErr = 1e6*mean, 1e6*stdErr; math.Abs(mean-want.mean) > 3.5*math.Hypot(stdErr, want.error) {
		t.Errorf("%+v under %v, T = %d: %.3f ± %.3f µs, want %.3f ± %.3f", m.Problem, m.OS, T, mean, stdErr,
			want.mean, want.error)
	}
}

// estimateOf returns the mean of times [s].
func estimateOf(times []float64) estimate {
	mean, deviation := stat.MeanStdDev(times, nil)
	return estimate{1e6 * mean, 1e6 * stat.StdErr(deviation, float64(len(times)))}
}
