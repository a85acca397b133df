package montecarlo

import (
	"slices"
	"testing"
)

// What takes much longer than others without noise gets no trial first, unless a detour takes longer still.
// Of the others those of little work do, and not too much together.
func TestCheapJobsAreNearTheFastest(t *testing.T) {
	all := func(jobs ...*job) []*job { return jobs }
	of := func(work, span, hit float64) *job { return &job{shape: Shape{Work: work, Span: span, Hit: hit}} }
	slow, fast, near := of(1e6, 3e-3, 1e-4), of(8e6, 1e-3, 1e-4), of(3e6, 1.02e-3, 1e-4)
	rare, other := of(1e6, 30e-6, 5e-3), of(2e6, 10e-6, 5e-3)
	heavy, heavier := of(firstWork, 1e-3, 1e-4), of(2*firstWork, 1e-3, 1e-4)
	c := &fieldRun{study: &Settings{Tolerance: 0.01}}
	for _, x := range []struct {
		what       string
		jobs, want []*job
	}{
		{"the one that is slow without noise", all(slow, fast, near), all(near, fast)},
		{"one that is slow where noise is slower", all(other, rare), all(rare, other)},
		{"a second of much work", all(heavier, heavy), all(heavy)},
		{"more than a few", all(fast, fast, fast, fast, fast), all(fast, fast, fast, fast)},
	} {
		if got := c.cheap(slices.Clone(x.jobs)); !slices.Equal(got, x.want) {
			t.Errorf("%s: %d jobs are first: not what was expected, or in another order", x.what, len(got))
		}
	}
}

// All candidates near the floor get further trials, but only the best of them where these are much work.
func TestOneGoesOnWhereTrialsAreMuchWork(t *testing.T) {
	for _, x := range []struct {
		work float64 // of a trial of each
		near int
	}{{1e6, 4}, {firstWork / 2, 2}} {
		c, l := &fieldRun{}, &analysis{asked: 0.05}
		of := func(time float64) *job {
			return &job{
				shape:  Shape{Work: x.work, Checkpoints: make([]Checkpoint, 1)},
				target: 1, noiseFree: make([]float64, 1), completion: []float64{time},
			}
		}
		for i, time := range []float64{1.04, 1.01, 1.05, 2} {
			c.field = append(c.field, Config{})
			l.jobs, l.compared = append(l.jobs, of(time)), append(l.compared, true)
			l.candidates = append(l.candidates, candidate{Candidate: Candidate{Config: i}})
			l.columns, l.have = append(l.columns, []float64{time}), append(l.have, 1)
		}
		c.floor = &floorRun{job: of(1)}
		got := c.begin(l)
		if len(got.near) != x.near || got.candidate != 1 || !slices.Contains(got.near, l.jobs[1]) {
			t.Errorf("work of %g: %d jobs go on, not %d; candidate %d", x.work, len(got.near), x.near, got.candidate)
		}
	}
}
