package formats

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"jitterfly/noise"
)

// Netgauge's selfish benchmark reads a clock in a loop and records each turn that takes longer than
// a threshold. Its file is written by write_results_selfish in ptrn_noise.c: headers, then "start
// ns<TAB>length ns", then the overhead and the period. The shortest turn is already taken off the
// lengths. Where files were put together, the time begins again at each header.

// selfish is a run and what its headers say.
type selfish struct {
	run
	turn, threshold float64 // ns, percent
	closed          bool
}

func readSelfish(s *source, m *Measurement) {
	r := selfish{run: newRun(0)}
	s.each(
		rule{"", func(s *source) {
			if strings.Contains(s.text, ":") {
				r.header(s)
			} else {
				r.row(s, m)
			}
		}},
		rule{`^# (?:Benchmark Method:|Selfish Benchmark)`, func(s *source) {
			if !r.empty() {
				r.close(s, m)
			}
		}},
		rule{anyLine, r.header},
	)
	r.close(s, m)
}

func (r *selfish) row(s *source, m *Measurement) {
	s.has(2)
	start, length := s.seconds(0, perNano), s.seconds(1, perNano)
	if r.restarts(start) {
		r.close(s, m)
	}
	r.add(s, start, length)
}

const selfishHeader expression = `(Minimal cycle length \[ns\]|Threshold: \[% minimal cycle length\]|` +
	`CPU overhead due to noise|Measurement period):\s*(\S+)`

// header reads a line that is not a row. Standard output has some without the #.
func (r *selfish) header(s *source) {
	if s.fields = hostHeader.regexp().FindStringSubmatch(s.text); s.fields != nil {
		readHost(s)
		return
	}
	x, name, why := 0.0, "", notANumber
	if f := selfishHeader.regexp().FindStringSubmatch(s.text); f != nil {
		name = f[1]
		x, why = value(strings.TrimSuffix(f[2], "%"))
	}
	switch {
	case why != "" && s.text[0] == '#':
		refuse(comment)
	case why != "":
		refuse(notARow)
	case name == "CPU overhead due to noise":
		r.overhead, r.closed = x/100, true
		s.onlySum(strconv.FormatFloat(x, 'g', 4, 64))
	case name == "Measurement period":
		r.period(x)
	case name == "Minimal cycle length [ns]":
		r.turn = x
	default:
		r.threshold = x
	}
}

// period sets the span to the time that the tool gives, to a hundredth of a second. The
// end of the last detour is more precise, unless that was skipped.
func (r *selfish) period(x float64) {
	end := 0.0
	if n := len(r.detours); n > 0 {
		end = r.detours[n-1].End()
	}
	if x > end+0.005 && x <= maxTime {
		r.span = x
	}
}

func (r *selfish) close(s *source, m *Measurement) {
	if !r.empty() && !r.closed {
		s.note("a run ends without its overhead before line %d; the file may be cut off", s.line+1)
	}
	r.finish(s, m, r.turn*(r.threshold/100-1)/perNano)
	*r = selfish{run: newRun(r.id), turn: r.turn, threshold: r.threshold}
}

// Netgauge's fwq and ftq write "number duration" in whole microseconds and "number iterations", by
// write_results_fwq and write_results_ftq in ptrn_noise.c. The time of a quantum of ftq is in a
// header. Its work is counted in thousandths of what the quantum is tuned for.

func readNetgaugeFWQ(s *source, m *Measurement) {
	readNetgauge(s, func(values []float64, _ float64) {
		for i := range values {
			values[i] /= perMicro
		}
		fixedWork(s, m, 0, values, 1/perMicro)
	})
}

func readNetgaugeFTQ(s *source, m *Measurement) {
	readNetgauge(s, func(counts []float64, length float64) {
		r, most := newRun(0), slices.Max(counts)
		for i, c := range counts {
			if c < most {
				r.add(s, float64(i)*length, length*(1-c/most))
			}
		}
		switch {
		case length == 0:
			s.fail("the time of a quantum is missing; add the line # Compute-Cycle Duration: <n> usec")
		case most == 0:
			s.fail("no work was done in any quantum; was the benchmark stopped?")
		}
		r.span = float64(len(counts)) * length
		r.finish(s, m, length/1000)
	})
}

// readNetgauge reads numbered quanta. For each run it calls done with their values and the time in
// seconds of a header, 0 without that header.
func readNetgauge(s *source, done func(values []float64, length float64)) {
	var values []float64
	length, last := 0.0, -1.0
	finish := func() {
		if len(values) > 0 {
			done(values, length)
		}
		values, last = nil, -1
	}
	s.each(
		rule{`^#.*Compute-Cycle Duration:\s*([\d.]+)`, func(s *source) { length = s.seconds(1, perMicro) }},
		rule{`^# (?:Fixed |Benchmark Method)`, func(*source) { finish() }},
		rule{hostHeader, readHost},
		rule{"", func(s *source) {
			s.has(2)
			number, v := s.value(0), s.value(1)
			if v > MaxCount {
				refuse(beyond)
			}
			if number <= last {
				finish()
			}
			values, last = append(values, v), number
			s.record()
		}},
	)
	finish()
}

// Netgauge's loggp (Hoefler et al., "Low-Overhead LogGP Parameter Assessment for
// Modern Interconnection Networks", 2007) writes, by printparams in
// ptrn_loggp.c, times in microseconds and G in microseconds per byte:
//
//	# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)
//	1 10 4.10 9.05 61.20 2.05 0.31 0.32 0.55 0.000120 0.01
//
// L is half of PRTT(1,0,s) of the smallest size, with the overheads in it. The fit of the
// first lines is not a number, and overheads can come out negative. Those values are
// skipped, the others of the line kept. PRTT(1,0,s) is the median round trip of one
// message, which makes a one-way curve.
func readLogGP(s *source, m *Measurement) {
	t := sizes{}
	t.begin(m, OneWay, "loggp")
	s.each(
		rule{`PRTT\(1,0,s\) PRTT\(n,0,s\)`, func(*source) { t.end(m) }},
		rule{"", func(s *source) {
			s.has(11)
			n := s.size(0)
			trip, why := seconds(s.fields[2], perMicro)
			if s.skip(why); trip > 0 {
				t.curve.Points = append(t.curve.Points, Point{Size: n, Seconds: trip / 2})
			}
			addLogGP(s, m, n, s.fields[5:])
			s.record()
		}},
	)
	t.end(m)
}

// addLogGP adds the parameters L, o_s, o_r, g and G in fields, and the deviation of the fit,
// if there is any of those. It skips values that cannot be used.
func addLogGP(s *source, m *Measurement, size float64, fields []string) {
	p := LogGP{Size: size}
	some := false
	for i, to := range []*float64{&p.L, &p.Os, &p.Or, &p.Gs, &p.G, &p.Deviation} {
		x, why := seconds(fields[i], perMicro)
		if to == &p.Deviation {
			x, why = value(fields[i])
		}
		s.skip(why)
		if *to = x; why != "" {
			*to = math.NaN()
		}
		some = some || why == "" && to != &p.Deviation
	}
	if some {
		m.LogGP = append(m.LogGP, p)
	}
}

// What netgauge prints besides its files. Of loggp that is, by printparams in
// ptrn_loggp.c, the parameters in microseconds,
//
//	Testing 1 bytes 1000 times:
//	 L=2.050000  s=1  o_s=0.310000  o_r=0.320000  g=0.550000  G=0.000120 (66.7 GiB/s) lsqu(g,G)=0.010000
//
// and of the selfish benchmark, by write_results_selfish in ptrn_noise.c, the sums,
//
//	Minimal cycle length [ns]: 98.992110
//	[0] CPU overhead due to noise: 0.65%
//	[0] Measurement period: 44.44 s
//
// which are no noise to simulate: the detours are in the file.

const (
	netgaugeLogGP expression = `^L=(\S+)\s+s=(\d+)\s+o_s=(\S+)\s+o_r=(\S+)\s+g=(\S+)\s+G=(\S+) \(.*\)\s+` +
		`lsqu\(g,G\)=(\S+)`
	netgaugeSum expression = `^(?:\[\d+\] )?CPU overhead due to noise: ([\d.]+)%`
)

func readNetgaugeStdout(s *source, m *Measurement) {
	s.each(
		rule{netgaugeLogGP, func(s *source) {
			addLogGP(s, m, s.size(2), slices.Concat(s.fields[1:2], s.fields[3:]))
			s.record()
		}},
		rule{netgaugeSum, func(s *source) { s.onlySum(s.fields[1]) }},
		rule{`^# Info:`, ignoring("a message of the tool")},
		rule{anyLine, ignoring(notARow)},
	)
}

// onlySum fails for a sum of netgauge's selfish benchmark if its detours are missing.
func (s *source) onlySum(percent string) {
	s.otherwise("netgauge prints here that noise takes %s%% of the time, and not when; its detours "+
		"are in the file of its option -o, ng.out by default: import that", percent)
}

// Netgauge's one_one is a ping-pong; its times are half of a round trip, in
// microseconds. ptrn_one_one.cpp writes one of
//
//	1 - 0.09 0.11 0.10 1.02 (0.05 12) - 1.19 2.31 2.15 113.00 (1.90 31) - …
//	1 - 0.09 0.11 0.10 1.02 - 1.19 2.31 2.15 113.00 - …
//	8 bytes 	 -> 1.55 us 	 == 40.12 Mbit/s
//
// where the third group has the minimum, the average, the median and the maximum, and the last form
// the minimum alone. Variants that keep each repetition write "#size<TAB>rtt", and a line for each,
// with half a round trip as well. They begin again with each run, often of one size only:
// repetitions of a size are taken together, whichever run they belong to, without the first
// [warmUp] of each long one.

const (
	oneOneShort expression = `^(\d+) bytes\s+-> ([0-9.]+) us\b`
	oneOneEach  expression = `^#\s*size\s+rtt\b`
	oneOneRun   expression = `^## Netgauge v(\S+)`
	oneOneHead  expression = `minimum RTT/2`
)

type oneOne struct {
	sizes
	samples map[float64][]float64
	run     map[float64][]float64 // of the current run
}

func readOneOne(s *source, m *Measurement) {
	r := oneOne{samples: map[float64][]float64{}, run: map[float64][]float64{}}
	r.begin(m, OneWay, "one_one")
	s.each(
		rule{oneOneEach, r.endRun},
		rule{oneOneRun, func(s *source) {
			r.close(s, m)
			s.fact("version", "v"+s.fields[1])
		}},
		rule{hostHeader, readHost},
		rule{oneOneShort, func(s *source) {
			n, t := s.size(1), s.seconds(2, perMicro)
			r.add(s, Point{Size: n, Seconds: t, Least: t}) // which stands for the others
		}},
		rule{"", r.row},
	)
	r.close(s, m)
}

// row reads a line with statistics or one of a single repetition.
func (r *oneOne) row(s *source) {
	f := strings.FieldsFunc(s.text, func(c rune) bool { return strings.ContainsRune(" \t()", c) })
	s.fields = slices.DeleteFunc(f, func(word string) bool { return word == "-" })
	switch len(s.fields) {
	case 2:
		n, t := s.size(0), s.repetition(1, 1)
		r.run[n] = append(r.run[n], t)
		s.record()
	case 17:
		r.point(s, 7)
	case 13:
		r.point(s, 5)
	default:
		refuse(notARow)
	}
}

// point adds a size with its minimum, average, median and maximum, which are in the fields
// from this one on.
func (r *oneOne) point(s *source, from int) {
	p := Point{Size: s.size(0), Least: s.seconds(from, perMicro), Mean: s.seconds(from+1, perMicro),
		Seconds: s.seconds(from+2, perMicro), Most: s.seconds(from+3, perMicro)}
	p.Quantiles = []noise.Quantile{{Share: 0, Length: p.Least}, {Share: 0.5, Length: p.Seconds},
		{Share: 1, Length: p.Most}}
	if p.Least > p.Seconds || p.Seconds > p.Most {
		refuse("a minimum, median and maximum that do not ascend")
	}
	r.add(s, p)
}

// warmUp is how many of the first repetitions of a run of at least longRun are left out, unless
// the user says how many.
const (
	warmUp  = 20
	longRun = 1000
)

// endRun adds the repetitions of a run to the repetitions of the runs before.
func (r *oneOne) endRun(s *source) {
	for n, all := range r.run {
		usual := 0
		if len(all) >= longRun {
			usual = warmUp
		}
		r.samples[n] = append(r.samples[n], s.settled(all, usual)...)
	}
	clear(r.run)
}

func (r *oneOne) close(s *source, m *Measurement) {
	r.endRun(s)
	points := &r.curve.Points
	for n, all := range r.samples {
		if len(all) > 0 {
			*points = append(*points, pointOf(n, all))
		}
	}
	slices.SortStableFunc(*points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	r.end(m)
	clear(r.samples)
}

// LogGOPSim replays noise from a file that Noise.hpp reads: comments with #, and "start<TAB>length"
// in nanoseconds, which may have digits after the point. Many other files have two numbers a line
// with a tab between them. A trace has starts that ascend, and detours most of which end before the
// next begins; others are refused. So are times by the sizes of messages, all of which are powers
// of two, and the times and counts of FTQ, which paste joins with a tab.

// loggopsimRow matches two numbers with a tab between them.
const loggopsimRow expression = `^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)? *\t\s*` +
	`(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$`

func readLogGOPSim(s *source, m *Measurement) {
	// The rows have the format of netgauge, from which these traces come.
	r := selfish{run: newRun(0), closed: true}
	s.each(rule{"", func(s *source) {
		r.row(s, m)
		if r.disorder > 0 || m.Trace.Cores != nil {
			s.fail("the detour begins before the one above it, and those of a LogGOPSim " +
				"trace ascend; is this another table of two columns, or are these runs " +
				"that were put together? Cut those here")
		}
	}})
	n := len(r.detours)
	switch {
	case n > 2 && !slices.ContainsFunc(r.detours, notSize):
		s.fail("the first column has powers of two only, as sizes of messages have; if the second has " +
			"their latencies in µs, put # Size Latency (us) before the rows")
	case areQuanta(r.detours):
		s.fail("the rows are a quantum of time apart, and most values near the largest; if these are " +
			"times and counts of FTQ, add a first line such as # Ticks per ns: 2.4")
	}
	if s.skipped[comment].Count == 0 {
		s.note("two columns without a header are taken for starts and lengths of detours in ns, as in a " +
			"trace of LogGOPSim")
	}
	r.close(s, m)
	if 2*m.Merged >= n && n > 1 {
		s.fail("%d of %d detours begin before the one above them ends; is this another table "+
			"of two columns than a LogGOPSim trace, whose starts and lengths are in ns?",
			m.Merged, n)
	}
}

// notSize reports whether the start of a detour, in ns, is neither 0 nor a power of two.
func notSize(d noise.Detour) bool {
	fraction, _ := math.Frexp(math.Round(d.Start * perNano))
	return fraction != 0.5 && fraction != 0
}

// areQuanta reports whether detours are rather quanta of the same time with the work done in
// each: nearly all begin after the same time, and most are nearly as long as the longest.
func areQuanta(detours []noise.Detour) bool {
	n := len(detours)
	if n < 20 {
		return false
	}
	var gaps, lengths []float64
	for i, d := range detours {
		lengths = append(lengths, d.Length)
		if i > 0 {
			gaps = append(gaps, d.Start-detours[i-1].Start)
		}
	}
	slices.Sort(gaps)
	slices.Sort(lengths)
	least, most := lengths[0], lengths[n-1]
	return gaps[n*19/20-1]-gaps[n/20] <= 0.01*gaps[n/2-1] && most > least &&
		lengths[n/2]-least > 0.9*(most-least)
}
