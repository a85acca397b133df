// Package formats reads the output of tools that measure noise and latencies:
// detours, histograms of their lengths, times of messages and collectives.
//
// [Read] recognises the format of a file by its content. [All] is the table of the
// formats; those of a tool, or similar ones, have one file. All times are in seconds, all sizes in bytes,
// whatever the tool writes.
//
// Lines that cannot be used are skipped, and counted by reason. Contradictions, and
// files that may be cut off, are noted. A file without any measurement is an error.
package formats

import "jitterfly/noise"

// A Measurement is the content of one file. Fields that the tool does not give are empty.
type Measurement struct {
	Format string // the name of its row of [All]
	Tool   string

	// Trace has the detours, with an entry of Cores for each core of each run.
	Trace noise.Trace
	// Sources are the parts of the noise that have a known cause, and the rest. They may have
	// detours that are too short for Trace.
	Sources []noise.Cause
	// Merged counts the detours that overlapped or touched others in time.
	Merged int
	// Histograms have the lengths of detours or wakeups, one for each column of the tool.
	Histograms []Histogram
	// Curves have the times of messages or collectives by size.
	Curves []Curve
	// LogGP has the parameters of the LogGP model, by size.
	LogGP []LogGP
	// Bench has the operations of jitterfly's own benchmark of MPI.
	Bench *Bench

	// Provenance has what headers say of the machine and of the run.
	Provenance []Fact
	// Lines is the number of lines read, and Skipped has the lines that were not used.
	Lines   int
	Skipped []Skip
	// Notes are remarks on the data, a sentence each.
	Notes []string
	// Caveats are what holds of a profile of the data too, a sentence each.
	Caveats []string
	// Instead says what to do where the output is not what a profile needs, "" if it is.
	Instead string
}

// A Fact is an entry of a header, such as the host or the date.
type Fact struct{ Name, Value string }

// A Skip counts lines, or values within lines, that were not used.
type Skip struct {
	Reason string
	Count  int
	Line   int // the first of them
}

// A Kind says what the lengths of a histogram are.
type Kind string

const (
	// Detours are the times for which a busy program lost its core.
	Detours Kind = "detours"
	// Interrupts are the delays with which a timer's interrupt came.
	Interrupts Kind = "interrupts"
	// Wakeups are the delays with which a timer woke a sleeping thread, including the delay of its
	// interrupt.
	Wakeups Kind = "wakeups"
	// Returns are the delays with which that thread was back in its program, including the delays
	// before.
	Returns Kind = "returns"
)

// A Histogram has the number of samples by length. If it has bins, their counts and
// Over add up to Samples.
type Histogram struct {
	Column string // the name that the tool gives the core or thread
	Kind   Kind
	Bins   []Bin // those with samples, in ascending order, not overlapping
	Over   int64 // samples beyond the range of the tool's bins, up to Most
	// OverMean is the mean length [s] of those, the longest included, 0 if it is not estimated.
	OverMean float64
	// Samples is the number of all samples.
	Samples int64
	// Least, Mean and Most are the statistics of the lengths that the tool gives, in
	// seconds; 0 if it does not.
	Least, Mean, Most float64
	// Digit is the last digit [s] of Mean: 1e-8 of 62.50 µs; 0 if it is not known.
	Digit float64
	// Unit is the unit [s] to which the tool has rounded its numbers down, Least too; 0 if it has
	// not rounded.
	Unit float64
	// Span is the time [s] over which the samples were taken, 0 if it is not known.
	Span float64
}

// A Bin counts the lengths from From up to but not including To, in seconds.
type Bin struct {
	From, To float64
	Count    int64
}

// A Pattern is the operation whose time a curve has.
type Pattern string

const (
	// OneWay is a message from one process to another, half a round trip.
	OneWay Pattern = "one-way"
	// Collective is a collective operation of all processes.
	Collective Pattern = "collective"
)

// A Curve has the time of an operation by the size of messages.
type Curve struct {
	Pattern   Pattern
	Operation string // in lower case: latency, pingpong, allreduce
	Processes int    // 0 if the tool does not say
	Points    []Point
}

// A Point is the time of one size. Fields that the tool does not give are 0.
type Point struct {
	Size    float64 // bytes
	Seconds float64 // the average or, where the tool gives it, the median
	Mean    float64 // the average of the repetitions
	// Least and Most are the shortest and the longest time: over repetitions for
	// messages, and over the processes' averages for collectives.
	Least, Most float64
	Samples     int64 // repetitions
	// Quantiles are quantiles of the repetitions, in ascending order of their shares.
	Quantiles []noise.Quantile
}

// LogGP has the parameters of the model for messages of one size: latency L, which is half a round
// trip of the smallest size, overheads of sender and receiver in it, gap g between messages and G
// between bytes. Values that could not be measured are NaN.
type LogGP struct {
	Size          float64 // bytes
	L, Os, Or, Gs float64 // seconds; Gs is the gap g
	G             float64 // seconds per byte
	Deviation     float64 // of the tool's fit of g and G, in its own measure
}
