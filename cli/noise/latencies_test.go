package noise

import (
	"math"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise/measured/formats"
)

// A G that netgauge fitted to a change of protocol is not that of the network.
func TestLogGP(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	im := importer{settings: settings{bytes: 8}}
	im.addLogGP([]formats.LogGP{
		{Size: 1, L: 1.78e-6, Os: 1.6e-7, Or: 2.7e-7, Gs: nan, G: nan, Deviation: nan},
		{Size: 1025, L: 1.78e-6, Os: 3.9e-6, Or: 4e-6, Gs: 2.3e-7, G: 3.6e-9, Deviation: inf},
		{Size: 10241, L: 1.78e-6, Os: 3.9e-6, Or: 4e-6, Gs: 2.8e-6, G: 1.6e-10, Deviation: 1.02},
		{Size: 130049, L: 1.78e-6, Os: 16e-6, Or: 16e-6, Gs: 4.3e-6, G: 1e-10, Deviation: 0.89},
	})
	im.takeOverheads()
	n := im.network
	if !near([]float64{*n.Latency, *n.Overhead}, []float64{1.35e-6 - 1e-10, 2.15e-7}) ||
		*n.Gap != 2.3e-7 || *n.Bandwidth != 1e10 {
		t.Errorf("%v, o %v, g %v, 1/G %v", *n.Latency, *n.Overhead, *n.Gap, *n.Bandwidth)
	}
	im.network.Bandwidth = nil
	im.addLogGP([]formats.LogGP{{Size: 1025, L: 1e-6, Gs: nan, G: 2e-9, Deviation: nan}})
	if *im.network.Bandwidth != 5e8 {
		t.Errorf("1/G %v, want the only one", *im.network.Bandwidth)
	}
}

// A message costs L + 2o + G·s, as long as half of the round trip that netgauge measured. The
// numbers are of a published run of netgauge 2.4.6 on two nodes of Delta, NCSA, at 1 and 1025 B,
// and of one on Frontera, TACC, from 1 MiB on.
func TestLogGPRoundTrip(t *testing.T) {
	nan := math.NaN()
	for _, sizes := range [][]formats.LogGP{
		{{Size: 1, L: 1.958548e-6, Os: .216185e-6, Or: 1.775504e-6, Gs: nan, G: nan, Deviation: nan},
			{Size: 1025, L: 1.958548e-6, Os: 3.287033e-6, Or: 3.290569e-6, Gs: 1.741803e-6,
				G: 4.7e-11, Deviation: .472106}},
		{{Size: 1 << 20, L: 138.759937e-6, Os: 93.182805e-6, Or: 113.057071e-6, Gs: nan, G: nan,
			Deviation: nan},
			{Size: 12 << 20, L: 138.759937e-6, Os: 1164e-6, Or: 1235e-6, Gs: 15e-6, G: 9.7e-11,
				Deviation: .985632}},
		{{Size: 8, L: 2.05e-6, Os: .31e-6, Or: .32e-6, Gs: nan, G: nan, Deviation: nan}},
		{{Size: 8, L: 2.05e-6, Os: nan, Or: nan, Gs: nan, G: nan, Deviation: nan}},
	} {
		im := importer{settings: settings{bytes: 8}}
		im.addLogGP(sizes)
		im.takeOverheads()
		n, trip := im.network, 0.0
		if n.Overhead != nil {
			trip = 2 * *n.Overhead
		}
		if n.Bandwidth != nil {
			trip += sizes[0].Size / *n.Bandwidth
		}
		if trip += *n.Latency; math.Abs(trip-sizes[0].L) > 1e-4*sizes[0].L || *n.Latency < 0 {
			t.Errorf("%+v: %g, want %g", sizes[0], trip, sizes[0].L)
		}
	}
}

// A file may have several operations of perftest; the last one's latency is not that of messages.
func TestCurvesOfSeveralOperations(t *testing.T) {
	one := func(operation string, us float64) formats.Curve {
		return formats.Curve{Pattern: formats.OneWay, Operation: operation,
			Points: []formats.Point{{Size: 2, Seconds: us * 1e-6}}}
	}
	im := importer{settings: settings{bytes: 8}}
	im.addCurves([]formats.Curve{one("read of perftest", .74), one("write of perftest", 1.33),
		one("write of perftest", 1.35), one("send of perftest", 2), one("atomic of perftest", 1.22)})
	if math.Abs(*im.network.Latency-1.34e-6) > 1e-12 || len(im.lines) != 5 ||
		im.lines[2] != "  send of perftest: not used, since write of perftest is" {
		t.Errorf("%g, %q", *im.network.Latency, im.lines)
	}
	im = importer{settings: settings{bytes: 8}}
	im.addCurves([]formats.Curve{one("read of perftest", .74)})
	if *im.network.Latency != .74e-6 {
		t.Errorf("%g", *im.network.Latency)
	}
}

// Tables that differ much are not of the same two places: here of hosts and of devices on a
// published page on OSU 7.5 in containers.
func TestTablesApart(t *testing.T) {
	table := func(us ...float64) formats.Curve {
		c := formats.Curve{Pattern: formats.OneWay, Operation: "latency"}
		for i, x := range us {
			c.Points = append(c.Points, formats.Point{Size: float64(int(1) << i), Seconds: x * 1e-6})
		}
		return c
	}
	host, device := table(3.34, 3.34, 3.35), table(21.8, 21.94, 21.9, 22.01)
	got, want := apart([]formats.Curve{device, host}), ", though they differ by up to 6.6×; "
	if !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := apart([]formats.Curve{host, table(3, 2.99, 2.99)}); got != "" {
		t.Errorf("%q", got)
	}
}

// A time far below the others is doubted, of few or many repetitions, and not one that may be right.
func TestDoubtLeast(t *testing.T) {
	for _, c := range []struct {
		repetitions, early int
		time               string // of the early ones [µs]
		doubted            bool
	}{
		{3, 1, "0.001", true}, {60, 1, "12.9", true}, {100, 1, "12.9", true}, {2000, 1, "0.001", true},
		{2000, 19, "0.001", true}, {60, 1, "13.1", false}, {2000, 1, "13.1", false}, {2000, 30, "12.9", false},
	} {
		text := "#size\trtt\n" + strings.Repeat("1\t26.00\n1\t26.02\n", (c.repetitions-c.early+1)/2) +
			strings.Repeat("1\t"+c.time+"\n", c.early)
		m := tests.Must(formats.Read(strings.NewReader(text), "f", 0))(t)
		im := importer{settings: settings{bytes: 8}}
		im.addCurves(m.Curves)
		last := im.lines[len(im.lines)-1]
		if doubted := strings.Contains(last, "below half of nearly all others"); doubted != c.doubted {
			t.Errorf("%+v: %s", c, last)
		}
	}
}
