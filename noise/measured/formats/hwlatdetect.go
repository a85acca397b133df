package formats

import (
	"cmp"
	"fmt"
	"math"
)

// hwlatdetect watches one CPU after the other with interrupts off, for a width of
// each window, and prints the two longest gaps of a window in which one was long
// enough: inner in a turn of its loop, outer between two. The detour is the
// longer of both. The older kernel module has "seconds.nanoseconds inner outer".
//
//	ts: 1785918598.514060378, inner:0, outer:13, cpu:0, count:1
//
// The tracer that it reads has, in /sys/kernel/tracing/trace,
//
//	<...>-1729  [001] d...   678.473449: #1  inner/outer(us):  11/12  ts:1581527483.343962693 count:6
//
// Without a header, its parameters are taken from a command line. A count is the number of long
// gaps in the window; only the longest has its length in the file.

const (
	hwlatTitle  expression = `^hwlatdetect:|^Samples exceeding threshold:`
	hwlatSample expression = `^ts: (\d+)\.(\d+), inner:(\d+), outer:(\d+)(?:, cpu:(\d+))?(?:, count:(\d+))?$`
	hwlatTrace  expression = `\[(\d+)\].*#\d+ +inner/outer\(us\): *(\d+)/(\d+) +ts:(\d+)\.(\d+)` +
		`(?: +count:(\d+))?`
	hwlatModule expression = `^(\d+)\.(\d{10})\s+(\d+)\s+(\d+)$`
	hwlatOption expression = `--(duration|threshold|window|width)[= ](\d+)(us|ms|[smhdw])?\b`
	hwlatHeader expression = `^(?:hwlatdetect: +)?((?:test|Latency|Sample) ` +
		`(duration|threshold|window|width)):? +(\d+) ?(us|seconds)$`
)

type hwlat struct {
	run
	epoch
	begin   float64            // the least start of a detour
	options map[string]float64 // the parameters, in seconds
	cpus    map[string]bool
	more    int64   // gaps that were counted, whose lengths are unknown
	longest float64 // [s] and samples that the report gives; below 0 if it does not
	samples int64
}

func readHwlat(s *source, m *Measurement) {
	r := hwlat{run: newRun(0), options: map[string]float64{}, cpus: map[string]bool{}, longest: -1,
		samples: -1}
	s.each(
		rule{hwlatSample, r.sample},
		rule{hwlatTrace, func(s *source) {
			f := s.fields
			s.fields = []string{f[0], f[4], f[5], f[2], f[3], f[1], f[6]}
			r.sample(s)
		}},
		rule{hwlatModule, r.sample},
		rule{`hwlatdetect .*--`, r.command},
		rule{hwlatHeader, func(s *source) {
			value, unit := s.fields[3], s.fields[4]
			r.options[s.fields[2]], _ = seconds(value, inSecond[unit])
			s.fact(s.fields[1], value+" "+unit)
		}},
		rule{`^Max Latency: +(\d+)us$`, func(s *source) { r.longest = s.seconds(1, perMicro) }},
		rule{`^Samples exceeding threshold: +(\d+)$`, func(s *source) { r.samples = s.count(1) }},
		rule{anyLine, ignoring("a line of the report that is not a sample")},
	)
	r.compare(s)
	for i := range r.detours {
		r.detours[i].Start -= r.begin
	}
	r.span = r.options["duration"]
	if width, window := r.options["width"], r.options["window"]; width > 0 && width < window {
		r.watched(m, width/window)
	}
	r.finish(s, m, r.options["threshold"])
	if r.more > 0 {
		s.note("it counts %d gaps more, in the same windows, without their lengths", r.more)
	}
	if len(r.cpus) > 1 {
		s.note("it watched %d CPUs in turn, which are one core here", len(r.cpus))
	}
}

// watched takes out the time in which nothing was watched, given the share that was: the detours in it
// were not seen. It is as much between any two windows.
func (r *hwlat) watched(m *Measurement, share float64) {
	r.span *= share
	for i := range r.detours {
		r.detours[i].Start *= share
	}
	m.Caveats = append(m.Caveats, fmt.Sprintf("Only %.4g%% of the time was watched: times and rates are "+
		"of the time that was, since there may be as many detours in the rest.", 100*share))
}

// compare compares the samples with what the report says of them.
func (r *hwlat) compare(s *source) {
	longest := 0.0
	for _, d := range r.detours {
		longest = max(longest, d.Length)
	}
	if r.samples >= 0 {
		s.compare("all CPUs", int64(len(r.detours)), r.samples)
	}
	if r.longest >= 0 && math.Abs(longest-r.longest) > 0.5/perMicro {
		s.disagree("all CPUs", "a longest", micro(r.longest), micro(longest))
	}
}

// sample adds the detour of a window: seconds, nanoseconds, the inner and the outer gap in
// µs, and perhaps the CPU and the number of gaps.
func (r *hwlat) sample(s *source) {
	f := s.fields
	start := r.since(f[1], f[2])
	length := max(s.seconds(3, perMicro), s.seconds(4, perMicro))
	if len(r.detours) == 0 || start < r.begin {
		r.begin = start
	}
	r.add(s, start, length)
	if len(f) > 5 && f[5] != "" && len(r.cpus) < maxRemarks {
		r.cpus[f[5]] = true
	}
	if len(f) > 6 {
		if n, why := count(f[6]); why == "" && n > 1 && r.more < MaxCount {
			r.more += n - 1
		}
	}
}

// command takes the parameters from a command line, which headers replace.
func (r *hwlat) command(s *source) {
	for _, f := range hwlatOption.regexp().FindAllStringSubmatch(s.text, -1) {
		unit := f[3]
		if unit == "" && f[1] == "duration" {
			unit = "s"
		}
		if x, why := seconds(f[2], inSecond[cmp.Or(unit, "us")]); why == "" {
			r.options[f[1]] = x
		}
	}
}
