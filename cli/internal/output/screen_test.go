package output

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"jitterfly/internal/tests"
)

// of returns a screen of a width without colours.
func of(width int) *Screen { return &Screen{Width: width} }

// What is no terminal has 100 columns without colours, or as many as the environment says.
func TestNewScreen(t *testing.T) {
	file := tests.Must(os.Create(t.TempDir() + "/file"))(t)
	defer func() { _ = file.Close() }()
	for environ, want := range map[string]int{
		"": 100, "COLUMNS=": 100, "COLUMNS=132": 132, "COLUMNS=3": 100, "COLUMNS=wide": 100,
		"COLUMNS=80 COLUMNS=120": 120, "MYCOLUMNS=80": 100,
	} {
		for _, w := range []interface{ Write([]byte) (int, error) }{&bytes.Buffer{}, file} {
			s := ScreenOf(NewScreen(w, strings.Fields(environ)))
			if s.Width != want || s.Colour {
				t.Errorf("%q: width %d, colour %t, want %d and none", environ, s.Width, s.Colour, want)
			}
		}
	}
}

func TestScreenOf(t *testing.T) {
	if got := ScreenOf(&bytes.Buffer{}).Width; got != fileWidth {
		t.Errorf("a buffer has %d columns", got)
	}
}

// Lines are no longer than the width, unless a word or what stays together is, and have the same
// words.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`( {0,3}([a-zµ×]{1,12} ){0,12}\n){0,4}`).Draw(t, "text")
		width := rapid.IntRange(20, 60).Draw(t, "width")
		wrapped := of(width).Wrap(text)
		if !of(width).fits(wrapped) {
			t.Fatalf("more than %d columns:\n%s", width, wrapped)
		}
		if !slices.Equal(strings.Fields(wrapped), strings.Fields(text)) {
			t.Fatalf("%q becomes %q", text, wrapped)
		}
	})
}

func TestWrapTogether(t *testing.T) {
	for text, want := range map[string]string{
		"the same command with --trials-max 300\n": "the same command\nwith\n--trials-max 300\n",
		"all are within 1% of it\n":                "all are within\n1% of it\n",
		"the gain over T = 0.\n":                   "the gain over\nT = 0.\n",
		"  two words and more of them\n":           "  two words and\n  more of them\n",
		"one\n\ntwo\n":                             "one\n\ntwo\n",
	} {
		if got := of(16).Wrap(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	want := "label  a few\n       more\n       words"
	if got := of(16).Hang("label  ", "a few more words"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// example returns a table with two axes, a value, and two columns that can be left out.
func example() Table {
	t := Table{}
	t.Axes("launch", "ranks")
	t.Add("mean", "~at T = 0", "~~lower bound")
	for _, launch := range []string{"quiet", "stationary"} {
		for ranks := range 3 {
			t.Append(launch, ranks, "1.5 µs", "3 µs", "1 µs")
		}
	}
	return t
}

// A table that fits has all columns; a narrower screen first lacks those that can be left out,
// which are named, and then has blocks.
func TestTableFits(t *testing.T) {
	full := of(200).Table(example())
	width := strings.Count(full, "─")
	if strings.Contains(full, "Not shown") || strings.Count(full, "─\n") != 1 {
		t.Errorf("all columns do not fit 200:\n%s", full)
	}
	for w := width; w >= 25; w-- {
		text := of(w).Table(example())
		if !of(w).fits(text) {
			t.Errorf("more than %d columns:\n%s", w, text)
		}
		if (w < width) == (text == full) {
			t.Errorf("%d columns, and the table has %d:\n%s", w, width, text)
		}
	}
	for w, want := range map[int][2]string{
		width - 1: {"Not shown for lack of width: lower bound.\n", "at T = 0"},
		35:        {"Not shown for lack of width: at T = 0, lower bound.\n", "launch"},
		25:        {"launch quiet\n", "launch stationary\n"},
	} {
		text := of(w).Table(example())
		for _, part := range want {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.TrimSpace(part)) {
				t.Errorf("%d columns lack %q:\n%s", w, part, text)
			}
		}
		if strings.Count(text, "1.5 µs") != 6 {
			t.Errorf("%d columns lack rows:\n%s", w, text)
		}
	}
}

// Columns that are alike are in as few tables as fit, about as many in each.
func TestAcross(t *testing.T) {
	table := Table{}
	table.Axes("ranks")
	table.Add("latency 1 µs", "latency 2 µs", "latency 3 µs", "latency 4 µs")
	table.Append(2, "a", "b", "c", "d")
	for width, tables := range map[int]int{100: 1, 60: 2, 40: 2, 30: 4, 5: 4} {
		text := of(width).Across(table)
		if got := strings.Count(text, "─\n"); got != tables {
			t.Errorf("%d columns have %d tables, want %d:\n%s", width, got, tables, text)
		}
		if got := strings.Count(text, "ranks"); got != tables {
			t.Errorf("%d columns: the axis is in %d of %d tables", width, got, tables)
		}
		for i := 1; i <= 4; i++ {
			if strings.Count(text, fmt.Sprintf("latency %d µs", i)) != 1 {
				t.Errorf("%d columns: latency %d is not there once:\n%s", width, i, text)
			}
		}
	}
}

// Colours change nothing but colours: headers are bold, and marks have one.
func TestColour(t *testing.T) {
	plain, colour := of(80), &Screen{Width: 80, Colour: true}
	text := colour.Marks(colour.Table(example()) + "2.4×?\n? 1 of 2\n")
	if strip(text) != plain.Table(example())+"2.4×?\n? 1 of 2\n" {
		t.Errorf("colours change the text:\n%s", text)
	}
	for _, want := range []string{
		bold + "launch  ranks", "2.4×" + yellow + "?" + reset, "\n" + yellow + "?" + reset + " 1 of 2",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if got := plain.Marks("2.4×?") + plain.Bold("x"); got != "2.4×?x" {
		t.Errorf("%q without colours", got)
	}
}

// strip returns a text without escape sequences.
func strip(text string) string {
	return strings.NewReplacer(bold, "", yellow, "", reset, "").Replace(text)
}

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
