package formats

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// cyclictest sleeps and notes how late it was woken. With -h it writes, by
// print_hist in cyclictest.c, "# Histogram", rows of six digits with a space
// after the length and tabs between the counts of the threads, and
//
//	# Total: 000060001 000060001
//	# Min Latencies: 00003 00003
//	# Histogram Overflows: 00000 00002
//
// With -H there is a column more for the sum of all threads. The rows alone, as scripts
// that plot them leave, are known by their six digits. Without -h there are lines
//
//	T: 0 ( 2613) P:99 I:1000 C: 100000 Min:      2 Act:    3 Avg:    3 Max:      27
//
// The last such line of each thread counts. With -v there are lines
// "thread:cycle:latency". Times are in whole microseconds, but in nanoseconds with -N. Lines T:
// show the unit, since Act: is then wider than Min:, and so does a command line, if the file has
// one. Where neither is, a least delay of at least 500 of either is refused: no wake-up takes less
// than 500 ns, and of microseconds only one without a timer of high resolution takes as many.

const (
	cyclicThread expression = `^T: *(\d+) \( *\d+\) (?:P: *\d+ )?I: *\d+ C: *(\d+) ` +
		`Min:( *-?\d+) Act:( *-?\d+) Avg: *(-?\d+) Max: *(-?\d+)`
	cyclicTable expression = `^0{6}[ \t]+\d{6,}(?:[ \t]+\d{6,})*$`
	cyclicCycle expression = `^(\d+): *(\d+): *(-?\d+)$`
	cyclicHead  expression = `^# Histogram$`
	cyclicEvery expression = `^Thread \d+ Interval: *\d+$`
	// A command line, and the options with which times are in nanoseconds.
	cyclicCommand expression = `(?:^|[\s/])cyclictest(\s+-\S.*)$`
	cyclicNano    expression = `\s(?:-[a-zA-Z]*N\w*|--nsecs)(?:\W|$)`
)

// undecided is the least delay [s] that is rather in nanoseconds, read as microseconds.
const undecided = 500e-6

type cyclic struct {
	columns
	per             float64                 // units in a second
	decided         bool                    // the file says which
	started, summed bool                    // the table has begun; its last column is a sum
	threads         map[int]Histogram       // of lines T:
	cycles          map[int]map[int64]int64 // how often each thread had which latency, in units
}

func readCyclictest(s *source, m *Measurement) {
	r := cyclic{per: perMicro, threads: map[int]Histogram{}, cycles: map[int]map[int64]int64{}}
	s.each(
		rule{cyclicCommand, func(s *source) {
			if r.decided, r.per = true, perMicro; cyclicNano.regexp().MatchString(s.fields[1]) {
				r.per = perNano
			}
		}},
		rule{cyclicHead, func(s *source) {
			r.close(s, m)
			r.started = true
		}},
		rule{`^[# ]*#([^:]*):?(.*)$`, r.below},
		rule{cyclicThread, r.thread},
		rule{cyclicCycle, r.cycle},
		rule{cyclicEvery, pass},
		rule{"", func(s *source) {
			if r.started = r.started || cyclicTable.regexp().MatchString(s.text); !r.started {
				s.refuse(notARow)
				return
			}
			if len(r.hists) == 0 {
				r.head(s)
			}
			r.bin(s, r.per)
		}},
	)
	r.close(s, m)
	r.plain(m)
	r.checkUnit(s, m)
}

// checkUnit fails if the least delay of all threads may be of either unit.
func (r *cyclic) checkUnit(s *source, m *Measurement) {
	least := math.Inf(1)
	for _, h := range m.Histograms {
		if h.Least == 0 && len(h.Bins) > 0 {
			h.Least = h.Bins[0].From
		}
		least = min(least, h.Least)
	}
	if !r.decided && len(m.Histograms) > 0 && least >= undecided {
		s.fail("no wake-up took less than %.0f, which are ns if cyclictest ran with -N, and µs if not; "+
			"put its command line at the top, such as cyclictest -N -q -h 20000", least*perMicro)
	}
}

// head begins a table with the threads of its first row.
func (r *cyclic) head(s *source) {
	if s.whole(0, r.per); !s.ok() {
		return
	}
	for i := range s.fields[1:] {
		keep(s, &r.hists, Histogram{Core: i, Column: "thread " + strconv.Itoa(i), Kind: Wakeups})
	}
}

func (r *cyclic) below(s *source) {
	name, f := strings.TrimSpace(s.fields[1]), strings.Fields(s.fields[2])
	if name == "Min Latencies" {
		// The column of the sum has no minimum.
		r.summed = len(f) == len(r.hists)-1
		r.ended = true
	}
	switch statistic := statistics[name]; {
	case statistic == "over" && len(f) != len(r.hists): // with a sum of the threads
	case statistic != "":
		r.summary(statistic, f, r.per)
	case name == "Total":
		for i := range min(len(f), len(r.hists)) {
			if n, why := count(f[i]); why == "" {
				s.compare(r.hists[i].Column, r.hists[i].inBins(), n) // without the overflows
			}
		}
	default:
		s.refuse(comment)
	}
}

// close finishes a table.
func (r *cyclic) close(s *source, m *Measurement) {
	if len(r.hists) > 0 && !r.ended {
		s.note("a histogram ends without its summary; the file may be cut off")
	}
	if r.summed {
		r.hists = r.hists[:len(r.hists)-1]
	}
	r.finish(m, 1, r.per)
	r.started, r.summed = false, false
}

// thread reads a line T:, which replaces the one before it.
func (r *cyclic) thread(s *source) {
	f := s.fields
	r.decided = true
	if least, act := f[3], f[4]; len(least) < 8 && len(act) == 8 && act[0] == ' ' {
		r.per = perNano
	}
	f[3] = strings.TrimSpace(f[3])
	h := Histogram{Core: int(s.count(1)), Column: "thread " + f[1], Kind: Wakeups,
		Samples: s.count(2), Least: s.seconds(3, r.per), Mean: s.seconds(5, r.per), Digit: 1 / r.per,
		Most: s.seconds(6, r.per)}
	if !s.ok() {
		return
	}
	if _, ok := r.threads[h.Core]; !ok {
		s.record()
	}
	r.threads[h.Core] = h
}

func (r *cyclic) cycle(s *source) {
	if id, delay := int(s.count(1)), s.count(3); s.ok() {
		tally(s, r.cycles, id, delay, perMicro)
	}
}

// plain adds the histograms of a run without -h: of single latencies, or of a summary.
func (r *cyclic) plain(m *Measurement) {
	if len(m.Histograms) > 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(r.cycles)) {
		h := Histogram{Core: id, Column: "thread " + strconv.Itoa(id), Kind: Wakeups, Unit: 1 / r.per}
		m.Histograms = append(m.Histograms, h.of(r.cycles[id], r.per))
	}
	if len(r.cycles) > 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(r.threads)) {
		if h := r.threads[id]; h.Samples > 0 {
			m.Histograms = append(m.Histograms, h)
			m.Instead = onlySummary
		}
	}
}

// onlySummary says what to measure instead of a summary.
const onlySummary = "it has a summary only; run cyclictest with -h 400, for a histogram"
