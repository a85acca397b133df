package recording

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/internal/tests"
)

// Adjacent activities of one kind are merged, those of no time are left out, and Cut removes
// what is after its time.
func TestTrack(t *testing.T) {
	var l Track
	if l.End() != 0 {
		t.Errorf("an empty track ends at %v", l.End())
	}
	l.Cut(3)
	l.Add(Waiting, 0, 2)
	l.Add(Waiting, 2, 4)
	l.Add(Delayed, 4, 4)
	l.Add(Computing, 4, 5)
	l.Add(Waiting, 5, 7)
	if want := []Activity{{Waiting, 0, 4}, {Computing, 4, 5}, {Waiting, 5, 7}}; !cmp.Equal(
		l.Activities,
		want,
	) ||
		l.End() != 7 {
		t.Errorf("%v, want %v", l.Activities, want)
	}
	l.Cut(5)
	l.Cut(3)
	if want := []Activity{{Waiting, 0, 3}}; !cmp.Equal(l.Activities, want) {
		t.Errorf("cut: %v, want %v", l.Activities, want)
	}
}

// A detour comes before the work that it delays, work consists of its parts, and work of no
// time makes no moment.
func TestWork(t *testing.T) {
	var l Track
	start := &Moment{Track: 1, Time: 1}
	m := l.Work(1, start, 10, 6, Part{Polling, 4}, Part{Receiving, 0}, Part{Computing, 2})
	if want := []Activity{{Detour, 1, 4}, {Polling, 4, 8}, {Computing, 8, 10}}; !cmp.Equal(
		l.Activities,
		want,
	) ||
		m.Time != 10 {
		t.Errorf("%v, until %v, want %v", l.Activities, m.Time, want)
	}
	if again := l.Work(1, m, 10, 0); again != m {
		t.Errorf("work of no time ends at %+v", again)
	}
	if late := l.Work(1, m, 12, 0); late.Time != 12 || late.Kind != Detour || late.Cause != m {
		t.Errorf("a detour ends at %+v", late)
	}
	if none := (*Track)(nil).Work(1, start, 2, 1, Part{Sending, 1}); none.Time != 2 ||
		none.Kind != Sending {
		t.Errorf("work without a track ends at %+v", none)
	}
}

// The path goes back from the end. Moments in transit are on no track.
func TestCritical(t *testing.T) {
	launch := &Moment{Track: 2}
	sent := launch.Then(2, Detour, 3).Then(2, Sending, 4)
	arrived := sent.Then(Transit, Wire, 6).Then(0, Delayed, 9)
	rec := Recording{Ranks: 3, End: arrived.Then(1, Receiving, 9).Then(1, Receiving, 10)}
	want := Path{Points: []Point{{2, 0}, {2, 4}, {0, 9}, {0, 9}, {1, 9}, {1, 10}}}
	want.Spent = [Kinds]float64{Detour: 3, Sending: 1, Wire: 2, Delayed: 3, Receiving: 1}
	if diff := tests.Diff(want, rec.CriticalPath()); diff != "" {
		t.Error(diff)
	}
}
