package formats

import (
	"math"
	"regexp"
	"slices"
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
// with IRQ-000, Thr-000 and Usr-000 for timerlat, then min:, avg: and max:, then
// perhaps the same over all CPUs. A table may begin with the line Index, and has no columns
// if there was no noise. Rows of zeros are left out, and the width of a bin is not told: it
// is the largest that fits all rows, which is too large if rows between are all left out,
// and one unit if there is one row.
//
// The first bin has most detours of osnoise, and its width is by how much the time
// that they take is uncertain, which is noted.

var (
	rtlaColumn   = regexp.MustCompile(`^(CPU|IRQ|Thr|Usr)-(\d+)$`)
	rtlaIndex    = regexp.MustCompile(`^Index(?:\s+(?:CPU|IRQ|Thr|Usr)-\d+)+$`)
	rtlaDuration = regexp.MustCompile(`^# Duration: +(\d+) (\d+):(\d+):(\d+)$`)
)

// rtlaKinds are what the columns of timerlat hold.
var rtlaKinds = map[string]Kind{"CPU": Wakeups, "IRQ": Interrupts, "Thr": Wakeups, "Usr": Returns}

func matchesRTLA(head []string) bool {
	return has("# RTLA osnoise histogram", "# RTLA timerlat histogram")(head) ||
		slices.ContainsFunc(head, rtlaIndex.MatchString)
}

// An rtla is the state of reading a table.
type rtla struct {
	columns
	timer  bool    // the table is of timerlat
	headed bool    // its unit is told
	per    float64 // units in a second
	span   float64
	counts []int64 // what the tool says that there are
}

func readRTLA(s *source, m *Measurement) {
	r := rtla{per: perMicro}
	for s.scan() {
		line := s.text
		switch f := strings.Fields(line); {
		case line == "":
		case line[0] == '#':
			r.header(s, m, line)
		case f[0] == "Index":
			r.close(s, m)
			r.begin(s, f[1:])
			if len(f) == 1 && r.headed && !r.timer && r.span > 0 {
				m.Histograms = append(m.Histograms, Histogram{Column: "all CPUs", Kind: Detours, Span: r.span})
			}
		case f[0] == "ALL:":
			r.ended = true
			s.skip(sums)
		case r.ended:
			s.skip(sums)
		case strings.HasSuffix(f[0], ":"):
			if !r.summary(f[0], f[1:]) {
				s.skip(notARow)
			}
		default:
			r.bin(s, f)
		}
	}
	r.close(s, m)
}

func (r *rtla) header(s *source, m *Measurement, line string) {
	switch d := rtlaDuration.FindStringSubmatch(line); {
	case strings.HasPrefix(line, "# RTLA"):
		r.close(s, m)
		r.headed = true
		r.timer, r.per, r.span = strings.Contains(line, "timerlat"), perMicro, 0
	case strings.HasPrefix(line, "# Time unit is nanoseconds"):
		r.per = perNano
	case strings.HasPrefix(line, "# Time unit is microseconds"):
		r.per = perMicro
	case strings.HasPrefix(line, "# Time unit"):
		s.fail("%q is of no unit that rtla has; use microseconds or nanoseconds",
			printable(line, 60))
	case d != nil:
		days, _ := value(d[1])
		hours, _ := value(d[2])
		minutes, _ := value(d[3])
		secs, _ := value(d[4])
		if r.span = ((days*24+hours)*60+minutes)*60 + secs; r.span > maxTime {
			r.span = 0
		}
	default:
		s.skip(comment)
	}
}

// begin begins a table of these columns.
func (r *rtla) begin(s *source, names []string) {
	if !r.headed {
		s.note("the lines before Index are missing; the unit is taken to be a microsecond")
	}
	for _, name := range names {
		f := rtlaColumn.FindStringSubmatch(name)
		if f == nil {
			s.fail("%q is no column of a CPU; is the table complete?", printable(name, 20))
			return
		}
		id, _ := count(f[2])
		kind := Detours
		r.timer = r.timer || !r.headed && f[1] != "CPU"
		if r.timer {
			kind = rtlaKinds[f[1]]
		}
		r.hists = append(r.hists, Histogram{Core: int(id), Column: name, Kind: kind, Span: r.span})
		s.record()
	}
}

func (r *rtla) bin(s *source, f []string) {
	from, why := whole(f[0], r.per)
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

// summary reads a row below the bins. A dash is a value that there is not.
func (r *rtla) summary(name string, f []string) bool {
	tell := func(to func(h *Histogram) *float64) bool {
		return r.each(f, func(h *Histogram, field string) {
			if x, why := seconds(field, r.per); why == "" {
				*to(h) = x
			}
		})
	}
	switch name {
	case "over:":
		return r.each(f, func(h *Histogram, field string) { h.Over, _ = count(field) })
	case "count:":
		r.counts = nil
		return r.each(f, func(_ *Histogram, field string) {
			n, _ := count(field)
			r.counts = append(r.counts, n)
		})
	case "min:":
		return tell(func(h *Histogram) *float64 { return &h.Least })
	case "avg:":
		return tell(func(h *Histogram) *float64 { return &h.Mean })
	case "max:":
		return tell(func(h *Histogram) *float64 { return &h.Most })
	}
	return false
}

func (r *rtla) close(s *source, m *Measurement) {
	if len(r.hists) > 0 {
		r.compare(s)
		width := 0.0
		for _, from := range r.rows {
			width = gcd(width, math.Round(from*r.per))
		}
		if len(r.rows) < 2 {
			width = 1
			s.note(
				"a table has one row, which does not tell how wide its bins are; they are taken " +
					"to be one unit wide")
		}
		table := len(m.Histograms)
		r.finish(m, width, r.per)
		if !r.timer {
			s.boundFirst(m.Histograms[table:])
		}
	}
	*r = rtla{timer: r.timer, headed: r.headed, per: r.per, span: r.span}
}

// boundFirst notes how much of the time the detours of the first bin, which begins at
// 0, may take.
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
	s.note("%.3g %% of the detours are in the first bin, 0 to %.4g µs: each is taken to last half "+
		"of that, which is %.3g %% of the time, and may be 0 to %.3g %%; narrower bins tell more",
		100*first/all, width*perMicro, 100*first*width/2/span, 100*first*width/span)
}

// compare notes counts that are not those of the tool.
func (r *rtla) compare(s *source) {
	if len(r.counts) == 0 {
		s.note("a table ends without its counts; the file may be cut off")
	}
	for i, n := range r.counts {
		got := r.hists[i].Over
		for _, b := range r.hists[i].Bins {
			got += b.Count
		}
		if got != n {
			s.note("the tool tells %d samples of %s, the bins have %d", n, r.hists[i].Column, got)
		}
	}
}

// gcd returns the greatest common divisor of two whole numbers.
func gcd(a, b float64) float64 {
	for b > 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}
