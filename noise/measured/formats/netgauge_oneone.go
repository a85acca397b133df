package formats

import (
	"cmp"
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
// where the third group has the minimum, the average, the median and the maximum, and the last form
// the minimum alone. Variants that keep each repetition write "#size<TAB>rtt", and a line for each,
// with half a round trip as well. They begin again with each run, often of one size only:
// repetitions of a size are taken together, whichever run they belong to, without the first
// [warmUp] of each long one.

const (
	oneOneShort expression = `^(\d+) bytes\s+-> ([0-9.]+) us\b`
	oneOneEach  expression = `^#\s*size\s+rtt\b`
	oneOneRun   expression = `^## Netgauge v(\S+)`
	oneOneHead  expression = `minimum RTT/2`
)

type oneOne struct {
	sizes
	samples map[float64][]float64
	run     map[float64][]float64 // of the current run
}

func readOneOne(s *source, m *Measurement) {
	r := oneOne{samples: map[float64][]float64{}, run: map[float64][]float64{}}
	r.begin(m, OneWay, "one_one")
	s.each(
		rule{oneOneEach, r.endRun},
		rule{oneOneRun, func(s *source) {
			r.close(s, m)
			s.fact("version", "v"+s.fields[1])
		}},
		rule{hostHeader, readHost},
		rule{oneOneShort, func(s *source) {
			n, t := s.size(1), s.seconds(2, perMicro)
			r.add(s, Point{Size: n, Seconds: t, Least: t}) // which stands for the others
		}},
		rule{"", r.row},
	)
	r.close(s, m)
}

// row reads a line with statistics or one of a single repetition.
func (r *oneOne) row(s *source) {
	f := strings.FieldsFunc(s.text, func(c rune) bool { return strings.ContainsRune(" \t()", c) })
	s.fields = slices.DeleteFunc(f, func(word string) bool { return word == "-" })
	switch len(s.fields) {
	case 2:
		if n, t := s.size(0), s.seconds(1, perMicro); s.ok() {
			r.run[n] = append(r.run[n], t)
			s.record()
		}
	case 17:
		r.point(s, 7)
	case 13:
		r.point(s, 5)
	default:
		s.refuse(notARow)
	}
}

// point adds a size with its minimum, average, median and maximum, which are in the fields
// from this one on.
func (r *oneOne) point(s *source, from int) {
	p := Point{Size: s.size(0), Least: s.seconds(from, perMicro), Mean: s.seconds(from+1, perMicro),
		Seconds: s.seconds(from+2, perMicro), Most: s.seconds(from+3, perMicro)}
	p.Quantiles = []noise.Quantile{{Share: 0, Length: p.Least}, {Share: 0.5, Length: p.Seconds},
		{Share: 1, Length: p.Most}}
	if p.Least > p.Seconds || p.Seconds > p.Most {
		s.refuse("a minimum, median and maximum that do not ascend")
	}
	r.add(s, p)
}

// warmUp is how many of the first repetitions of a run of at least longRun are left out, unless
// the user says how many.
const (
	warmUp  = 20
	longRun = 1000
)

// endRun adds the repetitions of a run to the repetitions of the runs before.
func (r *oneOne) endRun(s *source) {
	for n, all := range r.run {
		usual := 0
		if len(all) >= longRun {
			usual = warmUp
		}
		r.samples[n] = append(r.samples[n], s.settled(all, usual)...)
	}
	clear(r.run)
}

func (r *oneOne) close(s *source, m *Measurement) {
	r.endRun(s)
	points := &r.curve.Points
	for n, all := range r.samples {
		if len(all) > 0 {
			*points = append(*points, pointOf(n, all))
		}
	}
	slices.SortStableFunc(*points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	r.end(m)
	clear(r.samples)
}
