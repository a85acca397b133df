package measured

import "math"

// Columns are the histograms of a table with a row for each length and a column
// for each core. A row begins with the least length in it.
type columns struct {
	hists []Histogram
	rows  []float64 // the lengths, ascending, without those where all counts are 0
	ended bool
}

// row reads the counts of a row. It returns why it cannot.
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

// finish gives each bin its width, in units of which there are per in a second,
// and adds the histograms to the measurement.
func (c *columns) finish(m *Measurement, width, per float64) {
	for _, h := range c.hists {
		h.Samples = h.Over
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

// each applies the values of a summary to the histograms. It returns whether
// there is one for each.
func (c *columns) each(fields []string, apply func(h *Histogram, field string)) bool {
	if len(fields) != len(c.hists) {
		return false
	}
	for i, field := range fields {
		apply(&c.hists[i], field)
	}
	return true
}
