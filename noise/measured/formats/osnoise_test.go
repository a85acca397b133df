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
	if len(m.Sources) != mostSources || m.Sources[0].Name != first || last.Name != rest ||
		len(last.Lengths()) != 40-mostSources+1 || got-sum > 1e-15 || sum-got > 1e-15 {
		t.Errorf("%d sources, the last %q of %d, take %g s of %g", len(m.Sources), last.Name,
			len(last.Lengths()), got, sum)
	}
}
