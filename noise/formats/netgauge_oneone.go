package formats

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"jitterfly/noise"
)

// Netgauge's one_one is a ping-pong; its times are half of a round trip, in
// microseconds. ptrn_one_one.cpp writes one of
//
//	1 - 0.09 0.11 0.10 1.02 (0.05 12) - 1.19 2.31 2.15 113.00 (1.90 31) - …
//	1 - 0.09 0.11 0.10 1.02 - 1.19 2.31 2.15 113.00 - …
//	8 bytes 	 -> 1.55 us 	 == 40.12 Mbit/s
//
// where the third group has the minimum, the average, the median and the maximum,
// and the last form the minimum alone. Variants that keep each repetition write
// "#size<TAB>rtt", and a line for each, with half a round trip as well. They begin
// again with each run, often of one size only: repetitions of a size are taken
// together, whichever run they are of.

var (
	oneOneShort = regexp.MustCompile(`^(\d+) bytes\s+-> ([0-9.]+) us\b`)
	oneOneEach  = regexp.MustCompile(`^#\s*size\s+rtt\b`)
)

func matchesOneOne(head []string) bool {
	for _, line := range head {
		if strings.HasPrefix(line, "## Netgauge v") || strings.Contains(line, "minimum RTT/2") ||
			oneOneEach.MatchString(line) || oneOneShort.MatchString(line) {
			return true
		}
	}
	return false
}

// A oneOne is the state of reading a run: lines with statistics, and single repetitions.
type oneOne struct {
	points  []Point
	samples map[float64][]float64
}

func readOneOne(s *source, m *Measurement) {
	r := oneOne{samples: map[float64][]float64{}}
	for s.scan() {
		line := s.text
		short := oneOneShort.FindStringSubmatch(line)
		switch {
		case line == "":
		case oneOneEach.MatchString(line):
		case strings.HasPrefix(line, "## Netgauge v"):
			r.close(m)
			if version, ok := after(line, "Netgauge "); ok {
				s.fact("version", version)
			}
		case line[0] == '#':
			if !s.hostFact(line) {
				s.skip(comment)
			}
		case short != nil:
			r.point(s, short[1], short[2])
		default:
			r.row(s, line)
		}
	}
	r.close(m)
}

// row reads a line with statistics or one of a single repetition.
func (r *oneOne) row(s *source, line string) {
	f := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t()", c) })
	f = slices.DeleteFunc(f, func(word string) bool { return word == "-" })
	switch len(f) {
	case 2:
		n, why := size(f[0])
		t, why2 := seconds(f[1], perMicro)
		if why = first(why, why2); why != "" {
			s.skip(why)
			return
		}
		r.samples[n] = append(r.samples[n], t)
		s.record()
	case 17:
		r.point(s, f[0], f[7], f[8], f[9], f[10])
	case 13:
		r.point(s, f[0], f[5], f[6], f[7], f[8])
	default:
		s.skip(notARow)
	}
}

// point adds a size with its minimum, average, median and maximum, or a minimum
// alone, which then stands for the others.
func (r *oneOne) point(s *source, bytes, least string, others ...string) {
	n, why := size(bytes)
	lo, why2 := seconds(least, perMicro)
	p := Point{Size: n, Seconds: lo, Least: lo}
	if len(others) == 3 {
		mean, why3 := seconds(others[0], perMicro)
		median, why4 := seconds(others[1], perMicro)
		hi, why5 := seconds(others[2], perMicro)
		why2 = first(why2, why3, why4, why5)
		p.Seconds, p.Mean, p.Most = median, mean, hi
		p.Quantiles = []noise.Quantile{{Share: 0, Length: lo}, {Share: 0.5, Length: median},
			{Share: 1, Length: hi}}
		if lo > median || median > hi {
			why2 = first(why2, "a minimum, median and maximum that do not ascend")
		}
	}
	if why = first(why, why2); why != "" {
		s.skip(why)
		return
	}
	r.points = append(r.points, p)
	s.record()
}

// close adds a curve to the measurement.
func (r *oneOne) close(m *Measurement) {
	for n, all := range r.samples {
		r.points = append(r.points, pointOf(n, all))
	}
	if len(r.points) > 0 {
		slices.SortStableFunc(r.points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
		m.Curves = append(m.Curves, Curve{Pattern: OneWay, Operation: "one_one", Points: r.points})
	}
	r.points = nil
	clear(r.samples)
}
