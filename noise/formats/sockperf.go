package formats

import (
	"cmp"
	"regexp"
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
// The size is that of the parameters or of a command line, if the file has one with -m,
// else 14 B, the default.

var (
	sockSize     = regexp.MustCompile(`(?:\bsockperf\b.*\s(?:-m|--msg-size)|parameters:.* --msg-size)[ =](\d+)\b`)
	sockMean     = regexp.MustCompile(`avg-(latency|lat|rtt)= *([\d.]+)`)
	sockQuantile = regexp.MustCompile(`---> (?:percentile +([\d.]+)|<?(MAX|MIN)>? observation) += +([\d.]+)`)
	sockSummary  = regexp.MustCompile(`Summary: (Latency|Round trip|Message Rate)( of burst of \d+ messages)? is ([\d.]+)`)
	sockCount    = regexp.MustCompile(`Total (\d+) observations`)
	sockLog      = regexp.MustCompile(`^packet, txTime\(sec\), rxTime\(sec\), (latency|rtt)\(usec\)$`)
	sockEach     = regexp.MustCompile(`^\d+, [\d.]+, [\d.]+, ([\d.]+)$`)
	sockServer   = regexp.MustCompile(`Printing statistics for Server|^sockperf: == version`)
)

const sockDefault = 14 // bytes

// A sockperf is the state of reading the part of a server.
type sockperf struct {
	Point
	round   bool      // times are those of round trips
	burst   bool      // times are those of bursts of messages
	samples []float64 // of each repetition
	size    float64   // of messages
	told    bool      // the size is told
	rates   int       // the first line of a test of throughput
}

func matchesSockperf(head []string) bool {
	return startsWith("sockperf: ")(head) || slices.ContainsFunc(head, sockLog.MatchString)
}

func readSockperf(s *source, m *Measurement) {
	r := sockperf{size: sockDefault}
	for s.scan() {
		switch line := s.text; {
		case line == "":
		case r.begin(s, m, line):
		case r.log(s, line):
		case !r.summary(s, m, line):
			s.skip("a line without a latency")
		}
	}
	r.close(s, m)
	if len(m.Curves) > 0 && !r.told {
		s.note("the size of messages is not told, and taken to be the default, %d B", sockDefault)
	}
	if len(m.Curves) == 0 && r.rates > 0 {
		s.line = r.rates
		s.fail("this is a test of throughput; run sockperf ping-pong")
	}
}

// begin reports whether a line begins the part of a server, and closes the one before.
func (r *sockperf) begin(s *source, m *Measurement, line string) bool {
	bytes := sockSize.FindStringSubmatch(line)
	if bytes == nil && !sockServer.MatchString(line) {
		return false
	}
	r.close(s, m)
	if bytes != nil {
		if n, why := count(bytes[1]); why == "" {
			r.size, r.told = float64(n), true
		}
	}
	return true
}

// log reads a line of a log of every repetition. It reports whether it is one.
func (r *sockperf) log(s *source, line string) bool {
	if head := sockLog.FindStringSubmatch(line); head != nil {
		r.round, r.samples = head[1] == "rtt", nil
		return true
	}
	each := sockEach.FindStringSubmatch(line)
	if each == nil {
		return false
	}
	if t, why := seconds(each[1], perMicro); why != "" {
		s.skip(why)
	} else {
		r.samples = append(r.samples, t)
		s.record()
	}
	return true
}

// summary reads a line of the statistics. It reports whether it is one.
func (r *sockperf) summary(s *source, m *Measurement, line string) bool {
	mean, quantile := sockMean.FindStringSubmatch(line), sockQuantile.FindStringSubmatch(line)
	summary, number := sockSummary.FindStringSubmatch(line), sockCount.FindStringSubmatch(line)
	switch {
	case mean != nil:
		if len(r.Quantiles) > 0 {
			r.close(s, m)
		}
		r.round = mean[1] == "rtt"
		r.Mean = s.microseconds(mean[2])
	case summary != nil && summary[1] == "Message Rate":
		r.rates = cmp.Or(r.rates, s.line)
	case summary != nil:
		r.round, r.burst = summary[1] == "Round trip", summary[2] != ""
		if r.Mean == 0 {
			r.Mean = s.microseconds(summary[3])
		}
	case number != nil:
		r.Samples, _ = count(number[1])
	case quantile != nil:
		r.quantile(s, quantile)
	default:
		return false
	}
	return true
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
func (r *sockperf) close(s *source, m *Measurement) {
	p := r.Point
	if len(r.samples) > 0 {
		p = pointOf(r.size, r.samples)
	}
	slices.SortFunc(p.Quantiles, func(a, b noise.Quantile) int {
		if a.Share < b.Share {
			return -1
		}
		return 1
	})
	p.Size, p.Seconds = r.size, p.Mean
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
	burst := r.burst
	*r = sockperf{size: r.size, told: r.told, rates: r.rates}
	if p.Seconds == 0 && p.Quantiles == nil {
		return
	}
	why := checkPoint(p)
	if burst {
		why = "times of bursts of messages; run without --burst"
	}
	if why != "" {
		s.skip(why)
		return
	}
	m.Curves = append(m.Curves, Curve{Pattern: OneWay, Operation: "sockperf", Points: []Point{p}})
}
