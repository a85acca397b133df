package formats

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"jitterfly/internal/tests"
)

// Each error is one line that says where and what to do. Those of files that are text are in
// testdata/readings/cases.txtar.
func TestErrors(t *testing.T) {
	selfish := "# Selfish Benchmark\n"
	for _, test := range []struct{ name, text, err string }{
		{"empty", "", "f:1: the file is empty; did the tool end with an error?"},
		{"blank", "\n \r\n\n", "f:3: the file is empty; did the tool end with an error?"},
		{"a mark of Windows alone", "\ufeff", "f:1: the file is empty"},
		{"long and unknown", strings.Repeat("ä", 100),
			`f:1: "` + strings.Repeat("ä", 60) + `…" has no known format`},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00",
			"f:1: there are zero bytes in the line; a measurement must be text"},
		{"binary later", selfish + "0 1\n\x00", "f:3: there are zero bytes in the line"},
		{"compressed", "\x1f\x8b\x08",
			"f: it cannot be unpacked: unexpected EOF; it may be cut off or damaged: copy it again"},
		{"xz", "\xfd7zXZ\x00\x00", "f: it cannot be unpacked: "},
		{"cut zst", "\x28\xb5\x2f\xfd\x24\x10", "f: it cannot be unpacked: unexpected EOF; it may be cut off"},
		{"UTF-16", "\xff\xfe#\x00", "f:1: the file is in UTF-16; convert it with iconv"},
	} {
		tests.Fails(t, "^"+test.err, test.name)(Read(strings.NewReader(test.text), "f", -1))
	}
}

func TestReadTellsWhatTheReaderDoes(t *testing.T) {
	broken := errors.New("broken")
	for _, before := range []string{"", "# Selfish Benchmark\n",
		"# Selfish Benchmark\n" + strings.Repeat("1 1\n", 1000)} {
		_, err := Read(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), "f", -1)
		if !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	}
}

func TestLimits(t *testing.T) {
	small := limits{line: 100, lines: 20, records: 5}
	for _, test := range []struct{ text, err string }{
		{"# Selfish Benchmark\n" + strings.Repeat("x", 101),
			"f:2: the line is longer than 100 bytes; is this the output of a tool that measures?"},
		{"# Selfish Benchmark\n" + strings.Repeat("#\n", 20),
			"f:21: the file has more than 20 lines; cut it into several"},
		{"# Selfish Benchmark\n" + strings.Repeat("1 1\n", 6),
			"f:7: the file has more than 5 values to keep; cut it into several"},
		{"# RTLA osnoise histogram\nIndex" + strings.Repeat(" CPU-000", 6) + "\n",
			"f:2: the file has more than 5 values to keep"},
		{"core_i: 1 2 3 4 5 6\n", "f:1: the file has more than 5 values to keep"},
	} {
		tests.Fails(t, "^"+test.err)(read(strings.NewReader(test.text), "f", small, -1))
	}
}

// forever repeats a text without end.
type forever struct{ text string }

func (f forever) Read(p []byte) (int, error) { return copy(p, f.text), nil }

// A file without end stops with an error, not with the memory.
func TestEndless(t *testing.T) {
	want := fmt.Sprintf("^f:1: the line is longer than %d bytes", MaxLine)
	tests.Fails(t, want)(Read(forever{"no end of line "}, "f", -1))
}

// What does not end as the tool would have ended it is noted.
func TestTruncated(t *testing.T) {
	for _, file := range []string{"netgauge_selfish.txt", "rtla_osnoise.txt", "cyclictest.txt"} {
		text := tests.Must(os.ReadFile("testdata/" + file))(t)
		lines := strings.SplitAfter(string(text), "\n")
		keep := map[string]int{"netgauge_selfish.txt": 21, "rtla_osnoise.txt": 7,
			"cyclictest.txt": 5}[file]
		cut := strings.Join(lines[:keep], "")
		m, err := Read(strings.NewReader(cut[:len(cut)-1]), "f", -1)
		if err != nil {
			t.Error(err)
			continue
		}
		all := strings.Join(m.Notes, "\n")
		if strings.Count(all, "the file may be cut off") != 2 ||
			!strings.Contains(all, "the last line has no end") {
			t.Errorf("%s: %q", file, m.Notes)
		}
	}
}

// A number at the end of a file may have more digits, and is not used. A line with
// something after its number is complete.
func TestCutNumber(t *testing.T) {
	osu := "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n1  1.62\n1048576  93.98\n"
	for _, text := range []string{osu + "2097152   1234.5", osu + "2097152   1", osu + "20"} {
		m := mustRead(t, text)
		if n := len(m.Curves[0].Points); n != 2 || len(m.Notes) != 1 || m.Skipped[0].Line != 5 ||
			!strings.HasPrefix(m.Skipped[0].Reason, "the last line, whose number may be cut off") {
			t.Errorf("%q: %d points, %q, %+v", text, n, m.Notes, m.Skipped)
		}
	}
	for _, text := range []string{osu + "2097152   1234.56 ", osu + "2097152  1234.56\r\n"} {
		if m := mustRead(t, text); len(m.Curves[0].Points) != 3 {
			t.Errorf("%q: %+v", text, m.Curves)
		}
	}
	m := mustRead(t, prefixed(osu+"2097152   1234.5", func(int) string { return "0: " })+"6")
	if len(m.Curves[0].Points) != 2 {
		t.Errorf("%+v", m)
	}
	if m := mustRead(t, "# Selfish Benchmark\n100\t10\n900\t23"); len(m.Trace.Cores[0].Detours) != 1 {
		t.Errorf("%+v", m.Trace)
	}
	tests.Fails(t, "^f:1: one number a line")(Read(strings.NewReader("123"), "f", -1))
}

// A compressed file is read as what it has; one that is cut off or damaged is an error of one line.
func TestPacked(t *testing.T) {
	text := tests.Must(os.ReadFile("testdata/reported/sp3.txt"))(t)
	want := mustRead(t, string(text))
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"xz":  func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
		"zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	} {
		var b bytes.Buffer
		w, err := open(&b)
		if err == nil {
			_, err = w.Write(text)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, b.String()); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v", name, got)
		}
		tests.Fails(t, "^f: it has more than 4 GiB when it is unpacked", name)(read(strings.NewReader(b.String()),
			"f", limits{MaxLine, MaxLines, MaxRecords, 10}, -1))
		damaged := b.Bytes()
		damaged[len(damaged)/2] ^= 0x55
		for _, bad := range []string{b.String(), b.String()[:b.Len()*3/4]} {
			tests.Fails(t, "cut off or damaged: copy it again", name)(Read(strings.NewReader(bad), "f", -1))
		}
	}
	for name, want := range map[string]string{
		"a.txt.gz": "a.txt", "a.xz": "a", "a.b.zst": "a.b", "a.gzip": "a.gzip",
	} {
		if got := Unpacked(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
