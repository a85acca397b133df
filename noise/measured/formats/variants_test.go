package formats

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

func mustRead(t *testing.T, text string) Measurement {
	t.Helper()
	m := tests.Must(Read(strings.NewReader(text), "f"))(t)
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
