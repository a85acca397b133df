package formats

import (
	"strings"

	"jitterfly/noise"
)

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

var (
	perftestSize  = lazy(`^"?MsgSize"?:`)
	perftestEntry = lazy(`^"?([\w.]+)"?\s*:\s*"?([^",{}]*?)"?\s*,?$`)
	perftestTest  = lazy(`^(?:RDMA_)?(\w+?)_(?:Latency|lat)\w*$`)
)

// perftestLatency are the parts of a point by the names of values.
var perftestLatency = map[string]func(*Point) *float64{
	"t_min":     func(p *Point) *float64 { return &p.Least },
	"t_max":     func(p *Point) *float64 { return &p.Most },
	"t_typical": func(p *Point) *float64 { return &p.Seconds },
	"t_avg":     func(p *Point) *float64 { return &p.Mean },
}

func readPerftestJSON(s *source, m *Measurement) {
	r, p := perftest{sizes: sizes{per: perMicro}}, Point{}
	r.title(m, "write")
	end := func() {
		if p = complete(p); p.Seconds > 0 || p.Size > 0 {
			s.why = ""
			if r.add(s, p); s.why != "" {
				s.skip(s.why)
			}
		}
		p = Point{}
	}
	s.each(
		rule{perftestEntry, func(s *source) {
			name, text := s.fields[1], s.fields[2]
			time, isTime := perftestLatency[name]
			share, isShare := strings.CutPrefix(name, "percentile_")
			switch {
			case isTime:
				*time(&p) = r.halve * s.seconds(2, perMicro)
			case isShare:
				x, why := value(share)
				s.refuse(why)
				p.Quantiles = append(p.Quantiles, noise.Quantile{Share: percent(x),
					Length: r.halve * s.seconds(2, perMicro)})
				s.record()
			case name == "MsgSize":
				end()
				p.Size = s.size(2)
			case name == "n_iterations":
				p.Samples = s.count(2)
			case name == "test":
				if f := perftestTest().FindStringSubmatch(text); f != nil {
					end()
					r.title(m, strings.ToLower(f[1]))
				}
			case strings.HasPrefix(name, "BW_"):
				s.otherwise(onlyBandwidths)
			case name != "t_stdev":
				s.fact(strings.ReplaceAll(strings.ToLower(name), "_", " "), text)
			}
		}},
		rule{anyLine, pass},
	)
	end()
	r.end(m)
}
