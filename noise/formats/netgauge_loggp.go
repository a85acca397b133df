package formats

import (
	"math"
	"strings"
)

// Netgauge's loggp (Hoefler et al., "Low-Overhead LogGP Parameter Assessment for
// Modern Interconnection Networks", 2007) writes, by printparams in
// ptrn_loggp.c, times in microseconds and G in microseconds per byte:
//
//	# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)
//	1 10 4.10 9.05 61.20 2.05 0.31 0.32 0.55 0.000120 0.01
//
// L is half of PRTT(1,0,s) of the smallest size, with the overheads in it. The fit of the
// first lines is not a number, and overheads can come out negative. Those values are
// skipped, the others of the line kept. PRTT(1,0,s) is the median round trip of one
// message, which makes a one-way curve.
func readLogGP(s *source, m *Measurement) {
	curve := Curve{Pattern: OneWay, Operation: "loggp"}
	finish := func() {
		if len(curve.Points) > 0 {
			m.Curves = append(m.Curves, curve)
		}
		curve.Points = nil
	}
	for s.scan() {
		line := s.text
		f := strings.Fields(line)
		switch {
		case line == "":
		case strings.Contains(line, "PRTT(1,0,s) PRTT(n,0,s)"):
			finish()
		case line[0] == '#':
			s.skip(comment)
		case len(f) != 11:
			s.skip(notARow)
		default:
			n, why := size(f[0])
			if why != "" {
				s.skip(why)
				continue
			}
			if trip, why := seconds(f[2], perMicro); why != "" {
				s.skip(why)
			} else if trip > 0 {
				curve.Points = append(curve.Points, Point{Size: n, Seconds: trip / 2})
			}
			if p, ok := logGP(s, n, f[5:]); ok {
				m.LogGP = append(m.LogGP, p)
			}
			s.record()
		}
	}
	finish()
}

// logGP reads the parameters of a line. It returns whether there is any.
func logGP(s *source, size float64, f []string) (LogGP, bool) {
	p := LogGP{Size: size}
	some := false
	for i, to := range []*float64{&p.L, &p.Os, &p.Or, &p.Gs, &p.G} {
		x, why := seconds(f[i], perMicro)
		if *to = x; why != "" {
			*to = math.NaN()
			s.skip(why)
			continue
		}
		some = true
	}
	x, why := value(f[5])
	if p.Deviation = x; why != "" {
		p.Deviation = math.NaN()
		s.skip(why)
	}
	return p, some
}
