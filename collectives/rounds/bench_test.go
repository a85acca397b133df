package rounds_test

import (
	"fmt"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// BenchmarkRunner simulates whole trials as a sweep does, at all T and with both noises
// drawn anew, on one core. Its ns/message is what the time of a study scales with.
func BenchmarkRunner(b *testing.B) {
	for _, log2 := range []int{4, 7, 10, 12, 14, 16, 18, 20, 22, 24, 26, 27} {
		b.Run(fmt.Sprintf("P=2^%d", log2), func(b *testing.B) {
			if log2 > 24 && !tests.Whole() {
				b.Skip("takes up to 4 GB; set WHOLE_TESTS=1")
			}
			m := model(1 << log2)
			simulated := runTrials(b, &m)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/(simulated*messages(b, &m)), "ns/message")
		})
	}
}

// BenchmarkForward simulates whole trials without and with forwarding, at synchronized and
// at random starts.
func BenchmarkForward(b *testing.B) {
	for _, log2 := range []int{8, 12, 16, 20} {
		for name, start := range map[string]noise.Start{
			"synchronized": noise.Synchronized, "random": noise.Random,
		} {
			for _, forward := range []string{"none", "final"} {
				b.Run(fmt.Sprintf("P=2^%d/%s/%s", log2, name, forward), func(b *testing.B) {
					m := model(1 << log2)
					m.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: start}
					m.Problem.Redundancy.Forward = forward == "final"
					simulated := runTrials(b, &m)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/simulated, "ns/trial")
				})
			}
		}
	}
}

// runTrials simulates trials as a sweep does until the benchmark ends, and returns how
// many.
func runTrials(b *testing.B, m *rounds.Model) (simulated float64) {
	b.Helper()
	shape := tests.Must(m.Shape())(b)
	runner := tests.Must(m.NewRunner(nil))(b)
	keys := make([]rng.Key, max(1, 1<<18/m.Problem.Ranks))
	trials := make([]montecarlo.Trial, len(keys))
	for i := range trials {
		trials[i].Completion = make([]float64, len(shape.Checkpoints))
	}
	key := rng.NewKey(1, "benchmark")
	for b.Loop() {
		for i := range keys {
			keys[i] = key.Derive(uint64(simulated) + uint64(i))
		}
		tests.NoError(b, runner.Run(b.Context(), keys, trials))
		simulated += float64(len(keys))
	}
	return simulated
}

// messages returns how many a trial has on average, up to where nothing changes.
func messages(b *testing.B, m *rounds.Model) float64 {
	b.Helper()
	t := newTrials(b, m)
	trials, sum := 0, 0.0
	for sum < 1<<22 {
		sum += t.run(rng.NewKey(uint64(trials), "benchmark"), asTheyAre)
		trials++
	}
	return sum / float64(trials)
}

// BenchmarkSources simulates whole trials with two sources, of messages that cost their hosts nothing, or
// 100 ns at each end.
func BenchmarkSources(b *testing.B) {
	for _, log2 := range []int{10, 14, 18, 20} {
		for _, overhead := range []float64{0, 100e-9} {
			m := model(1 << log2)
			m.Problem.Redundancy.Sources, m.Problem.Host.Overhead = 2, overhead
			b.Run(fmt.Sprintf("P=2^%d/o=%g", log2, overhead), func(b *testing.B) { singleTrials(b, &m) })
		}
	}
}

// BenchmarkAllToAll simulates whole trials of the all-to-all ring of 4096 ranks, 16.8 million
// messages each, under both noises, on one core.
func BenchmarkAllToAll(b *testing.B) {
	m := model(4096)
	m.Algorithm = tests.Must(collectives.Find("a2a-ring"))(b)
	singleTrials(b, &m)
}

// singleTrials simulates trials one at a time until the benchmark ends, and reports what a
// message takes, up to where nothing changes.
func singleTrials(b *testing.B, m *rounds.Model) {
	b.Helper()
	t := newTrials(b, m)
	n, sum := uint64(0), 0.0
	for b.Loop() {
		sum += t.run(rng.NewKey(n, "benchmark"), asTheyAre)
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/sum, "ns/message")
}

// BenchmarkProfiles simulates whole trials of 1024 ranks at a random start under the noise of each
// preset, and under periodic detours that are as many and take as much of the time, with the same
// noise of the network.
func BenchmarkProfiles(b *testing.B) {
	for _, preset := range datasets.Presets() {
		p := tests.Must(profile.Read(preset.YAML, preset.Name))(b)
		jitter := tests.Must(p.Jitter(noise.Random, profile.Groups{}, nil))(b)
		measured, ok := jitter.(noise.Superposition)
		if !ok {
			continue
		}
		rate, share := 0.0, 0.0
		for _, source := range measured.Components {
			rate += source.Rate()
			share += source.Rate() * source.Length().Mean()
		}
		periodic := noise.Periodic{Period: 1 / rate, Duration: share / rate, Start: noise.Random}
		for name, os := range map[string]noise.OS{"profile": measured, "periodic": periodic} {
			b.Run(preset.Name+"/"+name, func(b *testing.B) {
				m := model(1024)
				m.OS, m.Network = os, noise.None{}
				if p.Network.Noisy() {
					m.Network = p.Network.Model()
				}
				simulated := runTrials(b, &m)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/simulated, "ns/trial")
			})
		}
	}
}

// BenchmarkLinks simulates whole trials with links that are free and busy.
func BenchmarkLinks(b *testing.B) {
	for _, log2 := range []int{12, 20} {
		for _, sources := range []int{1, 2} {
			for _, links := range []string{"free", "busy"} {
				b.Run(fmt.Sprintf("P=2^%d/R=%d/%s", log2, sources, links), func(b *testing.B) {
					m := model(1 << log2)
					m.Problem.Redundancy.Sources = sources
					m.Problem.Busy = links == "busy"
					simulated := runTrials(b, &m)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/simulated, "ns/trial")
				})
			}
		}
	}
}

// BenchmarkApplication simulates 200 iterations with a T of 0 to 4, as a sweep does, on one core.
// Its ns/message is by the messages up to each T, though of the redundant ones of calls that are
// settled none is simulated.
func BenchmarkApplication(b *testing.B) {
	for _, c := range []struct {
		log2               int
		compute, imbalance float64
	}{
		{6, 0, 0}, {10, 0, 0}, {12, 0, 0}, {12, 100e-6, 0}, {12, 100e-6, 0.02}, {16, 0, 0},
		{16, 100e-6, 0.02},
	} {
		b.Run(fmt.Sprintf("P=2^%d/compute=%g/imbalance=%g", c.log2, c.compute, c.imbalance),
			func(b *testing.B) {
				a := application(1e-6, c.compute, c.imbalance)
				a.Collective.Network = model(2).Network
				a.Collective.Problem.Ranks, a.Collective.Problem.Redundancy.Max = 1<<c.log2, 4
				a.Iterations = 200
				shape := tests.Must(a.Shape())(b)
				runner := tests.Must(a.NewRunner(nil))(b)
				trials, n := []montecarlo.Trial{{Completion: make([]float64, len(shape.Checkpoints))}}, 0
				for b.Loop() {
					keys := []rng.Key{rng.NewKey(uint64(n), "benchmark")}
					tests.NoError(b, runner.Run(b.Context(), keys, trials))
					n++
				}
				messages := float64(n) * (shape.Work - 5*200*float64(int(1)<<c.log2))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/messages, "ns/message")
			})
	}
}
