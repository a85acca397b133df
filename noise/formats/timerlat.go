package formats

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// The timerlat tracer of Linux writes the delay of each interrupt of a timer, of the thread
// that it woke and, with rtla -u, of that thread's return to its program,
//
//	<idle>-0       [000] d.h1    54.029328: #1     context    irq timer_latency       932 ns
//	 <...>-867     [000] ....    54.029339: #1     context thread timer_latency     11700 ns
//
// in /sys/kernel/tracing/trace and in the file of rtla timerlat -t. Other events between
// them tell the causes, and are skipped.

var timerlatSample = regexp.MustCompile(
	`\[(\d+)\].*#\d+ +context +(irq|thread|user-ret) timer_latency +(\d+) ns`)

// timerlatKinds are what the contexts hold, and the columns of rtla.
var timerlatKinds = map[string]struct {
	kind   Kind
	column string
}{"irq": {Interrupts, "IRQ-"}, "thread": {Wakeups, "Thr-"}, "user-ret": {Returns, "Usr-"}}

func matchesTimerlat(head []string) bool {
	return slices.ContainsFunc(head, timerlatSample.MatchString)
}

// A timerlatColumn is the CPU and the context of a delay.
type timerlatColumn struct {
	cpu     int64
	context string
}

func readTimerlat(s *source, m *Measurement) {
	delays := map[timerlatColumn]map[int64]int64{} // how often there was which [ns]
	for s.scan() {
		f := timerlatSample.FindStringSubmatch(s.text)
		switch {
		case s.text == "":
		case f != nil:
			addTimerlat(s, delays, f)
		case s.text[0] == '#':
			s.skip(comment)
		default:
			s.skip(otherEvent)
		}
	}
	columns := slices.SortedFunc(maps.Keys(delays), func(a, b timerlatColumn) int {
		return cmp.Or(cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.context, b.context))
	})
	for _, c := range columns {
		of := timerlatKinds[c.context]
		h := Histogram{Core: int(c.cpu), Column: fmt.Sprintf("%s%03d", of.column, c.cpu), Kind: of.kind}
		for _, t := range slices.Sorted(maps.Keys(delays[c])) {
			n := delays[c][t]
			h.Bins = append(h.Bins, Bin{float64(t) / perNano, float64(t+1) / perNano, n})
			h.Samples += n
		}
		m.Histograms = append(m.Histograms, h)
	}
}

// addTimerlat counts a delay.
func addTimerlat(s *source, delays map[timerlatColumn]map[int64]int64, f []string) {
	cpu, why := count(f[1])
	t, why2 := count(f[3])
	if why = first(why, why2); why == "" && t > maxLength*perMicro {
		why = beyond
	}
	if why != "" {
		s.skip(why)
		return
	}
	c := timerlatColumn{cpu, f[2]}
	if delays[c] == nil {
		delays[c] = map[int64]int64{}
		s.record()
	}
	if delays[c][t] == 0 {
		s.record()
	}
	delays[c][t]++
}
