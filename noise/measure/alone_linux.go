package measure

import _ "unsafe" // for go:linkname

// alone runs the detector where Go's runtime leaves its thread alone: as if it
// were in a system call that blocks. The runtime takes the processor (its P)
// away from such a thread at once, and so
//
//   - sends it no SIGURG, which preempts what runs for more than 10 ms, and
//     asks it to stop for nothing, a collection included;
//   - when no other goroutine runs, has no P that is busy, and its monitor
//     thread (sysmon), which otherwise wakes every 10 ms, sleeps.
//
// In return, nothing of the runtime may be used in between. The two functions
// are what the syscall package uses; the runtime keeps their names and types
// for others that need them (go.dev/issue/67401).
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

// nanotime returns CLOCK_MONOTONIC in nanoseconds.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:nosplit
func monotonic() uint64 { return uint64(nanotime()) }
