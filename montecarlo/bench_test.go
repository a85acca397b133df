package montecarlo_test

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// BenchmarkTimeline plays whole trials as a sweep does, at all T and with both noises
// drawn anew, on one core. Its ns/rank-round is what the time of a study scales with.
func BenchmarkTimeline(b *testing.B) {
	for _, log2 := range []int{4, 7, 10, 12, 14, 16, 18, 20, 22, 24, 26, 27} {
		b.Run(fmt.Sprintf("P=2^%d", log2), func(b *testing.B) {
			if log2 > 24 && testing.Short() {
				b.Skip("takes up to 4 GB")
			}
			config := reference(1 << log2)
			played := playWorker(b, config, func(*montecarlo.Worker) error { return nil })
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/(played*rankRounds(b, config)), "ns/rank-round")
		})
	}
}

// playWorker plays trials as a sweep does as long as the benchmark goes on, and returns how many.
func playWorker(b *testing.B, config montecarlo.Config, prepare func(*montecarlo.Worker) error) (played float64) {
	b.Helper()
	trials := max(1, 1<<18/config.Problem.Ranks)
	w, err := montecarlo.NewWorker(&config, trials)
	if err == nil {
		err = prepare(w)
	}
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := w.Play(rng.NewKey(uint64(played), config.Environment)); err != nil {
			b.Fatal(err)
		}
		played += float64(trials)
	}
	return played
}

// BenchmarkRare plays whole trials of ranks of which one in ten meets a detour, P·K·Tcomm = 0.1 periods, and in as
// many a message is held: every rank of all trials, and as a sweep does.
func BenchmarkRare(b *testing.B) {
	for _, log2 := range []int{4, 7, 10, 14, 18, 20} {
		config := reference(1 << log2)
		config.OS, config.Network = rare(&config.Problem)
		for _, play := range []struct {
			name    string
			prepare func(*montecarlo.Worker) error
		}{{"dense", (*montecarlo.Worker).Dense}, {"sparse", func(*montecarlo.Worker) error { return nil }}} {
			b.Run(fmt.Sprintf("P=2^%d/%s", log2, play.name), func(b *testing.B) {
				played := playWorker(b, config, play.prepare)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/played, "ns/trial")
			})
		}
	}
}

// rare is noise that touches one in ten trials of a butterfly, of either kind.
func rare(p *collectives.Problem) (noise.OS, noise.Network) {
	messages := float64(p.Ranks * (bits.Len(uint(p.Ranks)) - 1))
	period := 10 * messages * p.Wire(p.Bytes)
	return noise.Periodic{Period: period, Duration: 10e-6}, noise.Poisson{Interval: period, Lengths: noise.Constant(10e-6)}
}

// rankRounds is how many a trial has on average, up to where nothing changes.
func rankRounds(b *testing.B, config montecarlo.Config) float64 {
	b.Helper()
	t := newTrials(b, config)
	trials, work := 0, 0.0
	for work < 1<<22 {
		work += t.play(trials, func(d noise.Detours) collectives.Detours { return d })
		trials++
	}
	return work / float64(trials)
}

// BenchmarkSparse plays whole trials with two sources, after which a detour
// touches few ranks: by blocks, and as the timeline does if it is left to.
func BenchmarkSparse(b *testing.B) {
	for _, log2 := range []int{10, 14, 18, 20} {
		config := reference(1 << log2)
		config.Problem.Redundancy.Sources = 2
		b.Run(fmt.Sprintf("P=2^%d/blocks", log2), func(b *testing.B) {
			playTrials(b, config, func(d noise.Detours) collectives.Detours { return struct{ collectives.Detours }{d} })
		})
		b.Run(fmt.Sprintf("P=2^%d/sparse", log2), func(b *testing.B) {
			playTrials(b, config, func(d noise.Detours) collectives.Detours { return d })
		})
	}
}

// BenchmarkHosts plays whole trials with two sources, of messages that cost their hosts
// 100 ns at each end: by blocks, and as the timeline does if it is left to.
func BenchmarkHosts(b *testing.B) {
	for _, log2 := range []int{10, 14, 18} {
		config := reference(1 << log2)
		config.Problem.Redundancy.Sources, config.Problem.Host.Overhead = 2, 100e-9
		b.Run(fmt.Sprintf("P=2^%d/blocks", log2), func(b *testing.B) {
			trials, work := playTrials(b, config, func(d noise.Detours) collectives.Detours { return struct{ collectives.Detours }{d} })
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/(float64(trials)*work), "ns/rank-round")
		})
		b.Run(fmt.Sprintf("P=2^%d/sparse", log2), func(b *testing.B) {
			playTrials(b, config, func(d noise.Detours) collectives.Detours { return d })
		})
	}
}

// BenchmarkAllToAll plays whole trials of the all-to-all ring of 4096 ranks, 16.8
// million messages each, under both noises, on one core.
func BenchmarkAllToAll(b *testing.B) {
	config := reference(4096)
	algorithm, err := collectives.Find("a2a-ring")
	if err != nil {
		b.Fatal(err)
	}
	config.Algorithm = algorithm
	trials, work := playTrials(b, config, func(d noise.Detours) collectives.Detours { return d })
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/(float64(trials)*work), "ns/message")
}

// playTrials plays trials as long as the benchmark goes on, and returns how many,
// and the rank-rounds of each up to where nothing changes.
func playTrials(b *testing.B, config montecarlo.Config, as func(noise.Detours) collectives.Detours) (trials int, work float64) {
	b.Helper()
	t := newTrials(b, config)
	for b.Loop() {
		work += t.play(trials, as)
		trials++
	}
	return trials, work / float64(trials)
}

// trials are those of one configuration, one at a time.
type trials struct {
	t        testing.TB
	config   montecarlo.Config
	schedule collectives.Schedule
	timeline *collectives.Timeline
	detours  noise.Detours
	delays   noise.Delays
	trial    collectives.Trial
	key      rng.Key
}

func newTrials(t testing.TB, config montecarlo.Config) *trials {
	t.Helper()
	schedule, err := config.Algorithm.Schedule(config.Problem)
	if err != nil {
		t.Fatal(err)
	}
	return &trials{
		t: t, config: config, schedule: schedule,
		timeline: collectives.NewTimeline(schedule.Ranks),
		detours:  config.OS.Detours(make([]float64, schedule.Ranks)), delays: config.Network.Delays(schedule.Ranks),
		trial: collectives.Trial{Completion: make([]float64, len(schedule.Results))},
		key:   rng.NewKey(1, config.Environment),
	}
}

// play plays the n-th, and returns its rank-rounds.
func (t *trials) play(n int, as func(noise.Detours) collectives.Detours) (work float64) {
	t.t.Helper()
	key := t.key.Derive(uint64(n))
	t.detours.Draw(key)
	t.delays.Draw(key)
	if err := t.timeline.Play(context.Background(), &t.schedule, t.config.Problem, as(t.detours), t.delays, &t.trial); err != nil {
		t.t.Fatal(err)
	}
	for _, r := range t.schedule.Rounds[:t.trial.Rounds] {
		work += float64(r.Receivers.Hi - r.Receivers.Lo)
	}
	return work
}

// BenchmarkChoose takes one deployment from nothing to a choice that is 95 % sure
// within 1 %, on all cores.
func BenchmarkChoose(b *testing.B) {
	for _, log2 := range []int{7, 10, 14} {
		b.Run(fmt.Sprintf("P=2^%d", log2), func(b *testing.B) {
			s := &montecarlo.Study{
				Fields: []montecarlo.Field{deployment(1 << log2)}, Tolerance: 0.01,
				Trials: montecarlo.Trials{Min: 100, Max: 1_000_000, Until: montecarlo.UntilSure, Confidence: 0.95},
			}
			for b.Loop() {
				s.Seed++
				err := montecarlo.Run(context.Background(), s, montecarlo.Options{Done: func(_ int, d montecarlo.Decision) error {
					if d.Stop != montecarlo.Chosen {
						b.Errorf("stopped by %v", d.Stop)
					}
					return nil
				}})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWorkers plays sixty-four trials of ten messages a node around a random ring
// on full fat trees, under both noises, on GOMAXPROCS workers: with -cpu 1,2,4 the
// times say what more cores are worth.
func BenchmarkWorkers(b *testing.B) {
	for _, tree := range []string{"fat-tree:8x8x16", "fat-tree:12x12x24", "fat-tree:16x16x32"} {
		b.Run(tree, func(b *testing.B) {
			place, err := network.ParseTopology(tree)
			if err != nil {
				b.Fatal(err)
			}
			config := reference(place.Nodes())
			config.Flows = &network.Problem{
				Topology: place, Pattern: network.RandomRing(place.Nodes(), 10, false, rand.New(rand.NewPCG(1, 2)).Shuffle),
				Bytes: 64 << 10, Bandwidth: 1e9, Latency: 1e-6, Controllers: 1,
			}
			s := &montecarlo.Study{
				Fields: []montecarlo.Field{{config}}, Seed: 1, Tolerance: 0.01,
				Trials: montecarlo.Trials{Min: 64, Max: 64, Confidence: 0.95},
			}
			done := func(int, montecarlo.Decision) error { return nil }
			for b.Loop() {
				if err := montecarlo.Run(context.Background(), s, montecarlo.Options{Done: done}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
