package formats

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"path"
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
	per             float64           // units in a second
	decided         bool              // the file says which
	started, summed bool              // the table has begun; its last column is a sum
	threads         map[int]Histogram // of lines T:
	cycles          tallies[int]      // of each thread
}

func readCyclictest(s *source, m *Measurement) {
	r := cyclic{per: perMicro, threads: map[int]Histogram{}, cycles: tallies[int]{}}
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
		rule{cyclicCycle, func(s *source) { r.cycles.tally(s, int(s.count(1)), s.count(3)) }},
		rule{cyclicEvery, pass},
		rule{"", func(s *source) {
			if r.started = r.started || cyclicTable.regexp().MatchString(s.text); !r.started {
				refuse(notARow)
			}
			if len(r.hists) == 0 {
				r.head(s)
			}
			r.bin(s, s.whole(0, r.per), s.fields[1:])
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
	s.whole(0, r.per) // or else this is not a row
	for i := range s.fields[1:] {
		keep(s, &r.hists, Histogram{Column: "thread " + strconv.Itoa(i), Kind: Wakeups})
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
	case statistic != "":
		r.summary(s, statistic, f, r.per)
	default:
		refuse(comment)
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
	id := int(s.count(1))
	h := Histogram{Column: "thread " + f[1], Kind: Wakeups, Samples: s.count(2), Least: s.seconds(3, r.per),
		Mean: s.seconds(5, r.per), Digit: 1 / r.per, Most: s.seconds(6, r.per)}
	put(s, r.threads, id, h)
}

// plain adds the histograms of a run without -h: of single latencies, or of a summary.
func (r *cyclic) plain(m *Measurement) {
	if len(m.Histograms) > 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(r.cycles)) {
		h := Histogram{Column: "thread " + strconv.Itoa(id), Kind: Wakeups, Unit: 1 / r.per}
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

// cyclictest and oslat of rt-tests write, with --json, an object with one of each thread,
//
//	{"cmdline:": "cyclictest -h 400 --json=…", "rt_test_version:": "2.60", "resolution_in_ns": 0,
//	  "thread": {"0": {"histogram": {"2": 9000, "3": 900}, "cycles": 9901,
//	    "min": 2, "max": 40, "avg": 2.09, "cpu": 3, "node": 0}}}
//
// by write_stats in cyclictest.c and write_summary_json in oslat.c. Lengths are in microseconds,
// and in nanoseconds if the resolution is 1. The least and the longest of oslat are in nanoseconds
// if its bins have digits after the point. cyclictest counts cycles beyond its bins in no bin;
// oslat counts them in the last.

type jsonRun struct {
	Command string                                      `json:"cmdline:"`
	Version string                                      `json:"rt_test_version:"`
	Nano    int                                         `json:"resolution_in_ns"`
	System  struct{ Nodename, Release, Machine string } `json:"sysinfo"`
	Threads map[string]jsonThread                       `json:"thread"`
}

type jsonThread struct {
	Histogram     map[string]int64
	Cycles, CPU   int64
	Min, Max, Avg json.Number // with their digits
	Freq          float64
	Duration      float64 // [s], of oslat
}

func readJSON(s *source, m *Measurement) {
	var text strings.Builder
	var lines []int // the numbers of those that are not empty
	for s.scan() {
		lines = append(lines, s.line)
		if text.WriteString(s.text + "\n"); text.Len() > maxLabelled {
			s.fail("the JSON has more than %d bytes; is it the output of one run?", maxLabelled)
		}
	}
	d := json.NewDecoder(strings.NewReader(text.String()))
	for d.More() {
		var run jsonRun
		if err := d.Decode(&run); err != nil {
			at := int64(text.Len()) // where it ends too early
			if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
				at = syntax.Offset
			}
			s.line = lines[strings.Count(text.String()[:min(at, int64(text.Len()))-1], "\n")]
			s.fail("it is not JSON of cyclictest or oslat: %s; is the file complete?",
				printable(err.Error(), 100))
		}
		run.add(s, m)
	}
	s.unended = false // which the brackets show
}

func (run *jsonRun) add(s *source, m *Measurement) {
	s.fact("version", run.Version)
	s.fact("nodename", run.System.Nodename)
	s.fact("release", run.System.Release)
	s.fact("machine", run.System.Machine)
	ids := slices.SortedFunc(maps.Keys(run.Threads), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	tool, _, _ := strings.Cut(run.Command, " ")
	if tool = path.Base(tool); tool == "." { // not in the file
		tool = "cyclictest"
		if len(ids) > 0 && run.Threads[ids[0]].Duration > 0 {
			tool = "oslat"
		}
	}
	switch tool {
	case "cyclictest":
		run.cyclictest(s, m, ids)
	case "oslat":
		run.oslat(s, m, ids)
	default:
		s.fail("the JSON was written by %s; import reads the JSON of cyclictest and oslat", printable(tool, 40))
	}
}

// table returns the histograms of all threads, whose bins begin at their labels, in units of which there
// are per in a second, and whether these are whole numbers.
func (run *jsonRun) table(s *source, ids []string, kind Kind, per float64) (c columns, whole bool) {
	whole = true
	for _, id := range ids {
		h := Histogram{Column: "thread " + printable(id, 20), Kind: kind}
		if kind == Detours {
			h.Column = "core " + strconv.FormatInt(run.Threads[id].CPU, 10)
		}
		for _, b := range s.bins(run.Threads[id].Histogram) {
			whole = whole && b.From == math.Trunc(b.From)
			b.From /= per
			keep(s, &h.Bins, b)
			c.rows = append(c.rows, b.From)
		}
		c.hists = append(c.hists, h)
	}
	slices.Sort(c.rows)
	c.rows = slices.Compact(c.rows)
	return c, whole
}

// summary sets the statistics of all threads, averages and ends in units of which a second has this many.
func (run *jsonRun) summary(s *source, c *columns, ids []string, averages, ends float64) {
	of := func(number func(jsonThread) json.Number) (all []string) {
		for _, id := range ids {
			all = append(all, number(run.Threads[id]).String())
		}
		return all
	}
	c.summary(s, "mean", of(func(t jsonThread) json.Number { return t.Avg }), averages)
	c.summary(s, "least", of(func(t jsonThread) json.Number { return t.Min }), ends)
	c.summary(s, "most", of(func(t jsonThread) json.Number { return t.Max }), ends)
}

func (run *jsonRun) cyclictest(s *source, m *Measurement, ids []string) {
	per := perMicro
	if run.Nano == 1 {
		per = perNano
	}
	r, _ := run.table(s, ids, Wakeups, per)
	run.summary(s, &r, ids, per, per)
	for i, id := range ids {
		h, cycles := &r.hists[i], strconv.FormatInt(run.Threads[id].Cycles, 10)
		n, why := count(cycles)
		if why != "" {
			r.skip(s, statisticOf{i, "over"}, cycles, why)
		}
		h.Over = max(0, n-h.inBins())
		if h.Bins == nil && h.Over > 0 {
			m.Instead = onlySummary
		}
	}
	r.finish(m, 1, per)
}

// oslat adds the tables of all threads, as of the text.
func (run *jsonRun) oslat(s *source, m *Measurement, ids []string) {
	r, per := oslat{digit: 1e-12}, perMicro // averages in µs have six digits
	if r.columns, r.rounded = run.table(s, ids, Detours, perMicro); !r.rounded {
		per = perNano
	}
	run.summary(s, &r.columns, ids, perMicro, per)
	for i, id := range ids {
		t, h := run.Threads[id], &r.hists[i]
		if t.Duration > 0 && t.Duration < maxTime {
			h.Span = t.Duration
		}
		over := int64(0)
		if n := len(h.Bins); n > 0 && h.Bins[n-1].From == r.rows[len(r.rows)-1] && h.Most > h.Bins[n-1].From {
			over = h.Bins[n-1].Count // the last of the rows has longer ones too
		}
		r.over = append(r.over, over)
	}
	r.ended = true
	r.close(s, m)
}

// bins returns the bins with samples of a histogram, without their ends, in ascending order.
func (s *source) bins(histogram map[string]int64) []Bin {
	var all []Bin
	for name, n := range histogram {
		at, why := value(name)
		switch {
		case why != "":
		case at/perMicro > MaxLength, n > MaxCount:
			why = beyond
		case n < 0:
			why = negative
		case n > 0:
			all = append(all, Bin{From: at, Count: n})
		}
		s.skip(why)
	}
	slices.SortFunc(all, func(a, b Bin) int { return cmp.Compare(a.From, b.From) })
	return all
}
