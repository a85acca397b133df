package formats

import "strings"

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
	r := sizes{known: []column{col(messageSize, "size|bytes"), col(average, "time"),
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
			if n, why := count(s.fields[1]); why == "" && int(n) >= r.curve.Processes && n < 1<<24 {
				r.curve.Processes = int(n) + 1
			}
		}},
		rule{`^# (?:nccl-tests version|rccl-tests)`, func(s *source) {
			s.fact("version", strings.Trim(s.text, "# "))
		}},
		rule{"", func(s *source) {
			// There may be columns without a name at the end.
			if !r.has(average) || len(s.fields) < len(r.layout) {
				s.refuse(notARow)
				return
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
