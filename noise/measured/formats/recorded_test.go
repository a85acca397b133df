package formats

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// recorded is output of tools that others published (testdata/recorded/README.md). The
// numbers were computed from the files by awk and Python, with the middles of bins.
var recorded = []struct {
	file, format string
	overhead     float64 // share of the time that detours take, 0 if there are none
	within       float64 // relative error of it
	samples      int64   // in all histograms
	kinds        []Kind  // of the histograms, each once
	curves       int
	size, base   float64 // of a point, [B] and [s]
	excess       float64 // its mean beyond the base [s]
	instead      string  // the beginning
}{
	{file: "chromium_cyclictest_verbose.txt", format: "cyclictest", samples: 10,
		kinds: []Kind{Wakeups}},
	{file: "civcode_cyclictest.txt", format: "cyclictest", samples: 44220549,
		kinds: []Kind{Wakeups}},
	{file: "container_perf_tools_oslat.txt", format: "oslat", overhead: 0.00266524, within: 0.02,
		samples: 70556, kinds: []Kind{Detours}},
	{file: "hdrhistogram_jhiccup.hlog", format: "HdrHistogram log", samples: 741, kinds: []Kind{Wakeups}},
	{file: "kubevirt_oslat.txt", format: "oslat", overhead: 0.00607819, within: 0.02,
		samples: 119343, kinds: []Kind{Detours}},
	{file: "oslat_readme.txt", format: "sysjitter 2", overhead: 7.639e-8, within: 0.02,
		samples: 779, kinds: []Kind{Detours}},
	{file: "solarflare_sysjitter.txt", format: "sysjitter", overhead: 0.00146526, within: 1e-3,
		samples: 40144, kinds: []Kind{Detours}},
	{file: "sysjitter2_readme.txt", format: "sysjitter 2", overhead: 1.25235e-6, within: 0.02,
		samples: 4, kinds: []Kind{Detours}},
	{file: "sysjitter2_cut.txt", format: "sysjitter 2", samples: 478, kinds: []Kind{Detours}},
	{file: "kerneldoc_rtla_osnoise_hist.txt", format: "rtla hist", overhead: 0.00567245,
		within: 1e-6, samples: 658773, kinds: []Kind{Detours}},
	{file: "kerneldoc_rtla_osnoise_top.txt", format: "rtla top", overhead: 0.00536258,
		within: 1e-6, samples: 220572, kinds: []Kind{Detours}},
	{file: "kernel_mail_rtla_osnoise_top.txt", format: "rtla top", overhead: 6.5846e-6,
		within: 1e-5, samples: 974, kinds: []Kind{Detours}},
	{file: "kernel_mail_rtla_timerlat_user.txt", format: "rtla hist", samples: 5400003,
		kinds: []Kind{Interrupts, Wakeups, Returns}},
	{file: "kerneldoc_rtla_hwnoise.txt", format: "rtla top", overhead: 1.49773e-7,
		within: 1e-5, samples: 542, kinds: []Kind{Detours}},
	{file: "kerneldoc_rtla_timerlat_hist.txt", format: "rtla hist", samples: 10 * 600002,
		kinds: []Kind{Interrupts, Wakeups}},
	{file: "kerneldoc_rtla_timerlat_top.txt", format: "rtla top", samples: 2 * 7 * 58634,
		kinds:   []Kind{Interrupts, Wakeups},
		instead: "it has a summary only; run rtla timerlat hist"},
	{file: "nccl_h100.txt", format: "nccl-tests", curves: 2},
	{file: "perfstudy_osu_allreduce.txt", format: "OSU", curves: 1,
		instead: "it has times of whole collectives only; measure messages, with osu_latency"},
	{file: "perfstudy_osu_mixed.txt", format: "OSU", curves: 3, size: 8, base: 16.11e-6},
	{file: "perftest_ib_write_lat.txt", format: "perftest", curves: 1, size: 2, base: 1.76e-6,
		excess: 0.04e-6},
	{file: "redhat_hwlatdetect.txt", format: "hwlatdetect", overhead: 348e-7, within: 1e-6},
	{file: "spiderpool_ib_read_lat.txt", format: "perftest", curves: 1, size: 2, base: 0.88e-6,
		excess: 0.02e-6},
	{file: "sockperf_kvm.txt", format: "sockperf", curves: 1, size: 64, base: 38.351e-6,
		excess: (48.444 - 38.351) * 1e-6},
	{file: "sockperf_pingpong.txt", format: "sockperf", curves: 1, size: 14, base: 11.666e-6,
		excess: (15.562 - 11.666) * 1e-6},
	{file: "ucx_osu_prepend_rank.txt", format: "OSU", curves: 1, size: 8, base: 3.53e-6},
	{file: "ucx_osu_timestamps.txt", format: "OSU", curves: 1, size: 8, base: 1.25e-6},
	{file: "desensi_oracle_selfish.txt.gz", format: "netgauge selfish", overhead: 0.00657016,
		within: 1e-6},
	{file: "desensi_azure_hbv2_selfish.txt.gz", format: "netgauge selfish", overhead: 0.00636573,
		within: 1e-6},
	{file: "desensi_oracle_one_one.txt.gz", format: "netgauge one_one", curves: 1, size: 1,
		base: 24.199e-6, excess: 2.34168e-6},
	{file: "desensi_oracle_one_one_sizes.txt.gz", format: "netgauge one_one", curves: 1,
		size: 1024, base: 27.895e-6, excess: (35.3833 - 27.895) * 1e-6},
}

// unpacked returns the content of a file.
func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(z)
		}
	}
	tests.NoError(t, err)
	return text
}

func TestRecorded(t *testing.T) {
	files := exampleFiles(t, "testdata/recorded")
	if len(files) != len(recorded) {
		t.Errorf("there are %d files, and %d are known", len(files), len(recorded))
	}
	for _, want := range recorded {
		m, err := Read(bytes.NewReader(unpacked(t, "testdata/recorded/"+want.file)), "f", -1)
		if err != nil {
			t.Errorf("%s: %v", want.file, err)
			continue
		}
		if why := inconsistent(m); why != "" || m.Format != want.format {
			t.Errorf("%s is %s, want %s; %s", want.file, m.Format, want.format, why)
		}
		if !strings.HasPrefix(m.Instead, want.instead) || (m.Instead == "") != (want.instead == "") {
			t.Errorf("%s: %q, want %q", want.file, m.Instead, want.instead)
		}
		samples, kinds, busy, span := int64(0), map[Kind]bool{}, 0.0, 0.0
		if m.Trace.Cores != nil {
			for _, c := range m.Trace.Cores {
				span, busy = span+c.Span, busy+c.Overhead()*c.Span
			}
		}
		for _, h := range m.Histograms {
			samples += h.Samples
			kinds[h.Kind] = true
			span += h.Span
			for _, b := range h.Bins {
				busy += float64(b.Count) * (b.From + b.To) / 2
			}
		}
		if samples != want.samples || len(kinds) != len(want.kinds) {
			t.Errorf("%s has %d samples of %v, want %d of %v", want.file, samples, kinds,
				want.samples, want.kinds)
		}
		for _, k := range want.kinds {
			if !kinds[k] {
				t.Errorf("%s has no %s", want.file, k)
			}
		}
		if o := want.overhead; o > 0 && !(math.Abs(busy/span-o) <= want.within*o) {
			t.Errorf("%s: detours take %g of the time, want %g", want.file, busy/span, o)
		}
		if len(m.Curves) != want.curves {
			t.Errorf("%s has %d curves, want %d", want.file, len(m.Curves), want.curves)
		}
		if want.size > 0 {
			checkCurve(t, want.file, m.Curves[0], want.size, want.base, want.excess)
		}
	}
}

// checkCurve compares the point of a size. One without quantiles has its time as base.
func checkCurve(t *testing.T, file string, c Curve, size, base, mean float64) {
	t.Helper()
	for _, p := range c.Points {
		if p.Size != size {
			continue
		}
		got, excess := p.Seconds, 0.0
		if e, ok := p.Excess(); ok {
			got, excess = p.Base(), e.Mean()
		}
		if math.Abs(got-base) > 1e-3*base || math.Abs(excess-mean) > 0.02*mean {
			t.Errorf("%s: %g s and %g s beyond at %g B; want %g s and %g s", file, got, excess, size,
				base, mean)
		}
		return
	}
	t.Errorf("%s has no size %g", file, size)
}
