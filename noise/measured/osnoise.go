package measured

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
// taken to be watched from the first to the last of these lines.

var osnoiseSample = regexp.MustCompile(`\[(\d+)\].*sample_threshold: +start +(\d+)\.(\d{9}) +duration +(\d+) +ns`)

func readOsnoise(s *source, m *Measurement) {
	var e epoch
	cores := map[int]*run{}
	for s.scan() {
		line := s.text
		f := osnoiseSample.FindStringSubmatch(line)
		switch {
		case line == "":
		case f != nil:
			readSample(s, cores, &e, f)
		case line[0] == '#':
			s.skip(comment)
		case strings.Contains(line, "LOST"):
			s.skip("events that the tracer lost")
			s.note("line %d: the tracer lost events; make its buffer larger", s.line)
		default:
			s.skip(otherEvent)
		}
	}
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
