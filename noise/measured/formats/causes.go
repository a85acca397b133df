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

// A cause is one interruption of a core, by an interrupt or a thread, and the net time [s]
// that it took, without what interrupted it.
type cause struct {
	noise.Detour
	source string
}

// A sample is what a core lost at once, and whether the tracer counted interruptions in it.
type sample struct {
	noise.Detour
	interrupted bool
}

const (
	// unrecorded is the source of samples with interruptions whose events are missing.
	unrecorded = "not recorded"
	// hardware is the source of what no event of the system explains.
	hardware = "hardware"
	// others is the source of all causes beyond the mostSources that take the most time.
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
		for _, d := range r.cpus[id].samples {
			begin, end = min(begin, d.Start), max(end, d.End())
		}
		events += len(r.cpus[id].causes)
		for _, c := range r.cpus[id].causes {
			begin, end = min(begin, c.Start), max(end, c.End())
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
				return
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
func (c *osnoiseCPU) parts(f func(d sample, causes []cause, rest float64)) {
	slices.SortStableFunc(c.samples, func(a, b sample) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortStableFunc(c.causes, func(a, b cause) int { return cmp.Compare(a.Start, b.Start) })
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
	f(sample{}, append(outside, c.causes[next:]...), 0)
}

// entry returns the usual time [s] that a sample takes beyond its causes, for each of them: the
// median. Entering and leaving an interruption takes this time, which no event records.
func (r *osnoise) entry(ids []int) float64 {
	var rests []float64
	for _, id := range ids {
		r.cpus[id].parts(func(d sample, causes []cause, rest float64) {
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
	c.parts(func(d sample, causes []cause, rest float64) {
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
		if len(causes) == 0 && d.interrupted {
			source = unrecorded
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
	for _, causes := range explained {
		for i, c := range causes {
			if !slices.Contains(names, c.source) {
				causes[i].source = others
			}
		}
	}
	return append(names, others)
}
