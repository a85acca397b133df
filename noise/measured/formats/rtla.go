package formats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rtla osnoise hist and rtla timerlat hist write, by osnoise_hist.c and
// timerlat_hist.c of the Linux kernel,
//
//	# RTLA osnoise histogram
//	# Time unit is microseconds (us)
//	# Duration:   0 00:01:00
//	Index   CPU-000   CPU-001
//	0         42982     46287
//	over:         0         0
//	count:    42982     46287
//
// with IRQ-000, Thr-000 and Usr-000 for timerlat, then min:, avg: and max:, then perhaps the same
// over all CPUs. A table may begin with the line Index, and has no columns if there was no noise.
// Rows of zeros are left out, and the width of a bin is not in the file. It is one unit if the
// minima, means and maxima are those of the rows' labels. Otherwise it is the largest that fits all
// rows, and the lengths are where in their bins they have the means.
//
// The first bin has most detours of osnoise, and its width is by how much the time
// that they take is uncertain, which is noted.

const (
	rtlaTitle  expression = `# RTLA (?:osnoise|timerlat) histogram`
	rtlaColumn expression = `^(CPU|IRQ|Thr|Usr)-(\d+)$`
	rtlaIndex  expression = `^Index(?:\s+(?:CPU|IRQ|Thr|Usr)-\d+)+$`
)

// timerKinds are the delays of timerlat, by their names in rtla hist, rtla top and the tracer.
var timerKinds = map[string]Kind{
	"IRQ": Interrupts, "irq": Interrupts, "Thr": Wakeups, "Thread": Wakeups, "thread": Wakeups,
	"Usr": Returns, "Ret user": Returns, "user-ret": Returns, "CPU": Wakeups,
}

type rtla struct {
	columns
	timer   bool    // the tool is timerlat
	counted bool    // the table has its counts
	headed  bool    // its title is there
	united  bool    // its unit is there
	per     float64 // units in a second
	span    float64
}

func readRTLA(s *source, m *Measurement) {
	r := rtla{per: perMicro}
	s.each(
		rule{`^[^#\s]{0,20} ?# RTLA`, func(s *source) {
			r.close(s, m)
			r.headed, r.united = true, false
			r.timer, r.per, r.span = strings.Contains(s.text, "timerlat"), perMicro, 0
		}},
		rule{`^# Time unit(?: is (microseconds|nanoseconds))?`, func(s *source) {
			if r.per, r.united = inSecond[s.fields[1]]; !r.united {
				s.fail("%q is not a unit of rtla; use microseconds or nanoseconds",
					printable(s.text, 60))
			}
		}},
		rule{`^# Duration: +(\d+) (\d+):(\d+):(\d+)$`, func(s *source) {
			days, hours, minutes := s.value(1), s.value(2), s.value(3)
			if r.span = ((days*24+hours)*60+minutes)*60 + s.value(4); r.span > maxTime {
				r.span = 0
			}
		}},
		rule{"", func(s *source) { r.line(s, m) }},
	)
	r.close(s, m)
}

func (r *rtla) line(s *source, m *Measurement) {
	switch f := s.fields; {
	case f[0] == "Index":
		r.close(s, m)
		r.begin(s, f[1:])
		if len(f) == 1 && r.headed && !r.timer && r.span > 0 {
			m.Histograms = append(m.Histograms, Histogram{Column: "all CPUs", Kind: Detours, Span: r.span})
		}
	case f[0] == "ALL:", r.ended:
		r.ended = true
		refuse(sums)
	case !strings.HasSuffix(f[0], ":"):
		r.bin(s, s.whole(0, r.per), f[1:])
	case statistics[f[0]] == "", len(f)-1 != len(r.hists):
		refuse(notARow)
	default:
		r.counted = r.counted || f[0] == "count:"
		r.summary(s, statistics[f[0]], f[1:], r.per)
	}
}

func (r *rtla) begin(s *source, names []string) {
	if !r.headed && !r.united {
		s.note("the lines before Index are missing; the unit is taken to be a microsecond")
	}
	for _, name := range names {
		f := rtlaColumn.regexp().FindStringSubmatch(name)
		if f == nil {
			s.fail("%q is not a column of a CPU; is the table complete?", printable(name, 20))
		}
		kind := Detours
		r.timer = r.timer || !r.headed && f[1] != "CPU"
		if r.timer {
			kind = timerKinds[f[1]]
		}
		keep(s, &r.hists, Histogram{Column: name, Kind: kind, Span: r.span})
	}
}

func (r *rtla) close(s *source, m *Measurement) {
	if len(r.hists) > 0 {
		if !r.counted {
			s.note("a table ends without its counts; the file may be cut off")
		}
		r.finish(m, r.width(s), r.per)
		s.firsts = s.firsts || !r.timer
	}
	*r = rtla{timer: r.timer, headed: r.headed, united: r.united, per: r.per, span: r.span}
}

// width returns the width of the bins in units.
func (r *rtla) width(s *source) float64 {
	width, unknown := 0.0, len(r.rows) < 2
	for _, from := range r.rows {
		width = gcd(width, math.Round(from*r.per))
	}
	reported, exact := 0, true
	for i := range r.hists {
		n, same := r.hists[i].byLabels(1 / r.per)
		reported, exact = reported+n, exact && same
	}
	switch {
	case exact && reported > 2 || width == 1:
		return 1
	case unknown:
		s.note("a table has one row, so the width of its bins is unknown; they are taken " +
			"to be one unit wide")
		return 1
	case reported == 0:
		s.note("rows of zeros are left out, so bins may be narrower than %.4g µs", width*perMicro/r.per)
	}
	return width
}

// byLabels returns how many statistics the tool gives of lengths that are all in bins, and whether
// they are those of the labels of the bins: where these are wider than the unit [s], they are not.
func (h *Histogram) byLabels(unit float64) (reported int, same bool) {
	if len(h.Bins) == 0 || h.Digit == 0 {
		return 0, true
	}
	first, last, sum := h.Bins[0].From, h.Bins[len(h.Bins)-1].From, 0.0
	for _, b := range h.Bins {
		sum += float64(b.Count) * b.From
	}
	if reported, same = 1, math.Abs(h.Least-first) < unit/2; h.Over > 0 {
		return reported, same
	}
	off := sum/float64(h.inBins()) - h.Mean
	within := math.Abs(off) <= 0.51*h.Digit
	if h.Digit >= unit {
		within = off > -0.01*unit && off < h.Digit
	}
	return 3, same && within && math.Abs(h.Most-last) < unit/2
}

// boundFirst notes how much of the time the detours of the first bin, which begins at 0, may take.
func (s *source) boundFirst(hists []Histogram) {
	first, all, span, width := 0.0, 0.0, 0.0, 0.0
	for _, h := range hists {
		span += h.Span
		all += float64(h.Samples)
		if len(h.Bins) > 0 && h.Bins[0].From == 0 {
			first += float64(h.Bins[0].Count)
			width = h.Bins[0].To
		}
	}
	if first == 0 || span == 0 {
		return
	}
	s.note("%.3g%% of the detours are in the first bin, 0 to %.4g µs: each is taken to last half "+
		"of that, which is %.3g%% of the time, and may be 0 to %.3g%%; narrower bins leave less open",
		100*first/all, width*perMicro, 100*first*width/2/span, 100*first*width/span)
}

func gcd(a, b float64) float64 {
	for b > 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// rtla osnoise top and rtla hwnoise write, by osnoise_top.c, a row for each CPU,
//
//	                                         Operating System Noise
//	duration:   0 00:01:00 | time is in us
//	CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW          NMI          IRQ      Softirq       Thread
//	  0 #58         52200000         1031    99.99802          91           60           0            0        52285            0          101
//
// and rtla timerlat top, by timerlat_top.c, a row of the least, mean and longest delay
// of the timer's interrupt and of its thread:
//
//	  0 00:00:59   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)
//	CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max
//	  0 #58634     |        1         0         1        10 |       11         2        10        23
//
// Rows are printed again while the tool runs; the last of each CPU counts.
//
// The noise of osnoise is the sum of its detours, and the longest is printed, but not their number:
// there is at most one for each interference that is counted, since some interferences are shorter
// than what is noise, and at most one for each microsecond, which is the shortest. Taken are the
// longest and that many of the mean of the others.

const (
	topHeader expression = `^CPU\s+Period\s+Runtime\s+Noise\b`
	topTitles expression = `\b(IRQ|Thread|Ret user) Timer Latency \((us|ns)\)`
)

// cpuShare matches the share of the CPU, the only number of a row with a point.
const cpuShare expression = `\s(\d+\.\d+)\s`

type rtlaTop struct {
	per    float64
	titles [][]string          // of timerlat
	rows   map[int][]Histogram // by CPU
}

func readRTLATop(s *source, m *Measurement) {
	r := rtlaTop{per: perMicro, rows: map[int][]Histogram{}}
	s.each(
		rule{topHeader, pass},
		rule{topTitles, func(s *source) {
			r.titles = topTitles.regexp().FindAllStringSubmatch(s.text, -1)
			r.per = inSecond[s.fields[2]]
		}},
		rule{`time is in (ns)?`, func(s *source) { r.per = cmp.Or(inSecond[s.fields[1]], perMicro) }},
		rule{`^(\d+)\s+#\d+\s+(\d+)\s+(\d+)\s+[\d.]+\s+\d+\s+(\d+)((?:\s+\d+)+)$`, r.noise},
		rule{`^(\d+)\s+#(\d+)\s*(\|.*)$`, r.timer},
		rule{anyLine, ignoring(notARow)},
	)
	for _, id := range slices.Sorted(maps.Keys(r.rows)) {
		m.Histograms = append(m.Histograms, r.rows[id]...)
	}
	if r.titles != nil {
		m.Instead = "it has a summary only; run rtla timerlat hist, for a histogram"
		return
	}
	s.remarkSums(m)
}

// remarkSums says how many detours a sum of noise may be.
func (s *source) remarkSums(m *Measurement) {
	most, least := int64(0), 0.0
	for _, h := range m.Histograms {
		most += h.Samples
		if h.Most > 0 {
			least += float64(h.Samples) * h.Mean / h.Most
		}
	}
	if most > 0 {
		s.note("sums of noise without lengths: assuming %d short detours, where %.0f of the longest "+
			"would be as much; use rtla osnoise hist for the lengths", most, least)
	}
}

// noise reads a row of osnoise: CPU, runtime, noise, the longest detour, and counts of
// interferences.
func (r *rtlaTop) noise(s *source) {
	id, n := int(s.count(1)), s.cpuNoise(2, r.per)
	put(s, r.rows, id, []Histogram{n.histogram(id)})
}

type cpuNoise struct {
	span, sum, longest float64 // [s]
	interferences      int64
}

// cpuNoise returns the runtime, the noise, the longest detour, in units of which there are per
// in a second, and counts of interferences that are in the fields from this one on.
func (s *source) cpuNoise(from int, per float64) cpuNoise {
	n := cpuNoise{span: s.whole(from, per), sum: s.whole(from+1, per), longest: s.whole(from+2, per)}
	for _, interferences := range counts(strings.Fields(s.fields[from+3])) {
		n.interferences += interferences
	}
	if f := cpuShare.regexp().FindStringSubmatch(s.text); f != nil && n.span > 0 {
		share, _ := value(f[1])
		if got := 100 * (1 - n.sum/n.span); math.Abs(got-share) > 0.006 {
			s.disagree("CPU-"+s.fields[1], "a share", f[1]+"% of the CPU", fmt.Sprintf("%.5g%%", got))
		}
	}
	if n.longest > n.sum || n.sum > n.span || n.sum > 0 && n.longest == 0 {
		refuse("noise that contradicts the longest detour or the runtime")
	}
	return n
}

// histogram returns the detours of a CPU of which the sum and the longest are known.
func (n cpuNoise) histogram(id int) Histogram {
	h := Histogram{Column: "CPU-" + strconv.Itoa(id), Kind: Detours, Span: n.span,
		Most: n.longest}
	if rest := n.sum - n.longest; n.sum > 0 {
		others := max(0, min(float64(n.interferences-1), rest*perMicro))
		others = float64(int64(max(others, rest/n.longest) + 0.999))
		if others > 0 && rest > 0 {
			mean := min(rest/others, n.longest)
			h.Bins = append(h.Bins, Bin{mean, mean, int64(others)})
			h.Samples = int64(others)
		}
		h.Bins = append(h.Bins, Bin{n.longest, n.longest, 1})
		h.Samples++
		h.Mean = n.sum / float64(h.Samples)
	}
	return h
}

// timer reads a row of timerlat: CPU, count, and for each title four delays, which are dashes if
// missing.
func (r *rtlaTop) timer(s *source) {
	if r.titles == nil {
		refuse(notARow)
	}
	cpu, id, n := s.fields[1], int(s.count(1)), s.count(2)
	parts := strings.Split(s.fields[3], "|")[1:]
	if len(parts) != len(r.titles) {
		refuse(notARow)
	}
	var all []Histogram
	for i, part := range parts {
		if s.fields = strings.Fields(part); len(s.fields) < 4 {
			refuse(notARow)
		}
		if s.fields[1] == "-" {
			continue
		}
		title := r.titles[i][1]
		all = append(all, Histogram{Column: title + "-" + cpu, Kind: timerKinds[title],
			Samples: n, Least: s.whole(1, r.per), Mean: s.whole(2, r.per), Most: s.whole(3, r.per)})
	}
	put(s, r.rows, id, all)
}
