package measured

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func files(contents map[string]string) machine {
	root := fstest.MapFS{}
	for name, text := range contents {
		root[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return machine{root}
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string // the beginnings
	}{
		{"nothing known", nil, nil},
		{"quiet", map[string]string{
			"proc/cpuinfo": "flags\t\t: fpu tsc", "proc/self/cgroup": "0::/a/b",
			"sys/fs/cgroup/a/b/cpu.max":                                    "max 100000",
			"sys/class/dmi/id/product_name":                                "PowerEdge R650",
			"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor":         "performance",
			"sys/devices/system/cpu/cpu2/topology/thread_siblings_list":    "2-3",
			"sys/devices/system/cpu/cpu3/topology/thread_siblings_list":    "2-3",
			"sys/devices/system/cpu/cpu9/cpufreq/scaling_governor":         "powersave",
			"sys/devices/system/cpu/cpu9/topology/thread_siblings_list":    "9,11",
			"sys/devices/system/cpu/cpu9/cpufreq/scaling_driver":           "intel_pstate",
			"sys/devices/system/cpu/cpu9/cpufreq/energy_performance_bogus": "",
		}, nil},
		{"virtual by flag",
			map[string]string{"proc/cpuinfo": "flags\t\t: fpu hypervisor tsc",
				"sys/class/dmi/id/sys_vendor": "Amazon EC2"},
			[]string{"this is a virtual machine (Amazon EC2)"}},
		{"virtual by name",
			map[string]string{"sys/class/dmi/id/product_name": "KVM Virtual Machine"},
			[]string{"this is a virtual machine (KVM"}},
		{"frequency", map[string]string{
			"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor": "performance",
			"sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": "powersave",
			"sys/devices/system/cpu/cpu3/cpufreq/scaling_driver":   "intel_pstate",
		}, []string{"the frequency of the cores follows their load (intel_pstate, governor powersave)"}},
		{"siblings", map[string]string{
			"sys/devices/system/cpu/cpu2/topology/thread_siblings_list": "2,66",
			"sys/devices/system/cpu/cpu3/topology/thread_siblings_list": "3,67",
		}, []string{"hardware threads 66-67 share a core"}},
		{"quota above", map[string]string{
			"proc/self/cgroup":          "1:cpu:/x\n0::/a/b",
			"sys/fs/cgroup/a/cpu.max":   "150000 100000",
			"sys/fs/cgroup/a/b/cpu.max": "max 100000",
		}, []string{"a control group limits the processor time (cpu.max 150000 100000)"}},
		{"quota at the root",
			map[string]string{"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "50000 100000"},
			[]string{"a control group limits the processor time (cpu.max 50000 100000)"}},
	} {
		got := files(test.files).warnings([]int{2, 3})
		if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestBusy(t *testing.T) {
	stat := func(lines string) map[int]times { return files(map[string]string{"proc/stat": lines}).times() }
	before := stat("cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 0 50 1000 10 0 0 0 0 0\n" +
		"cpu1 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\nintr 5\n")
	after := stat("cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 101 0 50 1019 12 0 0 0 0 0\n" +
		"cpu1 15 0 0 5 0 0 0 0 0 0\ncpu2 10 0 0 4 0 0 0 6 0 0\nintr 6\n")
	got := busy([]int{0, 1, 2}, before, after)
	want := []string{"core 1 was busy for 75%", "the host withheld core 2 for 30%"}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := busy([]int{7}, before, after); len(got) > 0 {
		t.Errorf("of a core that is not listed: %q", got)
	}
}
