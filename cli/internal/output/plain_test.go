package output

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"jitterfly/internal/tests"
)

// hostile begins and ends an escape sequence, and has other characters that control a terminal.
const hostile = "a\x1b[31mb\x1b]0;title\x07\r\x00\x7f\u009b2J\u202e\xff\tµ×\n"

func TestPlain(t *testing.T) {
	want := `a\x1b[31mb\x1b]0;title\a\r\x00\x7f\u009b2J\u202e\xff` + "\tµ×\n"
	if got := Plain(hostile); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Plain("95% of 4 µs × 2 – α"); got != "95% of 4 µs × 2 – α" {
		t.Errorf("%q", got)
	}
}

func TestRemark(t *testing.T) {
	var b bytes.Buffer
	Remark(&b, "%s:  %s", "a\x1b[1m\nb", "c")
	if got, want := b.String(), "jitterfly: a\\x1b[1m b:  c\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whatever is printed, and in whatever pieces, controls no terminal; what does not stays.
func TestScreenIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Just(hostile),
			rapid.StringMatching("[a-c\x1b\\[0-9m\u0080-\u00a0µ\n]{0,20}")).Draw(t, "text")
		var b bytes.Buffer
		s := NewScreen(&b, nil)
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			if written, err := s.Write(rest[:n]); err != nil || written != n {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
		if strings.ContainsFunc(b.String(), control) {
			t.Fatalf("%q is printed as %q", text, b.String())
		}
		if !strings.ContainsFunc(text, control) && b.String() != strings.TrimSuffix(text, "\xc2") {
			t.Fatalf("%q is printed as %q", text, b.String())
		}
	})
}

// Colours are the only sequences that a screen has, if it has any.
func TestScreenKeepsItsColours(t *testing.T) {
	var b bytes.Buffer
	s := &Screen{Writer: &b, Colour: true}
	tests.Must(s.Write([]byte(s.Bold("bold\n") + "\x1b[2J\n")))(t)
	if got, want := b.String(), bold+"bold"+reset+"\n\\x1b[2J\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
