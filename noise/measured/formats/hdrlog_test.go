package formats

import (
	"testing"
)

// The histograms that other implementations of HdrHistogram have encoded, and the values that these
// read from them: 100, 200 and 250 with three digits, 2048 with three digits of at most 2048, and 100
// without a digit, of which 64 to 127 cannot be reported.
func TestHdrHistograms(t *testing.T) {
	for text, want := range map[string][]Bin{
		"HISTFAAAACV4nJNpmSzMwMDAwQABzFCaEUrp2H+AsI4zMh1lZEpkAgBdIQSk": {
			{100, 101, 1}, {200, 201, 1}, {250, 251, 1},
		},
		"HISTFAAAACB4nJNpmSzMwMDAzAABMJoRQnEw2H+AsP7LMwEARZgDpQ==": {{2048, 2050, 1}},
		"HISTFAAAAB14nJNpmSzMwMDAxIAKGCEU8wv7DxAWLxMASToDcw==":     {{64, 128, 1}},
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
