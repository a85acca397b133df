package formats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// oslat of rt-tests reads a clock in a loop on each core and counts the turns by how
// long they took. Its ancestor sysjitter 2 (Xu) writes nearly the same. By write_summary
// in oslat.c, with a column for each core:
//
//	        Core:	 1 2
//	Counter Freq:	 2096 2096 (Mhz)
//	    002 (us):	 582681699 615399319
//	    003 (us):	 24 28
//	    032 (us):	 0 2 (including overflows)
//	     Minimum:	 1 1 (us)
//	     Maximum:	 26 56 (us)
//	    Duration:	 59.970 59.970 (sec)
//
// and core_i:, cpu_mhz:, maxlat: and runtime: in sysjitter 2. A label is where its bin ends. From
// version 2 on, oslat rounds up to whole microseconds and then counts these in bins that do not
// contain their ends, so that labels are too high by one: the least turn takes 1 µs and is in the
// bin that ends at 2. With --bucket-width below 1 µs labels have digits after the point, and are
// right.
//
// The bin with the most turns has those without noise. Their mean time is taken off
// the others, which are the detours: what is shorter than the bin is not seen.
//
// The turns beyond the bins take at most the rest of the duration. The average bounds them more
// closely, where it is in microseconds and belongs to the first core: to the averages of the
// others, calculate in oslat.c adds the overflows of the first core.

const (
	oslatTurns   expression = `^(\d+(?:\.(\d+))?) \(us\):((?:\s+\d+)+)( \(including overflows\))?$`
	oslatSummary expression = `^([A-Za-z_ -]+):((?:\s+[^\s()]+)+)(?: \((?:us|sec|[MG][Hh]z)\))?$`
)

type oslat struct {
	columns         // whose rows end at their labels
	over    []int64 // turns in the last row, if it includes longer ones
	begun   float64 // the runtime in the header [s]
	rounded bool    // the clock is in whole µs, rounded up
	digit   float64 // the last digit of averages [s]
}

func readOslat(s *source, m *Measurement) {
	r := oslat{digit: 1e-9} // averages in µs have three digits
	s.each(
		rule{`^Total runtime:\s+(\d+) seconds`, func(s *source) {
			r.close(s, m)
			r.begun, _ = seconds(s.fields[1], 1)
		}},
		rule{oslatTurns, r.bin},
		rule{oslatSummary, func(s *source) { r.row(s, m, s.fields[1], strings.Fields(s.fields[2])) }},
		rule{anyLine, ignoring(notARow)},
	)
	r.close(s, m)
}

func (r *oslat) bin(s *source) {
	if r.ended {
		refuse(notARow)
	}
	words := strings.Fields(s.fields[3])
	r.columns.bin(s, s.seconds(1, perMicro), words)
	if r.rounded = s.fields[2] == ""; s.fields[4] != "" {
		r.over = counts(words)
	}
}

func (r *oslat) row(s *source, m *Measurement, name string, f []string) {
	switch statistic := statistics[name+":"]; {
	case statistic != "":
		if len(f) != len(r.hists) {
			refuse(notARow)
		}
		r.ended = true
		r.summary(s, statistic, f, perMicro)
	case name == "Core", name == "core_i":
		r.close(s, m)
		for _, field := range f {
			_, why := count(field)
			s.skip(why)
			keep(s, &r.hists, Histogram{Column: "core " + field, Kind: Detours})
		}
	case name == "Counter Freq", name == "CPU Freq", name == "cpu_mhz":
		s.fact(name, strings.Join(f, " "))
	case name != "Max-Min":
		refuse(notARow)
	}
}

func (r *oslat) close(s *source, m *Measurement) {
	if len(r.rows) > 0 {
		if !r.ended {
			s.note("the table ends without its summary; the file may be cut off")
		}
		width, shift := r.widthAndShift()
		for i, h := range r.hists {
			h.Span = cmp.Or(h.Span, r.begun)
			last := overflows{most: math.Inf(1)}
			if n := len(h.Bins); n > 0 && i < len(r.over) && r.over[i] > 0 {
				h.Over, last.from = r.over[i], max(0, h.Bins[n-1].From-width-shift)
				h.Bins = h.Bins[:n-1]
			}
			r.need(i, "least", r.rounded)
			r.need(i, "most", h.Over > 0)
			r.need(i, "mean", h.Over > 0 && i == 0 && r.rounded)
			if i == 0 && r.rounded && h.Mean > 0 {
				last.least, last.most = h.beyondByAverage(width, r.digit)
			}
			h.Mean, h.Digit = 0, 0 // of the turns
			if h = h.withoutTurns(width, shift, last); h.Span > 0 || h.Samples > 0 {
				m.Histograms = append(m.Histograms, h)
			}
		}
	}
	*r = oslat{begun: r.begun, digit: r.digit}
}

// overflows are the turns in the last row: the shortest [s], and the range of the time [s] that all
// take together.
type overflows struct{ from, least, most float64 }

// beyondByAverage returns the range of the time that the turns in the last row take by the average
// turn, which is rounded to a digit [s]. The bins begin at their labels yet.
func (h Histogram) beyondByAverage(width, digit float64) (least, most float64) {
	turns, rest := float64(h.Over), 0.0
	for _, b := range h.Bins {
		turns += float64(b.Count)
		rest -= float64(b.Count) * b.From // as oslat adds them up
	}
	rest += h.Mean * turns
	slack := turns*digit/2 + float64(h.Over)*width
	return rest - slack, rest + slack
}

// widthAndShift returns the width of the bins, and by how much their labels are too high [s].
func (r *oslat) widthAndShift() (width, shift float64) {
	for i, end := range r.rows[1:] {
		width = gcd(width, math.Round((end-r.rows[i])*perNano))
	}
	width = cmp.Or(width, 1000)
	first, least := math.Inf(1), math.Inf(1)
	for _, h := range r.hists {
		if len(h.Bins) > 0 {
			first = min(first, h.Bins[0].From)
		}
		if h.Least > 0 {
			least = min(least, h.Least)
		}
	}
	// Without a least turn, a table whose first label is 1 and has no turns was written by a version
	// that rounds up.
	high := !math.IsInf(least, 1) && first > least+width/2/perNano ||
		math.IsInf(least, 1) && r.rows[0] == 1/perMicro && first > 1.5/perMicro
	if r.rounded && high {
		shift = 1 / perMicro
	}
	return width / perNano, shift
}

// withoutTurns returns the histogram of the detours among the turns of a loop, whose
// bins begin at their labels yet.
func (h Histogram) withoutTurns(width, shift float64, last overflows) Histogram {
	if len(h.Bins) == 0 {
		h.Samples = h.Over
		return h
	}
	byCount := func(a, b Bin) int { return cmp.Compare(a.Count, b.Count) }
	most := slices.Index(h.Bins, slices.MaxFunc(h.Bins, byCount))
	for i, b := range h.Bins {
		h.Bins[i] = Bin{max(0, b.From-width-shift), max(0, b.From-shift), b.Count}
	}
	usual, loop := h.Bins[most], h.Bins[most].From
	if h.Span > 0 {
		rest := h.Span
		for _, b := range h.Bins[most+1:] {
			rest -= float64(b.Count) * (b.From + b.To) / 2
		}
		last.most = min(last.most, rest-float64(usual.Count)*usual.From)
		rest -= h.beyond(last)
		loop = min(max(rest/float64(usual.Count), usual.From), usual.To)
	}
	if h.Over > 0 {
		h.OverMean = max(0, h.beyond(last)/float64(h.Over)-loop)
	}
	h.Bins = h.Bins[most+1:]
	h.Samples, h.Least, h.Most = h.Over, 0, max(0, h.Most-loop)
	end := 0.0 // of the bin before, which differences of labels may miss by their rounding
	for i, b := range h.Bins {
		b.From = max(end, b.From-loop)
		b.To = max(b.From, b.To-loop)
		h.Bins[i], end = b, b.To
		h.Samples += b.Count
	}
	return h
}

// beyond returns how long [s] the turns in the last row take together: one is the longest, and the
// others are in the middle of what its shortest and the range admit.
func (h Histogram) beyond(last overflows) float64 {
	if h.Over == 0 {
		return 0
	}
	longest, others := max(last.from, h.Most), float64(h.Over-1)
	least, most := longest+others*last.from, longest*float64(h.Over)
	low := min(max(least, min(last.least, last.most)), most)
	return (low + max(low, min(most, last.most))) / 2
}

// sysjitter (version 1.4, cns-sysjitter) reads a clock in a loop on each core, and prints a row for
// each statistic of the turns that took longer than a threshold, with a value for each core. The
// quantiles become bins: the element of number n/2 of all n in order is the median, so n/2 are
// below it. Most lengths are near the lower of two quantiles: bins are made narrower at that end,
// or at the other, all equally, until their middles have the mean that the tool prints.
//
//	core_i: 0 1
//	threshold(ns): 200 200
//	int_n: 1200 1100
//	int_min(ns): 210 210

// The rows with quantiles, ascending, and the share of elements below each.
var jitterQuantiles = []struct {
	row   string
	below float64
}{
	{"int_min(ns)", 0}, {"int_median(ns)", 0.5}, {"int_90(ns)", 0.9}, {"int_99(ns)", 0.99},
	{"int_999(ns)", 0.999}, {"int_9999(ns)", 0.9999}, {"int_99999(ns)", 0.99999}, {"int_max(ns)", 1},
}

const jitterCores expression = `^core_i:`

func readSysjitter(s *source, m *Measurement) {
	rows := map[string][]string{}
	finish := func() {
		for i := range rows["core_i"] {
			s.skip(refused(func() { addJitter(s, m, rows, i) }))
		}
		for _, row := range []string{"threshold(ns)", "cpu_mhz"} {
			if len(rows[row]) > 0 {
				s.fact(row, rows[row][0])
			}
		}
		clear(rows)
	}
	s.each(
		rule{`^([a-z_0-9]+(?:\([a-z%]+\))?):((?:\s+\S+)+)$`, func(s *source) {
			name := s.fields[1]
			if name == "core_i" {
				finish()
			}
			switch {
			case name != "core_i" && rows["core_i"] == nil:
				refuse(notARow)
			case rows[name] != nil:
				refuse("a row that is there already")
			}
			rows[name] = strings.Fields(s.fields[2])
			for range rows[name] {
				s.record()
			}
		}},
		rule{anyLine, ignoring(notARow)},
	)
	finish()
}

// addJitter adds the histogram of the core with index i among the values of each row.
func addJitter(s *source, m *Measurement, rows map[string][]string, i int) {
	at := func(row string, per float64) float64 {
		if i >= len(rows[row]) {
			return 0
		}
		x, why := seconds(rows[row][i], per)
		s.skip(why)
		return x
	}
	nano := func(row string) float64 { return at(row, perNano) }
	core := must(count(rows["core_i"][i]))
	if i >= len(rows["int_n"]) {
		refuse("a core without a count")
	}
	n := must(count(rows["int_n"][i]))
	h := Histogram{Column: fmt.Sprintf("core %d", core), Kind: Detours, Samples: n,
		Least: nano("int_min(ns)"), Mean: nano("int_mean(ns)"), Most: nano("int_max(ns)"),
		Span: nano("runtime(ns)")}
	if h.Span == 0 {
		h.Span = at("runtime(s)", 1)
	}
	h.Bins = quantileBins(n, nano)
	sum := h.Mean * float64(n)
	narrow(h.Bins, sum)
	if total := nano("int_total(ns)"); total > 0 && h.Mean > 0 && math.Abs(total-sum) > float64(n)/perNano {
		s.disagree(h.Column, "a sum", micro(total), micro(sum))
	}
	if n > 0 && h.Bins == nil {
		s.note("the quantiles of %s do not ascend; its lengths are not used", h.Column)
	}
	if n > 0 || h.Span > 0 {
		m.Histograms = append(m.Histograms, h)
	}
}

// quantileBins returns the bins between quantiles, nil if those do not ascend. The
// last one includes its end, and where quantiles are equal, all in between are.
func quantileBins(n int64, at func(row string) float64) []Bin {
	var bins []Bin
	from, before := at(jitterQuantiles[0].row), int64(0)
	for _, q := range jitterQuantiles[1:] {
		to := at(q.row)
		if to == 0 {
			continue // older versions have fewer rows
		}
		if to < from {
			return nil
		}
		if k := int64(float64(n) * q.below); k > before {
			bins = append(bins, Bin{from, to, k - before})
			before = k
		}
		from = to
	}
	if before < n || n == 0 {
		return nil // no maximum
	}
	if last := &bins[len(bins)-1]; last.Count > 1 { // one is the longest
		last.Count--
		bins = append(bins, Bin{last.To, last.To, 1})
	}
	return bins
}

// narrow moves one end of all bins so that their middles have this sum [s]; without a sum (0) it
// leaves them.
func narrow(bins []Bin, sum float64) {
	if sum <= 0 {
		return
	}
	width := 0.0
	for _, b := range bins {
		sum -= b.From * float64(b.Count)
		width += (b.To - b.From) * float64(b.Count)
	}
	if width <= 0 {
		return
	}
	middle := min(max(sum/width, 0), 1) // of a bin, from its beginning
	for i, b := range bins {
		if middle < 0.5 {
			bins[i].To = b.From + 2*middle*(b.To-b.From)
		} else {
			bins[i].From = b.To - 2*(1-middle)*(b.To-b.From)
		}
	}
}

// write_thread_raw writes raw files, one for each core. The time is the end of the interruption.
// With --sort there is no column for the time since the one before.
//
//	#      Timestamp      delta   <== interruption =>
//	#         (nsec)     (usec)   (cycles)     (nsec)
func readSysjitterRaw(s *source, m *Measurement) {
	r, threshold := newRun(0), 0.0
	finish := func() {
		r.disorder = 0 // sorted files are in the order of the lengths
		r.finish(s, m, threshold)
	}
	s.each(
		rule{`^[# ]*#[# ]*([^:]*):(.*)$`, func(s *source) {
			if strings.HasPrefix(s.text, "# cpu_mhz:") && !r.empty() {
				finish()
				r = newRun(r.id + 1)
			}
			r.jitter(s, &threshold)
		}},
		rule{"", func(s *source) {
			n := len(s.fields)
			if n != 3 && n != 4 {
				refuse(notARow)
			}
			end, length := s.seconds(0, perNano), s.seconds(n-1, perNano)
			if end < length {
				refuse(negative)
			}
			r.add(s, end-length, length)
		}},
	)
	finish()
}

// jitter reads a header of a raw file.
func (r *run) jitter(s *source, threshold *float64) {
	name, words := strings.TrimSpace(s.fields[1]), strings.Fields(s.fields[2])
	if len(words) == 0 {
		refuse(comment)
	}
	x, why := value(strings.TrimRight(words[0], "%ns"))
	switch {
	case why != "":
		refuse(comment)
	case name == "cpu_mhz":
		s.fact(name, s.fields[2])
	case name == "threshold":
		*threshold = x / perNano
		s.fact(name, s.fields[2])
	case name == "interruption" && x < 100:
		r.overhead = x / 100
	case name == "total_runtime" && words[len(words)-1] == "seconds" && x < maxTime:
		r.span = x
	default:
		refuse(comment)
	}
}
