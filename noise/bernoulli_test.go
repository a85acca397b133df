package noise

import (
	"math"
	"slices"
	"testing"

	"jitterfly/internal/rng"
)

// Pieces of work are struck with their probability, each alone, whoever asks and however often,
// and from whatever time on.
func TestBernoulli(t *testing.T) {
	const n, p, length = 40 * Block, 0.1, 0.25
	b := Bernoulli{Probability: p, Lengths: Constant(length)}
	d := detoursOf(Superposition{Pieces: []Bernoulli{b}}, n, rng.NewKey(1, "bernoulli"))
	struck := func(piece Piece, start, work float64) (ranks []int) {
		for r := range n {
			at := []float64{start}
			d.Finish(piece, r, at, work)
			if end := at[0]; end == start+(work+length) {
				ranks = append(ranks, r)
			} else if end != start+work {
				t.Fatalf("rank %d: %g of work from %g is done at %g", r, work, start, end)
			}
		}
		return ranks
	}
	first := struck(Piece{Number: 1}, 1, 0.5)
	if got, sigma := float64(len(first)), math.Sqrt(n*p*(1-p)); math.Abs(got-n*p) > 4*sigma {
		t.Errorf("%g pieces of %d are struck, want %.0f ± %.0f", got, n, n*p, sigma)
	}
	if !slices.Equal(first, struck(Piece{Number: 1}, 2, 1.5)) {
		t.Error("from another time on, others are struck")
	}
	for _, other := range []Piece{{Number: 2}, {Kind: 1}, {Call: 1}, {Step: 1}, {Kind: 1, Number: 1}} {
		both := 0
		for _, r := range struck(other, 1, 0.5) {
			if slices.Contains(first, r) {
				both++
			}
		}
		if want := n * p * p; math.Abs(float64(both)-want) > 4*math.Sqrt(want) {
			t.Errorf("%d are struck in two pieces, want %.0f", both, want)
		}
	}
	for _, start := range []float64{0, 1} {
		if got := struck(Piece{}, start, 0.5); len(got) != 0 {
			t.Errorf("a launch at %g strikes %d", start, len(got))
		}
	}
	d.Draw(n, rng.NewKey(2, "bernoulli"))
	if slices.Equal(first, struck(Piece{Number: 1}, 1, 0.5)) {
		t.Error("two trials are alike")
	}
}

// One that meets another is independent of it.
func TestBernoulliTwice(t *testing.T) {
	const n, p = 40 * Block, 0.1
	d := Superposition{Pieces: []Bernoulli{
		{Probability: p, Lengths: Constant(2)}, {Probability: p, Lengths: Constant(1), Stream: 1},
	}}.Detours(make([]float64, n))
	d.Draw(n, rng.NewKey(1, "twice"))
	longer := map[float64]int{}
	for r := range n {
		at := []float64{0}
		d.Finish(Piece{Number: 1}, r, at, 0)
		longer[at[0]]++
	}
	if got, want := float64(longer[3]), n*p*p; math.Abs(got-want) > 4*math.Sqrt(want) {
		t.Errorf("%g are struck by both, want %.0f", got, want)
	}
}

func TestBernoulliAndTicks(t *testing.T) {
	ticks := Superposition{Components: Components(0, Ticks{Period: 1, Lengths: Constant(0.5)})}
	alone := ticks.Detours(make([]float64, 10))
	ticks.Pieces = []Bernoulli{{Probability: 1, Lengths: Constant(3)}}
	d := ticks.Detours(make([]float64, 10))
	key := rng.NewKey(1, "beside")
	d.Draw(10, key)
	alone.Draw(10, key)
	got, want := slices.Repeat([]float64{0.25}, 10), slices.Repeat([]float64{0.25}, 10)
	d.Finish(Piece{Number: 1}, 0, got, 1)
	alone.Finish(Piece{}, 0, want, 4)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
