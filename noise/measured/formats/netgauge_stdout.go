package formats

import (
	"slices"
)

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

var (
	netgaugeLogGP = lazy(`^L=(\S+)\s+s=(\d+)\s+o_s=(\S+)\s+o_r=(\S+)\s+g=(\S+)\s+G=(\S+) \(.*\)\s+` +
		`lsqu\(g,G\)=(\S+)`)
	netgaugeSum  = lazy(`^(?:\[\d+\] )?CPU overhead due to noise: ([\d.]+)%`)
	netgaugeInfo = lazy(`^# Info:`)
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
		rule{netgaugeInfo, ignoring("a message of the tool")},
		rule{anyLine, ignoring(notARow)},
	)
}

// onlySum fails for a sum of netgauge's selfish benchmark if its detours are missing.
func (s *source) onlySum(percent string) {
	s.otherwise("netgauge prints here that noise takes %s%% of the time, and not when; its detours "+
		"are in the file of its option -o, ng.out by default: import that", percent)
}
