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
// processes are averages over repetitions. Tables of other benchmarks, and of
// groups beyond the first, are skipped; so are sizes without memory or time.

// An imb is the state of reading one table.
type imb struct {
	curve   Curve
	columns []string
}

func readIMB(s *source, m *Measurement) {
	var r imb
	for s.scan() {
		line := s.text
		name, benchmark := after(line, "# Benchmarking ")
		processes, ok := after(line, "# #processes =")
		switch {
		case line == "":
		case benchmark:
			r.close(m)
			r.begin(name)
		case ok:
			if n, why := count(processes); why == "" {
				r.curve.Processes = int(n)
			}
		case strings.Contains(line, "#repetitions"):
			r.columns = strings.Fields(line)
		case line[0] == '#':
			if !s.hostFact(line) {
				s.skip(comment)
			}
		default:
			r.row(s, line)
		}
	}
	r.close(m)
	m.onlyCollectives("PingPong of IMB-MPI1")
}

// begin begins a table. One of another benchmark has no pattern.
func (r *imb) begin(name string) {
	r.curve = Curve{Operation: strings.ToLower(name)}
	switch {
	case strings.HasPrefix(r.curve.Operation, "pingpong"):
		r.curve.Pattern = OneWay
	case slices.Contains(collectiveNames, r.curve.Operation):
		r.curve.Pattern = Collective
	}
}

func (r *imb) row(s *source, line string) {
	f := strings.Fields(line)
	_, why := value(f[0])
	switch {
	case why != "", r.columns == nil:
		s.skip(notARow)
		return
	case r.curve.Pattern == "":
		s.skip(anotherTable)
		return
	case strings.Contains(line, "out-of-mem"), strings.Contains(line, "int-overflow"), strings.Contains(line, "time-out"):
		s.skip("a size that was not measured")
		return
	case len(f) != len(r.columns):
		s.skip(notARow)
		return
	}
	var p Point
	for i, name := range r.columns {
		var bad string
		switch name {
		case "#bytes":
			p.Size, bad = size(f[i])
		case "#repetitions":
			p.Samples, bad = count(f[i])
		case "t[usec]", "t_avg[usec]":
			p.Seconds, bad = seconds(f[i], perMicro)
		case "t_min[usec]":
			p.Least, bad = seconds(f[i], perMicro)
		case "t_max[usec]":
			p.Most, bad = seconds(f[i], perMicro)
		case "Group", "group":
			if f[i] != "0" {
				bad = "a row of another group"
			}
		}
		why = first(why, bad)
	}
	if why = first(why, checkPoint(p)); why != "" {
		s.skip(why)
		return
	}
	r.curve.Points = append(r.curve.Points, p)
	s.record()
}

func (r *imb) close(m *Measurement) {
	if len(r.curve.Points) > 0 {
		m.Curves = append(m.Curves, r.curve)
	}
	*r = imb{}
}
