package formats

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"jitterfly/internal/tests"
)

// Each error is one line that says where and what to do.
func TestErrors(t *testing.T) {
	selfish := "# Selfish Benchmark\n"
	tests := []struct{ name, text, err string }{
		{"empty", "", "f:1: the file is empty; did the tool end with an error?"},
		{"blank", "\n \r\n\n", "f:3: the file is empty; did the tool end with an error?"},
		{"unknown", "\nhello\x07\tworld\x1b[0m\n",
			`f:2: "hello? world" has no known format; jitterfly import --help lists all`},
		{"a mark of Windows alone", "\ufeff", "f:1: the file is empty"},
		{"no labels", "0: 12\n1: 13\n", `f:1: "0: 12" has no known format`},
		{"no labels but words", "a: b\nc: d\n", `f:1: "a: b" has no known format`},
		{"a mark of mails", "> hello\n", `f:1: "> hello" has no known format`},
		{"nearly netgauge", "0 100 us\n1000 200 us\n# Selfish\n", `f:1: "0 100 us" has no known format`},
		{"decimal commas", "3,10\n3,20\n", `f:1: "3,10" has no known format: a number with a comma; `},
		{"commas between thousands", "# OSU MPI Latency Test v7.5\n# Size       Latency (us)\n1,024 1.62\n",
			"f:3: nothing was measured in the 3 lines of this OSU output (mostly a number with a comma; "},
		{"long and unknown", strings.Repeat("ä", 100),
			`f:1: "` + strings.Repeat("ä", 60) + `…" has no known format`},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00",
			"f:1: there are zero bytes in the line; a measurement must be text"},
		{"binary later", selfish + "0 1\n\x00", "f:3: there are zero bytes in the line"},
		{"compressed", "\x1f\x8b\x08", "f: it cannot be unpacked: unexpected EOF"},
		{"xz", "\xfd7zXZ\x00\x00", "f: it cannot be unpacked: "},
		{"cut zst", "\x28\xb5\x2f\xfd\x24\x10", "f: unexpected EOF"},
		{"UTF-16", "\xff\xfe#\x00", "f:1: the file is in UTF-16; convert it with iconv"},
		{"no data", selfish,
			"f:1: nothing was measured in the 1 lines of this netgauge selfish output; is it complete?"},
		{"no good data", selfish + "0 -1\n1 -2\n2 nan\n",
			"f:4: nothing was measured in the 4 lines of this netgauge selfish output (mostly a negative value); is it complete?"},
		{"noise only", selfish + "0 1000\n1000 1000\n",
			"f:3: core 0 has noise for all of its 2e-06 s; nothing could run there; does the tool use these units?"},
		{"one column", "# x\n123\n",
			"f:2: one number a line, of unknown unit; if these are cycles of fwq, add a first line such as GHz 2.4,"},
		{"two columns", "123 456\n",
			"f:1: two numbers a line, of unknown unit; if these are of FTQ, add a first line such as # Ticks per ns: 2.4,"},
		{"no quantum", "# Fixed Time Quantum Benchmark\n0 1\n1 2\n",
			"f:3: the time of a quantum is missing; add the line # Compute-Cycle Duration: <n> usec"},
		{"no time", "# Fixed Work Quantum Benchmark\n0 0\n1 2\n",
			"f:3: a quantum took no time at all"},
		{"no work", "# Fixed Time Quantum Benchmark\n# Compute-Cycle Duration: 1 usec\n0 0\n",
			"f:3: no work was done in any quantum"},
		{"no work in FTQ", "# Frequency 1\n# Ticks per ns: 1\n0 0\n1 0\n",
			"f:4: no work was done in any quantum"},
		{"no clock", "# Ticks per ns: 0\n0 0\n1 0\n",
			`f:1: "# Ticks per ns: 0" is not a clock; write # Ticks per ns: 2.4`},
		{"no GHz", "GHz 0\n1\n", `f:1: "GHz 0" is not a clock; write GHz 2.4`},
		{"late GHz", "1\nGHz 1\n",
			"f:1: cycles before the line with their clock; put the line with GHz at the top"},
		{"bandwidth", "# OSU MPI Bandwidth Test v7.4\n",
			`f:1: "MPI Bandwidth" measures neither the latency of messages nor a collective`},
		{"one-sided", "# OSU MPI_Put Latency Test v7.4\n",
			`f:1: "MPI_Put Latency" measures neither`},
		{"bandwidth of perftest", "\n #bytes     #iterations    BW peak[MB/sec]\n 2 5000 1.23\n",
			"f:2: these are bandwidths; run ib_write_lat, ib_send_lat or ib_read_lat"},
		{"sums of netgauge", "Minimal cycle length [ns]: 98.9\n[0] CPU overhead due to noise: 0.65%\n",
			"f:2: netgauge prints here that noise takes 0.65% of the time, and not when; its detours " +
				"are in the file of its option -o"},
		{"selfish without detours", selfish + "CPU overhead due to noise: 0.65%\n",
			"f:2: netgauge prints here that noise takes 0.65% of the time, and not when"},
		{"a trace that descends", "100\t10\n900\t10\n800\t10\n",
			"f:3: the detour begins before the one above it, and those of a LogGOPSim trace ascend"},
		{"two runs", "100\t10\n900\t10\n100\t10\n", "f:3: the detour begins before the one above it"},
		{"sizes and times", "1\t2.6\n2\t2.6\n4\t2.7\n8\t2.7\n",
			"f:4: the first column has powers of two only, as sizes of messages have; if the second"},
		{"sizes and times", "1\t2.6\n2\t2.6\n3\t2.7\n4\t2.7\n",
			"f:4: 3 of 4 detours begin before the one above them ends"},
		{"bench without a head", "version: 0.1.0\n# jitterfly-mpi bench: 1\n",
			"f:1: the line is before # jitterfly-mpi bench:, which says what its values are"},
		{"unit", "# RTLA osnoise histogram\n# Time unit is fortnights\n",
			`f:2: "# Time unit is fortnights" is not a unit of rtla`},
		{"column", "# RTLA osnoise histogram\nIndex GPU-000\n",
			`f:2: "GPU-000" is not a column of a CPU`},
	}
	for _, test := range tests {
		m, err := Read(strings.NewReader(test.text), "f")
		if err == nil || !strings.HasPrefix(err.Error(), test.err) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v, want %s", test.name, m, err, test.err)
		}
	}
}

func TestReadTellsWhatTheReaderDoes(t *testing.T) {
	broken := errors.New("broken")
	for _, before := range []string{"", "# Selfish Benchmark\n",
		"# Selfish Benchmark\n" + strings.Repeat("1 1\n", 1000)} {
		_, err := Read(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), "f")
		if !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	}
}

func TestLimits(t *testing.T) {
	small := limits{line: 100, lines: 20, records: 5}
	tests := []struct{ text, err string }{
		{"# Selfish Benchmark\n" + strings.Repeat("x", 101),
			"f:2: the line is longer than 100 bytes; is this the output of a tool that measures?"},
		{"# Selfish Benchmark\n" + strings.Repeat("#\n", 20),
			"f:21: the file has more than 20 lines; cut it into several"},
		{"# Selfish Benchmark\n" + strings.Repeat("1 1\n", 6),
			"f:7: the file has more than 5 values to keep; cut it into several"},
		{"# RTLA osnoise histogram\nIndex" + strings.Repeat(" CPU-000", 6) + "\n",
			"f:2: the file has more than 5 values to keep"},
		{"core_i: 1 2 3 4 5 6\n", "f:1: the file has more than 5 values to keep"},
	}
	for _, test := range tests {
		_, err := newSource(strings.NewReader(test.text), "f", small).measurement()
		if err == nil || !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("%v, want %s", err, test.err)
		}
	}
}

// forever repeats a text without end.
type forever struct{ text string }

func (f forever) Read(p []byte) (int, error) { return copy(p, f.text), nil }

// A file without end stops with an error, not with the memory.
func TestEndless(t *testing.T) {
	_, err := Read(forever{"no end of line "}, "f")
	if want := fmt.Sprintf("f:1: the line is longer than %d bytes", MaxLine); err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// What does not end as the tool would have ended it is noted.
func TestTruncated(t *testing.T) {
	for _, file := range []string{"netgauge_selfish.txt", "rtla_osnoise.txt", "cyclictest.txt"} {
		text := tests.Must(os.ReadFile("testdata/" + file))(t)
		lines := strings.SplitAfter(string(text), "\n")
		keep := map[string]int{"netgauge_selfish.txt": 21, "rtla_osnoise.txt": 7,
			"cyclictest.txt": 5}[file]
		cut := strings.Join(lines[:keep], "")
		m, err := Read(strings.NewReader(cut[:len(cut)-1]), "f")
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
	_, err := Read(strings.NewReader("123"), "f")
	if err == nil || !strings.HasPrefix(err.Error(), "f:1: one number a line") {
		t.Errorf("%v", err)
	}
}
