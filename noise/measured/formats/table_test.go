package formats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/noise"
)

// Files of netgauge's one_one begin "#size<TAB>rtt", for each run again.
func TestOneOneWithTabs(t *testing.T) {
	m := mustRead(t, "#size\trtt\n1\t3\n1\t1\n#size\trtt\n1\t2\n8\t5\n")
	p := m.Curves[0].Points
	if m.Format != "netgauge one_one" || m.Trace != nil || len(m.Curves) != 1 || len(p) != 2 ||
		p[0].Samples != 3 || math.Abs(p[0].Mean-2e-6) > 1e-18 || p[1].Seconds != 5e-6 {
		t.Errorf("%+v", m)
	}
}

// The first repetitions of a run are left out: 20 of one of 1000, unless the user says how many.
func TestWarmUp(t *testing.T) {
	run := func(n int) string {
		return "#size\trtt\n" + strings.Repeat("1\t9\n", 20) + strings.Repeat("1\t2\n", n-20)
	}
	for _, c := range []struct {
		text    string
		first   int
		samples int64
		mean    float64 // µs
	}{
		{run(1000) + run(1000), -1, 1960, 2}, {run(999), -1, 999, 2 + 7*20./999},
		{run(1000), 0, 1000, 2.14}, {run(999) + run(30), 19, 991, 2 + 7*2./991},
		{run(100) + run(20), 20, 80, 2},
	} {
		m, err := ReadAfter(strings.NewReader(c.text), "f", c.first)
		if err != nil {
			t.Fatal(err)
		}
		p := m.Curves[0].Points[0]
		if p.Samples != c.samples || math.Abs(p.Mean*1e6/c.mean-1) > 1e-9 {
			t.Errorf("without %d: %d of %g s", c.first, p.Samples, p.Mean)
		}
	}
	if _, err := ReadAfter(strings.NewReader(run(30)), "f", 30); err == nil ||
		!strings.Contains(err.Error(), "--skip") {
		t.Errorf("no repetition is left: %v", err)
	}
}

// Tables that are not wanted do not keep those that are from being read.
func TestOSUWithBandwidths(t *testing.T) {
	m := mustRead(t, `# OSU MPI Bandwidth Test v5.8
# Size      Bandwidth (MB/s)
1                       0.88
# OSU MPI Latency Test v5.8
# Size          Latency (us)
1                      15.58
# OSU MPI_Put Latency Test v5.8
# Size          Latency (us)
1                       9.99
`)
	want := []Point{{Size: 1, Seconds: 15.58e-6, Mean: 15.58e-6}}
	if len(m.Curves) != 1 || cmp.Diff(want, m.Curves[0].Points, alike) != "" {
		t.Errorf("%+v", m.Curves)
	}
	if len(m.Skipped) != 2 || m.Skipped[0].Reason != "a row of another table: MPI Bandwidth" ||
		m.Skipped[1].Reason != "a row of another table: MPI_Put Latency" {
		t.Errorf("%+v", m.Skipped)
	}
}

// The columns of osu_latency -z, whose longest time is not reported but in the mean.
func TestOSUQuantiles(t *testing.T) {
	m := mustRead(t, `# OSU MPI Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)  Validation  P50 Tail Lat(us) P90 Tail Lat(us)  P99.9 Tail Lat(us)
8                       2.10        Pass              1.90              2.50               9.90
`)
	p := m.Curves[0].Points[0]
	if diff := cmp.Diff(quantiles(.5, 1.9*us, .9, 2.5*us, .999, 9.9*us), p.Quantiles,
		alike); diff != "" {
		t.Error(diff)
	}
	// Beyond 1.9 µs: 0.4 of 0 to 0.6, 0.099 of 0.6 to 8, and 0.001 of 8 to x are 0.2 µs on
	// average only if they exceed it; they are 0.5457 µs without the last.
	e, ok := p.Excess()
	if last := e.Points[len(e.Points)-1].Length; !ok || math.Abs(last-8*us) > 1e-12 {
		t.Errorf("the longest is %g, want 8 µs", last)
	}
	p.Mean = 2.55 * us
	e, _ = p.Excess()
	if last := e.Points[len(e.Points)-1].Length; math.Abs(e.Mean()-.65*us) > 1e-15 ||
		math.Abs(last-200.6*us) > 1e-12 {
		t.Errorf("%v has the mean %g, want 0.65 µs, and up to 200.6 µs", e.Points, e.Mean())
	}
}

// cyclictest -v reports its interval.
func TestCyclictestInterval(t *testing.T) {
	m := mustRead(t, "Max CPUs = 8\nThread 0 Interval: 1000\nThread 1 Interval: 1500\n"+
		"       0:       0:       9\n       1:       0:      18\n")
	if h := m.Histograms; len(h) != 2 || h[0].Interval != 1e-3 || h[1].Interval != 1.5e-3 {
		t.Errorf("%+v", h)
	}
}

// The bins of oslat end at their labels, or a microsecond before, from version 2 on.
func TestOslatLabels(t *testing.T) {
	const v1 = "Core: 3\n001 (us): 9000000\n002 (us): 0\n003 (us): 4\n004 (us): 2 (including overflows)\n" +
		"Minimum: 1 (us)\nMaximum: 9 (us)\nDuration: 1.000 (sec)\n"
	const v2 = "Core: 3\n001 (us): 0\n002 (us): 9000000\n003 (us): 0\n004 (us): 4\n" +
		"005 (us): 2 (including overflows)\nMinimum: 1 (us)\nMaximum: 9 (us)\nDuration: 1.000 (sec)\n"
	const longer = (3e-6 + 9e-6) / 2 // mean of the two beyond the bins, one of which is of 9 µs
	const loop = (1 - 4*2.5e-6 - longer - 9e-6) / 9e6
	want := []Histogram{{Core: 3, Column: "core 3", Kind: Detours, Samples: 6, Over: 2,
		OverMean: (longer+9e-6)/2 - loop,
		Most:     9*us - loop, Span: 1, Bins: []Bin{{2*us - loop, 3*us - loop, 4}}}}
	for _, text := range []string{v1, v2} {
		if diff := cmp.Diff(want, mustRead(t, text).Histograms, alike); diff != "" {
			t.Error(diff)
		}
	}
	// Narrow bins, whose labels have digits; what is left out makes them seem wider.
	m := mustRead(t, "Core: 3\n000.350 (us): 5000000\n    ...\n001.350 (us): 7\n"+
		"Minimum: 0.150 (us)\nDuration: 1.000 (sec)\n")
	const narrow = (1 - 7*0.85e-6) / 5e6
	want = []Histogram{{Core: 3, Column: "core 3", Kind: Detours, Samples: 7, Span: 1,
		Bins: []Bin{{1.35*us - 1*us - narrow, 1.35*us - narrow, 7}}}}
	if diff := cmp.Diff(want, m.Histograms, alike); diff != "" {
		t.Error(diff)
	}
}

// Turns beyond the bins take no longer than the rest of the duration, and as long as the average
// says. That of a core but the first has the overflows of the first, and says nothing.
func TestOslatOverflows(t *testing.T) {
	const table = "Core: 1 2\n001 (us): 2000000 2000000\n002 (us): 10 10\n" +
		"003 (us): 790 790 (including overflows)\nMinimum: 1 1 (us)\n%s" +
		"Maximum: 46967 46967 (us)\nDuration: 5.000 5.000 (sec)\n"
	// Without an average they are in the middle of what the duration leaves.
	least := 0.046967 + 789*2e-6
	middle := (least + 5 - 10*1.5e-6) / 2
	// 790 turns of 1000 µs on average, as calculate in oslat.c adds up.
	average := (2000000*1. + 10*2 + 790*1000) / (2000000 + 10 + 790)
	for text, want := range map[string][2]float64{
		"": {middle, middle},
		fmt.Sprintf("Average: %.3f %[1]f (us)\n", average): {0.79, middle},
		"Average: 1.000 1.000 (us)\n":                      {least, middle},
		"Average: 9.000 9.000 (us)\n":                      {5, middle},
	} {
		for i, h := range mustRead(t, fmt.Sprintf(table, text)).Histograms {
			got := h.OverMean * 790
			if h.Over != 790 || math.Abs(got-want[i]) > 0.003 {
				t.Errorf("%q: core %d has overflows of %g s, want %g", text, h.Core, got, want[i])
			}
		}
	}
}

// Where all repetitions are listed, quantiles are theirs.
func TestPerftestHistogram(t *testing.T) {
	const head = "                    Send Latency Test\n #bytes #iterations t_min[usec] t_max[usec] " +
		"t_typical[usec] t_avg[usec] t_stdev[usec] 99% percentile[usec] 99.9% percentile[usec]\n"
	m := mustRead(t, head+"#, usec\n1, 1\n2, 1.5\n3, 2\n4, 9.5\n"+
		" 2 5 1.00 9.50 1.50 3.50 0.06 1.88 9.50\n 4 5 1.10 9.50 1.50 3.50 0.06 1.88 9.50\n")
	p := m.Curves[0].Points
	if len(p) != 2 || p[0].Samples != 4 || p[0].Mean != 3.5*us || len(p[0].Quantiles) != 8 ||
		p[1].Samples != 5 || m.Curves[0].Operation != "send of perftest" {
		t.Errorf("%+v", m.Curves)
	}
	if diff := cmp.Diff(quantiles(0, 1.1*us, .5, 1.5*us, .99, 1.88*us, .999, 9.5*us),
		p[1].Quantiles, alike); diff != "" {
		t.Error(diff)
	}
	// Cycles are of no use, in the row too. With -D there are means only.
	m = mustRead(t, head+"#, cycles\n1, 4000\n 2 5 4000.00 9500.50 4100.00 4200.13 50.06 4900.00 9500.50\n"+
		" #bytes        #iterations       t_avg[usec]    tps average\n 8  120 2.50   200000\n")
	p = m.Curves[0].Points
	if len(p) != 1 || p[0].Seconds != 2.5*us || len(p[0].Quantiles) > 0 ||
		!slices.Contains(m.Skipped, Skip{inCycles, 1, 5}) {
		t.Errorf("%+v", m)
	}
}

// Older versions of sockperf write colours, and --full-rtt whole round trips.
func TestSockperfVariants(t *testing.T) {
	const colours = "sockperf: \x1b[2;35m====> avg-lat=  2.000 (std-dev=0.5)\x1b[0m\n" +
		"sockperf: ---> <MAX> observation =    9.000\nsockperf: ---> percentile 50.00 =    1.500\n" +
		"sockperf: ---> <MIN> observation =    1.000\n"
	const round = "sockperf ping-pong --full-rtt -m 64\nsockperf: ====> avg-rtt=4.000\n" +
		"sockperf: ---> <MAX> observation =   18.000\nsockperf: ---> percentile 50.000 =    3.000\n" +
		"sockperf: ---> <MIN> observation =    2.000\n"
	for text, size := range map[string]float64{colours: 14, round: 64} {
		want := []Point{{Size: size, Seconds: 1.5 * us, Mean: 2 * us, Least: 1 * us, Most: 9 * us,
			Quantiles: quantiles(.5, 1.5*us)}}
		m := mustRead(t, text)
		if diff := cmp.Diff(want, m.Curves[0].Points, alike); diff != "" {
			t.Error(diff)
		}
	}
}

// Tables of nccl-tests without names, and without redop and root.
func TestNCCLVariants(t *testing.T) {
	m := mustRead(t, `# Rank  3 Group  0 Pid 5 on node device  0 [0x1b] A100
#       size         count      type     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256     float    35.49    0.03    0.05  0e+00    33.42    0.03    0.06    N/A
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
        2048           512     float     sum      -1    36.52    0.06    0.11       0    36.57    0.06    0.11       0
`)
	if len(m.Curves) != 2 || m.Curves[0].Points[0].Seconds != 35.49*us ||
		m.Curves[1].Points[0].Seconds != 36.52*us || m.Curves[0].Processes != 4 ||
		!strings.Contains(m.Instead, "sendrecv_perf") {
		t.Errorf("%+v", m)
	}
}

// Rows of rtla top that are printed again replace those before them.
func TestRTLATopAgain(t *testing.T) {
	m := mustRead(t, "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single  HW  NMI\n"+
		"  0 #1 1000000 10 99.9 10 5 1 1\n  0 #2 2000000 20 99.9 10 8 2 1\n  1 #2 2000000 0 100.0 0 0 0 0\n"+
		"  2 #2 2000000 9 99.9 10 19 2 1\n")
	want := []Histogram{
		{Core: 0, Column: "CPU-0", Kind: Detours, Samples: 3, Span: 2, Most: 8 * us, Mean: 20. / 3 * us,
			Bins: []Bin{{6 * us, 6 * us, 2}, {8 * us, 8 * us, 1}}},
		{Core: 1, Column: "CPU-1", Kind: Detours, Span: 2},
	}
	if diff := cmp.Diff(want, m.Histograms, alike); diff != "" {
		t.Error(diff)
	}
	if len(m.Skipped) != 1 || m.Skipped[0].Line != 5 {
		t.Errorf("%+v", m.Skipped)
	}
}

// Lines between quantiles are bent to the mean, where that is reported.
func TestExcess(t *testing.T) {
	p := Point{Size: 1, Seconds: 2 * us, Least: 1 * us, Most: 101 * us,
		Quantiles: quantiles(0, 1*us, .5, 2*us, 1, 101*us)}
	for mean, least := range map[float64]float64{0: 25.5 * us, 2.5 * us: 1.5 * us, 20 * us: 19 * us} {
		p.Mean = mean
		e, ok := p.Excess()
		if !ok || math.Abs(e.Mean()-least) > 1e-3*least || e.Most() != 100*us ||
			math.Abs(e.Quantile(.5)-1*us) > 1e-3*us {
			t.Errorf("at a mean of %g: %v, whose mean is %g", mean, e.Points, e.Mean())
		}
	}
	// Most are late, and few early.
	p = Point{Least: 1 * us, Most: 11 * us, Mean: 9 * us, Quantiles: quantiles(.5, 10*us)}
	if e, _ := p.Excess(); math.Abs(e.Mean()-8*us) > 1e-10 {
		t.Errorf("%v has the mean %g, want 8 µs", e.Points, e.Mean())
	}
	for _, p := range []Point{{Seconds: 1}, {Least: 1, Most: 1, Quantiles: quantiles(0, 1, 1, 1)}} {
		if e, ok := p.Excess(); ok {
			t.Errorf("%v exceeds by %v", p, e)
		}
	}
}

// Tables of the same operation are averaged.
func TestPool(t *testing.T) {
	a := Curve{Operation: "a", Points: []Point{{Size: 8, Seconds: 2, Least: 1, Most: 4, Samples: 10,
		Quantiles: quantiles(.5, 2.)}, {Size: 16, Seconds: 5}}}
	b := Curve{Operation: "b", Points: []Point{{Size: 8, Seconds: 4, Least: 2, Most: 3, Samples: 5,
		Quantiles: quantiles(.5, 3.)}}}
	want := Curve{Operation: "a", Points: []Point{{Size: 8, Seconds: 3, Least: 1, Most: 4, Samples: 15,
		Quantiles: []noise.Quantile{{Share: .5, Length: 2.5}}}, {Size: 16, Seconds: 5}}}
	if diff := cmp.Diff(want, Pool([]Curve{a, b}), alike); diff != "" {
		t.Error(diff)
	}
	if a.Points[0].Quantiles[0].Length != 2 {
		t.Error("a curve was changed")
	}
}
