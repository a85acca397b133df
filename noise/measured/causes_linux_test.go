package measured

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"jitterfly/internal/tests"
)

// causesOf returns the causes of the counters in testdata, on the cores. change hides files of the
// machine.
func causesOf(cores []int, hide func(name string) bool) []Cause {
	root := func(name string) machine { return machine{hiding{os.DirFS("testdata/counters/" + name), hide}} }
	before, after := root("before").census(), root("after").census()
	before.at, after.at = time.Unix(100, 0), time.Unix(102, 0)
	return root("after").causes(before, after, cores)
}

// hiding is files of which some cannot be read.
type hiding struct {
	fs.FS
	hide func(name string) bool
}

func (h hiding) Open(name string) (fs.File, error) {
	if h.hide(name) {
		return nil, errors.New("permission denied")
	}
	return h.FS.Open(name)
}

// The causes on a core are those that counted there between the two times: 321 interrupts of the
// timer in 2 s, 280 runs of a thread, half of 1200 timeslices. A thread that moved is on no core.
func TestCauses(t *testing.T) {
	got := map[string]Cause{}
	for _, c := range causesOf([]int{1, 0}, func(string) bool { return false }) {
		got[string(c.Counter)+" "+c.Name] = c
	}
	for name, want := range map[string][2]float64{
		"/proc/interrupts local_timer":   {321. / 2, 78. / 2},
		"/proc/interrupts call_function": {4. / 2, 15. / 2},
		"/proc/interrupts virtio-req":    {21. / 2, 0},
		"/proc/[pid]/sched planted":      {280. / 2, 0},
		"/proc/schedstat threads":        {600. / 2, 50. / 2},
	} {
		c := got[name]
		if !slices.Equal(c.Rates, want[:]) || c.Counts != int64(2*max(want[0], want[1])) {
			t.Errorf("%s: %+v, want rates %v", name, c, want)
		}
	}
	for _, name := range []string{"/proc/[pid]/sched rcu_preempt", "/proc/interrupts tlb_shootdowns",
		"/proc/interrupts ttyS0"} {
		if c, ok := got[name]; ok {
			t.Errorf("%+v should not be there", c)
		}
	}
	if _, ok := got["/proc/softirqs softirq RCU"]; !ok {
		t.Errorf("no softirqs: %v", slices.Sorted(maps.Keys(got)))
	}
}

// Devices of one kind, and threads of the kernel's workers, are one cause.
func TestSources(t *testing.T) {
	after := census{at: time.Unix(1, 0), counts: map[counted]int64{
		{Interrupts, "eth0-rx", 7}: 60, {Interrupts, "eth1-rx", 7}: 40, {Softirqs, "RCU", 7}: 1}}
	got := machine{}.causes(census{at: time.Unix(0, 0)}, after, []int{7})
	want := []Cause{{Interrupts, "eth-rx", []float64{100}, 100}, {Softirqs, "softirq RCU", []float64{1}, 1}}
	if diff := tests.Diff(want, got); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
}

// Files that cannot be read hide what they count, and nothing else.
func TestCausesHidden(t *testing.T) {
	all := causesOf([]int{0, 1}, func(string) bool { return false })
	for counter, file := range map[Counter]string{
		Interrupts: "proc/interrupts", Softirqs: "proc/softirqs", Schedules: "proc/schedstat",
		Threads: "proc/21237/task/21237/sched",
	} {
		seen := causesOf([]int{0, 1}, func(name string) bool { return name == file })
		for _, c := range all {
			hidden := c.Counter == counter && (counter != Threads || c.Name == "planted")
			same := func(o Cause) bool { return o.Counter == c.Counter && o.Name == c.Name }
			if slices.ContainsFunc(seen, same) == hidden {
				t.Errorf("without %s: %s of %s is hidden: %t", file, c.Name, c.Counter, !hidden)
			}
		}
	}
	if none := causesOf([]int{0, 1}, func(string) bool { return true }); len(none) > 0 {
		t.Errorf("of nothing: %v", none)
	}
}

// Forms of other kernels and processors, and text that is no table.
func TestInterruptNames(t *testing.T) {
	for text, want := range map[string]map[counted]int64{
		"           CPU0       CPU3\n 11:   5   7     GICv3  30 Level     arch_timer\n" +
			"IPI0:   1   2       Rescheduling interrupts\nIPI4:   3   4  Timer broadcast interrupts\nErr:  9\n": {
			{Interrupts, "arch_timer", 0}: 5, {Interrupts, "arch_timer", 3}: 7,
			{Interrupts, "reschedule", 0}: 1, {Interrupts, "reschedule", 3}: 2,
			{Interrupts, "timer_broadcast", 0}: 3, {Interrupts, "timer_broadcast", 3}: 4,
		},
		"  CPU0\n 16: 2 IO-APIC-fasteoi   uhci_hcd:usb4, i915\n 17: 3 PCI-MSI-edge eth0\n" +
			" 18: 4 PCI-MSI 4-edge eth0\nNMI: 6  Non-maskable interrupts\nTLB: 1 TLB shootdowns\nXYZ: 8\n": {
			{Interrupts, "i915", 0}: 2, {Interrupts, "eth0", 0}: 7, {Interrupts, "NMI", 0}: 6,
			{Interrupts, "XYZ", 0}: 8,
		},
		"no such table\n1: 2 3\n": {}, "": {}, "CPU0 CPU1\n1: many more x\n": {},
	} {
		c := census{counts: map[counted]int64{}}
		if c.table(Interrupts, text, interruptName); !maps.Equal(c.counts, want) {
			t.Errorf("%q: %v, want %v", text, c.counts, want)
		}
	}
}

// Names of threads may have any character.
func TestRunning(t *testing.T) {
	got, ok := parseRunning("a (b) c (12, #threads: 3)\n---\nse.nr_migrations  :  4\nnr_switches  :  55\n")
	if want := (running{"a (b) c", 55, 4}); got != want || !ok {
		t.Errorf("%+v, %t", got, ok)
	}
	for _, text := range []string{"", "x\n", "x (1, #threads: 1)\n", "x (1, #threads: 1)\nnr_switches : many"} {
		if got, ok := parseRunning(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A measurement knows its causes, without threads of this process, which runs on the core all along.
func TestRunCauses(t *testing.T) {
	allowed := tests.Must(Allowed())(t)
	if _, err := os.Stat("/proc/interrupts"); err != nil {
		t.Skip(err)
	}
	begun := false
	r, err := Measure(
		t.Context(),
		Options{Cores: allowed[:1], Duration: 0.2, AllowBusy: true, Begun: func() { begun = true }},
	)
	if errors.Is(err, ErrSaturated) {
		t.Skip(err)
	}
	if err != nil || !begun || len(r.Causes) == 0 {
		t.Fatalf("%v, begun %t, causes %v", err, begun, r.Causes)
	}
	for _, c := range r.Causes {
		if len(c.Rates) != 1 || !(c.Rates[0] > 0) || math.IsInf(c.Rates[0], 0) || c.Counts < 1 {
			t.Errorf("%+v", c)
		}
	}
	for dir := range (machine{os.DirFS("/")}).census().threads {
		if strings.HasPrefix(dir, fmt.Sprintf("proc/%d/", os.Getpid())) {
			t.Errorf("%s is of this process", dir)
		}
	}
}
