package noise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

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
	m := tests.Must(formats.Read(strings.NewReader(text), "trace.txt"))(t)
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
		m := tests.Must(formats.Read(strings.NewReader(text), "f"))(t)
		tests.NoError(t, im.add(m, "f"))
	}
	p, err := im.profile("both")
	named := func(c profile.Component) bool { return c.Name != "" }
	if err != nil || slices.ContainsFunc(p.OS, named) ||
		!strings.Contains(strings.Join(im.lines, "\n"), "sources of detours are not used") {
		t.Errorf("%v, %+v, %q", err, p.OS, im.lines)
	}
}
