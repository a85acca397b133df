package measured

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"jitterfly/internal/units"
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
	err = errors.Join(append(errs, err)...)
	begun()
	start := clock.read() + uint64(settling/clock.Tick)
	for _, d := range detectors {
		d.threshold, d.begin, d.end = threshold, start, start
		if err == nil {
			d.end += uint64(o.Duration / clock.Tick)
		}
	}
	close(begin)
	ended.Wait()
	return err
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

// The gaps that a calibration takes at least, however long that lasts on a core
// that other programs use.
const (
	leastGaps   = 1000 // of the loop without work
	leastQuanta = 20
)

// A watcher is a detector on a thread of its own that is bound to one core.
type watcher struct {
	id int
	detector
	taken  int64   // how often the scheduler gave the core to another thread
	shared float64 // and for which share of the time
}

// prepare binds the goroutine's thread to the core and calibrates the detector.
// The thread ends with the goroutine, so that nothing of this is undone.
func (w *watcher) prepare(quantum, tick float64) error {
	if err := ownThread(); err != nil {
		return fmt.Errorf("core %d: cannot hold signals back: %w", w.id, err)
	}
	if err := bind(0, []int{w.id}); err != nil {
		return fmt.Errorf("core %d: cannot bind a thread to it: %w", w.id, err)
	}
	gaps := w.gapsOf(0, calibration/tick, leastGaps)
	w.loop, w.step = gaps.loop(), gaps.step()
	if quantum > 0 {
		w.findWork(quantum / tick)
	}
	return nil
}

// ownThread locks the goroutine to its thread and blocks all signals on it: one
// to the process, such as an interrupt, goes to another thread.
func ownThread() error {
	runtime.LockOSThread()
	var every unix.Sigset_t
	for i := range every.Val {
		every.Val[i] = ^every.Val[i]
	}
	return unix.PthreadSigmask(unix.SIG_BLOCK, &every, nil)
}

// gapsOf runs the loop with work steps for the given time in ticks, and for at least the given
// number of gaps, and returns what it counted.
func (w *watcher) gapsOf(work uint64, ticks float64, least int64) *gapCounts {
	d := detector{clock: w.clock, work: work, gaps: newGapCounts()}
	calibrateAlone(&d, w.clock()+uint64(ticks), least)
	return d.gaps
}

// findWork sets the steps of work that take a quantum, in ticks, and the time
// that the loop takes with them.
func (w *watcher) findWork(quantum float64) {
	const sample = 1 << 16
	steps := w.gapsOf(sample, max(quantum, float64(w.step)*sample*leastQuanta), leastQuanta)
	w.work = uint64(max(1, quantum/float64(steps.loop())*sample))
	w.loop = w.gapsOf(w.work, leastQuanta*quantum, leastQuanta).loop()
}

// run measures. The loop never waits, so that the thread has not run only while others did.
func (w *watcher) run() {
	var before, after unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &before)
	begin := time.Now()
	alone(&w.detector)
	elapsed := time.Since(begin)
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &after)
	w.taken = after.Nivcsw - before.Nivcsw
	if ran := ranFor(after) - ranFor(before); elapsed > leastElapsed {
		w.shared = max(0, 1-ran.Seconds()/elapsed.Seconds())
	}
}

// leastElapsed is how long a measurement must be for the times that the system reports for a
// thread, which can be of whole ticks of its timer.
const leastElapsed = 100 * time.Millisecond

func ranFor(r unix.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Allowed returns the cores that this process may run on, in ascending order.
func Allowed() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("cannot read which cores this process may run on: %w", err)
	}
	var cores []int
	for id := range len(set) * strconv.IntSize {
		if set.IsSet(id) {
			cores = append(cores, id)
		}
	}
	return cores, nil
}

// bind restricts a thread to the cores; 0 is the calling thread.
func bind(thread int, cores []int) error {
	var set unix.CPUSet
	for _, id := range cores {
		set.Set(id)
	}
	return unix.SchedSetaffinity(thread, &set)
}

// moveThreads restricts all threads of the process to the cores. A thread that has not moved yet
// may create others meanwhile, so it repeats until no new one appears.
func moveThreads(cores []int) error {
	moved := map[int]bool{}
	for news := true; news; {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		news = false
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil || moved[id] {
				continue
			}
			moved[id], news = true, true
			if err := bind(id, cores); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("cannot keep a thread to cores %s: %w", units.Indexes(cores), err)
			}
		}
	}
	return nil
}
