package formats

import (
	"math"
	"regexp"
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
// Older versions have fewer columns, with -D there is t_avg only, and with --cpu_util a
// column more. With -H or -U each time is written before the row, under "#, usec", as
// "1, 1.76". Times are half round trips, but those of reads and atomics are whole ones,
// whose half is taken.
// Tables of bandwidths are skipped. With -C times are in cycles, and the header says usec
// all the same: they are known by "#, cycles", or as halves of whole numbers, and skipped.

var (
	perftestHeader = regexp.MustCompile(`^#bytes\s+#iterations\s+(t_|BW)`)
	perftestColumn = regexp.MustCompile(
		`#bytes|#iterations|t_\w+\[\w+\]|[\d.]+% percentile\[\w+\]|tps average|\w+ \w+\[[^]]+\]|\w+\[[^]]+\]`)
	perftestTitle  = regexp.MustCompile(`^(?:RDMA[_ ])?(\w+) .*Latency Test$`)
	perftestSample = regexp.MustCompile(`^\d+, ([\d.e+-]+)$`)
	perftestShare  = regexp.MustCompile(`^([\d.]+)% percentile\[usec\]$`)
	perftestFact   = regexp.MustCompile(`\b(Device|Transport type|Connection type|Mtu|Link type)\s*: *(\S+)`)
)

func matchesPerftest(head []string) bool {
	return slices.ContainsFunc(head, perftestHeader.MatchString)
}

// A perftest is the state of reading a table.
type perftest struct {
	operation string
	halve     float64 // 0.5 where times are of round trips, else 1
	columns   []string
	samples   []float64 // times before their row
	listed    bool      // the lines are times
	cycles    bool      // the times are in cycles
	curve     Curve
}

func readPerftest(s *source, m *Measurement) {
	r := perftest{operation: "write", halve: 1}
	bandwidths := 0 // the line of the first such table
	for s.scan() {
		line := s.text
		title, sample := perftestTitle.FindStringSubmatch(line), perftestSample.FindStringSubmatch(line)
		switch {
		case line == "", strings.HasPrefix(line, "---"):
		case title != nil:
			r.close(m)
			r.begin(title[1])
		case perftestHeader.MatchString(line):
			r.columns, r.cycles = perftestColumn.FindAllString(line, -1), false
			if !strings.Contains(line, "t_") && bandwidths == 0 {
				bandwidths = s.line
			}
		case strings.HasPrefix(line, "#, "):
			r.listed, r.samples = line == "#, usec", nil
			r.cycles = !r.listed
		case sample != nil && r.listed:
			r.sample(s, sample[1])
		default:
			r.row(s, line)
		}
	}
	r.close(m)
	if len(m.Curves) == 0 && bandwidths > 0 {
		s.line = bandwidths
		s.fail("these are bandwidths; run ib_write_lat, ib_send_lat or ib_read_lat")
	}
}

// begin begins the tables of a title.
func (r *perftest) begin(operation string) {
	*r = perftest{operation: strings.ToLower(operation), halve: 1}
	if r.operation == "read" || strings.HasPrefix(r.operation, "atomic") {
		r.halve = 0.5
	}
}

// sample adds a repetition.
func (r *perftest) sample(s *source, field string) {
	t, why := seconds(field, perMicro)
	if why != "" {
		s.skip(why)
		return
	}
	r.samples = append(r.samples, r.halve*t)
	s.record()
}

// row reads the row of a size, or a fact of the header.
func (r *perftest) row(s *source, line string) {
	f := strings.Fields(line)
	if facts := perftestFact.FindAllStringSubmatch(line, -1); facts != nil && r.columns == nil {
		for _, fact := range facts {
			s.fact(strings.ToLower(fact[1]), fact[2])
		}
		return
	}
	if r.columns == nil || len(f) != len(r.columns) {
		s.skip(notARow)
		return
	}
	var p Point
	var why string
	for i, name := range r.columns {
		why = first(why, r.cell(&p, name, f[i]))
	}
	if p.Seconds == 0 {
		p.Seconds = p.Mean
	}
	if p.Most > 0 && len(p.Quantiles) > 0 {
		p.Quantiles = slices.Concat([]noise.Quantile{{Share: 0, Length: p.Least},
			{Share: 0.5, Length: p.Seconds}}, p.Quantiles)
	}
	if len(r.samples) > 0 && why == "" {
		p = pointOf(p.Size, r.samples)
	}
	if r.cycles || halves(f[2:min(5, len(f))]) {
		why = inCycles
	}
	r.samples, r.listed = nil, false
	if why = first(why, checkPoint(p)); why != "" {
		s.skip(why)
		return
	}
	r.curve.Points = append(r.curve.Points, p)
	s.record()
}

const inCycles = "times in cycles; run perftest without -C"

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

// cell sets what a column tells. It returns why it cannot.
func (r *perftest) cell(p *Point, column, field string) (why string) {
	time := func(to *float64) string {
		x, why := seconds(field, perMicro)
		*to = r.halve * x
		return why
	}
	share := perftestShare.FindStringSubmatch(column)
	switch {
	case column == "#bytes":
		p.Size, why = size(field)
	case column == "#iterations":
		p.Samples, why = count(field)
	case column == "t_min[usec]":
		why = time(&p.Least)
	case column == "t_max[usec]":
		why = time(&p.Most)
	case column == "t_typical[usec]":
		why = time(&p.Seconds)
	case column == "t_avg[usec]":
		why = time(&p.Mean)
	case share != nil:
		x, _ := value(share[1])
		q := noise.Quantile{Share: percent(x)}
		why = time(&q.Length)
		p.Quantiles = append(p.Quantiles, q)
	case strings.HasPrefix(column, "t_"), column == "tps average", column == "CPU_Util[%]":
	default:
		why = anotherTable
	}
	return why
}

func (r *perftest) close(m *Measurement) {
	if len(r.curve.Points) > 0 {
		r.curve.Pattern, r.curve.Operation = OneWay, r.operation+" of perftest"
		m.Curves = append(m.Curves, r.curve)
	}
	r.curve = Curve{}
}
