package noise

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

// What is imported agrees with what an independent program of a few lines for each format
// computed (notebooks/test_import.py, in python.csv). With -v it prints both.
func TestImportAgreesWithPython(t *testing.T) {
	const testdata = "../../noise/measured/formats/testdata/"
	content := tests.Must(os.ReadFile(testdata + "python.csv"))(t)
	rows := tests.Must(csv.NewReader(bytes.NewReader(content)).ReadAll())(t)
	for _, row := range rows[1:] {
		im, m := imported(t, testdata+row[0])
		if row[1] != "" {
			want, got := number(t, row[1]), im.overhead()
			t.Logf("%s: detours take %.3g%%, by Python %.3g%%", row[0], 100*got, 100*want)
			if math.Abs(got-want) > 0.02*want {
				t.Errorf("%s: detours take %g, want %g", row[0], got, want)
			}
			continue
		}
		least, beyond := latencyAt(m, number(t, row[2]))
		want, wantBeyond := number(t, row[3])/1e6, number(t, row[4])/1e6
		t.Logf("%s: %.4g s and %.4g s beyond, by Python %.4g s and %.4g s", row[0], least, beyond, want,
			wantBeyond)
		if math.Abs(least-want) > 1e-4*want || math.Abs(beyond-wantBeyond) > 0.02*wantBeyond {
			t.Errorf("%s: %g s and %g s beyond, want %g s and %g s", row[0], least, beyond, want, wantBeyond)
		}
	}
}

// What each format gives is a table in docs/measure.md.
func TestFormatsAreDocumented(t *testing.T) {
	var rows []string
	for _, f := range formats.All {
		rows = append(rows, "| "+f.Name+" | ")
	}
	tests.Rows(t, "../../docs/measure.md", "| format | gives |", rows...)
}

// imported returns what the importer collects of a file, and what the file has.
func imported(t *testing.T, path string) (*importer, formats.Measurement) {
	t.Helper()
	m := tests.Must(ReadMeasured(path, nil, -1))(t)
	im := &importer{settings: settings{bytes: 8}}
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

// A planted trace of two CPUs: a timer every millisecond of 3 µs, work of 30 µs that arrives
// without memory, some of it interrupted by the timer, and firmware that takes 200 µs every
// half second. Entering and leaving each takes 1 µs, which only the samples have.
func plantedEvents(seconds int) (text string, busy map[string]float64) {
	const entry = 1000 // ns
	type event struct {
		at   int64
		line string
	}
	r := rand.New(rand.NewPCG(7, 7))
	busy = map[string]float64{}
	var all []event
	for cpu := range 2 {
		emit := func(at int64, format string, args ...any) {
			head := fmt.Sprintf("osnoise/%d-9 [%03d] d... %d.%06d: ", cpu, cpu, 50+at/1e9, at%1e9/1000)
			all = append(all, event{at, head + fmt.Sprintf(format, args...)})
		}
		stamp := func(at int64) string { return fmt.Sprintf("%d.%09d", 50+at/1e9, at%1e9) }
		timer := func(at int64) {
			emit(at+3000, "irq_noise: local_timer:236 start %s duration 3000 ns", stamp(at))
			busy["local_timer"] += 3000 + entry
		}
		sample := func(at, length int64, n int) {
			emit(at+length, "sample_threshold: start %s duration %d ns interference %d", stamp(at), length, n)
		}
		next := int64(r.ExpFloat64() * 25e6)
		for tick := int64(300_000); tick < int64(seconds)*1e9; tick += 1e6 {
			begin := tick - 500 // half the entry is before it
			if next < tick+900_000 && next > tick-40_000 {
				// The worker begins 10 µs before the timer, which interrupts it.
				work := tick - 10_000
				emit(work+33_000, "thread_noise: kworker/%d:%d:%d start %s duration 30000 ns", cpu,
					r.IntN(4), 40+r.IntN(9), stamp(work))
				busy["kworker"] += 30000 + entry
				timer(tick)
				sample(work-500, 33_000+2*entry, 2)
				next = tick + int64(r.ExpFloat64()*25e6)
			} else {
				timer(tick)
				sample(begin, 3000+entry, 1)
			}
			for next <= tick+900_000 {
				next += int64(r.ExpFloat64() * 25e6)
			}
			if (tick-300_000)%500_000_000 == 0 {
				sample(tick+400_000, 200_000, 0)
				busy["hardware"] += 200_000
			}
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return int(a.at - b.at) })
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.line + "\n")
	}
	return b.String(), busy
}

// The components of a planted trace have the names, the kinds and the time of its sources.
func TestSourcesOfEvents(t *testing.T) {
	const seconds = 6
	text, busy := plantedEvents(seconds)
	m := tests.Must(formats.Read(strings.NewReader(text), "trace.txt", -1))(t)
	im := importer{}
	tests.NoError(t, im.add(m, "trace.txt"))
	p := tests.Must(im.profile("planted"))(t)
	want := map[string]profile.Component{
		"local_timer": {Kind: profile.Periodic, Period: 1e-3},
		"kworker":     {Kind: profile.Poisson},
		"hardware":    {Kind: profile.Periodic, Period: 0.5},
	}
	if len(p.OS) != len(want) || p.Fit != nil {
		t.Errorf("%d components: %+v", len(p.OS), p.OS)
	}
	for _, c := range p.OS {
		w, ok := want[c.Name]
		share := busy[c.Name] / 1e9 / (2 * seconds)
		if !ok || c.Kind != w.Kind || math.Abs(c.Period-w.Period) > 1e-6*w.Period ||
			math.Abs(c.Overhead()-share) > 0.01*share {
			t.Errorf("%+v takes %g of the time, want %+v and %g", c, c.Overhead(), w, share)
		}
	}
}

// A file without sources beside one with them gives components without names, and says so.
func TestSourcesOfOneFileOnly(t *testing.T) {
	text, _ := plantedEvents(1)
	im := importer{}
	for _, text := range []string{text, "# Selfish Benchmark\n1000\t500\n900000\t700\n"} {
		m := tests.Must(formats.Read(strings.NewReader(text), "f", -1))(t)
		tests.NoError(t, im.add(m, "f"))
	}
	p, err := im.profile("both")
	named := func(c profile.Component) bool { return c.Name != "" }
	if err != nil || slices.ContainsFunc(p.OS, named) ||
		!strings.Contains(strings.Join(im.lines, "\n"), "sources of detours are not used") {
		t.Errorf("%v, %+v, %q", err, p.OS, im.lines)
	}
}
