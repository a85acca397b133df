package formats

import (
	"slices"
	"strconv"
	"strings"
)

// The OSU Micro-Benchmarks write, by print_preamble, print_only_header and
// print_stats in osu_util_mpi.c, microseconds:
//
//	# OSU MPI Allreduce Latency Test v7.4
//	# Datatype: MPI_CHAR.
//	# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations     P50 Tail Lat(us)
//	1                      28.46             21.10             33.87        1000                28.01
//
// Older versions have "Latency (us)", and barriers have no size. Those in Python have the title "#
// OMB Python MPI Latency Test", and benchmarks of NCCL and RCCL, osu_xccl_allreduce and others, "#
// OSU NCCL-CUDA Allreduce Latency Test". Non-blocking collectives have "Pure Comm.(us)". Tables of
// what is neither the latency of messages nor a collective, such as bandwidths and one-sided
// operations, are skipped; a file of nothing else is refused.

const (
	osuTitle expression = `^# (?:OSU (.*?)\s*(?:Test|Benchmark)?\s*(?:v|\(Version )(\d[\w.-]*)\)?|` +
		`OMB Python (.*?) Test)$`
	osuDevice expression = `^(?:mpi|[nrx]ccl)(?:-\w+)? ` // CUDA, ROCM, ZE, SYCL
	osuHeader expression = `^# Size +(?:Avg )?Latency ?\(us\)`
	osuSuite  expression = `^# (?:OSU|OMB Python) `
	osuColumn expression = `Transmit Size|Size|Iterations|Validation|Messages/s|` +
		`[A-Z][\w.]*(?: [A-Z][\w.]*)* ?\((?:us|MB/s|%)\)`
)

// The words that are no part of the operation, under its name in MPI, in a title in lower case.
var osuWords = strings.NewReplacer(
	"mpi", "", "latency", "", "non-blocking", "", "persistent", "", "personalized exchange", "",
	"all-to-all", "alltoall", "broadcast", "bcast",
)

// The operations in the titles of benchmarks of messages.
var osuMessages = []string{"", "multi", "multi-threaded", "multi-process"}

// The collectives in the titles and names of tables of OSU and IMB.
var collectiveNames = []string{
	"allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast",
	"gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv", "scan",
	"exscan",
}

// The columns of the tables. Of the names in a header, osuColumn finds each.
var osuColumns = []column{
	col(messageSize, `Size`), col(repeated, `Iterations`), col(valid, `Validation`),
	col(mean, `Latency \(us\)|Avg Latency\(us\)|Pure Comm\.\(us\)`),
	col(least, `Min (?:Latency|Comm\.)\(us\)`), col(most, `Max (?:Latency|Comm\.)\(us\)`),
	col(quantile, `P(\d+(?:\.\d+)?) Tail Lat\(us\)`),
}

const untitled = "a table without its title, such as # OSU MPI Latency Test v7.4"

func readOSU(s *source, m *Measurement) {
	r := sizes{known: osuColumns, per: perMicro, halve: 1, refused: untitled}
	s.each(
		rule{osuTitle, func(s *source) { r.osuTitle(s, m, s.fields[1]+s.fields[3], s.fields[2]) }},
		rule{`^#.*\((?:us|MB/s)\)`, func(s *source) {
			names := osuColumn.regexp().FindAllString(s.text, -1)
			if r.head(names); r.refused == untitled && slices.Contains(names, "Latency (us)") {
				r.refused, r.curve = "", Curve{Pattern: OneWay, Operation: "latency"}
			}
		}},
		rule{"", func(s *source) {
			s.has(len(r.layout))
			refuse(r.refused)
			p := r.point(s)
			if !r.has(mean) {
				refuse(notARow)
			}
			r.add(s, p)
		}},
	)
	r.end(m)
	m.onlyCollectives("osu_latency")
}

// osuTitle begins the table of a title, which is refused if it measures neither latency nor a
// collective.
func (t *sizes) osuTitle(s *source, m *Measurement, title, version string) {
	s.fact("version", version)
	name := osuDevice.regexp().ReplaceAllString(strings.ToLower(title)+" ", "")
	name = strings.TrimSpace(osuWords.Replace(name))
	switch {
	case slices.Contains(collectiveNames, name):
		t.begin(m, Collective, name)
	case slices.Contains(osuMessages, name) && strings.Contains(strings.ToLower(title), "latency"):
		t.begin(m, OneWay, "latency")
	default:
		title = printable(title, 60)
		t.beginOther(s, m, title, strconv.Quote(title)+" measures neither the latency of messages nor a "+
			"collective; run osu_latency or a collective")
	}
}

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
		rule{`# #processes =\s*(\d+)`, func(s *source) { r.curve.Processes = int(s.count(1)) }},
		rule{`#repetitions`, func(s *source) { r.head(strings.Fields(s.text)) }},
		rule{hostHeader, readHost},
		rule{"", func(s *source) {
			if _, why := value(s.fields[0]); why != "" || r.layout == nil {
				refuse(notARow)
			}
			refuse(r.refused)
			if imbMissing.regexp().MatchString(s.text) {
				refuse("a size that was not measured")
			}
			s.has(len(r.layout))
			r.add(s, r.point(s))
		}},
	)
	r.end(m)
	m.onlyCollectives("PingPong of IMB-MPI1")
}

// nccl-tests and rccl-tests write, by common.cu, a table for each collective; newer versions print
// its name:
//
//	# Collective test starting: sendrecv_perf
//	#  Rank  0 Group  0 Pid 440651 on cnode2-001 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
//	#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
//	#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
//	    33554432       4194304    double     sum      -1  2513.89   13.35   13.35       0  2504.26   13.40   13.40    N/A
//
// Of the times, those out of place are read. In sendrecv each rank sends to the next,
// which is the time of a message; the others are collectives. The tests of NCCL 1 have bytes
// rather than size, and milliseconds.

const ncclHeader expression = `^#\s+(?:size|bytes)\s.*\bbusbw\b`

// unnamed is the operation of a table without a name.
const unnamed = "collective"

func readNCCL(s *source, m *Measurement) {
	r := sizes{known: []column{col(messageSize, "size|bytes"), col(mean, "time"),
		col(valid, "#wrong|error")}}
	r.begin(m, Collective, unnamed)
	s.each(
		rule{`(?:^# Collective test starting: |/)(\w+)_perf\b`, func(s *source) {
			pattern := Collective
			if s.fields[1] == "sendrecv" {
				pattern = OneWay
			}
			r.begin(m, pattern, strings.ReplaceAll(s.fields[1], "_", ""))
		}},
		rule{ncclHeader, func(s *source) {
			if len(r.curve.Points) > 0 { // of another run, without a name
				r.begin(m, Collective, unnamed)
			}
			names := strings.Fields(s.text)[1:]
			r.head(names)
			if r.per = perMicro; names[0] == "bytes" {
				r.per = 1e3
			}
		}},
		rule{`^#\s+Rank\s+(\d+) `, func(s *source) {
			if n := s.count(1); n < 1<<24 {
				r.curve.Processes = max(r.curve.Processes, int(n)+1)
			}
		}},
		rule{`^# (?:nccl-tests version|rccl-tests)`, func(s *source) {
			s.fact("version", strings.Trim(s.text, "# "))
		}},
		rule{"", func(s *source) {
			// There may be columns without a name at the end.
			if !r.has(mean) || len(s.fields) < len(r.layout) {
				refuse(notARow)
			}
			r.add(s, r.point(s))
		}},
	)
	r.end(m)
	m.onlyCollectives("sendrecv_perf")
	if len(m.Curves) > 0 && m.Curves[0].Operation == unnamed && m.Instead != "" {
		m.Instead += "; if these are of it, put # Collective test starting: sendrecv_perf before " +
			"the table"
	}
}
