package noise

import (
	"math"
	"slices"
	"testing"

	"jitterfly/internal/rng"
)

// Steps are struck with their probability, whoever asks and however often, and what
// strikes them meets the jitter beside.
func TestBernoulli(t *testing.T) {
	const n, p, length = 40 * Block, 0.1, 0.25
	b := Bernoulli{p, Constant(length), None{}}
	d := b.Detours(make([]float64, n))
	d.Draw(rng.NewKey(1, "bernoulli"))
	struck := func(start, work float64) (ranks []int) {
		at := slices.Repeat([]float64{start}, n)
		finishAll(d, at, work)
		for r, end := range at {
			if end == start+(work+length) {
				ranks = append(ranks, r)
			} else if end != start+work {
				t.Fatalf("rank %d: %g of work from %g is done at %g", r, work, start, end)
			}
		}
		return ranks
	}
	first := struck(1, 0.5)
	if got, sigma := float64(len(first)), math.Sqrt(n*p*(1-p)); math.Abs(got-n*p) > 4*sigma {
		t.Errorf("%g steps of %d are struck, want %.0f ± %.0f", got, n, n*p, sigma)
	}
	if !slices.Equal(first, struck(1, 0.5)) {
		t.Error("asked again, others are struck")
	}
	both := 0
	for _, r := range struck(2, 0.5) {
		if slices.Contains(first, r) {
			both++
		}
	}
	if want := n * p * p; math.Abs(float64(both)-want) > 4*math.Sqrt(want) {
		t.Errorf("%d are struck in two steps, want %.0f", both, want)
	}
	if got := struck(0, 0.5); len(got) != 0 {
		t.Errorf("the launch strikes %d", len(got))
	}
	d.Draw(rng.NewKey(2, "bernoulli"))
	if slices.Equal(first, struck(1, 0.5)) {
		t.Error("two trials are alike")
	}
}

func TestBernoulliAndTicks(t *testing.T) {
	ticks := Periodic{Period: 1, Duration: 0.5}
	d := Bernoulli{1, Constant(3), ticks}.Detours(make([]float64, 10))
	alone := ticks.Detours(make([]float64, 10))
	key := rng.NewKey(1, "beside")
	d.Draw(key)
	alone.Draw(key)
	got, want := slices.Repeat([]float64{0.25}, 10), slices.Repeat([]float64{0.25}, 10)
	d.Finish(0, got, 1)
	alone.Finish(0, want, 4)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
