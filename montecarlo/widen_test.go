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

// Jobs that lack the same trials draw their noise once.
func TestNoiseOfATrialIsDrawnOnce(t *testing.T) {
	of := func(target int) *job { return &job{target: target, shape: Shape{Work: 1, Noise: 10}} }
	both, all := []*job{of(2), of(2)}, []*job{of(2), of(0), of(2)}
	upTo := func(*job) int { return 4 }
	if got := costUpTo(both, upTo); got != 2*(1+1+10) {
		t.Errorf("2 trials of two jobs cost %g", got)
	}
	if got := costUpTo(all, upTo); got != 2*(1+1+10)+4*(1+10) {
		t.Errorf("2 trials of two jobs and 4 of a third cost %g", got)
	}
	c := chunk{jobs: both, from: 1, to: 4}
	if c.cost() != 3*12 || c.work() != 3*2 {
		t.Errorf("3 trials of two jobs cost %g, and their messages %g", c.cost(), c.work())
	}
}

// A candidate with one trial near the floor is not taken for nearer than one with many.
func TestWhatSeemsNearByChanceIsDoubted(t *testing.T) {
	times := []float64{1, 1.08, 1, 1.08, 1, 1.08, 1, 1.08, 1.04}
	for _, x := range []struct {
		time float64 // of the only trial of the first candidate
		want int
	}{{1.02, 1}, {0.99, 0}} {
		l := &analysis{
			objective: &Objectives[0], allowed: 0.05, asked: 0.05, tolerance: 0.05, hit: 0.5,
			columns: [][]float64{{x.time}, times}, values: []float64{x.time, 1.04}, have: []int{1, len(times)},
		}
		of := func(column []float64) *job {
			return &job{
				shape:  Shape{Work: 1e9, Checkpoints: make([]Checkpoint, 1)},
				target: len(column), noiseFree: make([]float64, 1), completion: column,
			}
		}
		for i, column := range l.columns {
			l.jobs = append(l.jobs, of(column))
			l.candidates = append(l.candidates, candidate{Candidate: Candidate{Config: i}})
		}
		floor := of(slices.Repeat([]float64{1}, len(times)))
		l.floor = floor
		f := &floorRun{job: floor, tests: newCandidateTests(l.candidates, true)}
		if got, _ := f.soonest(l); got != x.want {
			t.Errorf("a trial that takes %g times the floor: candidate %d is known soonest, not %d",
				x.time, got, x.want)
		}
	}
}

// A trial of what has none comes before a wide tolerance, if it takes a small part of the time.
func TestUntriedJobsGetATrial(t *testing.T) {
	c := &fieldRun{study: &Settings{}, fits: func(work float64) bool { return work <= 1e7 }}
	of := func(work float64) *job { return &job{shape: Shape{Work: work}} }
	tried := of(1e9)
	tried.target = 1
	for _, x := range []struct {
		work float64
		want int
	}{{1e6, 1}, {1e7, 0}} {
		l := &analysis{
			values: []float64{1}, jobs: []*job{tried, of(x.work), of(1)},
			least: []float64{0, 0.5, 2}, compared: []bool{true, true, true},
		}
		if got := c.untried(l); len(got) != x.want {
			t.Errorf("%d jobs get a trial of %g messages, not %d", len(got), x.work, x.want)
		}
	}
}
