package noise

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
)

// preempted is the preemption rule, step by step, for detours of one length
// that begin at the given times, in order.
func preempted(begins []float64, duration, start, work float64) float64 {
	for _, begin := range begins {
		if begin <= start && start < begin+duration {
			start = begin + duration
		}
	}
	end := start + work
	for _, begin := range begins {
		if start <= begin && begin < end {
			end += duration
		}
	}
	return end
}

// Times are whole multiples of one power of two, so that everything is exact
// and a start at the very edge of a detour is one for both sides.
func TestPeriodicFinishIsTheIteratedRule(t *testing.T) {
	const unit = 0x1p-30
	rapid.Check(t, func(t *rapid.T) {
		period := rapid.IntRange(1, 1000).Draw(t, "period")
		duration := rapid.OneOf(
			rapid.IntRange(0, period-1),
			rapid.Just(period/2), // 50% duty
		).Draw(t, "duration")
		first := rapid.IntRange(-duration, period-1).Draw(t, "first")
		detour := first + period*rapid.IntRange(0, 20).Draw(t, "detour")
		inside := rapid.IntRange(0, max(0, duration-1)).Draw(t, "inside")
		outside := rapid.IntRange(duration, period-1).Draw(t, "outside")
		long := rapid.IntRange(0, 50*period).Draw(t, "work")

		p := Periodic{Period: float64(period) * unit, Duration: float64(duration) * unit}
		for _, start := range []int{first - 1, first, detour, detour + inside, detour + duration, detour +
			outside} {
			// The third ends where a detour begins, or where one has ended.
			for _, work := range []int{0, 1, 20 * (period - duration), long} {
				var begins []float64
				for i := range 30 + work { // between two detours a unit of it gets done
					begins = append(begins, float64(first+i*period)*unit)
				}
				want := preempted(begins, p.Duration, float64(start)*unit, float64(work)*unit)
				got := []float64{float64(start) * unit}
				d := detoursOf(p, 1, rng.Key{}).(*periodicDetours)
				drawPhases(d)
				d.setPhase(0, float64(first)*unit)
				d.Finish(Piece{}, 0, got, float64(work)*unit)
				if got[0] != want {
					t.Errorf("%d of work from %d ends at %v, want %v", work, start, got[0]/unit, want/unit)
				}
			}
		}
	})
}

// detoursOf returns the detours of ranks in the trial that a key names.
func detoursOf(os OS, ranks int, key rng.Key) Detours {
	d := os.Detours(make([]float64, ranks))
	d.Draw(ranks, key)
	return d
}

// finished returns when ranks have done work that they begin at 0.
func finished(d Detours, ranks int, work float64) []float64 {
	t := make([]float64, ranks)
	finishAll(d, t, work)
	return t
}

// finishAll is Finish for all ranks, block by block.
func finishAll(d Detours, t []float64, work float64) {
	for lo := 0; lo < len(t); lo += Block {
		d.Finish(Piece{}, lo, t[lo:min(lo+Block, len(t))], work)
	}
}

// drawPhases draws the phases of all ranks.
func drawPhases(d *periodicDetours) {
	for lo := 0; lo < len(d.first); lo += Block {
		d.Gaps(lo, math.MaxFloat64)
	}
}

func TestPhases(t *testing.T) {
	const n, period, duration = 100*Block + 17, 8e-3, 3e-3
	for _, c := range []struct {
		name           string
		launch         Start
		origin, inside float64
	}{
		{"quiet", Synchronized, 0, 0},
		{"stationary", Random, -duration, duration / period},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := make([]float64, n)
			d := Periodic{Period: period, Duration: duration, Start: c.launch}.Detours(first)
			d.Draw(n, rng.NewKey(1, c.name))

			start := finished(d, n, 0)
			inside := 0.0
			for _, s := range start {
				if s > 0 {
					inside++
				}
			}
			sigma := math.Sqrt(c.inside * (1 - c.inside) / n)
			if got := inside / n; math.Abs(got-c.inside) > 4.5*sigma {
				t.Errorf("%.4f of the ranks start inside a detour, want %.4f ± %.4f", got, c.inside, sigma)
			}

			drawPhases(d.(*periodicDetours))
			phase := slices.Clone(first)
			for i := range phase {
				phase[i] = (phase[i] - c.origin) / period
			}
			uniformly(t, "phases", phase)
			if different := len(slices.Compact(phase)); different < n {
				t.Errorf("%d ranks have only %d phases", n, different)
			}
		})
	}
}

// The earliest phases of n ranks are distributed as the smallest of n uniform phases, belong to each
// rank with the same probability, and precede the rest.
func TestEarliestPhases(t *testing.T) {
	const n = 384
	trials := tests.Part(uint64(20_000), 5000)
	first := make([]float64, n)
	d := Periodic{Period: 8, Duration: 3, Start: Random}.Detours(first)
	var shares, ranks [3][]float64
	var rest []float64
	for trial := range trials {
		d.Draw(n, rng.NewKey(trial, "earliest"))
		drawPhases(d.(*periodicDetours))
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(first[a], first[b]) })
		end, before := 5., -3.
		for i, r := range order[:3] {
			shares[i] = append(shares[i], 1-math.Pow((end-first[r])/(end-before), float64(n-i)))
			ranks[i] = append(ranks[i], (float64(r)+float64(trial%97)/97)/n)
			before = first[r]
		}
		rest = append(rest, (first[order[3+trial%(n-3)]]-before)/(end-before))
	}
	for i := range 3 {
		uniformly(t, fmt.Sprintf("the share of trials in which phase %d is earlier", i), shares[i])
		uniformly(t, fmt.Sprintf("the rank with phase %d", i), ranks[i])
	}
	uniformly(t, "the others", rest)
}

// uniformly fails if numbers do not look drawn from [0, 1): 2.5/√n is 1 false alarm in 10^5.
func uniformly(t *testing.T, what string, v []float64) {
	t.Helper()
	slices.Sort(v)
	uniform := make([]float64, len(v))
	for i := range uniform {
		uniform[i] = (float64(i) + 0.5) / float64(len(v))
	}
	if distance := stat.KolmogorovSmirnov(v, nil, uniform,
		nil); distance > 2.5/math.Sqrt(float64(len(v))) {
		t.Errorf("%s: Kolmogorov-Smirnov distance to the uniform distribution %.5f of %d", what, distance,
			len(v))
	}
}

// Ranks of a node have one phase, and nodes the phases that as many ranks would have
// without sharing.
func TestSharedPhases(t *testing.T) {
	draw := func(shared, n int, launch Start) []float64 {
		first := make([]float64, n)
		d := Periodic{Period: 8, Duration: 3, Start: launch, Shared: shared}.Detours(first)
		d.Draw(n, rng.NewKey(1, "shared"))
		drawPhases(d.(*periodicDetours))
		return first
	}
	for _, launch := range []Start{Synchronized, Random} {
		for _, n := range []int{1, 7, Block, 3*Block + 5, 10*Block - 1} {
			if !slices.Equal(draw(0, n, launch), draw(1, n, launch)) {
				t.Errorf("%d ranks: one rank that shares a phase is not alone", n)
			}
			for _, shared := range []int{2, 7, 8, Block, Block + 1, n, math.MaxInt} {
				alone := draw(1, (n-1)/shared+1, launch)
				for r, got := range draw(shared, n, launch) {
					if want := alone[r/shared]; got != want {
						t.Fatalf("%d ranks, %d share a phase: that of rank %d is %g, want %g", n, shared, r, got,
							want)
					}
				}
			}
		}
	}
}

// Phases are the same however far they are drawn at a time, and whoever asks.
func TestPhasesAreTheSameInAnySteps(t *testing.T) {
	const n = 3*Block + 5
	for _, shared := range []int{1, 3} {
		p := Periodic{Period: 1, Duration: 0.2, Start: Random, Shared: shared}
		draw := func() (d *periodicDetours, first []float64) {
			first = make([]float64, n)
			d = p.Detours(first).(*periodicDetours)
			d.Draw(n, rng.NewKey(1, "steps"))
			return d, first
		}
		atOnce, want := draw()
		drawPhases(atOnce)
		random := rand.New(rand.NewPCG(1, 1))
		inSteps, got := draw()
		for upto := -0.2; upto < 0.8; upto += 0.01 * random.Float64() {
			inSteps.Finish(Piece{}, random.IntN(n), []float64{upto}, 0)
			if got, want := inSteps.Preempts(upto), slices.Min(want) <= upto; got != want {
				t.Fatalf("a rank is preempted by %g: %t, want %t", upto, got, want)
			}
		}
		drawPhases(inSteps)
		if !slices.Equal(got, want) {
			t.Error("other phases in steps than at once")
		}
	}
}

// What a rank remembers of the detours behind it changes nothing: asked in any
// order, about ever later times or earlier ones, alone or with others of its block, all
// say what is said at once.
func TestPeriodicRemembersNothing(t *testing.T) {
	const n = 2*Block + 5
	rapid.Check(t, func(t *rapid.T) {
		p := Periodic{
			Period:   1,
			Duration: rapid.SampledFrom([]float64{0, 1e-3, 0.3, 0.9}).Draw(t, "duration"),
			Start:    rapid.SampledFrom([]Start{Synchronized, Random}).Draw(t, "launch"),
		}
		d := p.Detours(make([]float64, n))
		long := rapid.SampledFrom([]float64{1, 1e-3, 1e-5}).Draw(t, "long") // in short trials few phases are drawn
		for trial := range 2 {
			key := rng.NewKey(uint64(trial), "memory")
			d.Draw(n, key)
			for range 60 {
				rank := rapid.SampledFrom([]int{0, 7, Block, Block + 1, n - 1}).Draw(t, "rank")
				ranks := rapid.IntRange(1, min(n, (rank/Block+1)*Block)-rank).Draw(t, "ranks")
				start := long * rapid.Float64Range(0, 8).Draw(t, "start")
				apart := long * rapid.SampledFrom([]float64{0, 1e-7, 1e-3}).Draw(t, "apart")
				work := long * rapid.SampledFrom([]float64{0, 1e-3, 0.7, 2.5}).Draw(t, "work")
				fresh := detoursOf(p, n, key)
				got := make([]float64, ranks)
				for i := range got {
					got[i] = start + float64(i)*apart
				}
				want := slices.Clone(got)
				d.Finish(Piece{}, rank, got, work)
				for i := range want {
					fresh.Finish(Piece{}, rank+i, want[i:i+1], work)
					if got[i] != want[i] {
						t.Fatalf("%g of work of rank %d from %g is done at %v, want %v", work, rank+i,
							start+float64(i)*apart, got[i], want[i])
					}
				}
			}
		}
	})
}

func TestPeriodicBlocksInAnyOrder(t *testing.T) {
	const n = 3*Block + 5
	p := Periodic{Period: 10, Duration: 4, Start: Random}
	random := rand.New(rand.NewPCG(1, 2))
	whole := make([]float64, n)
	for i := range whole {
		whole[i] = 30 * random.Float64()
	}
	forward, backward, other := slices.Clone(whole), slices.Clone(whole), slices.Clone(whole)

	d := detoursOf(p, n, rng.NewKey(1, "a"))
	for lo := 0; lo < n; lo += Block / 2 {
		d.Finish(Piece{}, lo, whole[lo:min(lo+Block/2, n)], 7)
	}

	d = p.Detours(make([]float64, n))
	d.Draw(n, rng.NewKey(1, "b"))
	finishAll(d, other, 7)
	d.Draw(n, rng.NewKey(1, "a"))
	finishAll(d, forward, 7)
	for lo := n - n%Block; lo >= 0; lo -= Block {
		d.Finish(Piece{}, lo, backward[lo:min(lo+Block, n)], 7)
	}
	if !slices.Equal(whole, forward) || !slices.Equal(whole, backward) {
		t.Error("visiting the blocks in another order gives other times")
	}
	if slices.Equal(whole, other) {
		t.Error("two trials are alike")
	}
}

// A block of phases can have more ranks than 32 bits count.
func TestPeriodicOfAllRanks(t *testing.T) {
	const n = 1 << 22
	d := detoursOf(Periodic{1, 0.4, Random, math.MaxInt}, n, rng.NewKey(1, "all ranks"))
	first, last := []float64{0}, []float64{0}
	d.Finish(Piece{}, 0, first, 0.7)
	d.Finish(Piece{}, n-1, last, 0.7)
	if first[0] != last[0] || first[0] < 1.1 {
		t.Errorf("the work of two ranks is done at %g and %g", first[0], last[0])
	}
}
