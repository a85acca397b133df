package formats

import (
	"regexp"
	"slices"
	"strings"

	"jitterfly/noise"
)

// The OSU Micro-Benchmarks write, by print_preamble, print_only_header and
// print_stats in osu_util_mpi.c, microseconds:
//
//	# OSU MPI Allreduce Latency Test v7.4
//	# Datatype: MPI_CHAR.
//	# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations     P50 Tail Lat(us)
//	1                      28.46             21.10             33.87        1000                28.01
//
// Older versions have "Latency (us)", and barriers have no size. Those in Python have the
// title "# OMB Python MPI Latency Test", and those of NCCL and RCCL, osu_xccl_allreduce and
// others, "# OSU NCCL-CUDA Allreduce Latency Test". Non-blocking collectives have "Pure
// Comm.(us)". Tables of what is neither the latency of messages nor a collective, such as
// bandwidths and one-sided operations, are skipped; a file of nothing else is refused.

var (
	osuTitle    = regexp.MustCompile(`^# (?:OSU (.*?)\s*(?:Test|Benchmark)?\s*(?:v|\(Version )(\d[\w.-]*)\)?|OMB Python (.*?) Test)$`)
	osuDevice   = regexp.MustCompile(`^(?:mpi|[nrx]ccl)(?:-\w+)? `) // CUDA, ROCM, ZE, SYCL
	osuHeader   = regexp.MustCompile(`^# Size +(?:Avg )?Latency ?\(us\)`)
	osuQuantile = regexp.MustCompile(`^P(\d+(?:\.\d+)?) Tail Lat\(us\)$`)
	osuColumn   = regexp.MustCompile(
		`Transmit Size|Size|Iterations|Validation|Messages/s|[A-Z][\w.]*(?: [A-Z][\w.]*)* ?\((?:us|MB/s|%)\)`)
)

// The words that are no part of the operation, under its name in MPI, in a title in
// lower case.
var osuWords = strings.NewReplacer(
	"mpi", "", "latency", "",
	"non-blocking", "", "persistent", "", "personalized exchange", "", "all-to-all", "alltoall",
	"broadcast", "bcast",
)

// The operations in the titles of benchmarks of messages.
var osuMessages = []string{"", "multi", "multi-threaded", "multi-process"}

// The collectives in the titles and names of tables of OSU and IMB.
var collectiveNames = []string{
	"allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier",
	"bcast",
	"gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv",
	"scan", "exscan",
}

// An osu is the state of reading one table.
type osu struct {
	curve   Curve
	columns []string
	other   string // the title of a table that is not wanted
}

func matchesOSU(head []string) bool {
	return startsWith("# OSU ", "# OMB Python ")(head) || slices.ContainsFunc(head, osuHeader.MatchString)
}

func readOSU(s *source, m *Measurement) {
	var r osu
	first, other := 0, "" // line and title of the first table that is not wanted
	for s.scan() {
		line := s.text
		title := osuTitle.FindStringSubmatch(line)
		switch {
		case line == "":
		case title != nil:
			r.close(m)
			r.begin(s, title[1]+title[3], title[2])
			if first == 0 && r.other != "" {
				first, other = s.line, r.other
			}
		case r.header(line):
		case line[0] == '#':
			s.skip(comment)
		default:
			r.row(s, line)
		}
	}
	r.close(m)
	if len(m.Curves) == 0 && first > 0 {
		s.line = first
		s.fail("%q measures neither the latency of messages nor a collective; run osu_latency "+
			"or a collective", other)
		return
	}
	m.onlyCollectives("osu_latency")
}

// begin begins the table of a title, which is not wanted if that is no latency or
// collective.
func (r *osu) begin(s *source, title, version string) {
	s.fact("version", version)
	name := osuDevice.ReplaceAllString(strings.ToLower(title)+" ", "")
	name = strings.TrimSpace(osuWords.Replace(name))
	switch {
	case slices.Contains(collectiveNames, name):
		r.curve = Curve{Pattern: Collective, Operation: name}
	case slices.Contains(osuMessages, name) && strings.Contains(strings.ToLower(title), "latency"):
		r.curve = Curve{Pattern: OneWay, Operation: "latency"}
	default:
		r.other = printable(title, 60)
	}
}

// header sets the columns, and reports whether the line has their names.
func (r *osu) header(line string) bool {
	if line[0] != '#' || !strings.Contains(line, "(us)") && !strings.Contains(line, "(MB/s)") {
		return false
	}
	r.columns = osuColumn.FindAllString(line, -1)
	if r.curve.Pattern == "" && r.other == "" && slices.Contains(r.columns, "Latency (us)") {
		r.curve = Curve{Pattern: OneWay, Operation: "latency"} // the title is missing
	}
	return true
}

// row adds the point of a size, or of a barrier.
func (r *osu) row(s *source, line string) {
	f := strings.Fields(line)
	if len(f) != len(r.columns) {
		s.skip(notARow)
		return
	}
	if r.curve.Pattern == "" && r.other == "" {
		s.skip("a table without its title, such as # OSU MPI Latency Test v7.4")
		return
	}
	if r.other != "" {
		s.skip(anotherTable + ": " + r.other)
		return
	}
	var p Point
	var why string
	timed := false
	for i, name := range r.columns {
		var bad string
		switch q := osuQuantile.FindStringSubmatch(name); {
		case name == "Size":
			p.Size, bad = size(f[i])
		case name == "Latency (us)", name == "Avg Latency(us)", name == "Pure Comm.(us)":
			p.Seconds, bad = seconds(f[i], perMicro)
			p.Mean, timed = p.Seconds, true
		case name == "Min Latency(us)", name == "Min Comm.(us)":
			p.Least, bad = seconds(f[i], perMicro)
		case name == "Max Latency(us)", name == "Max Comm.(us)":
			p.Most, bad = seconds(f[i], perMicro)
		case name == "Iterations":
			p.Samples, bad = count(f[i])
		case q != nil:
			share, _ := value(q[1])
			at := noise.Quantile{Share: percent(share)}
			at.Length, bad = seconds(f[i], perMicro)
			p.Quantiles = append(p.Quantiles, at)
		}
		why = first(why, bad)
	}
	if !timed {
		why = first(why, notARow)
	}
	if why = first(why, checkPoint(p)); why != "" {
		s.skip(why)
		return
	}
	r.curve.Points = append(r.curve.Points, p)
	s.record()
}

// checkPoint returns why the values of a size contradict each other, "" if they do not.
func checkPoint(p Point) string {
	switch {
	case p.Seconds == 0:
		return "a time of zero"
	case p.Most > 0 && p.Most < p.Least:
		return "a maximum below the minimum"
	}
	for i, q := range p.Quantiles {
		if q.Share > 1 || i > 0 && !(q.Share > p.Quantiles[i-1].Share &&
			q.Length >= p.Quantiles[i-1].Length) {
			return "quantiles that do not ascend"
		}
	}
	return ""
}

func (r *osu) close(m *Measurement) {
	if len(r.curve.Points) > 0 {
		m.Curves = append(m.Curves, r.curve)
	}
	*r = osu{}
}
