package formats

import (
	"regexp"
	"strings"
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
// What the header tells is taken from a command line where that is all there is.
// A count is of the gaps of the window that were long enough, of which the longest is told.

var (
	hwlatSample = regexp.MustCompile(`^ts: (\d+)\.(\d+), inner:(\d+), outer:(\d+)(?:, cpu:(\d+))?(?:, count:(\d+))?$`)
	hwlatTrace  = regexp.MustCompile(`\[(\d+)\].*#\d+ +inner/outer\(us\): *(\d+)/(\d+) +ts:(\d+)\.(\d+)(?: +count:(\d+))?`)
	hwlatModule = regexp.MustCompile(`^(\d+)\.(\d{10})\s+(\d+)\s+(\d+)$`)
	hwlatOption = regexp.MustCompile(`--(duration|threshold|window|width)[= ](\d+)(us|ms|[smhdw])?\b`)
	hwlatHeader = regexp.MustCompile(`^(?:hwlatdetect: +)?(test duration|Latency threshold:|Sample window:|Sample width:) +(\d+) ?(us|seconds)$`)
)

func matchesHwlat(head []string) bool {
	for _, line := range head {
		if strings.HasPrefix(line, "hwlatdetect:") ||
			strings.HasPrefix(line, "Samples exceeding threshold:") || hwlatSample.MatchString(line) ||
			hwlatTrace.MatchString(line) || hwlatModule.MatchString(line) {
			return true
		}
	}
	return false
}

// An hwlat is the state of reading a report.
type hwlat struct {
	run
	epoch
	begin float64            // the least start of a detour
	told  map[string]float64 // the parameters, in seconds
	cpus  map[string]bool
	more  int64 // gaps that were counted, and not told
}

func readHwlat(s *source, m *Measurement) {
	r := hwlat{run: newRun(0), told: map[string]float64{}, cpus: map[string]bool{}}
	for s.scan() {
		line := s.text
		f := hwlatFields(line)
		switch h := hwlatHeader.FindStringSubmatch(line); {
		case line == "":
		case f != nil:
			r.sample(s, f)
		case strings.Contains(line, "hwlatdetect ") && strings.Contains(line, "--"):
			r.command(line)
		case h != nil:
			r.told[h[1]] = hwlatTold(h[2], h[3])
			s.fact(strings.TrimSuffix(h[1], ":"), h[2]+" "+h[3])
		default:
			s.skip("a line of the report that is not a sample")
		}
	}
	for i := range r.detours {
		r.detours[i].Start -= r.begin
	}
	r.span = r.told["test duration"]
	r.finish(s, m)
	m.resolve(r.told["Latency threshold:"])
	if width, window := r.told["Sample width:"], r.told["Sample window:"]; width > 0 &&
		width < window {
		s.note(
			"it watched for %.4g %% of the time only: there are more detours than seen by as much",
			100*width/window)
	}
	if r.more > 0 {
		s.note("it counts %d gaps more, in the same windows, whose lengths are not told", r.more)
	}
	if len(r.cpus) > 1 {
		s.note("it watched %d CPUs in turn, which are one core here", len(r.cpus))
	}
}

// sample adds the detour of a window.
func (r *hwlat) sample(s *source, f []string) {
	start, length, why := hwlatDetour(&r.epoch, f)
	if why != "" {
		s.skip(why)
		return
	}
	if len(r.detours) == 0 || start < r.begin {
		r.begin = start
	}
	r.add(s, start, length)
	if len(f) > 5 && f[5] != "" && len(r.cpus) < maxRemarks {
		r.cpus[f[5]] = true
	}
	if len(f) > 6 {
		if n, why := count(f[6]); why == "" && n > 1 && r.more < maxCount {
			r.more += n - 1
		}
	}
}

// hwlatFields returns a line and what a sample in it tells: seconds, nanoseconds, the inner
// and the outer gap, and perhaps the CPU and the number of gaps. It returns nil if there is
// none.
func hwlatFields(line string) []string {
	if f := hwlatSample.FindStringSubmatch(line); f != nil {
		return f
	}
	if f := hwlatTrace.FindStringSubmatch(line); f != nil {
		return []string{f[0], f[4], f[5], f[2], f[3], f[1], f[6]}
	}
	return hwlatModule.FindStringSubmatch(line)
}

// hwlatDetour returns the detour of a sample: seconds, nanoseconds, and the inner and
// the outer gap in µs.
func hwlatDetour(e *epoch, f []string) (start, length float64, why string) {
	start, why = e.since(f[1], f[2])
	inner, why2 := seconds(f[3], perMicro)
	outer, why3 := seconds(f[4], perMicro)
	return start, max(inner, outer), first(why, why2, why3)
}

// command takes the parameters from a command line, which headers replace.
func (r *hwlat) command(line string) {
	for _, f := range hwlatOption.FindAllStringSubmatch(line, -1) {
		name := map[string]string{"duration": "test duration", "threshold": "Latency threshold:",
			"window": "Sample window:", "width": "Sample width:"}[f[1]]
		per, ok := map[string]float64{"us": perMicro, "ms": 1e3, "s": 1, "m": 1. / 60, "h": 1. / 3600,
			"d": 1. / 86400, "w": 1. / 604800}[f[3]]
		if !ok && f[1] != "duration" {
			per = perMicro
		} else if !ok {
			per = 1
		}
		if x, why := seconds(f[2], per); why == "" {
			r.told[name] = x
		}
	}
}

// hwlatTold returns a time of a header.
func hwlatTold(number, unit string) float64 {
	per := 1.0
	if unit == "us" {
		per = perMicro
	}
	x, why := seconds(number, per)
	if why != "" {
		return 0
	}
	return x
}
