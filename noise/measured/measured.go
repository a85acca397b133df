// Package measured reads what other tools have measured of a machine: its
// detours one by one, how often they had which length, how long messages and
// collectives take.
//
// [Read] recognises a file by what is in it. [Formats] lists what it knows; a
// format is a file of this package and a row of that table. All times are in
// seconds, all sizes in bytes, whatever the tool writes.
//
// What cannot be used is skipped and counted with the reason. What contradicts
// itself, or may be cut off, is noted. A file that gives nothing is an error.
package measured

import (
	"jitterfly/noise"
	"jitterfly/noise/trace"
)

// A Measurement is what one file says. What the tool does not give is empty.
type Measurement struct {
	Format string // the name of its row of [Formats]
	Tool   string

	// Trace has the detours, with an entry of Cores for each core of each run.
	Trace *trace.Trace
	// Merged counts the detours that overlapped or touched others in time.
	Merged trace.Merged
	// Histograms say how often which lengths occurred, for each column of the tool.
	Histograms []Histogram
	// Curves say how long messages or collectives of several sizes take.
	Curves []Curve
	// LogGP has the parameters of the LogGP model, by size.
	LogGP []LogGP

	// Provenance is what headers tell of the machine and of the run.
	Provenance []Fact
	// Lines is how many lines were read, and Skipped those of no use.
	Lines   int
	Skipped []Skip
	// Notes are remarks for whoever uses the data, a sentence each.
	Notes []string
}

// A Fact is what a header tells, such as the host or the date.
type Fact struct{ Name, Value string }

// A Skip counts lines, or values within lines, that were not used.
type Skip struct {
	Reason string
	Count  int
	Line   int // the first of them
}

// A Kind is what the lengths of a histogram are.
type Kind string

const (
	// Detours took a core away from a program that kept it busy.
	Detours Kind = "detours"
	// Wakeups are how late a thread that slept was woken by its timer.
	Wakeups Kind = "wakeups"
)

// A Histogram says how often lengths occurred. If it has bins, their counts and
// Over add up to Samples.
type Histogram struct {
	Core   int    // the number of the core or thread
	Column string // the name that the tool gives it
	Kind   Kind
	Bins   []Bin // those with samples, in ascending order, not overlapping
	Over   int64 // samples beyond the range of the tool's bins, up to Most
	// Samples is how many there were in all.
	Samples int64
	// Least, Mean and Most are what the tool says of the lengths in seconds, 0
	// where it does not.
	Least, Mean, Most float64
	// Span is for how many seconds it was watched, 0 if that is not known.
	Span float64
	// Interval is the time in seconds from one sample to the next, for wakeups,
	// 0 if that is not known.
	Interval float64
}

// A Bin counts the lengths from From up to but not including To, in seconds.
type Bin struct {
	From, To float64
	Count    int64
}

// A Pattern is what a curve is the time of.
type Pattern string

const (
	// OneWay is a message from one process to another, half a round trip.
	OneWay Pattern = "one-way"
	// Collective is a collective operation of all processes.
	Collective Pattern = "collective"
)

// A Curve is how long an operation takes for messages of several sizes.
type Curve struct {
	Pattern   Pattern
	Operation string // in lower case: latency, pingpong, allreduce
	Processes int    // 0 if the tool does not tell
	Points    []Point
}

// A Point is one size of a curve. The tool's fields that are not there are 0.
type Point struct {
	Size    float64 // bytes
	Seconds float64 // the average or, where the tool gives it, the median
	// Least and Most are the shortest and the longest time: over repetitions for
	// messages, and over the processes' averages for collectives.
	Least, Most float64
	Samples     int64 // repetitions
	// Quantiles are those of the repetitions, the shares ascending.
	Quantiles []noise.Quantile
}

// LogGP has the parameters of the model for messages of one size: latency L,
// overheads of sender and receiver, gap g between messages and G between bytes.
// What could not be measured is not a number.
type LogGP struct {
	Size          float64 // bytes
	L, Os, Or, Gs float64 // seconds; Gs is the gap g
	G             float64 // seconds per byte
	Deviation     float64 // of the tool's fit of g and G, in its own measure
}
