package formats

import "slices"

// Netgauge's fwq and ftq write "number duration" in whole microseconds and "number iterations", by
// write_results_fwq and write_results_ftq in ptrn_noise.c. The time of a quantum of ftq is in a
// header. Its work is counted in thousandths of what the quantum is tuned for.

func readNetgaugeFWQ(s *source, m *Measurement) {
	readNetgauge(s, m, func(r *run, values []float64, _ float64) float64 {
		for i := range values {
			values[i] /= perMicro
		}
		r.fixedWork(s, values)
		return 1 / perMicro
	})
}

func readNetgaugeFTQ(s *source, m *Measurement) {
	readNetgauge(s, m, func(r *run, counts []float64, length float64) float64 {
		if length == 0 {
			s.fail("the time of a quantum is missing; add the line # Compute-Cycle Duration: <n> usec")
			return 0
		}
		most := slices.Max(counts)
		if most == 0 {
			s.fail("no work was done in any quantum; was the benchmark stopped?")
			return 0
		}
		for i, c := range counts {
			if c < most {
				r.add(s, float64(i)*length, length*(1-c/most))
			}
		}
		r.span = float64(len(counts)) * length
		return length / 1000
	})
}

// readNetgauge reads numbered quanta. For each run it calls done with their values and the time in
// seconds of a header, 0 without that header; done returns the resolution.
func readNetgauge(s *source, m *Measurement, done func(*run, []float64, float64) float64) {
	var values []float64
	length, last := 0.0, -1.0
	finish := func() {
		if len(values) > 0 && s.err == nil {
			r := newRun(0)
			resolution := done(&r, values, length)
			r.finish(s, m, resolution)
		}
		values, last = nil, -1
	}
	s.each(
		rule{`^#.*Compute-Cycle Duration:\s*(\S+)`, func(s *source) {
			if us, why := seconds(s.fields[1], perMicro); why == "" {
				length = us
			} else {
				s.refuse(comment)
			}
		}},
		rule{`^# (?:Fixed |Benchmark Method)`, func(*source) { finish() }},
		rule{hostHeader, readHost},
		rule{"", func(s *source) {
			if !s.has(2) {
				return
			}
			number, v := s.value(0), s.value(1)
			if v > MaxCount {
				s.refuse(beyond)
			}
			if !s.ok() {
				return
			}
			if number <= last {
				finish()
			}
			values, last = append(values, v), number
			s.record()
		}},
	)
	finish()
}
