package formats

import (
	"regexp"
	"strings"
)

// nccl-tests and rccl-tests write, by common.cu, a table for each collective, of which
// newer versions tell the name:
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

var (
	ncclHeader = regexp.MustCompile(`^#\s+(?:size|bytes)\s.*\bbusbw\b`)
	ncclName   = regexp.MustCompile(`(?:^# Collective test starting: |/)(\w+)_perf\b`)
	ncclRank   = regexp.MustCompile(`^#\s+Rank\s+(\d+) `)
)

func matchesNCCL(head []string) bool {
	for _, line := range head {
		if ncclHeader.MatchString(line) {
			return true
		}
	}
	return false
}

// untold is the operation of a table without a name.
const untold = "collective"

// An nccl is the state of reading a table.
type nccl struct {
	curve       Curve
	width, time int // number of columns, and which has the time; 0 if there is no header yet
	per         float64
}

func readNCCL(s *source, m *Measurement) {
	r := nccl{}
	r.begin(untold)
	for s.scan() {
		line := s.text
		name, rank := ncclName.FindStringSubmatch(line), ncclRank.FindStringSubmatch(line)
		switch {
		case line == "":
		case name != nil:
			r.close(m)
			r.begin(name[1])
		case ncclHeader.MatchString(line):
			r.header(m, strings.Fields(line)[1:])
		case rank != nil:
			if n, why := count(rank[1]); why == "" && int(n) >= r.curve.Processes && n < 1<<24 {
				r.curve.Processes = int(n) + 1
			}
		case strings.HasPrefix(line, "# nccl-tests version"), strings.HasPrefix(line, "# rccl-tests"):
			s.fact("version", strings.Trim(line, "# "))
		case line[0] == '#':
			s.skip(comment)
		default:
			r.row(s, strings.Fields(line))
		}
	}
	r.close(m)
	m.onlyCollectives("sendrecv_perf")
	if len(m.Curves) > 0 && m.Curves[0].Operation == untold && m.Instead != "" {
		m.Instead += "; if these are of it, put # Collective test starting: sendrecv_perf before " +
			"the table"
	}
}

// begin begins the table of a collective.
func (r *nccl) begin(name string) {
	*r = nccl{curve: Curve{Pattern: Collective, Operation: strings.ReplaceAll(name, "_", "")}}
	if name == "sendrecv" {
		r.curve.Pattern = OneWay
	}
}

// header sets the columns of a table.
func (r *nccl) header(m *Measurement, names []string) {
	if len(r.curve.Points) > 0 { // of another run, whose name is not told
		r.close(m)
		r.begin(untold)
	}
	r.width, r.time, r.per = len(names), 0, perMicro
	if names[0] == "bytes" {
		r.per = 1e3
	}
	for i, name := range names {
		if name == "time" && r.time == 0 {
			r.time = i
		}
	}
}

// row reads a size. There may be columns without a name at the end.
func (r *nccl) row(s *source, f []string) {
	if r.time == 0 || len(f) < r.width {
		s.skip(notARow)
		return
	}
	n, why := size(f[0])
	t, why2 := seconds(f[r.time], r.per)
	p := Point{Size: n, Seconds: t, Mean: t}
	if why = first(why, why2, checkPoint(p)); why != "" {
		s.skip(why)
		return
	}
	r.curve.Points = append(r.curve.Points, p)
	s.record()
}

func (r *nccl) close(m *Measurement) {
	if len(r.curve.Points) > 0 {
		m.Curves = append(m.Curves, r.curve)
	}
}
