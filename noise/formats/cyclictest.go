package formats

import (
	"maps"
	"math"
	"regexp"
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
// of which the last for each thread counts; those tell the interval, too. With -v there
// are lines "thread:cycle:latency". Times are in whole microseconds, but in nanoseconds
// with -N. That is told by lines T:, whose Act: is then wider than their Min:, and by a
// command line, if the file has one. Where neither is, a least delay of at least 500 of
// either is refused: no wake-up takes less than 500 ns, and of microseconds only one
// without a timer of high resolution takes as many.

var (
	cyclicThread = regexp.MustCompile(`^T: *(\d+) \( *\d+\) (?:P: *\d+ )?I: *(\d+) C: *(\d+) Min:( *-?\d+) Act:( *-?\d+) Avg: *(-?\d+) Max: *(-?\d+)`)
	cyclicTable  = regexp.MustCompile(`^0{6}[ \t]+\d{6,}(?:[ \t]+\d{6,})*$`)
	cyclicCycle  = regexp.MustCompile(`^(\d+): *(\d+): *(-?\d+)$`)
	cyclicEvery  = regexp.MustCompile(`^Thread (\d+) Interval: *(\d+)$`)
	// A command line, and the options with which times are in nanoseconds.
	cyclicCommand = regexp.MustCompile(`(?:^|[\s/])cyclictest(\s+-\S.*)$`)
	cyclicNano    = regexp.MustCompile(`\s(?:-[a-zA-Z]*N\w*|--nsecs)(?:\s|$)`)
)

// undecided is the least delay [s] that is rather in nanoseconds, read as microseconds.
const undecided = 500e-6

func matchesCyclictest(head []string) bool {
	if cyclicTable.MatchString(firstData(head)) {
		return true
	}
	for _, line := range head {
		if line == "# Histogram" || cyclicThread.MatchString(line) ||
			cyclicCycle.MatchString(line) || cyclicEvery.MatchString(line) {
			return true
		}
	}
	return false
}

// A cyclic is the state of reading a run.
type cyclic struct {
	columns
	per             float64                 // units in a second
	told            bool                    // the file tells the unit
	started, summed bool                    // the table has begun; its last column is a sum
	threads         map[int]Histogram       // of lines T:
	cycles          map[int]map[int64]int64 // how often each thread had which latency, in units
}

func readCyclictest(s *source, m *Measurement) {
	r := cyclic{per: perMicro, threads: map[int]Histogram{}, cycles: map[int]map[int64]int64{}}
	for s.scan() {
		line := s.text
		t, c := cyclicThread.FindStringSubmatch(line), cyclicCycle.FindStringSubmatch(line)
		command := cyclicCommand.FindStringSubmatch(line)
		switch every := cyclicEvery.FindStringSubmatch(line); {
		case line == "":
		case command != nil:
			r.command(command[1])
		case line == "# Histogram":
			r.close(s, m)
			r.started = true
		case line[0] == '#':
			r.summary(s, line)
		case t != nil:
			r.thread(s, t)
		case c != nil:
			r.cycle(s, c)
		case every != nil:
			r.every(s, every[1], every[2])
		case r.started, cyclicTable.MatchString(line):
			r.started = true
			r.bin(s, strings.Fields(line))
		default:
			s.skip(notARow)
		}
	}
	r.close(s, m)
	r.plain(m)
	r.checkUnit(s, m)
}

// command sets the unit from the options of a command line.
func (r *cyclic) command(options string) {
	r.told, r.per = true, perMicro
	if cyclicNano.MatchString(options) {
		r.per = perNano
	}
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
	if !r.told && len(m.Histograms) > 0 && least >= undecided {
		s.fail("no wake-up took less than %.0f, which are ns if cyclictest ran with -N, and µs if not; "+
			"put its command line at the top, such as cyclictest -N -q -h 20000", least*perMicro)
	}
}

func (r *cyclic) bin(s *source, f []string) {
	from, why := whole(f[0], r.per)
	if len(r.hists) == 0 && why == "" {
		for i := range f[1:] {
			r.hists = append(r.hists, Histogram{Core: i, Column: "thread " + strconv.Itoa(i),
				Kind: Wakeups})
			s.record()
		}
	}
	if why == "" && r.begun(from) {
		why = notARow
	}
	if why == "" {
		why = r.row(s, from, f[1:])
	}
	if why != "" {
		s.skip(why)
	}
}

// summary reads a line below the rows.
func (r *cyclic) summary(s *source, line string) {
	name, text, _ := header(line)
	f := strings.Fields(text)
	tell := func(to func(h *Histogram) *float64) {
		for i := range min(len(f), len(r.hists)) {
			if x, why := seconds(f[i], r.per); why == "" {
				*to(&r.hists[i]) = x
			}
		}
	}
	switch name {
	case "Min Latencies":
		// Of these there is none for the sum.
		r.summed = len(f) == len(r.hists)-1
		r.ended = true
		tell(func(h *Histogram) *float64 { return &h.Least })
	case "Avg Latencies":
		tell(func(h *Histogram) *float64 { return &h.Mean })
	case "Max Latencies":
		tell(func(h *Histogram) *float64 { return &h.Most })
	case "Histogram Overflows":
		r.each(f, func(h *Histogram, field string) { h.Over, _ = count(field) })
	case "Total":
		for i := range min(len(f), len(r.hists)) {
			if n, why := count(f[i]); why == "" {
				r.compare(s, &r.hists[i], n)
			}
		}
	default:
		s.skip(comment)
	}
}

// compare notes counts that are not the total, which is without the overflows.
func (r *cyclic) compare(s *source, h *Histogram, total int64) {
	got := int64(0)
	for _, b := range h.Bins {
		got += b.Count
	}
	if got != total {
		s.note("the tool tells %d samples of %s, the bins have %d", total, h.Column, got)
	}
}

// close finishes a table, and sets the intervals of its threads from the lines T:.
func (r *cyclic) close(s *source, m *Measurement) {
	if len(r.hists) > 0 && !r.ended {
		s.note("a histogram ends without its summary; the file may be cut off")
	}
	if r.summed {
		r.hists = r.hists[:len(r.hists)-1]
	}
	for i := range r.hists {
		r.hists[i].Interval = r.threads[i].Interval
	}
	r.finish(m, 1, r.per)
	r.started, r.summed = false, false
}

// thread reads a line T:, which replaces the one before it.
func (r *cyclic) thread(s *source, f []string) {
	if least, act := f[4], f[5]; len(least) < 8 && len(act) == 8 && act[0] == ' ' {
		r.per = perNano
	}
	r.told = true
	id, why := count(f[1])
	interval, why2 := seconds(f[2], perMicro)
	n, why3 := count(f[3])
	least, why4 := seconds(strings.TrimSpace(f[4]), r.per)
	mean, why5 := seconds(f[6], r.per)
	most, why6 := seconds(f[7], r.per)
	if why = first(why, why2, why3, why4, why5, why6); why != "" {
		s.skip(why)
		return
	}
	if _, ok := r.threads[int(id)]; !ok {
		s.record()
	}
	r.threads[int(id)] = Histogram{
		Core: int(id), Column: "thread " + f[1], Kind: Wakeups,
		Samples: n, Least: least, Mean: mean, Most: most, Interval: interval,
	}
}

// every reads the interval of a thread.
func (r *cyclic) every(s *source, thread, us string) {
	id, why := count(thread)
	interval, why2 := seconds(us, perMicro)
	if why = first(why, why2); why != "" {
		s.skip(why)
		return
	}
	h := r.threads[int(id)]
	h.Interval = interval
	r.threads[int(id)] = h
	s.record()
}

// cycle reads a latency of a thread.
func (r *cyclic) cycle(s *source, f []string) {
	id, why := count(f[1])
	delay, why2 := count(f[3])
	if why = first(why, why2); why == "" && delay > maxLength*perMicro {
		why = beyond
	}
	if why != "" {
		s.skip(why)
		return
	}
	of := r.cycles[int(id)]
	if of == nil {
		of = map[int64]int64{}
		r.cycles[int(id)] = of
		s.record()
	}
	if of[delay] == 0 {
		s.record()
	}
	of[delay]++
}

// plain adds the histograms of a run without -h: of single latencies, or of a summary.
func (r *cyclic) plain(m *Measurement) {
	if len(m.Histograms) > 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(r.cycles)) {
		h := Histogram{Core: id, Column: "thread " + strconv.Itoa(id), Kind: Wakeups,
			Unit: 1 / r.per, Interval: r.threads[id].Interval}
		for _, delay := range slices.Sorted(maps.Keys(r.cycles[id])) {
			n := r.cycles[id][delay]
			h.Bins = append(h.Bins, Bin{float64(delay) / r.per, float64(delay+1) / r.per, n})
			h.Samples += n
		}
		m.Histograms = append(m.Histograms, h)
	}
	if len(r.cycles) > 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(r.threads)) {
		if h := r.threads[id]; h.Samples > 0 {
			m.Histograms = append(m.Histograms, h)
			m.Instead = "it has a summary only; run cyclictest with -h 400, for a histogram"
		}
	}
}
