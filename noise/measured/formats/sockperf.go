package formats

import (
	"cmp"
	"slices"

	"jitterfly/noise"
)

// sockperf (Mellanox) sends messages of one size to a server that answers, and prints
// half the time of round trips, by statistics in client.cpp:
//
//	sockperf: [Valid Duration] RunTime=29.550 sec; SentMessages=946153; ReceivedMessages=946153
//	sockperf: ====> avg-latency=15.562 (std-dev=10.236)
//	sockperf: Summary: Latency is 15.562 usec
//	sockperf: ---> <MAX> observation = 3955.398
//	sockperf: ---> percentile 99.999 = 1182.275
//	sockperf: ---> <MIN> observation =   11.666
//
// With --full-rtt times are whole round trips ("avg-rtt"). Some versions have MAX without
// brackets, and there may be a part for each server. With --full-log there is a file with
// every repetition, which then count:
//
//	test was performed using the following parameters: --mps=10000 --msg-size=14 --time=10
//	packet, txTime(sec), rxTime(sec), latency(usec)
//	0, 0.400011234, 0.400034658, 11.712
//
// The size is taken from the parameters or from a command line with -m, if the file has either; the
// default is 14 B.

const (
	sockSummary expression = `Summary: (Latency|Round trip|Message Rate)( of burst of \d+ messages)? ` +
		`is ([\d.]+)`
	sockLog expression = `^packet, txTime\(sec\), rxTime\(sec\), (latency|rtt)\(usec\)$`
)

const sockDefault = 14 // bytes

type sockperf struct {
	Point
	round   bool      // times are of round trips
	burst   bool      // times are of bursts of messages
	samples []float64 // of each repetition
	size    float64   // of messages
	sized   bool      // the file says which
}

func readSockperf(s *source, m *Measurement) {
	r := sockperf{size: sockDefault}
	s.each(
		rule{`(?:\bsockperf\b.*\s(?:-m|--msg-size)|parameters:.* --msg-size)[ =](\d+)\b`, func(s *source) {
			r.close(s, m)
			if n, why := count(s.fields[1]); why == "" {
				r.size, r.sized = float64(n), true
			}
		}},
		rule{`Printing statistics for Server|^sockperf: == version`, func(s *source) { r.close(s, m) }},
		rule{sockLog, func(s *source) { r.round, r.samples = s.fields[1] == "rtt", nil }},
		rule{`^\d+, [\d.]+, [\d.]+, ([\d.]+)$`, func(s *source) {
			if t := s.seconds(1, perMicro); s.ok() {
				keep(s, &r.samples, t)
			}
		}},
		rule{`avg-(latency|lat|rtt)= *([\d.]+)`, func(s *source) {
			if len(r.Quantiles) > 0 {
				r.close(s, m)
			}
			r.round, r.Mean = s.fields[1] == "rtt", s.seconds(2, perMicro)
		}},
		rule{sockSummary, func(s *source) {
			if s.fields[1] == "Message Rate" {
				s.otherwise("this is a test of throughput; run sockperf ping-pong")
				return
			}
			r.round, r.burst = s.fields[1] == "Round trip", s.fields[2] != ""
			if r.Mean == 0 {
				r.Mean = s.seconds(3, perMicro)
			}
		}},
		rule{`Total (\d+) observations`, func(s *source) { r.Samples, _ = count(s.fields[1]) }},
		rule{`---> (?:percentile +([\d.]+)|<?(MAX|MIN)>? observation) += +([\d.]+)`, r.quantile},
		rule{anyLine, ignoring("a line without a latency")},
	)
	r.close(s, m)
	if len(m.Curves) > 0 && !r.sized {
		s.note("the size of messages is missing, and taken to be the default, %d B", sockDefault)
	}
}

// quantile reads a share in percent, or MAX or MIN, and the time.
func (r *sockperf) quantile(s *source) {
	t := s.seconds(3, perMicro)
	switch s.fields[2] {
	case "MAX":
		r.Most = t
	case "MIN":
		r.Least = t
	default:
		if share := s.value(1); s.ok() {
			keep(s, &r.Quantiles, noise.Quantile{Share: percent(share), Length: t})
		}
	}
}

// close adds the times of a server to the measurement, as a curve of one size.
func (r *sockperf) close(s *source, m *Measurement) {
	p := r.Point
	p.Seconds = p.Mean
	if samples := s.settled(r.samples, 0); len(samples) > 0 {
		p = pointOf(r.size, samples)
	}
	slices.SortStableFunc(p.Quantiles, func(a, b noise.Quantile) int {
		return cmp.Compare(a.Share, b.Share)
	})
	p.Size = r.size
	trips := 1.0
	if r.round {
		trips = 2
	}
	for i, q := range p.Quantiles {
		if q.Share == 0.5 {
			p.Seconds = q.Length
		}
		p.Quantiles[i].Length /= trips
	}
	p.Seconds, p.Mean, p.Least, p.Most = p.Seconds/trips, p.Mean/trips, p.Least/trips, p.Most/trips
	why := checkPoint(p)
	if r.burst {
		why = "times of bursts of messages; run without --burst"
	}
	switch {
	case p.Seconds == 0 && p.Quantiles == nil:
	case why != "":
		s.skip(why)
	default:
		m.Curves = append(m.Curves, Curve{Pattern: OneWay, Operation: "sockperf", Points: []Point{p}})
	}
	*r = sockperf{size: r.size, sized: r.sized}
}
