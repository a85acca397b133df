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
	col(average, `Latency \(us\)|Avg Latency\(us\)|Pure Comm\.\(us\)`),
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
			if s.has(len(r.layout)) {
				s.refuse(r.refused)
			}
			if !s.ok() {
				return
			}
			p := r.point(s)
			if !r.has(average) {
				s.refuse(notARow)
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
