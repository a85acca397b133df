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

// A command line that people put before the rows of its output says their unit, and carriage returns
// alone end lines too.
func TestSurroundings(t *testing.T) {
	rows, lavah := readReported(t, "cyclictest_rows_step2_command.txt"), readReported(t, "lavah.txt")
	for before, after := range map[string]string{
		"$ ": "", "root@n1:~# ": "", "": "; date", "time ": " | tee x",
	} {
		text := tests.Must(os.ReadFile("testdata/reported/cyclictest_rows_step1.txt"))(t)
		m := mustRead(t, before+"cyclictest -q -h 20000 -N"+after+"\n"+string(text))
		if fmt.Sprint(m.Histograms) != fmt.Sprint(rows.Histograms) {
			t.Errorf("%q, %q: %+v", before, after, m.Histograms)
		}
	}
	text := string(tests.Must(os.ReadFile("testdata/reported/lavah.txt"))(t))
	m := mustRead(t, strings.ReplaceAll(text, "\n", "\r"))
	if fmt.Sprint(m.Histograms) != fmt.Sprint(lavah.Histograms) {
		t.Errorf("with carriage returns: %+v", m.Histograms)
	}
}

func mustRead(t *testing.T, text string) Measurement {
	t.Helper()
	return tests.Must(Read(strings.NewReader(text), "f", -1))(t)
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
