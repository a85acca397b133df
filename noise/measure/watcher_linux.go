package measure

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// A watcher is a detector on a thread of its core.
type watcher struct {
	id int
	detector
	taken int64 // how often the core was given to another thread
}

// prepare makes the goroutine's thread that of the core, and calibrates. The
// thread ends with the goroutine, so nothing of this is undone.
func (w *watcher) prepare(quantum, tick float64) error {
	if err := ownThread(); err != nil {
		return fmt.Errorf("core %d: cannot hold signals back: %w", w.id, err)
	}
	if err := bind(0, []int{w.id}); err != nil {
		return fmt.Errorf("core %d: cannot bind a thread to it: %w", w.id, err)
	}
	calibrateAlone(&w.detector, w.clock()+uint64(calibration/tick))
	if quantum > 0 {
		w.findWork(quantum / tick)
	}
	return nil
}

// ownThread keeps the goroutine on its thread, and signals from it: one to the
// process, such as an interrupt, goes to another thread.
func ownThread() error {
	runtime.LockOSThread()
	var every unix.Sigset_t
	for i := range every.Val {
		every.Val[i] = ^every.Val[i]
	}
	return unix.PthreadSigmask(unix.SIG_BLOCK, &every, nil)
}

// findWork sets the work that takes a quantum, in ticks, and the least time that
// it takes.
func (w *watcher) findWork(quantum float64) {
	const sample, quanta = 1 << 16, 20
	bare := detector{clock: w.clock, work: sample}
	calibrateAlone(&bare, w.clock()+uint64(max(quantum, float64(w.step)*sample*quanta)))
	w.work = uint64(max(1, quantum/float64(bare.least)*sample))
	work := detector{clock: w.clock, work: w.work}
	calibrateAlone(&work, w.clock()+uint64(quanta*quantum))
	w.least = work.least
}

// run measures.
func (w *watcher) run() {
	var before, after unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &before)
	alone(&w.detector)
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &after)
	w.taken = after.Nivcsw - before.Nivcsw
}
