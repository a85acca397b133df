package formats

import (
	"fmt"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

func mustRead(t *testing.T, text string) Measurement {
	t.Helper()
	return tests.Must(Read(strings.NewReader(text), "f"))(t)
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
	tests.Fails(t, "# Ticks per ns: 2.4")(Read(strings.NewReader(ftq), "f"))
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
