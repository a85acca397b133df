package formats

import (
	"maps"
	"math"
	"slices"
	"strconv"
)

// columns are the histograms of a table with a row for each length and a column for
// each core. A row begins with its least length.
type columns struct {
	hists []Histogram
	rows  []float64 // the lengths, ascending, without those where all counts are 0
	ended bool
}

// statistics are what rows around a table give, by their names in rtla, cyclictest and oslat.
var statistics = map[string]string{
	"over:": "over", "Histogram Overflows": "over",
	"min:": "least", "Min Latencies": "least", "Minimum:": "least",
	"avg:": "mean", "Avg Latencies": "mean", "Average:": "mean",
	"max:": "most", "Max Latencies": "most", "Maximum:": "most", "maxlat:": "most",
	"Duration:": "span", "runtime:": "span",
}

// summary sets a statistic of the first histograms to times, in units of which there are per
// in a second; a span is in seconds, and samples over the bins are counts. Times that cannot be used
// are left out.
func (c *columns) summary(statistic string, fields []string, per float64) {
	if statistic == "span" {
		per = 1
	}
	for i := range min(len(fields), len(c.hists)) {
		x, why := seconds(fields[i], per)
		switch h := &c.hists[i]; {
		case statistic == "over":
			h.Over, _ = count(fields[i])
		case why != "":
		case statistic == "least":
			h.Least = x
		case statistic == "mean":
			h.Mean, h.Digit = x, lastDigit(fields[i], per)
		case statistic == "most":
			h.Most = x
		default:
			h.Span = x
		}
	}
}

// bin adds the current row of a table: the least length, and counts.
func (c *columns) bin(s *source, per float64) {
	from := s.whole(0, per)
	if n := len(c.rows); n > 0 && from <= c.rows[n-1] {
		s.refuse(notARow)
	}
	c.row(s, from, s.counts(s.fields[1:]))
}

// row adds the counts of a row, unless it is refused.
func (c *columns) row(s *source, from float64, counts []int64) {
	if len(counts) != len(c.hists) {
		s.refuse(notARow)
	}
	if !s.ok() {
		return
	}
	keep(s, &c.rows, from)
	for i, n := range counts {
		if n > 0 {
			h := &c.hists[i]
			keep(s, &h.Bins, Bin{From: from, Count: n})
		}
	}
}

// finish sets the width of the bins, in units of which there are per in a second, and
// adds the histograms to the measurement.
func (c *columns) finish(m *Measurement, width, per float64) {
	for _, h := range c.hists {
		h.Unit = 1 / per
		for i := range h.Bins {
			h.Bins[i].To = (math.Round(h.Bins[i].From*per) + width) / per
		}
		if h.Samples = h.Over + h.inBins(); h.Samples > 0 {
			m.Histograms = append(m.Histograms, h)
		}
	}
	*c = columns{}
}

func (h *Histogram) inBins() (n int64) {
	for _, b := range h.Bins {
		n += b.Count
	}
	return n
}

// compare notes a number of samples that is not what the tool says that there are.
func (s *source) compare(name string, got, want int64) {
	if got != want {
		s.disagree(name, "a count", strconv.FormatInt(want, 10), strconv.FormatInt(got, 10))
	}
}

// tally counts a length, in units of which there are per in a second, of a column. It refuses
// the line if that is too long.
func tally[K comparable](
	s *source, counts map[K]map[int64]int64, column K, length int64, per float64,
) {
	if float64(length) > MaxLength*per {
		s.refuse(beyond)
		return
	}
	of := counts[column]
	if of == nil {
		of = map[int64]int64{}
		counts[column] = of
		s.record()
	}
	if of[length] == 0 {
		s.record()
	}
	of[length]++
}

// of returns the histogram with these counts of lengths, in units of which there are per in a
// second, each in a bin of its own.
func (h Histogram) of(counts map[int64]int64, per float64) Histogram {
	for _, t := range slices.Sorted(maps.Keys(counts)) {
		h.Bins = append(h.Bins, Bin{float64(t) / per, float64(t+1) / per, counts[t]})
	}
	h.Samples = h.inBins()
	return h
}
