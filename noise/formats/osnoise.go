package formats

import (
	"maps"
	"regexp"
	"slices"
	"strings"
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

var osnoiseSum = regexp.MustCompile(
	`\[(\d+)\] \S+ +[\d.]+: +(\d+) +(\d+) +\d+\.\d+ +(\d+)((?: +\d+){4,5})$`)

var osnoiseSample = regexp.MustCompile(`\[(\d+)\].*sample_threshold: +start +(\d+)\.(\d{9}) +duration +(\d+) +ns`)

func readOsnoise(s *source, m *Measurement) {
	var e epoch
	cores := map[int]*run{}
	sums := map[int]*osnoiseCPU{}
	for s.scan() {
		line := s.text
		sum := osnoiseSum.FindStringSubmatch(line)
		f := osnoiseSample.FindStringSubmatch(line)
		switch {
		case line == "":
		case f != nil:
			readSample(s, cores, &e, f)
		case sum != nil:
			readSum(s, sums, sum)
		case line[0] == '#':
			s.skip(comment)
		case strings.Contains(line, "LOST"):
			s.skip("events that the tracer lost")
			s.note("line %d: the tracer lost events; make its buffer larger", s.line)
		default:
			s.skip(otherEvent)
		}
	}
	if len(cores) > 0 {
		finishOsnoise(s, m, cores)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		c := sums[id]
		m.Histograms = append(m.Histograms, noiseOf(id, c.span, c.sum, c.longest, c.count))
	}
	s.remarkSums(m)
}

// finishOsnoise adds the detours of all CPUs, from the first to the last of all.
func finishOsnoise(s *source, m *Measurement, cores map[int]*run) {
	begin, end := 0.0, 0.0
	for i, id := range slices.Sorted(maps.Keys(cores)) {
		for j, d := range cores[id].detours {
			if i == 0 && j == 0 {
				begin, end = d.Start, d.End()
			}
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

// readSample reads a detour: the CPU, seconds, nanoseconds and length.
func readSample(s *source, cores map[int]*run, e *epoch, f []string) {
	id, why := count(f[1])
	start, why2 := e.since(f[2], f[3])
	length, why3 := seconds(f[4], perNano)
	if why = first(why, why2, why3); why != "" {
		s.skip(why)
		return
	}
	r := cores[int(id)]
	if r == nil {
		r = new(run)
		*r = newRun(int(id))
		cores[int(id)] = r
	}
	r.add(s, start, length)
}

// An osnoiseCPU has the sums of all periods of a CPU, and the longest detour [s].
type osnoiseCPU struct {
	span, sum, longest float64
	count              int64 // interferences
}

// readSum adds a period: the CPU, runtime, noise, the longest noise, and counts.
func readSum(s *source, sums map[int]*osnoiseCPU, f []string) {
	id, why := count(f[1])
	span, why2 := whole(f[2], perMicro)
	sum, why3 := whole(f[3], perMicro)
	longest, why4 := whole(f[4], perMicro)
	why = first(why, why2, why3, why4)
	if why == "" && (longest > sum || sum > span || sum > 0 && longest == 0) {
		why = contradicts
	}
	counts := int64(0)
	for _, field := range strings.Fields(f[5]) {
		n, bad := count(field)
		why = first(why, bad)
		counts += n
	}
	c := sums[int(id)]
	if c == nil {
		c = &osnoiseCPU{}
	}
	if why == "" && (c.span+span > maxTime || c.count > maxCount) {
		why = beyond
	}
	if why != "" {
		s.skip(why)
		return
	}
	if sums[int(id)] == nil {
		sums[int(id)] = c
		s.record()
	}
	c.span, c.sum, c.count = c.span+span, c.sum+sum, c.count+counts
	c.longest = max(c.longest, longest)
}
