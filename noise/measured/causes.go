package measured

// A Counter is where Linux counts what interrupts a core.
type Counter string

// The counters. None needs privileges.
const (
	Interrupts Counter = "/proc/interrupts"
	Softirqs   Counter = "/proc/softirqs"
	Threads    Counter = "/proc/[pid]/sched" // how often each thread had the core
	Schedules  Counter = "/proc/schedstat"   // how often the core left the measuring thread
)

// A Cause is something that interrupts cores, by its counts before and after a measurement.
type Cause struct {
	Counter Counter
	// Name is the name in events of the kernel's tracer, such as local_timer, SCHED and
	// kworker/1:2; threads is the name of all threads together.
	Name  string
	Rates []float64 // [1/s] on each core, in the order of the options
	// Counts is the number of counts on the core that has the most.
	Counts int64
}
