package formats

import (
	"maps"
	"math"
	"regexp"
	"slices"
)

// The osnoise tracer of Linux writes, for each time that its thread was away for
// longer than a threshold,
//
//	osnoise/8-961 [008] .... 5789.858413: sample_threshold: start 5789.858404555 duration 8812 ns interferences 2
//
// in /sys/kernel/tracing/trace, trace-cmd and perf alike. The CPU is in brackets.
// Other events tell the causes of the same noise, and are skipped. All CPUs are
// taken to be watched from the first to the last of these lines. Where the event is not
// enabled, there are the sums of the tracer alone, one for each of its periods: runtime,
// noise and share of the CPU, the longest noise of a sample and the longest of all [us],
// and counts of interferences, which are read as those of rtla osnoise top.
//
//	<...>-859     [000] ....    81.637220: 1000000        190  99.98100       9     18      0   1007     18      1

var (
	osnoiseSum = regexp.MustCompile(
		`\[(\d+)\] \S+ +[\d.]+: +(\d+) +(\d+) +\d+\.\d+ +(\d+)((?: +\d+){4,5})$`)
	osnoiseSample = regexp.MustCompile(
		`\[(\d+)\].*sample_threshold: +start +(\d+)\.(\d{9}) +duration +(\d+) +ns`)
	osnoiseLost = regexp.MustCompile(`^[^#].*LOST`)
)

func readOsnoise(s *source, m *Measurement) {
	var e epoch
	cores := map[int]*run{}
	sums := map[int]*cpuNoise{}
	s.each(
		rule{osnoiseSample, func(s *source) {
			id, start, length := int(s.count(1)), e.since(s, s.fields[2], s.fields[3]), s.seconds(4, perNano)
			if !s.ok() {
				return
			}
			if cores[id] == nil {
				cores[id] = new(newRun(id))
			}
			cores[id].add(s, start, length)
		}},
		rule{osnoiseSum, func(s *source) { addPeriod(s, sums) }},
		rule{osnoiseLost, func(s *source) {
			s.refuse("events that the tracer lost")
			s.note("line %d: the tracer lost events; make its buffer larger", s.line)
		}},
		rule{nil, ignoring(otherEvent)},
	)
	if len(cores) > 0 {
		finishOsnoise(s, m, cores)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		m.Histograms = append(m.Histograms, sums[id].histogram(id))
	}
	s.remarkSums(m)
}

// finishOsnoise adds the detours of all CPUs, from the first to the last of all.
func finishOsnoise(s *source, m *Measurement, cores map[int]*run) {
	begin, end := math.Inf(1), math.Inf(-1)
	for _, r := range cores {
		for _, d := range r.detours {
			begin, end = min(begin, d.Start), max(end, d.End())
		}
	}
	for _, id := range slices.Sorted(maps.Keys(cores)) {
		r := cores[id]
		for i := range r.detours {
			r.detours[i].Start -= begin
		}
		r.span = end - begin
		r.finish(s, m)
	}
}

// addPeriod adds the sums of a period to those of a CPU.
func addPeriod(s *source, sums map[int]*cpuNoise) {
	id, n := int(s.count(1)), s.cpuNoise(2, perMicro)
	c := sums[id]
	if c == nil {
		c = &cpuNoise{}
	}
	if c.span+n.span > maxTime || c.interferences > maxCount {
		s.refuse(beyond)
	}
	if !s.ok() {
		return
	}
	if sums[id] == nil {
		sums[id] = c
		s.record()
	}
	c.span, c.sum, c.interferences = c.span+n.span, c.sum+n.sum, c.interferences+n.interferences
	c.longest = max(c.longest, n.longest)
}
