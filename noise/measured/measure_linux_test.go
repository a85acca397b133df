package measured

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jitterfly/internal/tests"
)

// What must hold on any machine, whatever else it does: detours are in order,
// within the span, and not shorter than the threshold.
func TestRun(t *testing.T) {
	allowed := tests.Must(Allowed())(t)
	percent := debug.SetGCPercent(100)
	for _, o := range []Options{
		{Cores: allowed[:1], Duration: 0.05},
		{Cores: allowed, Duration: 0.05},
		{Cores: allowed[:1], Duration: 0.05, Threshold: 1e-6},
		{Cores: allowed[:1], Duration: 0.05, Quantum: 1e-3},
	} {
		o.AllowBusy = true
		r, err := Measure(context.Background(), o)
		if err != nil {
			// Other programs may have had the core nearly all the time.
			if errors.Is(err, ErrSaturated) {
				continue
			}
			t.Fatal(err)
		}
		// A core may be so noisy that the room for its detours ends.
		full := slices.ContainsFunc(r.Cores, func(c Core) bool { return c.Full })
		if r.Complete == full || len(r.Trace.Cores) != len(o.Cores) ||
			len(r.Cores) != len(o.Cores) {
			t.Fatalf("%d cores of %+v, complete: %t, full: %t", len(r.Trace.Cores), o, r.Complete,
				full)
		}
		for i, c := range r.Trace.Cores {
			if c.ID != o.Cores[i] || !r.Cores[i].Full && c.Span < o.Duration*0.999 ||
				!(r.Cores[i].Loop >= o.Quantum*0.5) || !(r.Cores[i].Step > 0) {
				t.Errorf("core %d: span %g, %+v", c.ID, c.Span, r.Cores[i])
			}
			last := 0.0
			for _, d := range c.Detours {
				if d.Start < last || d.Length < r.Trace.Resolution*(1-1e-9) || d.End() > c.Span {
					t.Fatalf("detour %+v after %g, of a span of %g, at a threshold of %g", d, last,
						c.Span, r.Trace.Resolution)
				}
				last = d.End()
			}
		}
		if o.Threshold > 0 && math.Abs(r.Trace.Resolution-o.Threshold) > r.Clock.Tick {
			t.Errorf("the threshold is %g, want %g", r.Trace.Resolution, o.Threshold)
		}
	}
	if after, _ := Allowed(); !slices.Equal(after, allowed) {
		t.Errorf("afterwards on cores %v, before on %v", after, allowed)
	}
	if after := debug.SetGCPercent(percent); after != 100 {
		t.Errorf("afterwards the collector's percentage is %d, before it was 100", after)
	}
}

func TestRunStops(t *testing.T) {
	allowed := tests.Must(Allowed())(t)
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	r, err := Measure(ctx, Options{Cores: allowed[:1], Duration: 3600, AllowBusy: true})
	if errors.Is(err, ErrNothing) || errors.Is(err, ErrSaturated) {
		t.Skipf("the machine is too busy: %v", err)
	}
	tests.NoError(t, err)
	if r.Complete || r.Trace.Cores[0].Span > 3000 {
		t.Errorf("complete %v after %g s", r.Complete, r.Trace.Cores[0].Span)
	}
	cancel()
	if _, err := Measure(ctx, Options{Cores: allowed[:1], Duration: 3600, AllowBusy: true}); !errors.Is(err,
		ErrNothing) {
		t.Errorf("stopped before: %v", err)
	}
}

// A core that another program uses all the time is refused, unless that is allowed.
func TestRunOnASharedCore(t *testing.T) {
	allowed := tests.Must(Allowed())(t)
	if os.Getenv("SPIN") != "" {
		runtime.LockOSThread()
		tests.NoError(t, bind(0, allowed[:1]))
		fmt.Println("spinning")
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			continue
		}
		return
	}
	other := exec.Command(os.Args[0], "-test.run=^TestRunOnASharedCore$")
	other.Env = append(os.Environ(), "SPIN=1")
	begun := tests.Must(other.StdoutPipe())(t)
	tests.NoError(t, other.Start())
	defer func() { _, _ = other.Process.Kill(), other.Wait() }()
	tests.Must(begun.Read(make([]byte, 1)))(t)
	o := Options{Cores: allowed[:1], Duration: 0.3}
	_, err := Measure(context.Background(), o)
	if !errors.Is(err, ErrBusy) || !strings.HasPrefix(err.Error(),
		fmt.Sprintf("core %d: other programs, or the host", allowed[0])) {
		t.Errorf("%v", err)
	}
	o.AllowBusy = true
	r, err := Measure(context.Background(), o)
	if errors.Is(err, ErrSaturated) {
		t.Skip("others have the core nearly all the time")
	}
	if err != nil || r.Cores[0].Shared <= maxShared || r.Trace.Overhead() <= maxShared {
		t.Errorf("%+v, %v", r.Cores, err)
	}
}

// The runtime must not want anything of the thread that watches. If it did, a
// collection would wait for the end, and come after the detector's last reading.
func TestRuntimeLeavesTheThreadAlone(t *testing.T) {
	var stop uint32
	done := make(chan struct{})
	const long = 20e9
	begin := monotonic()
	d := &detector{clock: monotonic, loop: 1, threshold: 1e9, begin: begin, end: begin + long,
		stop: &stop, notes: make([]note, 0, 100)}
	go func() {
		// Without signals, which could make room for the collection.
		if err := ownThread(); err != nil {
			t.Error(err)
		}
		alone(d)
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	runtime.GC()
	atomic.StoreUint32(&stop, 1)
	<-done
	if d.last >= d.end {
		t.Error("a collection waited for the loop")
	}
}

func TestClock(t *testing.T) {
	if c := calibrated("nanoseconds", monotonic); math.Abs(c.Tick/1e-9-1) > 1e-3 {
		t.Errorf("a tick of CLOCK_MONOTONIC is %g s", c.Tick)
	}
	c := bestClock()
	if a, b := c.read(), c.read(); c.Name == "" || !(c.Tick > 0 && c.Tick < 1e-6) || b < a {
		t.Errorf("%+v reads %d, then %d", c, a, b)
	}
}
