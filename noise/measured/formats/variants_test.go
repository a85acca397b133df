package formats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustRead(t *testing.T, text string) Measurement {
	t.Helper()
	m, err := Read(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Titles of the OSU benchmarks, and the names of MPI.
func TestOSUTitles(t *testing.T) {
	for title, want := range map[string]string{
		"MPI Latency Test v5.9":                                        "one-way latency",
		"MPI-CUDA Latency Test v6.1":                                   "one-way latency",
		"MPI Multi Latency Test v7.0":                                  "one-way latency",
		"MPI Multi-threaded Latency Test v7.0":                         "one-way latency",
		"MPI All-to-All Personalized Exchange Latency Test v7.4":       "collective alltoall",
		"MPI All-to-Allv Personalized Exchange Latency Test v7.4":      "collective alltoallv",
		"MPI Broadcast Latency Test v4.2":                              "collective bcast",
		"MPI Reduce_scatter Latency Test v5.6.3":                       "collective reduce_scatter",
		"MPI Non-blocking Allreduce Latency Test v5.6.3":               "collective allreduce",
		"MPI-CUDA Non-blocking Broadcast Latency Test v5.6.3":          "collective bcast",
		"MPI Persistent All-to-All Personalized Exchange Test v7.4.1":  "collective alltoall",
		"NCCL-CUDA Allreduce Latency Test v7.5":                        "collective allreduce",
		"NCCL-CUDA All-to-All Personalized Exchange Latency Test v7.5": "collective alltoall",
		"NCCL-CUDA Latency Test v7.5":                                  "one-way latency",
	} {
		m := mustRead(t, "# OSU "+title+"\n# Size       Avg Latency(us)\n8    1.00\n")
		if got := fmt.Sprint(m.Curves[0].Pattern, " ", m.Curves[0].Operation); got != want {
			t.Errorf("%s is %s, want %s", title, got, want)
		}
	}
}

// Columns that are not of use, and those of non-blocking collectives.
func TestOSUColumns(t *testing.T) {
	m := mustRead(t, `# OSU MPI Non-blocking Allreduce Latency Test v5.6.3
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
8                      20.00             12.00              9.00             11.11
# OSU MPI Latency Test v7.5
# Size       Avg Latency(us)        Validation
8                       2.00              Pass
`)
	if len(m.Curves) != 2 || m.Curves[0].Points[0].Seconds != 9e-6 ||
		m.Curves[1].Points[0].Seconds != 2e-6 {
		t.Errorf("%+v", m.Curves)
	}
}

// With --cpu_util there is a column more. The row is of a published run with -D.
func TestPerftestProcessorTime(t *testing.T) {
	m := mustRead(t, "                    Send Latency Test\n"+
		" #bytes        #iterations       t_avg[usec]    tps average    CPU_Util[%]\n"+
		" 64            151456            99.03          5048.78\t\t3.20\n")
	want := []Point{{Size: 64, Seconds: 99.03 * us, Mean: 99.03 * us, Samples: 151456}}
	if diff := cmp.Diff(want, m.Curves[0].Points, alike); diff != "" {
		t.Error(diff)
	}
}

// Of groups that run at the same time, the first is read.
func TestIMBGroups(t *testing.T) {
	m := mustRead(t, `# Benchmarking Multi-PingPong
# Benchmarking PingPong
# ( 2 groups of 2 processes each running simultaneous )
 Group #bytes #repetitions t[usec] Mbytes/sec
 0 8 1000 2.00 4.00
 1 8 1000 3.00 2.67
`)
	want := []Point{{Size: 8, Seconds: 2e-6, Samples: 1000}}
	if diff := cmp.Diff(want, m.Curves[0].Points, alike); diff != "" || len(m.Curves) != 1 {
		t.Errorf("%v", m.Curves)
	}
	if len(m.Skipped) != 2 || m.Skipped[1] != (Skip{"a row of another group", 1, 6}) {
		t.Errorf("%v", m.Skipped)
	}
}

// Where the time falls far, another run begins; where it falls a little, lines
// are in the wrong order.
func TestRunsWithoutHeader(t *testing.T) {
	m := mustRead(t, "# Selfish Benchmark\n"+
		"100\t10\n900\t10\n800\t10\n1000\t10\n105\t20\n300\t20\n")
	want := cores(0,
		core(0, 1010*ns, 100*ns, 10*ns, 800*ns, 10*ns, 900*ns, 10*ns, 1000*ns, 10*ns),
		core(0, 320*ns, 105*ns, 20*ns, 300*ns, 20*ns))
	if diff := cmp.Diff(want, m.Trace, alike); diff != "" {
		t.Error(diff)
	}
	if len(m.Notes) != 3 ||
		m.Notes[1] != "1 detours of core 0 were not in the order of their times" {
		t.Errorf("%q", m.Notes)
	}
}

// Each table and each run of a file that holds several is one of its own.
func TestSeveralRuns(t *testing.T) {
	hist := "# Histogram\n000001 000003\n# Min Latencies: 00001\n"
	if m := mustRead(t, hist+hist); len(m.Histograms) != 2 || len(m.Notes) != 0 {
		t.Errorf("%+v", m)
	}
	rtla := "# RTLA timerlat histogram\nIndex Thr-001\n0 4\n1 5\nover: 0\ncount: 9\n"
	if m := mustRead(t, rtla+strings.Replace(rtla, "timerlat", "osnoise",
		1)); len(m.Histograms) != 2 || m.Histograms[0].Kind != Wakeups ||
		m.Histograms[1].Kind != Detours {
		t.Errorf("%+v", m)
	}
	ftq := "# Frequency 1000\n# Ticks per ns: 1\n0 4\n1000 3\n2000 4\n3000 4\n"
	if m := mustRead(t, ftq+ftq); len(m.Trace.Cores) != 2 {
		t.Errorf("%+v", m.Trace)
	}
	fwq := "# Fixed Work Quantum Benchmark\n0 10\n1 11\n"
	if m := mustRead(t, fwq+fwq+"0 10\n1 12\n"); len(m.Trace.Cores) != 3 {
		t.Errorf("%+v", m.Trace)
	}
	jitter := "core_i: 3\nint_n: 0\nruntime(s): 5.000\n"
	if m := mustRead(t, jitter+jitter); len(m.Histograms) != 2 || m.Histograms[0].Span != 5 ||
		m.Histograms[0].Core != 3 {
		t.Errorf("%+v", m)
	}
}

// A tool that watched and saw nothing has measured something.
func TestNothingSeen(t *testing.T) {
	m := mustRead(t, "hwlatdetect:  test duration 60 seconds\nMax Latency: Below threshold\n")
	if diff := cmp.Diff(cores(0, core(0, 60)), m.Trace, alike); diff != "" {
		t.Error(diff)
	}
}

// Nor is a table of rtla without columns cut off: "rtla/osnoise: Better report when histogram is
// empty", a mail to linux-kernel.
func TestNoNoise(t *testing.T) {
	m := mustRead(t, "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:00:05\n"+
		"Index\nover: 0\ncount: 0\nmin: 0\navg: 0\nmax: 0\n")
	want := []Histogram{{Column: "all CPUs", Kind: Detours, Span: 5}}
	if diff := cmp.Diff(want, m.Histograms, alike); diff != "" || len(m.Notes) > 0 {
		t.Errorf("%s %q", diff, m.Notes)
	}
}

// The width of bins is not reported where there is one row.
func TestOneRow(t *testing.T) {
	m := mustRead(t, "# RTLA osnoise histogram\nIndex CPU-000\n10 4\nover: 0\ncount: 4\n")
	if b := m.Histograms[0].Bins[0]; b != (Bin{10e-6, 11e-6, 4}) || len(m.Notes) != 1 {
		t.Errorf("%v %q", b, m.Notes)
	}
}

// The mark that Windows puts before text is not part of it.
func TestByteOrderMark(t *testing.T) {
	if m := mustRead(t,
		"\ufeff# OSU MPI Latency Test v5.9\r\n# Size          Latency (us)\r\n8  1.00\r\n"); m.Format != "OSU" {
		t.Errorf("%+v", m)
	}
}

// A mark alone is an empty file.
func TestByteOrderMarkAlone(t *testing.T) {
	if _, err := Read(strings.NewReader("\ufeff"), "f"); err == nil {
		t.Error("it has a measurement")
	}
}

// What mpirun puts before lines is not part of them.
func TestTaggedOutput(t *testing.T) {
	m := mustRead(t, "[1,0]<stdout>:# OSU MPI Latency Test v5.9\n[1,0]<stdout>:"+
		"# Size          Latency (us)\n[1,0]<stdout>: 8  1.00\n[1,1]<stderr>:done\n")
	if m.Format != "OSU" || len(m.Curves[0].Points) != 1 {
		t.Errorf("%+v", m)
	}
}

// Lengths and times that wrapped around, or are of another unit, are skipped.
func TestBeyond(t *testing.T) {
	m := mustRead(t, "0\t10\n100\t7686143364045646503\n1e18\t10\n200\t10\n")
	if len(m.Trace.Cores[0].Detours) != 2 || len(m.Skipped) != 1 ||
		m.Skipped[0] != (Skip{beyond, 2, 2}) {
		t.Errorf("%+v", m)
	}
}

// The tool's period counts where it is longer than by its rounding.
func TestSelfishPeriod(t *testing.T) {
	for period, want := range map[string]float64{"0.02": 0.016 + 10*ns, "0.03": 0.03} {
		m := mustRead(
			t,
			"# Selfish Benchmark\n0 10\n16000000 10\n# CPU overhead due to noise: 0.00%\n# Measurement period: "+period+" s\n",
		)
		if span := m.Trace.Cores[0].Span; span < want-1e-12 || span > want+1e-12 {
			t.Errorf("a period of %s s is %g s, want %g s", period, span, want)
		}
	}
}

// What FTQ loses of less than a unit of work is that of its clock. Here it is 5 ns
// of a quantum of a hundred units of 10 ns.
func TestFTQWithoutHeaders(t *testing.T) {
	run := "0 100\n1000 100\n2005 100\n3005 90\n4005 100\n"
	m := mustRead(t, "# Frequency 1000000\n# Ticks per ns: 1\n"+run+run)
	c := core(0, 4005*ns, 3005*ns, 100*ns)
	if diff := cmp.Diff(cores(10*ns, c, c), m.Trace, alike); diff != "" {
		t.Error(diff)
	}
}

// With -N times are in nanoseconds, and Act: is wider than Min:.
func TestCyclictestNanoseconds(t *testing.T) {
	m := mustRead(t, "T: 0 ( 2613) P:99 I:1000 C: 100000 Min:   1510 Act:    9664 Avg:    9664 Max:  273969\n"+
		"# Histogram\n001510 099999\n# Min Latencies: 01510\n# Max Latencies: 273969\n"+
		"# Histogram Overflows: 00001\n")
	want := []Histogram{{Column: "thread 0", Kind: Wakeups, Samples: 100000, Over: 1, Least: 1510 * ns,
		Unit: ns, Most: 273969 * ns, Interval: 1e-3, Bins: []Bin{{1510 * ns, 1511 * ns, 99999}}}}
	if diff := cmp.Diff(want, m.Histograms, alike); diff != "" {
		t.Error(diff)
	}
	// Versions of 2008 have wider numbers, of microseconds.
	m = mustRead(t, "T: 0 ( 3431) P:80 I:   10000 C:     100 Min:       5 Act:      10 Avg:      14 "+
		"Max:      39\n")
	if h := m.Histograms[0]; h.Least != 5*us || h.Most != 39*us {
		t.Errorf("%+v", h)
	}
}

// With -N -q only a command line reports the unit. Without one, a table whose least delay is too
// long for microseconds is refused.
func TestCyclictestUnit(t *testing.T) {
	table := "# /dev/cpu_dma_latency set to 0us\n# Histogram\n001509 000000\n001510 000004\n" +
		"001511 000001\n# Min Latencies: 01510\n# Max Latencies: 01511\n# Histogram Overflows: 00000\n"
	verbose := "       0:       0:    1510\n       0:       1:    1600\n"
	for command, want := range map[string]float64{
		"# cyclictest -m -qN -p99 -h 20000\n":        1510 * ns,
		"$ sudo ./cyclictest -q --nsecs -h20000\n":   1510 * ns,
		"/usr/bin/cyclictest -m -Sp99 -h 20000 -q\n": 1510 * us,
	} {
		for _, text := range []string{table, verbose} {
			m := mustRead(t, command+text)
			if h := m.Histograms[0]; math.Abs(h.Bins[0].From-want) > 1e-15 {
				t.Errorf("%s%s%+v", command, text, h)
			}
		}
	}
	all := strings.ReplaceAll(strings.ReplaceAll(table, "001510 000004\n", ""), "001511 000001\n", "")
	all = strings.ReplaceAll(all, "Overflows: 00000", "Overflows: 00005")
	for _, text := range []string{table, verbose, all, "Running cyclictest\n" + table} {
		_, err := Read(strings.NewReader(text), "f")
		if err == nil || !strings.Contains(err.Error(), "no wake-up took less than 1510, which are ns") {
			t.Errorf("%s%v", text, err)
		}
	}
	if m := mustRead(t, strings.ReplaceAll(table, "15", "04")); m.Histograms[0].Least != 410*us {
		t.Errorf("%+v", m.Histograms)
	}
}

// Newer versions of hwlatdetect count the gaps of a window. The tracer, and the report
// alone, are read as well.
func TestHwlatVariants(t *testing.T) {
	m := mustRead(t, "ts: 1499801089.066141940, inner:14, outer:10, cpu:1, count:3\n"+
		"ts: 1499801091.066141940, inner:11, outer:12, cpu:1, count:1\n")
	want := core(0, 2.000012, 0, 14*us, 2, 12*us)
	if diff := cmp.Diff(cores(0, want), m.Trace, alike); diff != "" {
		t.Error(diff)
	}
	if len(m.Notes) != 1 || !strings.HasPrefix(m.Notes[0], "it counts 2 gaps more") {
		t.Errorf("%q", m.Notes)
	}
	m = mustRead(t, "# tracer: hwlat\n"+
		"  <...>-1729 [001] d..1 678.47: #1 inner/outer(us): 14/10 ts:1499801089.066141940 count:1\n"+
		"  <...>-1729 [004] d..1 680.47: #2  inner/outer(us):   11/12    ts:1499801091.066141940\n")
	if diff := cmp.Diff(cores(0, want), m.Trace, alike); diff != "" {
		t.Error(diff)
	}
	m = mustRead(t, "$ sudo hwlatdetect --duration=1h --threshold=10 --width=500ms\ntest finished\n"+
		"Samples exceeding threshold: 0\n")
	if diff := cmp.Diff(cores(10*us, core(0, 3600)), m.Trace, alike); diff != "" {
		t.Error(diff)
	}
	m = mustRead(t, "1347415723.0232202770   0       2\n1347415725.0234202822   0       3\n")
	if m.Format != "hwlatdetect" || len(m.Trace.Cores[0].Detours) != 2 {
		t.Errorf("%+v", m)
	}
}

// The first versions of the OSU benchmarks, files without a title, and columns of types.
func TestOSUHeaders(t *testing.T) {
	for title, want := range map[string]string{
		"# OSU MPI Latency Test (Version 2.0)\n# Size\t\tLatency (us) \n":                             "one-way latency",
		"# OSU MPI-ZE Latency Test v5.6.2\n# Size       Latency (us)\n":                               "one-way latency",
		"# OSU MPI-SYCL Allreduce Latency Test v7.3\n# Size  Avg Latency(us)\n":                       "collective allreduce",
		"# OSU MPI-CUDA Latency Test v7.2\n# Size     Latency (us)\n# Datatype: MPI_CHAR.\n":          "one-way latency",
		"# OMB Python MPI Latency Test\n# Size (B)      Latency (us)\n":                               "one-way latency",
		"# OMB Python MPI Allreduce Test\n# Size (B)      Latency (us)\n":                             "collective allreduce",
		"# Size          Latency (us)\n":                                                              "one-way latency",
		"mpirun: warning\n# OSU MPI Latency Test v7.4\r\n# Datatype: MPI_INT.\n# Size Latency (us)\n": "one-way latency",
	} {
		m := mustRead(t, title+"8    1.25\n")
		if c := m.Curves[0]; fmt.Sprint(c.Pattern, " ", c.Operation) != want ||
			c.Points[0].Size != 8 || c.Points[0].Seconds != 1.25*us {
			t.Errorf("%q is %+v, want %s", title, c, want)
		}
	}
	m := mustRead(t, "# OSU MPI Latency Test v7.4\n# Size Avg Latency(us)    Transmit Size\n8  1.25  16\n")
	if p := m.Curves[0].Points[0]; p.Size != 8 {
		t.Errorf("%+v", p)
	}
	_, err := Read(strings.NewReader("# Size       Avg Latency(us)\n8   1.25\n"), "f")
	if err == nil || !strings.Contains(err.Error(), "(mostly a table without its title, such as ") {
		t.Errorf("%v", err)
	}
}

// Sizes and latencies alone are refused, and read below the header that the error names.
func TestSizesAlone(t *testing.T) {
	rows := "0\t1.61\n1\t1.62\n2\t1.61\n4\t1.62\n8\t1.62\n1024\t2.46\n4194304\t353.12\n"
	_, err := Read(strings.NewReader("#bytes\tus\n"+rows), "f")
	_, header, _ := strings.Cut(fmt.Sprint(err), "put ")
	header, _, _ = strings.Cut(header, " before the rows")
	if m := mustRead(t, header+"\n"+rows); m.Format != "OSU" || len(m.Curves[0].Points) != 7 {
		t.Errorf("%v: %+v", err, m)
	}
	if m := mustRead(t, "1\t1\n4\t1\n9\t1\n"); m.Format != "LogGOPSim" {
		t.Errorf("%+v", m)
	}
}

// Times and counts of FTQ, which paste joins, are reported from a trace of periodic noise.
func TestFTQWithoutHeader(t *testing.T) {
	ftq, noise := "", ""
	for i := range 40 {
		ftq += fmt.Sprintf("%d\t%d\n", i*2400000+i%7, 45230-i%3-1000*(i%8/7))
		noise += fmt.Sprintf("%d\t%d\n", i*1000000, 3200+i%3+9000*(i%8/7))
	}
	_, err := Read(strings.NewReader(ftq), "f")
	if err == nil || !strings.Contains(err.Error(), "# Ticks per ns: 2.4") {
		t.Errorf("%v", err)
	}
	if m := mustRead(t, "# Ticks per ns: 2.4\n"+ftq); m.Format != "FTQ" {
		t.Errorf("%+v", m)
	}
	for _, text := range []string{noise, periodic(40, "25000")} {
		if m := mustRead(t, text); m.Format != "LogGOPSim" || len(m.Trace.Cores[0].Detours) != 40 {
			t.Errorf("%+v", m)
		}
	}
}

// periodic returns the rows of n detours of this length [ns], one per millisecond.
func periodic(n int, length string) (text string) {
	for i := range n {
		text += fmt.Sprintf("%d\t%s\n", i*1000000, length)
	}
	return text
}

// A log of every repetition of sockperf counts, rather than the percentiles above it.
func TestSockperfLog(t *testing.T) {
	m := mustRead(t, "test was performed using the following parameters: --mps=10000 --burst=1 "+
		"--msg-size=64 --time=1\nsockperf: ---> MAX observation =    9.000\n"+
		"packet, txTime(sec), rxTime(sec), rtt(usec)\n"+
		"0, 0.400000000, 0.400003000, 3.000\n1, 0.500000000, 0.500002000, 2.000\n2, 0.6, 0.61, -1.0\n")
	want := []Point{{Size: 64, Seconds: 1.5 * us, Mean: 1.25 * us, Least: 1 * us, Most: 1.5 * us,
		Samples: 2, Quantiles: steps(1*us, 1.5*us)}}
	if diff := cmp.Diff(want, m.Curves[0].Points, alike); diff != "" {
		t.Error(diff)
	}
}

// The table of rtla may be all that is left.
func TestRTLAWithoutHead(t *testing.T) {
	m := mustRead(t, "Index   IRQ-000   Thr-000\n0   4   0\n1  1   5\nover:  0  0\ncount: 5  5\n")
	if len(m.Histograms) != 2 || m.Histograms[1].Kind != Wakeups || len(m.Notes) != 1 {
		t.Errorf("%+v", m)
	}
	m = mustRead(t, "Index   CPU-000\n0   4\n1  1\nover:  0\ncount: 5\n")
	if m.Histograms[0].Kind != Detours {
		t.Errorf("%+v", m)
	}
}

// The tests of NCCL 1 have milliseconds, and those without a name may be of messages.
func TestNCCLOld(t *testing.T) {
	m := mustRead(
		t,
		"#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res\n"+
			"           8             2   float     sum    0.020   0.00   0.00    0e+00    0.018   0.00   0.00    0e+00\n",
	)
	if p := m.Curves[0].Points[0]; math.Abs(p.Seconds-20*us) > 1e-12 ||
		!strings.HasSuffix(m.Instead, "put # Collective test starting: sendrecv_perf before the table") {
		t.Errorf("%+v", m)
	}
}

// JSON that is cut off, of another tool, or in nanoseconds.
func TestJSONVariants(t *testing.T) {
	head := "{\n \"num_threads\": 1,\n \"resolution_in_ns\": 1,\n \"cmdline:\": \"%s\",\n \"thread\": {\n"
	thread := "  \"0\": {\"histogram\": {\"1510\": 3, \"x\": 1, \"-1\": 1}, \"cycles\": 5, \"min\": 1510, \"max\": 2000}\n }\n}\n"
	m := mustRead(t, fmt.Sprintf(head, "./cyclictest -N")+thread)
	want := []Histogram{{Column: "thread 0", Kind: Wakeups, Samples: 5, Over: 2, Least: 1510 * ns,
		Unit: ns, Most: 2000 * ns, Bins: []Bin{{1510 * ns, 1511 * ns, 3}}}}
	if diff := cmp.Diff(want, m.Histograms, alike); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		fmt.Sprintf(head, "cyclictest") + thread[:40]:        "f:6: it is not JSON of cyclictest or oslat: unexpected EOF; is the file complete?",
		fmt.Sprintf(head, "cyclictest") + "nan" + thread:     "f:6: it is not JSON of cyclictest or oslat: invalid character",
		fmt.Sprintf(head, "/usr/bin/signaltest -t") + thread: "f:8: the JSON was written by signaltest; import reads",
		fmt.Sprintf(head, "cyclictest") + "}}":               "f:6: nothing was measured in the 6 lines",
	} {
		if _, err := Read(strings.NewReader(text), "f"); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// Without a histogram there is a summary.
	m = mustRead(t, fmt.Sprintf(head, "")+"\"0\": {\"cycles\": 5, \"min\": 1510, \"max\": 2000}}}")
	if len(m.Histograms) != 1 || m.Histograms[0].Samples != 5 || m.Instead == "" ||
		len(m.Notes) > 0 {
		t.Errorf("%+v", m)
	}
	// Bins below a microsecond have digits after the point, and the least is in ns.
	m = mustRead(t, fmt.Sprintf(head, "oslat -W 500")+
		"\"0\": {\"cpu\": 1, \"min\": 400, \"max\": 1900, \"duration\": 1, \"histogram\": {"+
		"\"0.500\": 2000000, \"1.000\": 5, \"2.000\": 1}}}}")
	h := m.Histograms[0]
	if h.Core != 1 || h.Samples != 6 || h.Over != 0 || len(h.Bins) != 2 ||
		math.Abs(h.Most-1400*ns) > 10*ns {
		t.Errorf("%+v", h)
	}
}

// A file may have several tests, each of the size of its own command line. Those of
// throughput and of bursts have no latencies.
func TestSockperfSeveral(t *testing.T) {
	part := "# sockperf ping-pong -i 10.42.131.14 -m %d\nsockperf: Summary: Round trip is %d.0 usec\n" +
		"sockperf: ---> percentile 99.000 = %d.0\nsockperf: ---> percentile 50.000 = %d.0\n"
	m := mustRead(t, fmt.Sprintf(part+part, 64, 8, 12, 6, 1024, 80, 120, 60))
	want := []Curve{
		{Pattern: OneWay, Operation: "sockperf", Points: []Point{{Size: 64, Seconds: 3 * us, Mean: 4 * us,
			Quantiles: quantiles(.5, 3*us, .99, 6*us)}}},
		{Pattern: OneWay, Operation: "sockperf", Points: []Point{{Size: 1024, Seconds: 30 * us,
			Mean: 40 * us, Quantiles: quantiles(.5, 30*us, .99, 60*us)}}},
	}
	if diff := cmp.Diff(want, m.Curves, alike); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"sockperf: Summary: Message Rate is 325020 [msg/sec]\n": "f:1: this is a test of throughput; run",
		"sockperf: Summary: Latency of burst of 10 messages is 9.000 usec\n": "f:1: nothing was measured " +
			"in the 1 lines of this sockperf output (mostly times of bursts of messages; run without",
	} {
		if _, err := Read(strings.NewReader(text), "f"); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// rtla prints where it saves its trace, and people put the end of that below its table.
func TestRTLATopWithTrace(t *testing.T) {
	m := mustRead(
		t,
		"  0 00:00:59   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)\n"+
			"CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max\n"+
			"  6 #58634     |        1         0         1        10 |       11         2        10        30\n"+
			"---------------|----------------------------------------|---------------------------------------\n"+
			"ALL #58634  e0 |                  0         1        10 |                  2        10        30\n"+
			"timerlat hit stop tracing\nsaving trace to timerlat_trace.txt\n"+
			"sh-109404  [006] d...313   426.271263: thread_noise:       sh:109404 start 426.271245853 duration 4769 ns\n"+
			"timerlat/6-79756   [006] .......   426.271264: #58634 context thread timer_latency     30328 ns\n",
	)
	if m.Format != "rtla top" || len(m.Histograms) != 2 || m.Histograms[1].Most != 30*us {
		t.Errorf("%+v", m)
	}
}

// Scripts that plot a histogram of cyclictest leave the rows alone.
func TestCyclictestRows(t *testing.T) {
	m := mustRead(t, "000000\t000000\t000000\n000001\t000000\t000003\n000002\t013847\t003773\n")
	if m.Format != "cyclictest" || len(m.Histograms) != 2 || m.Histograms[1].Samples != 3776 ||
		!slices.Contains(m.Notes, "a histogram ends without its summary; the file may be cut off") {
		t.Errorf("%+v", m)
	}
}
