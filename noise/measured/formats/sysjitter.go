package formats

import (
	"fmt"
	"math"
	"strings"
)

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
		if len(rows) > 0 && s.err == nil {
			finishSysjitter(s, m, rows)
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
				s.refuse(notARow)
			case rows[name] != nil:
				s.refuse("a row that is there already")
			default:
				rows[name] = strings.Fields(s.fields[2])
				for range rows[name] {
					s.record()
				}
			}
		}},
		rule{anyLine, ignoring(notARow)},
	)
	finish()
}

func finishSysjitter(s *source, m *Measurement, rows map[string][]string) {
	for i, core := range rows["core_i"] {
		id, why := count(core)
		n := int64(0)
		switch {
		case why != "":
		case i >= len(rows["int_n"]):
			why = "a core without a count"
		default:
			n, why = count(rows["int_n"][i])
		}
		if why != "" {
			s.skip(why)
			continue
		}
		at := func(row string, per float64) float64 {
			if i >= len(rows[row]) {
				return 0
			}
			x, why := seconds(rows[row][i], per)
			if why != "" {
				s.skip(why)
			}
			return x
		}
		if h := jitterHistogram(s, int(id), n, at); n > 0 || h.Span > 0 {
			m.Histograms = append(m.Histograms, h)
		}
	}
	for _, row := range []string{"threshold(ns)", "cpu_mhz"} {
		if len(rows["core_i"]) > 0 && len(rows[row]) > 0 {
			s.fact(row, rows[row][0])
		}
	}
}

// jitterHistogram returns the histogram of a core with n detours, given its value in each row, of a
// unit of which there are per in a second.
func jitterHistogram(s *source, core int, n int64, at func(row string, per float64) float64) Histogram {
	nano := func(row string) float64 { return at(row, perNano) }
	h := Histogram{Core: core, Column: fmt.Sprintf("core %d", core), Kind: Detours, Samples: n,
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
	return h
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
	s.each(
		rule{`^[# ]*#[# ]*([^:]*):(.*)$`, func(s *source) {
			if strings.HasPrefix(s.text, "# cpu_mhz:") && !r.empty() {
				r.finish(s, m, threshold)
				r = newRun(r.id + 1)
			}
			r.jitter(s, &threshold)
		}},
		rule{"", func(s *source) {
			n := len(s.fields)
			if n != 3 && n != 4 {
				s.refuse(notARow)
				return
			}
			end, length := s.seconds(0, perNano), s.seconds(n-1, perNano)
			if end < length {
				s.refuse(negative)
			}
			if s.ok() {
				r.add(s, end-length, length)
			}
		}},
	)
	r.disorder = 0 // sorted files are in the order of the lengths
	r.finish(s, m, threshold)
}

// jitter reads a header of a raw file.
func (r *run) jitter(s *source, threshold *float64) {
	name, words := strings.TrimSpace(s.fields[1]), strings.Fields(s.fields[2])
	if len(words) == 0 {
		s.refuse(comment)
		return
	}
	x, why := value(strings.TrimRight(words[0], "%ns"))
	switch {
	case why != "":
		s.refuse(comment)
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
		s.refuse(comment)
	}
}
