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
