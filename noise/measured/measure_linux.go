package measured

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// calibration is the time for which the loop is calibrated.
const calibration = 0.1

// settling is the time between the calibration and the measurement: the runtime's
// monitor thread sleeps for up to 10 ms before it finds that it has nothing to do.
const settling = 0.05

// Measure measures the cores, all at the same time, and returns the result. It ends early
// when the context does, and then returns what was measured until then. It fails with
// [ErrNothing] if that is nothing, with [ErrBusy] if other programs used a core and the
// options do not allow that, and with [ErrSaturated] if a trace is saturated.
//
// A thread is bound to each core and takes no signals. The other threads of the process
// are restricted to the cores that are not measured, if there are any; if not, they
// sleep unless the caller runs something. The garbage collector is off.
func Measure(ctx context.Context, o Options) (Result, error) {
	allowed, err := Allowed()
	if err != nil {
		return Result{}, err
	}
	if err := o.Check(allowed); err != nil {
		return Result{}, err
	}
	clock := bestClock()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	measured := func(id int) bool { return slices.Contains(o.Cores, id) }
	if rest := slices.DeleteFunc(slices.Clone(allowed), measured); len(rest) > 0 {
		if err := moveThreads(rest); err != nil {
			return Result{}, err
		}
		defer func() { _ = moveThreads(allowed) }()
	}
	var stop uint32
	defer context.AfterFunc(ctx, func() { atomic.StoreUint32(&stop, 1) })()
	watchers := make([]*watcher, len(o.Cores))
	for i, id := range o.Cores {
		watchers[i] = &watcher{id: id,
			detector: detector{clock: clock.read, stop: &stop, notes: newNotes(o.Duration)}}
	}
	m := machine{os.DirFS("/")}
	var before census
	err = watchAll(o, clock, watchers, func() {
		if before = m.census(); o.Begun != nil {
			o.Begun()
		}
	})
	if err != nil {
		return Result{}, err
	}
	after := m.census()
	r, err := result(o, clock, watchers)
	r.Causes = m.causes(before, after, o.Cores)
	return r, err
}

// newNotes returns room for notes, 64 MiB at most, whose pages are touched: the first access to a page
// would be a detour.
func newNotes(duration float64) []note {
	const least, most = 1 << 12, 1 << 22
	notes := make([]note, int(min(max(duration*roomPerSecond, least), most)))
	for i := range notes {
		notes[i].length = 1
	}
	return notes[:0]
}

// bestClock returns the processor's counter if its rate is constant, else CLOCK_MONOTONIC.
func bestClock() Clock {
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	if name, read := counter(string(cpuinfo)); read != nil {
		return calibrated(name, read)
	}
	return Clock{"CLOCK_MONOTONIC", 1e-9, monotonic}
}

// watchAll runs the calibrations of all watchers at the same time, and then their
// measurements. It calls begun in between, while nothing is measured.
func watchAll(o Options, clock Clock, watchers []*watcher, begun func()) error {
	errs := make([]error, len(watchers))
	var calibrated, ended sync.WaitGroup
	begin := make(chan struct{})
	calibrated.Add(len(watchers))
	for i, w := range watchers {
		ended.Go(func() {
			errs[i] = w.prepare(o.Quantum, clock.Tick)
			if calibrated.Done(); errs[i] == nil {
				<-begin
				w.run()
			}
		})
	}
	calibrated.Wait()
	detectors := make([]*detector, len(watchers))
	for i, w := range watchers {
		detectors[i] = &w.detector
	}
	threshold, err := o.thresholdTicks(clock.Tick, detectors)
	errs = append(errs, err)
	begun()
	start := clock.read() + uint64(settling/clock.Tick)
	for _, d := range detectors {
		d.threshold, d.begin = threshold, start
		d.end = start + uint64(o.Duration/clock.Tick)
	}
	if err := errors.Join(errs...); err != nil {
		for _, d := range detectors {
			d.end = d.begin
		}
	}
	close(begin)
	ended.Wait()
	return errors.Join(errs...)
}

func result(o Options, clock Clock, watchers []*watcher) (Result, error) {
	r := Result{Clock: clock, Complete: true}
	for _, w := range watchers {
		if w.last == w.begin {
			return Result{}, ErrNothing
		}
		seen, core, err := w.core(w.id, clock.Tick)
		core.ID, core.Taken, core.Shared = w.id, w.taken, w.shared
		if busy := core.checkBusy(seen.Overhead()); busy != nil && !o.AllowBusy {
			return Result{}, busy
		}
		if err != nil {
			return Result{}, err
		}
		r.Trace.Cores = append(r.Trace.Cores, seen)
		r.Cores = append(r.Cores, core)
		r.Trace.Resolution = float64(w.threshold) * clock.Tick
		r.Complete = r.Complete && w.last >= w.end
	}
	return r, nil
}
