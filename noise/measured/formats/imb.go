package formats

import (
	"slices"
	"strings"
)

// The Intel MPI Benchmarks write, by IMB_output.c, a table for each benchmark and
// number of processes:
//
//	# Benchmarking Allreduce
//	# #processes = 144
//	# ( 2 additional processes waiting in MPI_Barrier)
//	       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
//	            8         1000         4.50        18.59        11.69
//
// PingPong has t[usec], half of a round trip, and Barrier no sizes. Times over
// processes are averages over repetitions. With -multi there are groups that run at the same time,
// and the benchmark is Multi-PingPong. Tables of other benchmarks, and of groups beyond the first,
// are skipped; so are sizes without memory or time, or with defects.

var imbColumns = []column{
	col(messageSize, `#bytes`), col(repeated, `#repetitions`), col(typical, `t\[usec\]|t_avg\[usec\]`),
	col(least, `t_min\[usec\]`), col(most, `t_max\[usec\]`), col(group, `[Gg]roup`), col(valid, `defects`),
}

// imbMissing are the words in the row of a size that was not measured.
const imbMissing expression = `out-of-mem|int-overflow|time-out`

func readIMB(s *source, m *Measurement) {
	r := sizes{known: imbColumns, per: perMicro, halve: 1, refused: anotherTable + ": without its name"}
	s.each(
		rule{`# Benchmarking\s+(\S+)`, func(s *source) {
			name := strings.TrimPrefix(strings.ToLower(s.fields[1]), "multi-")
			switch {
			case strings.HasPrefix(name, "pingpong"):
				r.begin(m, OneWay, name)
			case slices.Contains(collectiveNames, name):
				r.begin(m, Collective, name)
			default:
				title := printable(s.fields[1], 40)
				r.beginOther(s, m, title, title+" is neither PingPong nor a collective; run PingPong of IMB-MPI1")
			}
		}},
		rule{`# #processes =\s*(\S+)`, func(s *source) {
			if n, why := count(s.fields[1]); why == "" {
				r.curve.Processes = int(n)
			}
		}},
		rule{`#repetitions`, func(s *source) { r.head(strings.Fields(s.text)) }},
		rule{hostHeader, readHost},
		rule{"", func(s *source) {
			switch _, why := value(s.fields[0]); {
			case why != "", r.layout == nil:
				s.refuse(notARow)
			case r.refused != "":
				s.refuse(r.refused)
			case imbMissing.regexp().MatchString(s.text):
				s.refuse("a size that was not measured")
			case s.has(len(r.layout)):
				r.add(s, r.point(s))
			}
		}},
	)
	r.end(m)
	m.onlyCollectives("PingPong of IMB-MPI1")
}
