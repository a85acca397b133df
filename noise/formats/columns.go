package formats

import "math"

// columns are the histograms of a table with a row for each length and a column for
// each core. A row begins with its least length.
type columns struct {
	hists []Histogram
	rows  []float64 // the lengths, ascending, without those where all counts are 0
	ended bool
}

// row adds the counts of a row. It returns why it cannot, "" if it can.
func (c *columns) row(s *source, from float64, counts []string) string {
	if len(counts) != len(c.hists) {
		return notARow
	}
	n := make([]int64, len(counts))
	for i, field := range counts {
		var why string
		if n[i], why = count(field); why != "" {
			return why
		}
	}
	c.rows = append(c.rows, from)
	s.record()
	for i, n := range n {
		if n > 0 {
			h := &c.hists[i]
			h.Bins = append(h.Bins, Bin{From: from, Count: n})
			s.record()
		}
	}
	return ""
}

// begun reports whether the table has rows up to at least this length.
func (c *columns) begun(from float64) bool {
	return len(c.rows) > 0 && from <= c.rows[len(c.rows)-1]
}

// finish sets the width of the bins, in units of which there are per in a second, and
// adds the histograms to the measurement.
func (c *columns) finish(m *Measurement, width, per float64) {
	for _, h := range c.hists {
		h.Samples, h.Unit = h.Over, 1/per
		for i := range h.Bins {
			h.Bins[i].To = (math.Round(h.Bins[i].From*per) + width) / per
			h.Samples += h.Bins[i].Count
		}
		if h.Samples > 0 {
			m.Histograms = append(m.Histograms, h)
		}
	}
	*c = columns{}
}

// each calls apply with every histogram and its value of a summary. It reports whether
// there is one value for each.
func (c *columns) each(fields []string, apply func(h *Histogram, field string)) bool {
	if len(fields) != len(c.hists) {
		return false
	}
	for i, field := range fields {
		apply(&c.hists[i], field)
	}
	return true
}
