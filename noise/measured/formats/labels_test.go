package formats

import (
	"strings"
	"testing"

	"jitterfly/internal/tests"
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
		if diff := tests.Diff(want, got, alike); diff != "" {
			t.Errorf("%q (-want +got):\n%s", label, diff)
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

// A file with labels is kept in memory, and so may not be as large as others.
func TestLabelsLimit(t *testing.T) {
	text := strings.Repeat("0: # Selfish Benchmark ............................................\n", 20)
	tests.Fails(t, "cut it into several")(
		read(strings.NewReader(text), "f", limits{line: 100, lines: 20, records: 5}, -1),
	)
}
