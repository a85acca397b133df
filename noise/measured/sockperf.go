package measured

import (
	"regexp"
	"slices"
	"strings"

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
// The size is that of the parameters or of a command line, if the file has one with -m,
// else 14 B, the default.

var (
	sockSize     = regexp.MustCompile(`(?:\bsockperf\b.*\s(?:-m|--msg-size)|parameters:.* --msg-size)[ =](\d+)\b`)
	sockMean     = regexp.MustCompile(`avg-(latency|lat|rtt)= *([\d.]+)`)
	sockQuantile = regexp.MustCompile(`---> (?:percentile +([\d.]+)|<?(MAX|MIN)>? observation) += +([\d.]+)`)
	sockCount    = regexp.MustCompile(`Total (\d+) observations`)
	sockLog      = regexp.MustCompile(`^packet, txTime\(sec\), rxTime\(sec\), (latency|rtt)\(usec\)$`)
	sockEach     = regexp.MustCompile(`^\d+, [\d.]+, [\d.]+, ([\d.]+)$`)
	sockServer   = regexp.MustCompile(`Printing statistics for Server`)
)

const sockDefault = 14 // bytes

// A sockperf is the state of reading the part of a server.
type sockperf struct {
	Point
	round   bool      // times are those of round trips
	samples []float64 // of each repetition
}

func matchesSockperf(head []string) bool {
	return startsWith("sockperf: ")(head) || slices.ContainsFunc(head, sockLog.MatchString)
}

func readSockperf(s *source, m *Measurement) {
	size, told := float64(sockDefault), false
	r := sockperf{}
	for s.scan() {
		line := s.text
		mean, quantile := sockMean.FindStringSubmatch(line), sockQuantile.FindStringSubmatch(line)
		each := sockEach.FindStringSubmatch(line)
		number, bytes := sockCount.FindStringSubmatch(line), sockSize.FindStringSubmatch(line)
		switch {
		case line == "":
		case bytes != nil:
			if n, why := count(bytes[1]); why == "" {
				size, told = float64(n), true
			}
		case sockServer.MatchString(line):
			r.close(s, m, size)
		case mean != nil:
			r.round = mean[1] == "rtt"
			r.Mean = s.microseconds(mean[2])
		case sockLog.MatchString(line):
			r.round, r.samples = strings.Contains(line, "rtt"), nil
		case each != nil:
			if t, why := seconds(each[1], perMicro); why != "" {
				s.skip(why)
			} else {
				r.samples = append(r.samples, t)
				s.record()
			}
		case number != nil:
			r.Samples, _ = count(number[1])
		case quantile != nil:
			r.quantile(s, quantile)
		default:
			s.skip("a line without a latency")
		}
	}
	r.close(s, m, size)
	if len(m.Curves) > 0 && !told {
		s.note("the size of messages is not told, and taken to be the default, %d B", sockDefault)
	}
}

// microseconds returns a time in seconds, 0 if there is none, which is counted.
func (s *source) microseconds(field string) float64 {
	x, why := seconds(field, perMicro)
	if why != "" {
		s.skip(why)
		return 0
	}
	return x
}

// quantile reads a share in percent, or MAX or MIN, and the time.
func (r *sockperf) quantile(s *source, f []string) {
	x := s.microseconds(f[3])
	switch f[2] {
	case "MAX":
		r.Most = x
	case "MIN":
		r.Least = x
	default:
		share, why := value(f[1])
		if why != "" {
			s.skip(why)
			return
		}
		r.Quantiles = append(r.Quantiles, noise.Quantile{Share: percent(share), Length: x})
		s.record()
	}
}

// close adds the times of a server to the measurement, as a curve of one size.
func (r *sockperf) close(s *source, m *Measurement, size float64) {
	p := r.Point
	if len(r.samples) > 0 {
		p = pointOf(size, r.samples)
	}
	slices.SortFunc(p.Quantiles, func(a, b noise.Quantile) int {
		if a.Share < b.Share {
			return -1
		}
		return 1
	})
	p.Size, p.Seconds = size, p.Mean
	for i, q := range p.Quantiles {
		if q.Share == 0.5 {
			p.Seconds = q.Length
		}
		if r.round {
			p.Quantiles[i].Length /= 2
		}
	}
	if r.round {
		p.Seconds, p.Mean, p.Least, p.Most = p.Seconds/2, p.Mean/2, p.Least/2, p.Most/2
	}
	*r = sockperf{}
	if p.Seconds == 0 && p.Quantiles == nil {
		return
	}
	if why := checkPoint(p); why != "" {
		s.skip(why)
		return
	}
	m.Curves = append(m.Curves, Curve{Pattern: OneWay, Operation: "sockperf", Points: []Point{p}})
}
