package montecarlo_test

import (
	"context"
	"fmt"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// BenchmarkTimeline plays whole trials, at all T and with both noises drawn
// anew, on one core. Its ns/rank-round is what the time of a study scales with.
func BenchmarkTimeline(b *testing.B) {
	for _, log2 := range []int{10, 16, 20} {
		b.Run(fmt.Sprintf("P=2^%d", log2), func(b *testing.B) {
			config := reference(1 << log2)
			schedule, err := config.Algorithm.Schedule(config.Problem)
			if err != nil {
				b.Fatal(err)
			}
			timeline := collectives.NewTimeline(schedule.Ranks)
			detours := config.OS.Detours(make([]float64, schedule.Ranks))
			delays := config.Network.Delays()
			trial := collectives.Trial{Completion: make([]float64, len(schedule.Results))}
			key := rng.NewKey(1, config.Environment)
			played, work := uint64(0), 0.0
			for b.Loop() {
				detours.Draw(key.Derive(played))
				delays.Draw(key.Derive(played))
				if err := timeline.Play(context.Background(), &schedule, config.Problem, detours, delays, &trial); err != nil {
					b.Fatal(err)
				}
				played++
				for _, r := range schedule.Rounds[:trial.Rounds] {
					work += float64(r.Receivers.Hi - r.Receivers.Lo)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/work, "ns/rank-round")
		})
	}
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
