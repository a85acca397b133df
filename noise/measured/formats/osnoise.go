package formats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

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
// perf script writes osnoise:irq_noise:. trace-cmd report, whose library cannot print these times, gives the
// fields of the events,
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
		n, _ := count(s.fields[1])
		s.lost += max(1, n)
		refuse("events that the tracer lost")
	}}
}

type osnoise struct {
	epoch
	cpus map[int]*osnoiseCPU
	sums map[int]cpuNoise
}

// An osnoiseCPU has the events of a CPU, with times since the epoch.
type osnoiseCPU struct {
	run             // the samples beyond the threshold
	samples []cause // and of each what it is if it has no causes
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
	if m.Trace.Cores != nil {
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
		refuse(notANumber)
	}
	s.fields = []string{line[0], line[1], line[2], line[3], name, strconv.FormatUint(ns/1e9, 10),
		strconv.FormatUint(ns%1e9, 10), f["duration"], f["interference"]}
	r.event(s, line[3], name)
}

// event adds a sample, or one of the causes: the task, the CPU, and from the fifth field on
// seconds, nanoseconds and the duration.
func (r *osnoise) event(s *source, kind, name string) {
	id, length := int(s.count(2)), s.seconds(7, perNano)
	start := r.since(s.fields[5], s.fields[6])
	if kind != "sample_threshold" && length == 0 {
		refuse(zeroLength)
	}
	if kind == "thread_noise" && idle.regexp().MatchString(name) {
		refuse("an event of the idle thread")
	}
	c := r.cpus[id]
	if c == nil {
		c = &osnoiseCPU{run: newRun(id)}
		put(s, r.cpus, id, c)
	}
	if c.watched = c.watched || tracer.regexp().MatchString(s.fields[1]); kind == "sample_threshold" {
		c.watched = true
		n := len(c.detours)
		if c.add(s, start, length); len(c.detours) > n {
			source := hardware
			if counted, _ := count(s.fields[8]); counted > 0 {
				source = unrecorded
			}
			c.samples = append(c.samples, cause{c.detours[n], source})
		}
		return
	}
	if start > maxTime || start < -maxTime {
		refuse(beyond)
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
	c := sums[id]
	if c.span+n.span > maxTime || c.interferences > MaxCount {
		refuse(beyond)
	}
	put(s, sums, id, cpuNoise{c.span + n.span, c.sum + n.sum, max(c.longest, n.longest),
		c.interferences + n.interferences})
}

// A cause is one interruption of a core, by an interrupt or a thread, and the net time [s]
// that it took, without what interrupted it.
type cause struct {
	noise.Detour
	source string
}

const (
	// unrecorded is the source of samples with interruptions whose events are missing.
	unrecorded = "not recorded"
	// hardware is the source of what no event of the system explains.
	hardware = "hardware"
	// others is the source of all causes beyond the mostSources that take the most time, unless one of
	// these has that name.
	others      = "others"
	mostSources = 16
	// mostEntry is how many times the usual time of entering and leaving an interruption one
	// may take. What is beyond is hardware.
	mostEntry = 4
)

// Numbers at the end of a name, or of a part of it: of CPUs, queues and devices. A number of three
// digits or more behind a letter is part of the name, as in i915.
const (
	partNumber expression = `[-/.:]u?\d+\b`
	endNumber  expression = `([A-Za-z])\d{1,2}\b`
)

// softirqs are the names of the kernel's softirqs by their numbers (include/linux/interrupt.h).
var softirqs = []string{"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED",
	"HRTIMER", "RCU"}

// SourceName returns the name of the source of an event: of threads and interrupts theirs,
// without numbers, so that kworker/3:1 and kworker/u8:2 are one source.
func SourceName(kind, name string) string {
	name = strings.TrimSpace(name)
	switch kind {
	case "nmi_noise":
		return "NMI"
	case "softirq_noise":
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(softirqs) {
			name = softirqs[i]
		}
		return "softirq " + printable(name, 40)
	}
	if worker, _, ok := strings.Cut(name, "/"); ok && worker == "kworker" {
		return worker
	}
	device, _, _ := strings.Cut(name, "@") // the address of a device follows
	short := endNumber.regexp().ReplaceAllString(partNumber.regexp().ReplaceAllString(device, ""), "$1")
	return printable(cmp.Or(short, name, "unnamed"), 40)
}

// sources adds the detours of each source, of the CPUs where the tracer's thread ran, or of
// all if it ran on none. All are watched from the first to the last event.
func (r *osnoise) sources(s *source, m *Measurement) {
	ids, unwatched := r.watched()
	begin, end, events := math.Inf(1), math.Inf(-1), 0
	for _, id := range ids {
		events += len(r.cpus[id].causes)
		for _, all := range [][]cause{r.cpus[id].samples, r.cpus[id].causes} {
			for _, c := range all {
				begin, end = min(begin, c.Start), max(end, c.End())
			}
		}
	}
	if events == 0 {
		return // only samples
	}
	if unwatched != nil {
		s.note("the tracer's thread did not run on these CPUs, whose events are left out: %s",
			printable(strings.Trim(fmt.Sprint(unwatched), "[]"), 60))
	}
	entry, span := r.entry(ids), end-begin
	explained, time := map[int][]cause{}, map[string]float64{} // by CPU, by source [s]
	for _, id := range ids {
		explained[id] = explain(r.cpus[id], entry)
		for _, c := range explained[id] {
			time[c.source] += c.Length
		}
	}
	for _, name := range few(time, explained) {
		t := noise.Trace{}
		for _, id := range ids {
			var detours []noise.Detour
			for _, c := range explained[id] {
				if c.source == name {
					detours = append(detours, noise.Detour{Start: c.Start - begin, Length: c.Length})
				}
			}
			core, _, err := noise.NewCore(id, span, detours)
			if err != nil {
				s.fail("%s: %v; are these events of one run?", name, err)
			}
			span = max(span, core.Span) // detours that overlapped can end after the last event
			t.Cores = append(t.Cores, core)
		}
		m.Sources = append(m.Sources, noise.Cause{Name: name, Trace: t})
	}
	for _, one := range m.Sources {
		for i := range one.Cores {
			one.Cores[i].Span = span
		}
	}
}

// watched returns the CPUs where the tracer's thread ran, and the others with events; or all
// if it ran on none.
func (r *osnoise) watched() (ids, unwatched []int) {
	for _, id := range slices.Sorted(maps.Keys(r.cpus)) {
		if r.cpus[id].watched {
			ids = append(ids, id)
		} else {
			unwatched = append(unwatched, id)
		}
	}
	if len(ids) == 0 {
		return unwatched, nil
	}
	return ids, unwatched
}

// parts calls f for each sample of a CPU, in order, with the causes that began within it and
// the time [s] that they leave unexplained. Last it calls f with the causes in no sample.
func (c *osnoiseCPU) parts(f func(d cause, causes []cause, rest float64)) {
	for _, all := range [][]cause{c.samples, c.causes} {
		slices.SortStableFunc(all, func(a, b cause) int { return cmp.Compare(a.Start, b.Start) })
	}
	var outside []cause
	next := 0
	for _, d := range c.samples {
		from := next + sort.Search(len(c.causes)-next,
			func(i int) bool { return c.causes[next+i].Start >= d.Start })
		outside = append(outside, c.causes[next:from]...)
		rest := d.Length
		for next = from; next < len(c.causes) && c.causes[next].Start <= d.End(); next++ {
			rest -= c.causes[next].Length
		}
		f(d, c.causes[from:next], max(0, rest))
	}
	f(cause{}, append(outside, c.causes[next:]...), 0)
}

// entry returns the usual time [s] that a sample takes beyond its causes, for each of them: the
// median. Entering and leaving an interruption takes this time, which no event records.
func (r *osnoise) entry(ids []int) float64 {
	var rests []float64
	for _, id := range ids {
		r.cpus[id].parts(func(d cause, causes []cause, rest float64) {
			if n := len(causes); n > 0 && d.Length > 0 {
				rests = append(rests, rest/float64(n))
			}
		})
	}
	if len(rests) == 0 {
		return 0
	}
	slices.Sort(rests)
	return rests[len(rests)/2]
}

// explain returns the causes of all noise of a CPU. The causes within a sample share what it takes
// beyond them, up to [mostEntry] times the usual entry [s] each. The rest of it is hardware; or it
// is unrecorded if there are no causes although the tracer counted interruptions.
func explain(c *osnoiseCPU, entry float64) []cause {
	var all []cause
	c.parts(func(d cause, causes []cause, rest float64) {
		share := 0.0
		if n := float64(len(causes)); n > 0 {
			share = min(rest/n, mostEntry*entry)
			rest -= n * share
		}
		for _, one := range causes {
			if one.Length += share; d.Length > 0 { // it was over when the sample was
				one.Start = max(d.Start, min(one.Start, d.End()-one.Length))
			}
			all = append(all, one)
		}
		source := hardware
		if len(causes) == 0 {
			source = d.source
		}
		if rest > 1/perNano { // no rounding
			all = append(all, cause{noise.Detour{Start: d.Start, Length: rest}, source})
		}
	})
	return all
}

// few returns the names of the sources, in descending order of their time [s], and gives all causes
// beyond [mostSources] one.
func few(time map[string]float64, explained map[int][]cause) []string {
	names := slices.SortedFunc(maps.Keys(time), func(a, b string) int {
		return cmp.Or(cmp.Compare(time[b], time[a]), cmp.Compare(a, b))
	})
	if len(names) <= mostSources {
		return names
	}
	names = names[:mostSources-1]
	rest := others
	for slices.Contains(names, rest) { // a source can have this name
		rest = "all " + rest
	}
	for _, causes := range explained {
		for i, c := range causes {
			if !slices.Contains(names, c.source) {
				causes[i].source = rest
			}
		}
	}
	return append(names, rest)
}

// The timerlat tracer of Linux writes the delay of each interrupt of a timer, of the thread
// that it woke and, with rtla -u, of that thread's return to its program,
//
//	<idle>-0       [000] d.h1    54.029328: #1     context    irq timer_latency       932 ns
//	 <...>-867     [000] ....    54.029339: #1     context thread timer_latency     11700 ns
//
// in /sys/kernel/tracing/trace and in the file of rtla timerlat -t. Other events between them have
// the causes, and are skipped.

const timerlatSample expression = `\[(\d+)\].*#\d+\s+context\s+(irq|thread|user-ret)\s+` +
	`timer_latency\s+(\d+) ns`

// timerlatColumns are the columns of rtla by the contexts.
var timerlatColumns = map[string]string{"irq": "IRQ", "thread": "Thr", "user-ret": "Usr"}

// A timerlatColumn is the CPU and the context of a delay.
type timerlatColumn struct {
	cpu     int64
	context string
}

func readTimerlat(s *source, m *Measurement) {
	delays := tallies[timerlatColumn]{} // in ns
	s.each(
		rule{timerlatSample, func(s *source) {
			delays.tally(s, timerlatColumn{s.count(1), s.fields[2]}, s.count(3))
		}},
		s.lose(),
		rule{"", ignoring(otherEvent)},
	)
	columns := slices.SortedFunc(maps.Keys(delays), func(a, b timerlatColumn) int {
		return cmp.Or(cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.context, b.context))
	})
	for _, c := range columns {
		name := fmt.Sprintf("%s-%03d", timerlatColumns[c.context], c.cpu)
		h := Histogram{Column: name, Kind: timerKinds[c.context]}
		m.Histograms = append(m.Histograms, h.of(delays[c], perNano))
	}
}
