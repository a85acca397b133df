package formats

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"jitterfly/noise"
)

// The perftest of linux-rdma (ib_write_lat, ib_send_lat, ib_read_lat and others) writes,
// by print_report_lat in perftest_resources.c, microseconds:
//
//	                    RDMA_Write Latency Test
//	 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
//	 2       1000          1.76           6.12         1.79                1.80             0.06            1.88                    6.12
//
// Older versions have fewer columns, with -D there is t_avg only, and with --cpu_util a column
// more. With -H or -U each time is written before the row, under "#, usec", as "1, 1.76". Times are
// half round trips, but reads and atomics have whole ones, whose half is taken. Tables of
// bandwidths are skipped. With -C times are in cycles, and the header says usec all the same: they
// are known by "#, cycles", or as halves of whole numbers, and skipped.

const (
	perftestHeader expression = `^#bytes\s+#iterations\s+(t_|BW)`
	perftestColumn expression = `#bytes|#iterations|t_\w+\[\w+\]|[\d.]+% percentile\[\w+\]|tps average|` +
		`\w+ \w+\[[^]]+\]|\w+\[[^]]+\]`
	perftestFact expression = `\b(Device|Transport type|Connection type|Mtu|Link type)\s*: *(\S+)`
)

var perftestColumns = []column{
	col(messageSize, `#bytes`), col(repeated, `#iterations`), col(typical, `t_typical\[usec\]`),
	col(mean, `t_avg\[usec\]`), col(least, `t_min\[usec\]`), col(most, `t_max\[usec\]`),
	col(quantile, `([\d.]+)% percentile\[usec\]`),
	col(ignored, `t_.*|tps average|CPU_Util\[%\]`),
}

type perftest struct {
	sizes
	samples []float64 // times before their row
	listed  bool      // the lines are times
	cycles  bool      // the times are in cycles
}

func readPerftest(s *source, m *Measurement) {
	r := perftest{sizes: sizes{known: perftestColumns, other: unwanted, per: perMicro}}
	r.title(m, "write")
	s.each(
		rule{`^---`, pass},
		rule{`^(?:RDMA[_ ])?(\w+) .*Latency Test$`, func(s *source) {
			r.title(m, strings.ToLower(s.fields[1]))
		}},
		rule{perftestHeader, func(s *source) {
			r.head(perftestColumn.regexp().FindAllString(s.text, -1))
			r.cycles = false
			if !strings.Contains(s.text, "t_") {
				s.otherwise(onlyBandwidths)
			}
		}},
		rule{`^#, (.*)`, func(s *source) {
			r.listed, r.samples = s.fields[1] == "usec", nil
			r.cycles = !r.listed
		}},
		rule{`^\d+, ([\d.e+-]+)$`, func(s *source) {
			if !r.listed {
				refuse(notARow)
			}
			keep(s, &r.samples, s.repetition(1, r.halve))
		}},
		rule{anyLine, r.row},
	)
	r.end(m)
}

func (r *perftest) title(m *Measurement, operation string) {
	r.begin(m, OneWay, operation+" of perftest")
	r.samples, r.listed, r.cycles = nil, false, false
	if operation == "read" || strings.HasPrefix(operation, "atomic") {
		r.halve = 0.5
	}
}

// row reads the row of a size, or a fact of the header.
func (r *perftest) row(s *source) {
	if facts := perftestFact.regexp().FindAllStringSubmatch(s.text, -1); facts != nil && r.layout == nil {
		for _, fact := range facts {
			s.fact(strings.ToLower(fact[1]), fact[2])
		}
		return
	}
	s.fields = strings.Fields(s.text)
	if r.layout == nil || len(s.fields) != len(r.layout) {
		refuse(notARow)
	}
	samples := s.settled(r.samples, 0)
	r.samples, r.listed = nil, false
	if r.cycles || halves(s.fields[2:min(5, len(s.fields))]) {
		refuse("times in cycles; run perftest without -C")
	}
	p := complete(r.point(s))
	if len(samples) > 0 {
		p = pointOf(p.Size, samples)
	}
	r.add(s, p)
}

// complete returns a point whose typical time is the mean if there is no other, and which has this
// and the least time among its quantiles, if it has any.
func complete(p Point) Point {
	p.Seconds = cmp.Or(p.Seconds, p.Mean)
	if p.Most > 0 && len(p.Quantiles) > 0 {
		p.Quantiles = slices.Concat([]noise.Quantile{{Share: 0, Length: p.Least},
			{Share: 0.5, Length: p.Seconds}}, p.Quantiles)
	}
	return p
}

const onlyBandwidths = "these are bandwidths; run ib_write_lat, ib_send_lat or ib_read_lat"

// halves reports whether the least, the longest and the typical time are halves of whole
// numbers, as cycles are, from 200 on.
func halves(fields []string) bool {
	for _, field := range fields {
		if x, why := value(field); why != "" || x < 200 || 2*x != math.Trunc(2*x) {
			return false
		}
	}
	return len(fields) == 3
}

// The perftest of linux-rdma writes with --out_json, by print_report_lat's JSON in
// perftest_resources.c, a file with a line for each value,
//
//	test_info: {
//	test: RDMA_Write_Latency_Test,
//	},
//	results: {
//	MsgSize: 128,
//	n_iterations: 5000,
//	t_typical: 2.45,
//	percentile_99.9: 4.00,
//	}
//
// with or without quotes around names and words, and with a comma before a bracket: it is no JSON that
// a parser takes. Times are in µs, halved as in the text.

const (
	perftestSize expression = `^"?MsgSize"?:`
	perftestTest expression = `^(?:RDMA_)?(\w+?)_(?:Latency|lat)\w*$`
)

var perftestValues = []column{
	col(messageSize, `MsgSize`), col(repeated, `n_iterations`), col(typical, `t_typical`), col(mean, `t_avg`),
	col(least, `t_min`), col(most, `t_max`), col(quantile, `percentile_([\d.]+)`), col(ignored, `t_stdev`),
}

func readPerftestJSON(s *source, m *Measurement) {
	r, p := perftest{sizes: sizes{known: perftestValues, other: unwanted, per: perMicro}}, Point{}
	r.title(m, "write")
	end := func() {
		if p = complete(p); p.Seconds > 0 || p.Size > 0 {
			s.skip(refused(func() { r.add(s, p) }))
		}
		p = Point{}
	}
	s.each(
		rule{`^"?([\w.]+)"?\s*:\s*"?([^",{}]*?)"?\s*,?$`, func(s *source) {
			name, text := s.fields[1], s.fields[2]
			switch q, share := r.find(name); {
			case q != unwanted:
				if q == messageSize {
					end()
				}
				r.set(s, &p, q, share, 2)
				s.record()
			case name == "test":
				if f := perftestTest.regexp().FindStringSubmatch(text); f != nil {
					end()
					r.title(m, strings.ToLower(f[1]))
				}
			case strings.HasPrefix(name, "BW_"):
				s.otherwise(onlyBandwidths)
			default:
				s.fact(strings.ReplaceAll(strings.ToLower(name), "_", " "), text)
			}
		}},
		rule{anyLine, pass},
	)
	end()
	r.end(m)
}

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

// sockTrips are what times are multiplied by, by their names.
var sockTrips = map[string]float64{"latency": 1, "lat": 1, "Latency": 1, "rtt": 0.5, "Round trip": 0.5}

type sockperf struct {
	Point
	halve   float64   // 0.5 where times are of round trips, else 1
	burst   bool      // times are of bursts of messages
	samples []float64 // of each repetition
	size    float64   // of messages
	sized   bool      // the file says which
}

func readSockperf(s *source, m *Measurement) {
	r := sockperf{size: sockDefault, halve: 1}
	s.each(
		rule{`(?:\bsockperf\b.*\s(?:-m|--msg-size)|parameters:.* --msg-size)[ =](\d+)\b`, func(s *source) {
			r.close(s, m)
			r.size, r.sized = s.size(1), true
		}},
		rule{`Printing statistics for Server|^sockperf: == version`, func(s *source) { r.close(s, m) }},
		rule{sockLog, func(s *source) { r.halve, r.samples = sockTrips[s.fields[1]], nil }},
		rule{`^\d+, [\d.]+, [\d.]+, ([\d.]+)$`, func(s *source) {
			keep(s, &r.samples, s.repetition(1, r.halve))
		}},
		rule{`avg-(latency|lat|rtt)= *([\d.]+)`, func(s *source) {
			if len(r.Quantiles) > 0 {
				r.close(s, m)
			}
			r.halve = sockTrips[s.fields[1]]
			r.Mean = r.halve * s.seconds(2, perMicro)
		}},
		rule{sockSummary, func(s *source) {
			if s.fields[1] == "Message Rate" {
				s.otherwise("this is a test of throughput; run sockperf ping-pong")
				return
			}
			r.halve, r.burst = sockTrips[s.fields[1]], s.fields[2] != ""
			if r.Mean == 0 {
				r.Mean = r.halve * s.seconds(3, perMicro)
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
	t := s.repetition(3, r.halve)
	switch s.fields[2] {
	case "MAX":
		r.Most = t
	case "MIN":
		r.Least = t
	default:
		keep(s, &r.Quantiles, noise.Quantile{Share: percent(s.value(1)), Length: t})
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
	for _, q := range p.Quantiles {
		if q.Share == 0.5 {
			p.Seconds = q.Length
		}
	}
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
	*r = sockperf{size: r.size, sized: r.sized, halve: 1}
}
