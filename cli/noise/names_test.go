package noise

import (
	"slices"
	"testing"

	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/profile"
)

func periodic(period float64) profile.Component {
	return profile.Component{Kind: profile.Periodic, Period: period}
}

func poisson(interval float64) profile.Component {
	return profile.Component{Kind: profile.Poisson, Interval: interval}
}

func cause(counter measured.Counter, name string, rates ...float64) measured.Cause {
	return measured.Cause{Counter: counter, Name: name, Rates: rates, Counts: 100}
}

func TestNameComponents(t *testing.T) {
	rare := cause(measured.Threads, "rare", 50)
	rare.Counts = 99
	named := periodic(4e-3)
	named.Name = "tick"
	for name, test := range map[string]struct {
		components []profile.Component
		causes     []measured.Cause
		want       []string
	}{
		"within 10 %": {[]profile.Component{periodic(4e-3)},
			[]measured.Cause{cause(measured.Interrupts, "local_timer", 274)}, []string{"local_timer (likely)"}},
		"beyond 10 %": {[]profile.Component{periodic(4e-3)},
			[]measured.Cause{cause(measured.Interrupts, "local_timer", 276)}, []string{""}},
		"a thread's wake-ups are not the timer's": {[]profile.Component{periodic(4e-3), periodic(10e-3)},
			[]measured.Cause{cause(measured.Interrupts, "local_timer", 350), cause(measured.Threads, "agent", 99)},
			[]string{"local_timer (likely)", "agent (likely)"}},
		"a period on one core of two": {[]profile.Component{periodic(10e-3)},
			[]measured.Cause{cause(measured.Threads, "agent", 0, 100)}, []string{"agent (likely)"}},
		"Poisson is the mean of the cores": {[]profile.Component{poisson(20e-3), poisson(10e-3)},
			[]measured.Cause{cause(measured.Threads, "agent", 0, 100)}, []string{"agent (likely)", ""}},
		"interrupts before threads before softirqs before all": {
			[]profile.Component{periodic(4e-3), periodic(4e-3), periodic(4e-3), periodic(4e-3), periodic(4e-3)},
			[]measured.Cause{cause(measured.Schedules, "threads", 250), cause(measured.Softirqs, "softirq RCU", 250),
				cause(measured.Threads, "agent", 250), cause(measured.Interrupts, "eth", 255)},
			[]string{"eth (likely)", "agent (likely)", "softirq RCU (likely)", "threads (likely)", ""}},
		"the closest": {[]profile.Component{periodic(10e-3), periodic(9.8e-3)},
			[]measured.Cause{cause(measured.Threads, "a", 102), cause(measured.Threads, "b", 95)},
			[]string{"b (likely)", "a (likely)"}},
		"few counts": {[]profile.Component{periodic(20e-3)}, []measured.Cause{rare}, []string{""}},
		"names that stay": {[]profile.Component{named}, []measured.Cause{cause(measured.Interrupts, "x",
			250)}, []string{"tick"}},
		"a trace to replay": {[]profile.Component{{Kind: profile.Replay}},
			[]measured.Cause{cause(measured.Interrupts, "x", 250)}, []string{""}},
		"nothing known": {[]profile.Component{periodic(4e-3)}, nil, []string{""}},
	} {
		p := profile.Profile{OS: test.components}
		nameComponents(&p, test.causes)
		var got []string
		for _, c := range p.OS {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestNameComponentsSaysByWhat(t *testing.T) {
	p := profile.Profile{OS: []profile.Component{periodic(4e-3)}}
	got := nameComponents(&p, []measured.Cause{cause(measured.Interrupts, "local_timer", 251.3)})
	if want := "local_timer 251.3/s by /proc/interrupts"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The row of a core has the least, the median, the mean, two percentiles and the longest of its lengths.
func TestCores(t *testing.T) {
	of := func(lengths ...float64) noise.Core {
		c := noise.Core{Span: 10}
		for i, x := range lengths {
			c.Detours = append(c.Detours, noise.Detour{Start: float64(i) * 1e-3, Length: x})
		}
		return c
	}
	var ascending []float64
	for i := range 1001 {
		ascending = append(ascending, float64(i)*1e-6)
	}
	for _, c := range []struct {
		noise.Core
		want []string
	}{
		{of(ascending...), []string{"0 s", "500 µs", "500 µs", "990 µs", "999 µs", "1 ms"}},
		{of(3e-6), slices.Repeat([]string{"3 µs"}, 6)},
		{of(), slices.Repeat([]string{"0 s"}, 6)},
	} {
		if row := cores(noise.Trace{Cores: []noise.Core{c.Core}}).Rows[0]; !slices.Equal(row[4:], c.want) {
			t.Errorf("%q, want %q", row[4:], c.want)
		}
	}
}
