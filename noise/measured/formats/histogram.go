package formats

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// columns are the histograms of a table with a row for each length and a column for
// each core. A row begins with its least length.
type columns struct {
	hists  []Histogram
	rows   []float64 // the lengths, ascending, without those where all counts are 0
	ended  bool
	unread map[statisticOf]error
}

// A statisticOf is a statistic of a column, by the index of that.
type statisticOf struct {
	column    int
	statistic string
}

// statistics are what rows around a table give, by their names in rtla, cyclictest and oslat. A count
// has the samples over the bins only if they are given before it.
var statistics = map[string]string{
	"over:": "over", "Histogram Overflows": "over", "count:": "count", "Total": "count",
	"min:": "least", "Min Latencies": "least", "Minimum:": "least",
	"avg:": "mean", "Avg Latencies": "mean", "Average:": "mean",
	"max:": "most", "Max Latencies": "most", "Maximum:": "most", "maxlat:": "most",
	"Duration:": "span", "runtime:": "span",
}

// summary sets a statistic of the first histograms to times, in units of which there are per
// in a second; a span is in seconds, and samples over the bins are counts. It compares counts with the
// samples that were read. Values that cannot be used are skipped.
func (c *columns) summary(s *source, statistic string, fields []string, per float64) {
	if statistic == "span" {
		per = 1
	}
	for i := range min(len(fields), len(c.hists)) {
		x, n, why := 0.0, int64(0), ""
		if statistic == "over" || statistic == "count" {
			n, why = count(fields[i])
		} else {
			x, why = seconds(fields[i], per)
		}
		switch h := &c.hists[i]; {
		case fields[i] == "" || fields[i] == "-": // a value that there is not
		case why != "":
			c.skip(s, statisticOf{i, statistic}, fields[i], why)
		case statistic == "over":
			h.Over = n
		case statistic == "count":
			s.compare(h.Column, h.Over+h.inBins(), n)
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

// needed are the statistics that lengths can follow from, in words.
var needed = map[string]string{"over": "number of samples beyond the bins", "least": "least",
	"mean": "mean", "most": "longest"}

// skip skips a statistic for a reason, and keeps what is wrong if it is needed.
func (c *columns) skip(s *source, of statisticOf, text, why string) {
	if s.skip(why); needed[of.statistic] == "" {
		return
	}
	if c.unread == nil {
		c.unread = map[statisticOf]error{}
	}
	if why != withComma { // which says what to do
		why += "; correct it, or measure again"
	}
	c.unread[of] = s.errorf("the %s of %s is needed, and %q is %s", needed[of.statistic],
		c.hists[of.column].Column, printable(text, 20), why)
}

// need fails if a statistic was skipped from which lengths of a column follow.
func (c *columns) need(column int, statistic string, follow bool) {
	if err := c.unread[statisticOf{column, statistic}]; err != nil && follow {
		panic(failure{err})
	}
}

// bin adds a row of a table: the least length [s], and counts.
func (c *columns) bin(s *source, from float64, words []string) {
	if n := len(c.rows); n > 0 && from <= c.rows[n-1] {
		refuse(notARow)
	}
	row := counts(words)
	if len(row) != len(c.hists) {
		refuse(notARow)
	}
	keep(s, &c.rows, from)
	for i, n := range row {
		if n > 0 {
			h := &c.hists[i]
			keep(s, &h.Bins, Bin{From: from, Count: n})
		}
	}
}

// finish sets the width of the bins, in units of which there are per in a second, and
// adds the histograms to the measurement. Lengths in bins of several units, and those beyond the
// bins, follow from statistics.
func (c *columns) finish(m *Measurement, width, per float64) {
	for i, h := range c.hists {
		c.need(i, "over", true)
		c.need(i, "least", width > 1)
		c.need(i, "mean", width > 1 || h.Over > 1)
		c.need(i, "most", width > 1 || h.Over > 0)
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

// tallies are the bins of columns of type K, in the unit of the tool, by where they begin.
type tallies[K comparable] map[K]map[int64]Bin

// add adds the count of a bin to a column.
func (t tallies[K]) add(s *source, column K, b Bin) {
	of, from := t[column], int64(b.From)
	if of == nil {
		of = map[int64]Bin{}
		put(s, t, column, of)
	}
	put(s, of, from, Bin{b.From, b.To, of[from].Count + b.Count})
}

// tally counts a length of a column, in a bin one unit wide.
func (t tallies[K]) tally(s *source, column K, length int64) {
	t.add(s, column, Bin{float64(length), float64(length + 1), 1})
}

// of returns the histogram with the bins of a column, in units of which there are per in a second.
func (h Histogram) of(bins map[int64]Bin, per float64) Histogram {
	for _, from := range slices.Sorted(maps.Keys(bins)) {
		b := bins[from]
		h.Bins = append(h.Bins, Bin{b.From / per, b.To / per, b.Count})
	}
	h.Samples = h.inBins()
	return h
}

// Tools print sums, counts, means, minima and maxima of what they have measured besides the values
// themselves. What is read is compared with each of them. Where both can be true, what the tool
// reports makes the reading more precise; where not, a note has both numbers.

// mostDisagreements is how many columns that disagree are named.
const mostDisagreements = 3

// disagree notes that the tool reports something else of a column than what was read.
func (s *source) disagree(column, what, reported, read string) {
	if s.disagreements++; s.disagreements <= mostDisagreements {
		s.note("the tool gives %s of %s for %s; what is read has %s", what, reported, column, read)
	}
}

// reported compares all histograms with what the tool reports, and uses the means unless one of them
// cannot be right: rtla osnoise hist gave far less than the mean until Linux 6.1. It notes how many
// disagreements were not named.
func (s *source) reported(m *Measurement) {
	right, settled := true, false
	for i := range m.Histograms {
		s.compareEnds(&m.Histograms[i])
		right = s.compareMean(&m.Histograms[i]) && right
	}
	for i := range m.Histograms {
		if h := &m.Histograms[i]; right && h.hasMean() {
			settled = true
			h.settle()
		}
	}
	if s.firsts && !settled {
		s.boundFirst(m.Histograms)
	}
	if n := s.disagreements - mostDisagreements; n > 0 {
		s.note("and %d numbers more that disagree with what is read", n)
	}
}

// micro formats a time [s].
func micro(seconds float64) string { return fmt.Sprintf("%.4g µs", seconds*perMicro) }

// lastDigit returns the last digit of a number in a text, in units of which there are per in a
// second: 0.01 of 62.50.
func lastDigit(text string, per float64) float64 {
	_, digits, _ := strings.Cut(text, ".")
	return math.Pow10(-len(digits)) / per
}

// means returns the range of the mean [s] that the tool gives, of lengths that are rounded down to its
// unit. Whole numbers of units are cut off, and others rounded.
func (h *Histogram) means() (low, high float64) {
	if h.Digit > 0 && h.Digit >= h.Unit {
		return h.Mean, h.Mean + h.Digit
	}
	return h.Mean - h.Digit/2, h.Mean + h.Digit/2
}

// hasMean reports whether the tool gives a mean of lengths that are in bins.
func (h *Histogram) hasMean() bool { return len(h.Bins) > 0 && (h.Mean > 0 || h.Digit > 0) }

// compareEnds compares the least and the longest of a histogram with what the tool gives.
func (s *source) compareEnds(h *Histogram) {
	n := len(h.Bins)
	if n == 0 || h.Unit == 0 {
		return
	}
	first, last := h.Bins[0], h.Bins[n-1]
	near := 1e-9*last.To + h.Unit
	if h.Least > 0 && (h.Least < first.From-near || h.Least > first.To+near) {
		s.disagree(h.Column, "a least", micro(h.Least), micro(first.From)+" to "+micro(first.To))
	}
	switch {
	case h.Most == 0:
	case h.Over == 0 && (h.Most < last.From-near || h.Most > last.To+near):
		s.disagree(h.Column, "a longest", micro(h.Most), micro(last.From)+" to "+micro(last.To))
	case h.Over > 0 && h.Most < last.To-near:
		s.disagree(h.Column, "a longest", micro(h.Most), "some beyond "+micro(last.To))
	}
}

// A total is the time [s] that all lengths of a histogram take: the least and the most that the bins
// admit of lengths that are rounded down to the unit, and with lengths in the middles of the bins,
// without those beyond.
type total struct {
	low, high, middles float64
	end, longest       float64 // of the bins, of all
	spread             float64 // what the bins leave open of their lengths
	wide               bool    // a bin has several units
}

func (h *Histogram) total() total {
	t := total{end: h.Bins[len(h.Bins)-1].To}
	t.longest = max(t.end, h.Most)
	for _, b := range h.Bins {
		n := float64(b.Count)
		t.low, t.high = t.low+n*b.From, t.high+n*max(b.From, b.To-h.Unit)
		t.middles += n * (b.From + b.To) / 2
		t.spread += n * (b.To - b.From)
		t.wide = t.wide || b.To-b.From > 1.5*h.Unit
	}
	if h.Over > 0 {
		t.low += t.longest + float64(h.Over-1)*t.end
		t.high += t.longest * float64(h.Over)
	}
	return t
}

// compareMean compares the mean of a histogram with the one that the tool gives, and reports whether
// that can be right.
func (s *source) compareMean(h *Histogram) bool {
	if !h.hasMean() {
		return true
	}
	t, samples := h.total(), float64(h.Samples)
	least, most := h.means()
	near := 1e-9 * t.high
	if h.Digit >= h.Unit {
		least -= h.Digit / 2 // in case that it is rounded
	}
	if most*samples < t.low-near || least*samples > t.high+near {
		s.disagree(h.Column, "a mean", micro(h.Mean), micro(t.low/samples)+" to "+micro(t.high/samples))
		return false
	}
	return true
}

// settle finds by the mean how long the lengths beyond the bins are, or where the others are in
// their bins.
func (h *Histogram) settle() {
	t := h.total()
	least, most := h.means()
	// What is rounded down is half a unit longer on average.
	reported, off := (least+most+h.Unit)/2*float64(h.Samples), (most-least)/2*float64(h.Samples)
	switch {
	case h.Over > 1 && h.OverMean == 0:
		others := float64(h.Over - 1)
		if t.wide {
			off += t.spread / 2
		}
		// A mean that admits the middle of what is beyond the bins says nothing.
		length := (reported - t.middles - t.longest) / others
		if math.Abs(length-(t.end+t.longest)/2) > off/others {
			length = min(max(length, t.end), t.longest)
			h.OverMean = (length*others + t.longest) / float64(h.Over)
		}
	case h.Over <= 1 && t.wide:
		if rest := reported - t.longest*float64(h.Over); math.Abs(rest-t.middles) > off {
			narrow(h.Bins, rest)
		}
	}
}
