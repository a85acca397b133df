package formats

import (
	"math"
	"strings"
	"testing"
)

// The histograms that other implementations of HdrHistogram have encoded, and the values that these
// read from them: 100, 200 and 250 with three digits, 2048 with three digits of at most 2048, and 100
// without a digit, of which 64 to 127 cannot be reported.
func TestHdrHistograms(t *testing.T) {
	for text, want := range map[string][]Bin{
		"HISTFAAAACV4nJNpmSzMwMDAwQABzFCaEUrp2H+AsI4zMh1lZEpkAgBdIQSk": {{100, 101, 1}, {200, 201, 1}, {250, 251, 1}},
		"HISTFAAAACB4nJNpmSzMwMDAzAABMJoRQnEw2H+AsP7LMwEARZgDpQ==":     {{2048, 2050, 1}},
		"HISTFAAAAB14nJNpmSzMwMDAxIAKGCEU8wv7DxAWLxMASToDcw==":         {{64, 128, 1}},
	} {
		got, err := decodeHdr(text)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %v, %v", text, got, err)
			continue
		}
		for i, b := range got {
			if b != want[i] {
				t.Errorf("%s: %v, want %v", text, b, want[i])
			}
		}
		for at := range text {
			_, _ = decodeHdr(text[:at] + "A" + text[at+1:]) // ends without a panic
		}
	}
}

// Intervals of a tag are added up, and the longest that the log gives is that of the bins.
func TestHdrLog(t *testing.T) {
	line := "0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9" +
		"v2lMaxhvMekILGZkKmcCAEf2CsI=\n"
	m := mustRead(t, "#[Histogram log format version 1.3]\n"+line+line+"Tag=A,"+line)
	if len(m.Histograms) != 2 || m.Histograms[0].Samples != 2*741 || m.Histograms[1].Samples != 741 ||
		math.Abs(m.Histograms[0].Span-2.014) > 1e-9 || len(m.Notes) > 0 {
		t.Errorf("%+v", m)
	}
	m = mustRead(t, "#[Histogram log format version 1.3]\n"+strings.Replace(line, "2.769", "5.769", 1))
	if len(m.Notes) != 1 || !strings.HasPrefix(m.Notes[0], "the tool gives a longest of 5769 µs") {
		t.Errorf("%q", m.Notes)
	}
	if _, err := Read(strings.NewReader("#[Histogram log format version 1.3]\n0.1,1.0,2.7,HISTFAAA\n"), "f"); err == nil ||
		!strings.Contains(err.Error(), "f:2: it is no histogram of HdrHistogram") {
		t.Error(err)
	}
}

// Maps of bpftrace have a unit in their name, or are refused.
func TestBpftrace(t *testing.T) {
	rows := "[0, 100)              90 |@@@@@@@@@@@@@@@@@@@@|\n[100, 200)            10 |@@       |\n[200, ...)             2 |@   |\n"
	m := mustRead(t, "@lat_ns[cpu1]:\n[4K, 8K)   3 |@@  |\n@lat_ns[cpu1]:\n"+rows)
	if h := m.Histograms[0]; len(m.Histograms) != 1 || h.Samples != 102 || h.Over != 2 ||
		math.Abs(h.Bins[1].To-200*ns) > 1e-15 || h.Column != "@lat_ns[cpu1]" {
		t.Errorf("%+v", m.Histograms)
	}
	if _, err := Read(strings.NewReader("@lat:\n"+rows), "f"); err == nil ||
		!strings.Contains(err.Error(), "does not say its unit; name it @usecs or @nsecs") {
		t.Error(err)
	}
}
