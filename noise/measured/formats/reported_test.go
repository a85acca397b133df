package formats

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// readReported reads a file of testdata/reported, whose numbers are made up.
func readReported(t *testing.T, name string) Measurement {
	t.Helper()
	text := tests.Must(os.ReadFile("testdata/reported/" + name))(t)
	return mustRead(t, string(text))
}

// meanOf returns the mean of the lengths of all histograms, with lengths in the middles of bins.
func meanOf(all []Histogram) float64 {
	sum, n := 0.0, 0.0
	for _, h := range all {
		for _, b := range h.Bins {
			sum += float64(b.Count) * (b.From + b.To) / 2
		}
		sum, n = sum+float64(h.Over)*h.OverMean, n+float64(h.Samples)
	}
	return sum / n
}

// restOver returns how long the lengths beyond the bins of a histogram are, but the longest.
func restOver(h Histogram) float64 {
	return (h.OverMean*float64(h.Over) - h.Most) / float64(h.Over-1)
}

// What a file reports of its lengths says how wide its bins are, and how long those beyond them.
func TestWhatIsToldIsUsed(t *testing.T) {
	for _, c := range []struct {
		name         string
		mean, others float64 // µs
		within       float64
	}{
		// Without rows of zeros: (900·10.5 + 90·20.5 + 10·40.5)/1000.
		{"rtla_hist_sparse_rows.txt", 11.7, 0, 1e-9},
		{"sp3.txt", (4*50.5 + 3*100.5) / 7, 0, 1e-9},
		{"sp4.txt", (4*50.5 + 3*100.5) / 7, 0, 1e-9},
		// Means of lengths that were cut to µs: (40600 − 9900 − 100 − 6000)/49, and half a µs more.
		{"rtla_osnoise_overflow_mean.txt", 4.56, 24600. / 49, 1},
		{"j1.json", 7.64, 500, 1},
		{"o1.json", 7.5, 8010, 50},
	} {
		m := readReported(t, c.name)
		if got := meanOf(m.Histograms); math.Abs(got/us-c.mean) > 1e-3 && c.others == 0 ||
			math.Abs(got/us-c.mean) > 0.011 {
			t.Errorf("%s: a mean of %g µs, want %g", c.name, got/us, c.mean)
		}
		if h := m.Histograms[0]; c.others > 0 && math.Abs(restOver(h)/us-c.others) > c.within {
			t.Errorf("%s: %g µs beyond the bins, want %g", c.name, restOver(h)/us, c.others)
		}
		if len(m.Notes) > 0 {
			t.Errorf("%s: %q", c.name, m.Notes)
		}
	}
}

// Where most samples are beyond the bins, the mean that the tool reports is that of the lengths;
// where few are, its rounding says nothing of them. The numbers are of CPU 0 of rtla timerlat
// hist -E 20 in a mail to linux-kernel, "rtla/timerlat: Add a summary for hist mode".
func TestSamplesBeyondTheBins(t *testing.T) {
	h := Histogram{Column: "x", Bins: []Bin{{18 * us, 19 * us, 2}, {19 * us, 20 * us, 1}}, Over: 9998,
		Samples: 10001, Least: 18 * us, Mean: 204 * us, Digit: us, Unit: us, Most: 450 * us}
	settled := func(h Histogram) Histogram {
		m := Measurement{Histograms: []Histogram{h}}
		newSource(strings.NewReader(""), "f", defaults).reported(&m)
		return m.Histograms[0]
	}
	// 204 is cut off, and each length too: 205 on average.
	if h := settled(h); math.Abs(meanOf([]Histogram{h})-205*us) > 1e-9 {
		t.Errorf("%g, %+v", meanOf([]Histogram{h}), h)
	}
	h = Histogram{Bins: []Bin{{0, us, 100000}}, Over: 3, Samples: 100003, Mean: us, Digit: us, Unit: us,
		Most: 9 * us}
	if h := settled(h); h.OverMean != 0 {
		t.Errorf("a mean cut off to a unit gives lengths of %g s beyond the bins", h.OverMean)
	}
	// Of a hundred samples from 1 to 9 µs and one below: means that they have, and one that none
	// has.
	for mean, want := range map[float64]float64{3 * us: 3.474747 * us, 8.8 * us: 9 * us, 1: 0} {
		h = Histogram{Bins: []Bin{{0, us, 1}}, Over: 100, Samples: 101, Mean: mean, Digit: us / 100, Unit: us,
			Most: 9 * us}
		if h := settled(h); want == 0 && h.OverMean != 0 || want > 0 && math.Abs(restOver(h)-want) > 1e-11 {
			t.Errorf("a mean of %g is one of %g beyond the bin, want %g", mean, restOver(h), want)
		}
	}
}

// Files as people have them: with a prefix, a command, or an event's system before what is known.
func TestSurroundings(t *testing.T) {
	rows, bare := readReported(t, "cyclictest_rows_step2_command.txt"), readReported(t, "perf_osn_noprefix.txt")
	for before, after := range map[string]string{"$ ": "", "root@n1:~# ": "", "": "; date", "time ": " | tee x"} {
		text := tests.Must(os.ReadFile("testdata/reported/cyclictest_rows_step1.txt"))(t)
		m := mustRead(t, before+"cyclictest -q -h 20000 -N"+after+"\n"+string(text))
		if fmt.Sprint(m.Histograms) != fmt.Sprint(rows.Histograms) || rows.Histograms[0].Bins[0].From != 900*ns {
			t.Errorf("%q, %q: %+v", before, after, m.Histograms)
		}
	}
	if m := readReported(t, "perf_osn.txt"); fmt.Sprint(m.Trace, m.Sources) != fmt.Sprint(bare.Trace, bare.Sources) {
		t.Errorf("%+v", m.Trace)
	}
	lavah := tests.Must(os.ReadFile("testdata/reported/lavah.txt"))(t)
	plain := mustRead(t, strings.ReplaceAll(string(lavah), "| ", ""))
	if m := readReported(t, "lavah.txt"); fmt.Sprint(m.Histograms) != fmt.Sprint(plain.Histograms) ||
		len(m.Histograms) != 2 {
		t.Errorf("%+v", m.Histograms)
	}
	m := readReported(t, "rtla_title_prefixed.txt")
	if h := m.Histograms[0]; len(m.Notes) > 0 || h.Least != 1003*ns || h.Kind != Interrupts {
		t.Errorf("%+v, %q", h, m.Notes)
	}
	text := strings.ReplaceAll(string(lavah), "\n", "\r")
	if m := mustRead(t, text); fmt.Sprint(m.Histograms) != fmt.Sprint(plain.Histograms) {
		t.Errorf("with carriage returns: %+v", m.Histograms)
	}
}

func mustRead(t *testing.T, text string) Measurement {
	t.Helper()
	return tests.Must(Read(strings.NewReader(text), "f", -1))(t)
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
	_, err := Read(strings.NewReader("#bytes\tus\n"+rows), "f", -1)
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
	tests.Fails(t, "# Ticks per ns: 2.4")(Read(strings.NewReader(ftq), "f", -1))
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
