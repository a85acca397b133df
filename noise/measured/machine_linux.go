package measured

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// looking is the time over which the load of the cores is observed before a measurement.
const looking = 200 * time.Millisecond

// Warnings returns circumstances that may disturb or limit a measurement of the cores, one
// line each. It observes for a fifth of a second how busy the cores are.
func Warnings(cores []int) []string {
	m := machine{os.DirFS("/")}
	before := m.times()
	time.Sleep(looking)
	return append(m.warnings(cores), busy(cores, before, m.times())...)
}

// A machine has the files of Linux that describe it.
type machine struct{ root fs.FS }

// read returns the text of a file without surrounding space, "" without such a file.
func (m machine) read(format string, args ...any) string {
	text, _ := fs.ReadFile(m.root, fmt.Sprintf(format, args...))
	return strings.TrimSpace(string(text))
}

// warnings returns the warnings that need no observation.
func (m machine) warnings(cores []int) []string {
	var found []string
	warn := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if m.virtual() {
		name := m.read("sys/class/dmi/id/sys_vendor") + " " + m.read("sys/class/dmi/id/product_name")
		if name = strings.TrimSpace(name); name != "" {
			name = " (" + name + ")"
		}
		warn("this is a virtual machine%s: the noise includes its host's", name)
	}
	if name, driver := m.governor(cores); name != "" {
		warn("the frequency of the cores follows their load (%s, governor %s): its changes look like noise",
			driver, name)
	}
	if siblings := m.siblings(cores); len(siblings) > 0 {
		warn("hardware threads %s share a core with measured ones: what runs there is noise that is not "+
			"seen as such", Cores(siblings))
	}
	if quota := m.quota(); quota != "" {
		warn("a control group limits the processor time (cpu.max %s): being throttled is measured as noise",
			quota)
	}
	return found
}

// virtual reports whether the machine is a virtual one, which has a flag on x86.
func (m machine) virtual() bool {
	if slices.Contains(strings.Fields(m.read("proc/cpuinfo")), "hypervisor") {
		return true
	}
	product := m.read("sys/class/dmi/id/product_name")
	return slices.ContainsFunc([]string{"KVM", "Virtual", "VMware", "QEMU", "HVM domU"},
		func(mark string) bool { return strings.Contains(product, mark) })
}

// governor returns the first governor of the cores that changes their frequency, and its driver; ""
// if absent.
func (m machine) governor(cores []int) (name, driver string) {
	for _, id := range cores {
		name := m.read("sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", id)
		if name != "" && name != "performance" {
			return name, m.read("sys/devices/system/cpu/cpu%d/cpufreq/scaling_driver", id)
		}
	}
	return "", ""
}

// siblings returns the hardware threads that are not measured and share a core with one that is.
func (m machine) siblings(cores []int) []int {
	var others []int
	for _, id := range cores {
		same, err := ParseCores(m.read("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", id))
		if err == nil {
			others = append(others, same...)
		}
	}
	others = slices.DeleteFunc(others, func(id int) bool { return slices.Contains(cores, id) })
	slices.Sort(others)
	return slices.Compact(others)
}

// quota returns the limit of the first control group, from the process's own up, that has one.
func (m machine) quota() string {
	for line := range strings.Lines(m.read("proc/self/cgroup")) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::/")
		if !ok {
			continue
		}
		const root = "sys/fs/cgroup"
		for dir := path.Join(root, group); strings.HasPrefix(dir, root); dir = path.Dir(dir) {
			if limit := m.read("%s/cpu.max", dir); limit != "" && !strings.HasPrefix(limit, "max") {
				return limit
			}
		}
	}
	return ""
}

// A times has the times of a core since the system started, in ticks of the system.
type times struct{ all, idle, stolen int64 }

func (m machine) times() map[int]times {
	cores := map[int]times{}
	for line := range strings.Lines(m.read("proc/stat")) {
		fields := strings.Fields(line)
		number, ok := strings.CutPrefix(fields[0], "cpu")
		id, err := strconv.Atoi(number)
		if !ok || err != nil || len(fields) < 9 {
			continue
		}
		var n [8]int64 // user nice system idle iowait irq softirq steal; guests are in user
		all := int64(0)
		for i := range n {
			n[i], _ = strconv.ParseInt(fields[1+i], 10, 64)
			all += n[i]
		}
		cores[id] = times{all: all, idle: n[3] + n[4], stolen: n[7]}
	}
	return cores
}

// busy returns warnings of cores that were busy, or that the host withheld, between two
// observations.
func busy(cores []int, before, after map[int]times) []string {
	const much = 0.05
	var found []string
	for _, id := range cores {
		all := float64(after[id].all - before[id].all)
		worked := 1 - float64(after[id].idle-before[id].idle)/all
		stolen := float64(after[id].stolen-before[id].stolen) / all
		switch {
		case stolen > much:
			found = append(found, fmt.Sprintf("the host withheld core %d for %.0f%% of the time before the "+
				"measurement", id, stolen*100))
		case worked > much:
			found = append(found, fmt.Sprintf("core %d was busy for %.0f%% of the time before the "+
				"measurement: other programs are measured as noise", id, worked*100))
		}
	}
	return found
}
