package measured

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

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
				return fmt.Errorf("cannot keep a thread to cores %s: %w", Cores(cores), err)
			}
		}
	}
	return nil
}
