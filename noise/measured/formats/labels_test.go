package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const labelled = "# OSU MPI Latency Test v7.3\n# Datatype: MPI_CHAR.\n" +
	"# Size       Avg Latency(us)\n\n1                       1.94\n8                       1.93\n"

// prefixed puts a label before each line.
func prefixed(text string, label func(line int) string) string {
	lines := strings.SplitAfter(text, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = label(i) + lines[i]
	}
	return strings.Join(lines, "")
}

// Labels before lines are taken off, whichever they are.
func TestLabels(t *testing.T) {
	want := mustRead(t, labelled)
	for _, label := range []string{
		"0: ", " 12:", "[0] ", "[1,0]<stdout>:", "[1,0]<stdout>: ",
		"[prterun-n1-2077@1,0]<stdout>: ", "Sun Dec 24 09:52:05 2017[1,0]<stdout>:",
		"2024-01-05T12:00:00.123456789Z ", "[2024-01-05 12:00:00,123] ", "2024-01-05 12:00:00 ",
		"Nov  3 03:23:00 ", "Nov 23 03:23:00 node7 osu[312]: ", "[pod/mpi-launcher/main] ",
		"worker-1  | ", "[STDOUT] ", "[2023-06-13 09:16:21,301] {osu.py:64} INFO - ",
		"2019-01-11 09:21:53,782 - INFO - ", "node07.cluster: ", "> ", ">> ", "2024-01-05T12:00:00Z 0: ",
		"\x1b[32mworker-1 |\x1b[0m ", "2024-01-05T12:00:00Z [1,0]<stdout>:", "> > > ", "[OUTPUT] ",
		"[VM 1] ",
	} {
		got := mustRead(t, prefixed(labelled, func(int) string { return label }))
		if diff := cmp.Diff(want, got, alike); diff != "" {
			t.Errorf("%q (-want +got):\n%s", label, diff)
		}
	}
}

// Lines of several ranks are mixed, and each rank's are read by themselves.
func TestLabelsOfSeveral(t *testing.T) {
	run := []string{"# Histogram", "000001 000003", "000002 000004", "# Min Latencies: 00001",
		"# Max Latencies: 00002", "# Histogram Overflows: 00000"}
	var mixed, late strings.Builder
	for _, line := range run {
		for rank := range 3 {
			fmt.Fprintf(&mixed, "%d: %s\n", rank, strings.Replace(line, "4", fmt.Sprint(4+rank), 1))
		}
		fmt.Fprintf(&late, "node1: %s\nnode2: not found\n", line)
	}
	m := mustRead(t, mixed.String())
	if len(m.Histograms) != 3 || m.Histograms[2].Samples != 9 || m.Histograms[0].Samples != 7 ||
		len(m.Notes) > 0 {
		t.Errorf("%+v", m)
	}
	m = mustRead(t, late.String())
	if len(m.Histograms) != 1 || len(m.Skipped) != 1 ||
		m.Skipped[0] != (Skip{"a line of a rank or host without a measurement", 6, 2}) {
		t.Errorf("%+v", m)
	}
	m = mustRead(t, "> node1: # Selfish Benchmark\n> node1: 10 5\n> node1: 20 5\n")
	if len(m.Trace.Cores) != 1 || len(m.Trace.Cores[0].Detours) != 2 {
		t.Errorf("%+v", m.Trace)
	}
	// The runs of netgauge are cores, and errors tell the line in the file.
	m = mustRead(t, "3: # Selfish Benchmark\n4: # Selfish Benchmark\n3: 10 5\n4: 10 5\n3: 20 5\n")
	if len(m.Trace.Cores) != 2 || len(m.Trace.Cores[0].Detours) != 2 {
		t.Errorf("%+v", m.Trace)
	}
	_, err := Read(strings.NewReader("0: # RTLA osnoise histogram\n1: # RTLA osnoise histogram\n"+
		"0: # Time unit is us\n1: # Time unit is fortnights\n"), "f")
	if err == nil || !strings.HasPrefix(err.Error(), "f:3: ") {
		t.Errorf("%v", err)
	}
}

// What looks like a label is none where the lines are of a format with it.
func TestNoLabels(t *testing.T) {
	m := mustRead(t, "       0:       0:       3\n       1:       0:       4\n")
	if m.Format != "cyclictest" || len(m.Histograms) != 2 {
		t.Errorf("%+v", m)
	}
	if m := mustRead(t, prefixed("0: 0: 3\n1: 0: 4\n", func(int) string {
		return "5: "
	})); m.Format != "cyclictest" || len(m.Histograms) != 2 {
		t.Errorf("%+v", m)
	}
	for _, text := range []string{"0: 12\n1: 13\n", "a: b\nc: d\n", "> hello\n"} {
		if _, err := Read(strings.NewReader(text), "f"); err == nil ||
			!strings.Contains(err.Error(), "has no known format") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Libraries print at length before a tool does.
func TestLateHeader(t *testing.T) {
	m := mustRead(t, "4711\n"+strings.Repeat("n1:23920:24013 [7] NCCL INFO comm 0x7f578 rank 15\n",
		3000)+labelled)
	if m.Format != "OSU" || len(m.Curves[0].Points) != 2 {
		t.Errorf("%+v", m)
	}
}

// The log of a library on several hosts is around the table and between its rows, which are
// without the hosts' names. The rows are of published notes on sendrecv_perf with 8 A100, the
// log of a published run with NCCL_DEBUG=INFO.
func TestLogAroundTable(t *testing.T) {
	info := "n013:101855:101885 [0] NCCL INFO Channel 00/0 : 1[81000] -> 0[81000] " +
		"[receive] via NET/IB/1\n" +
		"n014:101855:101885 [0] NCCL INFO Connected all rings\n"
	m := mustRead(t, "# Collective test starting: sendrecv_perf\n"+strings.Repeat(info, 60)+
		"#       size         count      type   redop    root     time   algbw   busbw #wrong\n"+info+
		"   134217728      33554432     float     sum      -1   1211.2  110.81  110.81      0\n"+info+
		"   268435456      67108864     float     sum      -1   1423.3  188.60  188.60      0\n")
	if m.Format != "nccl-tests" || len(m.Curves) != 1 || m.Curves[0].Operation != "sendrecv" ||
		len(m.Curves[0].Points) != 2 || m.Curves[0].Points[1].Seconds != 1423.3*us {
		t.Errorf("%+v", m)
	}
}

// cyclictest moves the cursor up before it writes its lines again.
func TestEscapes(t *testing.T) {
	m := mustRead(t, "policy: fifo: loadavg: 0.2\n\x1b[2A"+
		"T: 0 ( 1636) P: 2 I:10000 C:   5000 Min:      9 Act:   18 Avg:   15 Max:      30\n\x1b[2A"+
		"T: 0 ( 1636) P: 2 I:10000 C:  10000 Min:      9 Act:   18 Avg:   15 Max:      34\n")
	if h := m.Histograms[0]; h.Samples != 10000 || h.Most != 34*us {
		t.Errorf("%+v", h)
	}
	m = mustRead(t, "\x1bc\x1b[2;37;40m  Timer Latency \x1b[0;0;0m\n"+
		"  0 00:00:01   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)\n"+
		"\x1b[2;30;47mCPU COUNT      |      cur       min       avg       max |  cur   min  avg  max\x1b[0;0;0m\n"+
		"  0 #1003      |        0         0         0         3 |        2         1         2        9\n"+
		"  1 #1003      |        0         0         0         3 |        -         -         -         -\n")
	if len(m.Histograms) != 3 || m.Histograms[1].Most != 9*us {
		t.Errorf("%+v", m.Histograms)
	}
}

// A file with labels is kept in memory, and so may not be as large as others.
func TestLabelsLimit(t *testing.T) {
	text := strings.Repeat("0: # Selfish Benchmark ............................................\n", 20)
	_, err := newSource(strings.NewReader(text), "f", limits{line: 100, lines: 20, records: 5}).measurement()
	if err == nil || !strings.Contains(err.Error(), "cut it into several") {
		t.Errorf("%v", err)
	}
}
