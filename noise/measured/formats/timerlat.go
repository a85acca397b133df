package formats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// The timerlat tracer of Linux writes the delay of each interrupt of a timer, of the thread
// that it woke and, with rtla -u, of that thread's return to its program,
//
//	<idle>-0       [000] d.h1    54.029328: #1     context    irq timer_latency       932 ns
//	 <...>-867     [000] ....    54.029339: #1     context thread timer_latency     11700 ns
//
// in /sys/kernel/tracing/trace and in the file of rtla timerlat -t. Other events between them have
// the causes, and are skipped.

const timerlatSample expression = `\[(\d+)\].*#\d+\s+context\s+(irq|thread|user-ret)\s+` +
	`timer_latency\s+(\d+) ns`

// timerlatColumns are the columns of rtla by the contexts.
var timerlatColumns = map[string]string{"irq": "IRQ", "thread": "Thr", "user-ret": "Usr"}

// A timerlatColumn is the CPU and the context of a delay.
type timerlatColumn struct {
	cpu     int64
	context string
}

func readTimerlat(s *source, m *Measurement) {
	delays := map[timerlatColumn]map[int64]int64{} // how often there was which [ns]
	s.each(
		rule{timerlatSample, func(s *source) {
			if cpu, delay := s.count(1), s.count(3); s.ok() {
				tally(s, delays, timerlatColumn{cpu, s.fields[2]}, delay, perMicro)
			}
		}},
		s.lose(),
		rule{"", ignoring(otherEvent)},
	)
	columns := slices.SortedFunc(maps.Keys(delays), func(a, b timerlatColumn) int {
		return cmp.Or(cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.context, b.context))
	})
	for _, c := range columns {
		h := Histogram{Core: int(c.cpu), Kind: timerKinds[c.context],
			Column: fmt.Sprintf("%s-%03d", timerlatColumns[c.context], c.cpu)}
		m.Histograms = append(m.Histograms, h.of(delays[c], perNano))
	}
}
