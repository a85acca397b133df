package formats

import (
	"math"
	"slices"
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
	t := sizes{}
	t.begin(m, OneWay, "loggp")
	s.each(
		rule{`PRTT\(1,0,s\) PRTT\(n,0,s\)`, func(*source) { t.end(m) }},
		rule{"", func(s *source) {
			if !s.has(11) {
				return
			}
			n := s.size(0)
			if !s.ok() {
				return
			}
			if trip, why := seconds(s.fields[2], perMicro); why != "" {
				s.skip(why)
			} else if trip > 0 {
				t.curve.Points = append(t.curve.Points, Point{Size: n, Seconds: trip / 2})
			}
			addLogGP(s, m, n, s.fields[5:])
			s.record()
		}},
	)
	t.end(m)
}

// addLogGP adds the parameters L, o_s, o_r, g and G in fields, and the deviation of the fit,
// if there is any of those. It skips values that cannot be used.
func addLogGP(s *source, m *Measurement, size float64, fields []string) {
	p := LogGP{Size: size}
	some := false
	for i, to := range []*float64{&p.L, &p.Os, &p.Or, &p.Gs, &p.G, &p.Deviation} {
		x, why := seconds(fields[i], perMicro)
		if to == &p.Deviation {
			x, why = value(fields[i])
		}
		if *to = x; why != "" {
			*to = math.NaN()
			s.skip(why)
		}
		some = some || why == "" && to != &p.Deviation
	}
	if some {
		m.LogGP = append(m.LogGP, p)
	}
}

// What netgauge prints besides its files. Of loggp that is, by printparams in
// ptrn_loggp.c, the parameters in microseconds,
//
//	Testing 1 bytes 1000 times:
//	 L=2.050000  s=1  o_s=0.310000  o_r=0.320000  g=0.550000  G=0.000120 (66.7 GiB/s) lsqu(g,G)=0.010000
//
// and of the selfish benchmark, by write_results_selfish in ptrn_noise.c, the sums,
//
//	Minimal cycle length [ns]: 98.992110
//	[0] CPU overhead due to noise: 0.65%
//	[0] Measurement period: 44.44 s
//
// which are no noise to simulate: the detours are in the file.

const (
	netgaugeLogGP expression = `^L=(\S+)\s+s=(\d+)\s+o_s=(\S+)\s+o_r=(\S+)\s+g=(\S+)\s+G=(\S+) \(.*\)\s+` +
		`lsqu\(g,G\)=(\S+)`
	netgaugeSum expression = `^(?:\[\d+\] )?CPU overhead due to noise: ([\d.]+)%`
)

func readNetgaugeStdout(s *source, m *Measurement) {
	s.each(
		rule{netgaugeLogGP, func(s *source) {
			if n := s.size(2); s.ok() {
				addLogGP(s, m, n, slices.Concat(s.fields[1:2], s.fields[3:]))
				s.record()
			}
		}},
		rule{netgaugeSum, func(s *source) { s.onlySum(s.fields[1]) }},
		rule{`^# Info:`, ignoring("a message of the tool")},
		rule{anyLine, ignoring(notARow)},
	)
}

// onlySum fails for a sum of netgauge's selfish benchmark if its detours are missing.
func (s *source) onlySum(percent string) {
	s.otherwise("netgauge prints here that noise takes %s%% of the time, and not when; its detours "+
		"are in the file of its option -o, ng.out by default: import that", percent)
}
