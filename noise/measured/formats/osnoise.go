package formats

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"jitterfly/noise"
)

// The osnoise tracer of Linux writes, for each time that its thread was away for
// longer than a threshold,
//
//	osnoise/8-961 [008] .... 5789.858413: sample_threshold: start 5789.858404555 duration 8812 ns interferences 2
//
// in /sys/kernel/tracing/trace, trace-cmd and perf. The CPU is in brackets. All CPUs are
// taken to be watched from the first to the last of these lines. Other events have the causes, with
// net durations: a thread's duration does not include the interrupts in it.
//
//	osnoise/8-961  [008] d.h.  5789.857532: irq_noise: local_timer:236 start 5789.857529929 duration 1845 ns
//	migration/8-54 [008] d...  5789.858413: thread_noise: migration/8:54 start 5789.858409300 duration 3068 ns
//
// perf script writes osnoise:irq_noise:. trace-cmd report, whose library cannot print these times, gives the fields of the events,
//
//	osnoise/8-961 [008] 5789.857532: irq_noise: [FAILED TO PARSE] start=5789857529929 duration=1845 desc=local_timer vector=236
//
// Where no such event is enabled, there are the sums of the tracer alone, one for each of its
// periods: runtime, noise and share of the CPU, the longest noise of a sample and the longest of
// all [us], and counts of interferences, which are read like the rows of rtla osnoise top.
//
//	<...>-859     [000] ....    81.637220: 1000000        190  99.98100       9     18      0   1007     18      1

// osnoiseName matches an event up to its name: the task, the CPU and the name.
const osnoiseName = `^(.*\S) +\[(\d+)\].*? (?:osnoise:)?(sample_threshold|(?:nmi|irq|softirq|thread)_noise):`

const (
	osnoiseSum   expression = `\[(\d+)\] \S+ +[\d.]+: +(\d+) +(\d+) +\d+\.\d+ +(\d+)((?: +\d+){4,5})$`
	idle         expression = `^ *swapper/\d+$`
	tracer       expression = `^ *osnoise/\d+-\d+$`
	osnoiseEvent expression = osnoiseName +
		` *(?:(\S.*):\d+ +)?start +(\d+)\.(\d{9}) +duration +(\d+) +ns(?: +interferences? +(\d+))?`
	osnoiseField expression = `\b(start|duration|interference|desc|comm|vector)=(.*?)(?: +\w+=|$)`
)

// lose is the rule of what the kernel and trace-cmd write where their buffer was too small. It adds up
// the lost events.
func (s *source) lose() rule {
	return rule{`^[^#].*\bLOST\b(?: +(\d+) +EVENTS)?`, func(s *source) {
		s.refuse("events that the tracer lost")
		n, _ := count(s.fields[1])
		s.lost += max(1, n)
	}}
}

type osnoise struct {
	epoch
	cpus map[int]*osnoiseCPU
	sums map[int]cpuNoise
}

// An osnoiseCPU has the events of a CPU, with times since the epoch.
type osnoiseCPU struct {
	run     // the samples beyond the threshold
	samples []sample
	causes  []cause
	watched bool // the tracer's thread ran here
}

func readOsnoise(s *source, m *Measurement) {
	r := osnoise{cpus: map[int]*osnoiseCPU{}, sums: map[int]cpuNoise{}}
	s.each(
		rule{osnoiseEvent, func(s *source) { r.event(s, s.fields[3], s.fields[4]) }},
		rule{osnoiseName + `(.* (?:start|duration)=.*)$`, r.fields},
		rule{osnoiseSum, func(s *source) { addPeriod(s, r.sums) }},
		s.lose(),
		rule{"", ignoring(otherEvent)},
	)
	r.samples(s, m)
	r.sources(s, m)
	if m.Trace != nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(r.sums)) {
		m.Histograms = append(m.Histograms, r.sums[id].histogram(id))
	}
	s.remarkSums(m)
}

// fields reads an event whose fields have names.
func (r *osnoise) fields(s *source) {
	line, f := s.fields, map[string]string{}
	// A match takes the name of the next field too, so that names with spaces end there.
	for rest := line[4]; ; {
		at := osnoiseField.regexp().FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		f[rest[at[2]:at[3]]] = rest[at[4]:at[5]]
		rest = rest[at[5]:]
	}
	name := cmp.Or(f["comm"]+f["desc"], f["vector"])
	ns, err := strconv.ParseUint(f["start"], 0, 64)
	if err != nil {
		s.refuse(notANumber)
		return
	}
	s.fields = []string{line[0], line[1], line[2], line[3], name, strconv.FormatUint(ns/1e9, 10),
		strconv.FormatUint(ns%1e9, 10), f["duration"], f["interference"]}
	r.event(s, line[3], name)
}

// event adds a sample, or one of the causes: the task, the CPU, and from the fifth field on
// seconds, nanoseconds and the duration.
func (r *osnoise) event(s *source, kind, name string) {
	id, length := int(s.count(2)), s.seconds(7, perNano)
	start := r.since(s, s.fields[5], s.fields[6])
	if kind != "sample_threshold" && length == 0 {
		s.refuse(zeroLength)
	}
	if kind == "thread_noise" && idle.regexp().MatchString(name) {
		s.refuse("an event of the idle thread")
	}
	if !s.ok() {
		return
	}
	c := r.cpus[id]
	if c == nil {
		c = &osnoiseCPU{run: newRun(id)}
		r.cpus[id] = c
		s.record()
	}
	if c.watched = c.watched || tracer.regexp().MatchString(s.fields[1]); kind == "sample_threshold" {
		c.watched = true
		n := len(c.detours)
		if c.add(s, start, length); len(c.detours) > n {
			counted, _ := count(s.fields[8])
			c.samples = append(c.samples, sample{c.detours[n], counted > 0})
		}
		return
	}
	if start > maxTime || start < -maxTime {
		s.refuse(beyond)
		return
	}
	keep(s, &c.causes, cause{noise.Detour{Start: start, Length: length}, SourceName(kind, name)})
}

// samples adds the detours of all CPUs, from the first to the last of all.
func (r *osnoise) samples(s *source, m *Measurement) {
	begin, end := math.Inf(1), math.Inf(-1)
	for _, c := range r.cpus {
		for _, d := range c.detours {
			begin, end = min(begin, d.Start), max(end, d.End())
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.cpus)) {
		c := r.cpus[id]
		for i := range c.detours {
			c.detours[i].Start -= begin
		}
		if len(c.detours) > 0 {
			c.span = end - begin
			c.finish(s, m, 0)
		}
	}
}

func addPeriod(s *source, sums map[int]cpuNoise) {
	id, n := int(s.count(1)), s.cpuNoise(2, perMicro)
	c, known := sums[id]
	if c.span+n.span > maxTime || c.interferences > MaxCount {
		s.refuse(beyond)
	}
	if !s.ok() {
		return
	}
	if !known {
		s.record()
	}
	sums[id] = cpuNoise{c.span + n.span, c.sum + n.sum, max(c.longest, n.longest),
		c.interferences + n.interferences}
}
