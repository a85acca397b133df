package noise

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"jitterfly/cli/internal/output"
	"jitterfly/internal/tests"
	"jitterfly/noise/measured/formats"
)

// What is imported agrees with what an independent program of a few lines for each format
// computed (notebooks/test_import.py, in python.csv). With -v it prints both.
func TestImportAgreesWithPython(t *testing.T) {
	const testdata = "../../noise/measured/formats/testdata/"
	content := tests.Must(os.ReadFile(testdata + "python.csv"))(t)
	rows := tests.Must(csv.NewReader(bytes.NewReader(content)).ReadAll())(t)
	var table strings.Builder
	table.WriteString("| file | format | detours take | by Python | latency | by Python |\n" +
		"|---|---|---|---|---|---|\n")
	for _, row := range rows[1:] {
		im, m := imported(t, testdata+row[0])
		var cells [4]string
		if row[1] != "" {
			want, got := number(t, row[1]), im.overhead()
			if math.Abs(got-want) > 0.05*want {
				t.Errorf("%s: detours take %g, want %g", row[0], got, want)
			}
			cells[0], cells[1] = share3(got), share3(want)
		} else {
			least, beyond := latencyAt(m, number(t, row[2]))
			want, wantBeyond := number(t, row[3])/1e6, number(t, row[4])/1e6
			if math.Abs(least-want) > 1e-4*want || math.Abs(beyond-wantBeyond) > 0.02*wantBeyond {
				t.Errorf("%s: %g s and %g s beyond, want %g s and %g s", row[0], least, beyond, want,
					wantBeyond)
			}
			cells[2], cells[3] = latency(least, beyond), latency(want, wantBeyond)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", path.Base(row[0]), m.Format,
			strings.Join(cells[:], " | "))
	}
	t.Log(table.String())
}

// The formats that import reads, and what it takes from each, are a table in docs/measure.md.
func TestFormatsAreDocumented(t *testing.T) {
	var table strings.Builder
	table.WriteString("| format | gives |\n|---|---|\n")
	for _, f := range formats.All {
		fmt.Fprintf(&table, "| %s | %s |\n", f.Name, f.Gives)
	}
	tests.Table(t, "../../docs/measure.md", table.String())
}

// imported returns what the importer collects of a file, and what the file has.
func imported(t *testing.T, path string) (*importer, formats.Measurement) {
	t.Helper()
	f := tests.Must(os.Open(path))(t)
	defer func() { _ = f.Close() }()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		r = tests.Must(gzip.NewReader(f))(t)
	}
	m := tests.Must(formats.Read(r, path))(t)
	im := &importer{bytes: 8}
	tests.NoError(t, im.add(m, path))
	return im, m
}

// overhead returns the share of the time that the detours take.
func (im *importer) overhead() float64 {
	if len(im.trace.Cores) > 0 {
		return im.trace.Overhead()
	}
	sum := 0.0
	for i, length := range im.detours.Values {
		sum += length * im.detours.Counts[i]
	}
	return sum / im.detours.Span
}

// latencyAt returns the least time of a size and the mean beyond it, or the time alone.
func latencyAt(m formats.Measurement, size float64) (least, beyond float64) {
	for _, c := range m.Curves {
		if c.Pattern != formats.OneWay {
			continue
		}
		for _, p := range c.Points {
			if e, ok := p.Excess(); ok && p.Size == size {
				return p.Base(), e.Mean()
			} else if p.Size == size {
				return p.Seconds, 0
			}
		}
	}
	return 0, 0
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	return tests.Must(strconv.ParseFloat(text, 64))(t)
}

func share3(x float64) string { return fmt.Sprintf("%.3g%%", 100*x) }

func latency(least, beyond float64) string {
	if beyond == 0 {
		return output.Seconds(least)
	}
	return output.Seconds(least) + " + " + output.Seconds(beyond)
}
