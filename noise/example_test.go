package noise_test

import (
	"fmt"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// One rank has a detour of 10 µs every millisecond. Work of 5 µs that begins during a detour
// waits for its end; work that a detour begins in takes 10 µs longer. Times are relative to the detour.
func ExamplePeriodic() {
	jitter := noise.Periodic{Period: 1e-3, Duration: 10e-6}
	detours := jitter.Detours(make([]float64, 1))
	detours.Draw(1, rng.NewKey(1, "example"))
	first := detours.(noise.GapDetours).Gaps(0, jitter.Period).First[0]
	for _, start := range []float64{-20e-6, -3e-6, 4e-6, 10e-6} {
		t := []float64{first + start}
		detours.Finish(noise.Piece{}, 0, t, 5e-6)
		fmt.Printf("begun at %3.0f µs, done at %3.0f µs\n", 1e6*start, 1e6*(t[0]-first))
	}
	// Output:
	// begun at -20 µs, done at -15 µs
	// begun at  -3 µs, done at  12 µs
	// begun at   4 µs, done at  15 µs
	// begun at  10 µs, done at  15 µs
}

// Two sources at once take as much time as both together.
func ExampleSuperposition_Check() {
	s := noise.Superposition{Components: noise.Components(0, noise.Ticks{Period: 4e-3,
		Lengths: noise.Constant(3e-3)},
		noise.PoissonDetours{Interval: 1e-3, Lengths: noise.Exponential{Average: 0.5e-3}})}
	fmt.Println(s.Check())
	// Output:
	// the noise takes 125% of the time, so that nothing could run
}
