package measured

import _ "unsafe" // for go:linkname

// alone runs the detector without interference of Go's runtime: as if its thread were in a blocking
// system call. The runtime takes the processor (P) from such a thread at once, and so
//
//   - sends it no SIGURG, which preempts goroutines after 10 ms, and does not stop it
//     for garbage collections;
//   - has no busy P if no other goroutine runs, so that its monitor thread (sysmon),
//     which otherwise wakes every 10 ms, sleeps.
//
// Nothing of the runtime may be used in between. The two functions belong to the syscall package;
// the runtime keeps their names and types for other packages (go.dev/issue/67401).
//
//go:nosplit
//go:norace
func alone(d *detector) {
	entersyscallblock()
	d.watch()
	exitsyscall()
}

// calibrateAlone runs the calibration in the same way.
//
//go:nosplit
//go:norace
func calibrateAlone(d *detector, end uint64, least int64) {
	entersyscallblock()
	d.calibrate(end, least)
	exitsyscall()
}

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// nanotime returns the time of CLOCK_MONOTONIC in nanoseconds.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:nosplit
func monotonic() uint64 { return uint64(nanotime()) }
