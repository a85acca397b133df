package formats

import (
	"fmt"
	"strings"
	"testing"
)

func TestSourceNames(t *testing.T) {
	for event, want := range map[string]string{
		"thread_noise kworker/3:1": "kworker", "thread_noise kworker/u8:2": "kworker",
		"thread_noise kworker/0:1H": "kworker", "thread_noise migration/12": "migration",
		"thread_noise      sh": "sh", "thread_noise irq/179-dcvsh-i": "irq-dcvsh-i",
		"thread_noise a b:3": "a b", "thread_noise 7": "7",
		"irq_noise local_timer": "local_timer", "irq_noise virtio0-output.0": "virtio-output",
		"irq_noise eth0-TxRx-13": "eth-TxRx", "irq_noise i915": "i915",
		"irq_noise mlx5_comp3@pci:0000:3b:00.0": "mlx5_comp", "softirq_noise SCHED": "softirq SCHED",
		"softirq_noise 9": "softirq RCU", "softirq_noise 99": "softirq 99", "nmi_noise ": "NMI",
	} {
		kind, name, _ := strings.Cut(event, " ")
		if got := SourceName(kind, name); got != want {
			t.Errorf("%s: %q, want %q", event, got, want)
		}
	}
}

// A run counted twice overlaps itself; what is put one after the other can end after the last event,
// on one CPU and for one source, and all are of one span all the same.
func TestOneSpan(t *testing.T) {
	run := `osnoise/8-961 [008] .... 5789.868413: sample_threshold: start 5789.868404555 duration 2000 ns interferences 1
osnoise/8-961 [008] d.h. 5789.857532: irq_noise: local_timer:236 start 5789.857529929 duration 1845 ns
migration/8-54 [008] d... 5789.858413: thread_noise: migration/8:54 start 5789.858409300 duration 3068 ns
osnoise/8-961 [008] .... 5789.858413: sample_threshold: start 5789.858404555 duration 8812 ns interferences 2
osnoise/9-962 [009] .... 5789.859001: sample_threshold: start 5789.859000000 duration 1000 ns interference 1
osnoise/8-961 [008] .... 5789.868413: sample_threshold: start 5789.868404555 duration 2000 ns interferences 1
`
	m := mustRead(t, run)
	for _, s := range m.Sources {
		for _, c := range s.Cores {
			if want := m.Sources[0].Cores[0].Span; c.Span != want {
				t.Errorf("%s on CPU %d spans %g s, not %g", s.Name, c.ID, c.Span, want)
			}
		}
	}
}

// Of very many sources the smallest become one, and no time is lost. It has a name of its own.
func TestManySources(t *testing.T) {
	manySources(t, "dev", others)
	manySources(t, others, "all "+others)
}

// manySources checks sources of which the one that takes most time has a name, and the last, which are
// together, another.
func manySources(t *testing.T, first, rest string) {
	t.Helper()
	text, sum := strings.Builder{}, 10000/perNano
	fmt.Fprintf(&text, "x-1 [000] d.h. 5.0: irq_noise: %s:9 start 5.900000000 duration 10000 ns\n", first)
	for i := range 39 {
		length := 1000 + 100*i
		sum += float64(length) / perNano
		fmt.Fprintf(&text, "x-1 [000] d.h. 5.0: irq_noise: dev%c%c:9 start 5.%09d duration %d ns\n",
			'a'+i%20, 'a'+i/20, 1000000*i, length)
	}
	m := mustRead(t, text.String())
	last := m.Sources[len(m.Sources)-1]
	got := 0.0
	for _, s := range m.Sources {
		for _, x := range s.Lengths() {
			got += x
		}
	}
	if len(m.Sources) != mostSources || m.Sources[0].Name != first || last.Name != rest || len(last.Lengths()) != 40-mostSources+1 ||
		got-sum > 1e-15 || sum-got > 1e-15 {
		t.Errorf("%d sources, the last %q of %d, take %g s of %g", len(m.Sources), last.Name,
			len(last.Lengths()), got, sum)
	}
}
