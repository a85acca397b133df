package measured

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// Steps is the default threshold, in steps of the clock. It is netgauge's.
const Steps = 9

// ErrNothing is returned for a measurement that was stopped before it began.
var ErrNothing = errors.New("stopped before anything was measured")

// ErrSaturated is returned for a measurement that says nothing about noise: its
// threshold is below a step of the clock, its detours are so dense that they are
// variations of the loop itself, or they leave almost no time between them.
var ErrSaturated = errors.New("measure again with a higher threshold, or on a core that is free")

// ErrBusy is returned for a measurement of a core that other programs used.
var ErrBusy = errors.New("measure a core that is free, or stop the other programs")

// maxShared is the share of the time for which the scheduler may give a core to other
// threads. Those of the system take less.
const maxShared = 0.1

// maxOverhead is the share of the time that detours may take. Where other work slows the core down
// without a trace in the scheduler's times, such as the host of a virtual machine, they take more.
const maxOverhead = 0.5

// A measurement is saturated if it has more detours in a second than saturatedRate, ten times what
// there is room for, or if they take more than saturatedShare of the time.
const (
	saturatedRate  = 10 * roomPerSecond
	saturatedShare = 0.99
)

// Options are the parameters of a measurement.
type Options struct {
	Cores    []int   // numbers of the system, each once, at least one
	Duration float64 // of the measurement, at most a day
	// Quantum is the time that the work between two readings takes without noise. 0 means no work, the
	// selfish detour loop.
	Quantum float64
	// Threshold is the length from which on a detour is noted. 0 takes [Steps] times the step by
	// which the clock usually advances in the loop without work, on the core where that is largest.
	Threshold float64
	// AllowBusy measures a core however much other programs use it. Without it, that
	// fails with [ErrBusy].
	AllowBusy bool
	// Begun is called before the measurement begins, after the calibration; nil is not.
	Begun func()
}

// Check fails if an option is out of its range, or a core is not among the allowed
// ones, see [Allowed].
func (o Options) Check(allowed []int) error {
	for _, id := range o.Cores {
		if !slices.Contains(allowed, id) {
			return fmt.Errorf("core %d does not exist or is not for this process; those it may run on are %s",
				id, units.Indexes(allowed))
		}
	}
	if !(o.Duration > 0 && o.Duration <= 86400) {
		return fmt.Errorf("the duration is %g s; it must exceed 0 and be a day at most", o.Duration)
	}
	if !(o.Quantum >= 0 && o.Quantum <= o.Duration/10) {
		return fmt.Errorf("the quantum is %g s; it must be 0 to a tenth of the duration, which is %g s",
			o.Quantum, o.Duration)
	}
	if !(o.Threshold >= 0 && o.Threshold <= o.Duration) {
		return fmt.Errorf("the threshold is %g s; it must be at least 0 and not exceed the duration",
			o.Threshold)
	}
	return nil
}

// A Result is a measurement of one or more cores.
type Result struct {
	// Trace has one entry for each core, in the order of the options. All begin at
	// the same time. A detour starts at the reading before it, so with a quantum of
	// work at the beginning of the quantum. The resolution is the threshold.
	Trace    noise.Trace
	Clock    Clock
	Cores    []Core // as in the trace
	Complete bool   // whether it lasted for the duration of the options
	// Causes are what interrupted the cores meanwhile, as far as the system says so.
	Causes []Cause
}

// A Core describes the measurement of one core.
type Core struct {
	ID   int
	Loop float64 // time of the loop without noise; of the quantum, if there is one
	Step float64 // by which the clock usually advances
	// Hidden is the share of the span that passed in lengths between half the
	// threshold and the threshold, which are not in the trace.
	Hidden float64
	// Full is whether the memory for detours did not last for the duration.
	Full bool
	// Taken is how often the scheduler gave the core to another thread, and Shared for
	// which share of the time.
	Taken  int64
	Shared float64
}

// checkBusy fails with [ErrBusy] if other programs used the core, or if detours take a share of the
// time that only other programs explain.
func (c Core) checkBusy(overhead float64) error {
	switch {
	case c.Shared > maxShared:
		return fmt.Errorf("core %d: other programs, or the host of a virtual machine, had it for "+
			"%.2g%% of the time, which is not noise of the system; %w", c.ID, 100*c.Shared, ErrBusy)
	case overhead > maxOverhead:
		return fmt.Errorf("core %d: detours take %.2g%% of the time, more than noise of a system "+
			"does; %w", c.ID, 100*overhead, ErrBusy)
	}
	return nil
}

// roomPerSecond is the number of detours in a second for which there is memory, some
// times as many as a virtual machine has.
const roomPerSecond = 5e4

// core returns what a detector has recorded, in seconds. It fails with [ErrSaturated]
// if that is saturated.
func (d *detector) core(id int, tick float64) (noise.Core, Core, error) {
	detours, sum := make([]noise.Detour, len(d.notes)), int64(0)
	for i, n := range d.notes {
		detours[i] = noise.Detour{Start: float64(n.start-d.begin) * tick, Length: float64(n.length) * tick}
		sum += n.length
	}
	span := float64(d.last-d.begin) * tick
	share := float64(sum) * tick / span
	full := len(d.notes) == cap(d.notes) && d.last < d.end
	if rate := float64(len(d.notes)) / span; full && rate > saturatedRate || share > saturatedShare {
		return noise.Core{}, Core{}, fmt.Errorf("core %d: %.2g detours in a second take %.3g%% of the time, "+
			"which is no measurement; %w", id, rate, share*100, ErrSaturated)
	}
	seen, _, err := noise.NewCore(id, span, detours)
	if err != nil {
		return noise.Core{}, Core{}, err
	}
	return seen, Core{
		ID: id, Loop: float64(d.loop) * tick, Step: float64(d.step) * tick,
		Hidden: float64(d.near) * tick / span, Full: full,
	}, nil
}

// thresholdTicks returns the threshold in ticks, of a clock with this tick in
// seconds, for detectors that are calibrated. It fails with [ErrSaturated] if the
// options ask for less than a step of the clock.
func (o Options) thresholdTicks(tick float64, detectors []*detector) (int64, error) {
	step := int64(1)
	for _, d := range detectors {
		step = max(step, d.step)
	}
	switch {
	case o.Threshold == 0:
		return Steps * step, nil
	case o.Threshold < float64(step)*tick:
		return 0, fmt.Errorf("the threshold is %s, less than a step of the clock, which is %s; %w",
			inWords(o.Threshold), inWords(float64(step)*tick), ErrSaturated)
	}
	return int64(math.Round(o.Threshold / tick)), nil
}

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
	// Name is the name of the source of the kernel's tracer's events, such as local_timer, softirq SCHED
	// and kworker; threads is the name of all threads together.
	Name  string
	Rates []float64 // [1/s] on each core, in the order of the options
	// Counts is the number of counts on the core that has the most.
	Counts int64
}

// ParseCores returns the cores of a list of cores and ranges such as 0,2-5, as Linux
// writes them, in ascending order, each once.
func ParseCores(text string) ([]int, error) {
	var cores []int
	for item := range strings.SplitSeq(text, ",") {
		first, last, ok := units.ParseRange(strings.TrimSpace(item))
		if !ok || last > math.MaxUint16 {
			return nil, fmt.Errorf("%q is not a core, nor a range of cores; write for example 0,2-5", item)
		}
		for id := first; id <= last; id++ {
			cores = append(cores, id)
		}
	}
	slices.Sort(cores)
	return slices.Compact(cores), nil
}
