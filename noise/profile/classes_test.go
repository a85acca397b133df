package profile

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise"
)

const fleetFile = `profile: 1
name: fleet
os: [{kind: periodic, name: tick, period: 1ms, duration: 2us}]
classes:
  - {name: healthy, share: 0.75}
  - name: bad
    share: 0.25
    speed: 0.8
    os:
      - {kind: poisson, interval: 10s, duration: 2.1ms}
      - {kind: poisson, name: daemon, interval: 1s, duration: 1ms}
  - {nodes: [17, 40-43], os: [{kind: poisson, interval: 1s, duration: 10ms}]}
`

func readFleet(t *testing.T, old, with string) (Profile, error) {
	t.Helper()
	if !strings.Contains(fleetFile, old) {
		t.Fatalf("%q is not in the file", old)
	}
	return Read([]byte(strings.Replace(fleetFile, old, with, 1)), "p.yaml")
}

func TestReadClasses(t *testing.T) {
	p := tests.Must(readFleet(t, "", ""))(t)
	want := []noise.Class{
		{Name: "healthy", Share: 0.75},
		{Name: "bad", Share: 0.25, Speed: 0.8},
		{Nodes: []noise.Span{{First: 17, Last: 17}, {First: 40, Last: 43}}},
	}
	if diff := tests.Diff(want, p.Classes); diff != "" {
		t.Error(diff)
	}
	for i, label := range []string{"tick", "bad.os[0]", "bad.daemon", "classes[2].os[0]"} {
		if got := p.Label(i); got != label {
			t.Errorf("component %d is %s, not %s", i, got, label)
		}
	}
	if want := 0.002 + 0.25*(2.1e-4+1e-3); math.Abs(p.Overhead()-want) > 1e-15 {
		t.Errorf("the overhead is %g, not %g", p.Overhead(), want)
	}
	b := bytes.NewBuffer(tests.Must(Write(p))(t))
	again, err := Read(b.Bytes(), "p.yaml")
	if diff := tests.Diff(p, again); err != nil || diff != "" {
		t.Errorf("%v %s in\n%s", err, diff, b)
	}
}

func TestClassesThatAreWrong(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"share: 0.75", "share: 0.7", "p.yaml: classes: their shares sum to 0.95, and must sum to 1; give " +
			"the rest, 0.05, to usual nodes"},
		{"share: 0.75", "share: 0.8", "p.yaml: classes: their shares sum to 1.05, and must sum to 1"},
		{"share: 0.75", "share: -0.25", "p.yaml: healthy: the share is -0.25, which must be from 0 to 1"},
		{"share: 0.75", "share: nan", `p.yaml:5: classes[0].share: "nan" is not`},
		{", share: 0.75", "", "p.yaml:5: classes[0]: the key share is missing; write it, or nodes"},
		{", share: 0.75", ", nodes: []",
			"p.yaml:5: classes[0].nodes: it is empty; write the class's nodes, or share"},
		{"speed: 0.8", "speed: 1.5", "p.yaml: bad: the speed is 1.5, which must be from 1e-06 to 1"},
		{"speed: 0.8", "speed: 0", "p.yaml:8: classes[1].speed: it is 0, and must be from 1e-06 to 1"},
		{"speed: 0.8", "speed: 1e-300", "p.yaml: bad: the speed is 1e-300, which must be from 1e-06"},
		{"speed: 0.8", "speed: -1", "p.yaml: bad: the speed is -1"},
		{"[17, 40-43]", "[x]", `p.yaml:12: classes[2].nodes[0]: "x" is not the number of a node`},
		{"40-43", "43-40", `p.yaml:12: classes[2].nodes[1]: "43-40" is not`},
		{"nodes: [17", "share: 0, nodes: [17", ""},
		{"nodes: [17", "share: 0.25, nodes: [17", "p.yaml: classes[2]: it has a share and nodes"},
		{"{name: healthy, share: 0.75}", "{name: healthy, share: 0.75}\n  - {nodes: [42]}",
			"p.yaml: node 42 belongs to classes[1] and to classes[3]"},
		{"name: healthy", "name: bad", "p.yaml: two classes have the name bad"},
		{"name: healthy", "label: healthy",
			"p.yaml:5: classes[0].label: the key is not known; known here are name,"},
		{"duration: 10ms", "duration: 1s", "p.yaml: classes[2]: detours take 100% of the time"},
		{"kind: poisson, interval: 10s", "kind: weekly, interval: 10s", "p.yaml:10: classes[1].os[0]: the kind"},
	} {
		tests.Fails(t, c.want, c.with)(readFleet(t, c.old, c.with))
	}
}

// One class of share 1 is the plain profile, whether it has the components or all nodes have; a
// class of share 0 adds nothing.
func TestFleetsOfOneClass(t *testing.T) {
	jitter := func(p Profile) noise.OS {
		return tests.Must(p.Jitter(noise.Random, Groups{Node: 4}, nil))(t)
	}
	fan := Component{Kind: Poisson, Interval: 1, Duration: noise.Constant(0.1)}
	plain := jitter(Profile{Name: "plain", OS: []Component{fan}})
	own := fan
	own.Class = 1
	rare := fan
	rare.Class, rare.Interval = 2, 3
	for _, p := range []Profile{
		{OS: []Component{fan}, Classes: []noise.Class{{Share: 1}}},
		{OS: []Component{own}, Classes: []noise.Class{{Share: 1, Speed: 1}}},
		{OS: []Component{own, rare}, Classes: []noise.Class{{Share: 1}, {Share: 0, Speed: 0.1}}},
		Profile{
			OS: []Component{own, rare}, Classes: []noise.Class{{Share: 0.9}, {Share: 0.1, Speed: 0.1}},
		}.Drain(1),
	} {
		if diff := tests.Diff(plain, jitter(p)); diff != "" {
			t.Error(diff)
		}
	}
	split := Profile{OS: []Component{own, rare}, Classes: []noise.Class{{Share: 0.9}, {Share: 0.1}}}
	if _, ok := jitter(split).(noise.Fleet); !ok {
		t.Error("two classes are no fleet")
	}
}

// Another core can take daemons, workers of the kernel and interrupts of devices, and not what each
// core has: its timer, interrupts that others send to it, softirqs, its own threads, stalls.
func TestMoves(t *testing.T) {
	for name, want := range map[string]bool{
		"": true, "kworker": true, "sshd": true, "mlx5_comp": true, "eth-TxRx": true, "rcu_preempt": true,
		"kworker (likely)": true, "others": true,
		"local_timer": false, "arch_timer (likely)": false, "tick": false, "NMI": false, "reschedule": false,
		"call_function_single": false, "irq_work": false, "thermal_apic": false, "x86_platform_ipi": false,
		"softirq SCHED": false, "ksoftirqd": false, "hardware": false, "migration": false, "watchdog": false,
		"cpuhp": false, "idle_inject": false, "local_timer, irregular": false,
	} {
		c := Component{Name: name, Kind: Poisson}
		if got := c.Moves(); got != want {
			t.Errorf("%q moves: %t", name, got)
		}
		if c.Kind = Periodic; c.Moves() {
			t.Errorf("%q moves though it is periodic", name)
		}
	}
}

// Scaled latencies keep their shape, and their mean or median becomes L.
func TestRescaled(t *testing.T) {
	latency := 3e-6
	excess := noise.Empirical{Points: []noise.Quantile{
		{Share: 0, Length: 0}, {Share: 0.5, Length: 1e-6}, {Share: 1, Length: 9e-6},
	}}
	n := Network{Latency: &latency, Noise: &MessageNoise{Duration: excess}}
	for name, middle := range map[string]func(noise.Length) float64{
		"median": Median, "mean": noise.Length.Mean,
	} {
		got := tests.Must(n.Rescaled(1e-6, middle))(t)
		if sum := *got.Latency + middle(got.Noise.Duration); math.Abs(sum-latency) > 1e-12 {
			t.Errorf("the %s is %g", name, sum)
		}
		if ratio := got.Noise.Duration.Quantile(1) / *got.Latency; math.Abs(ratio-9) > 1e-9 {
			t.Errorf("by the %s, the longest is %g times the shortest beyond it", name, ratio)
		}
	}
	if latency != 3e-6 || excess.Points[2].Length != 9e-6 {
		t.Error("the network itself has changed")
	}
	if _, err := (Network{Latency: &latency}).Rescaled(1e-6, Median); err == nil {
		t.Error("nothing was measured")
	}
}
