package measured

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"jitterfly/internal/units"
	"jitterfly/noise/measured/formats"
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
			"seen as such", units.Indexes(siblings))
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

// A counted is what a counter counts on a core.
type counted struct {
	counter Counter
	name    string
	core    int
}

// A running is how often a thread was given a core, and how often it moved to another one.
type running struct {
	name            string
	switches, moves int64
}

// A census is the counts of all causes at a time since the system started.
type census struct {
	at      time.Time
	counts  map[counted]int64
	threads map[string]running // by their directories
}

// census reads the counts. Files that are absent or cannot be read count nothing, nor do threads of
// this process.
func (m machine) census() census {
	c := census{time.Now(), map[counted]int64{}, map[string]running{}}
	c.table(Interrupts, m.read("proc/interrupts"), interruptName)
	c.table(Softirqs, m.read("proc/softirqs"), func(label string, _ []string) string { return label })
	c.slices(m.read("proc/schedstat"))
	own := path.Join("proc", strconv.Itoa(os.Getpid()))
	files, _ := fs.Glob(m.root, "proc/[0-9]*/task/[0-9]*/sched")
	for _, file := range files {
		if strings.HasPrefix(file, own+"/") {
			continue
		}
		if t, ok := parseRunning(m.read("%s", file)); ok {
			c.threads[path.Dir(file)] = t
		}
	}
	return c
}

// table adds the rows of a table of counts with a column for each core, whose names follow the
// counts or are their labels.
func (c *census) table(counter Counter, text string, name func(label string, rest []string) string) {
	header, rows, _ := strings.Cut(text, "\n")
	var cores []int
	for _, title := range strings.Fields(header) {
		core, err := strconv.Atoi(strings.TrimPrefix(title, "CPU"))
		if err != nil {
			return
		}
		cores = append(cores, core)
	}
	for row := range strings.Lines(rows) {
		fields := strings.Fields(row)
		if len(fields) <= len(cores) {
			continue // a count of the whole machine
		}
		of := name(strings.TrimSuffix(fields[0], ":"), fields[1+len(cores):])
		for i, core := range cores {
			if n, err := strconv.ParseInt(fields[1+i], 10, 64); err == nil && of != "" {
				c.counts[counted{counter, of, core}] += n
			}
		}
	}
}

// vectors are interrupts whose names in the tracer's events are others than their descriptions in
// /proc/interrupts.
var vectors = map[string]string{
	"non-maskable":   "NMI",
	"rescheduling":   "reschedule",
	"function_call":  "call_function",
	"tlb_shootdowns": "", // counted as calls of functions too
}

// interruptName returns the name of a row of /proc/interrupts: of a device, which is last behind
// the controller, its number and the trigger, or of a vector of the processor.
func interruptName(label string, rest []string) string {
	if _, err := strconv.Atoi(label); err == nil && len(rest) > 0 {
		return rest[len(rest)-1]
	}
	name := strings.ToLower(strings.TrimSuffix(strings.Join(rest, "_"), "_interrupts"))
	if vector, ok := vectors[name]; ok {
		return vector
	}
	return cmp.Or(name, label)
}

// slices adds the timeslices of each core. The measuring thread has every second one.
func (c *census) slices(text string) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 10 {
			continue
		}
		id, ok := strings.CutPrefix(fields[0], "cpu")
		core, err := strconv.Atoi(id)
		n, err2 := strconv.ParseInt(fields[9], 10, 64)
		if ok && err == nil && err2 == nil {
			c.counts[counted{Schedules, "threads", core}] = n / 2
		}
	}
}

// parseRunning returns what a file /proc/[pid]/sched says, and whether it says that.
func parseRunning(text string) (t running, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	end := strings.LastIndex(first, " (")
	if end < 0 {
		return t, false
	}
	t.name = first[:end]
	for line := range strings.Lines(rest) {
		key, value, _ := strings.Cut(line, ":")
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		switch strings.TrimSpace(key) {
		case "nr_switches":
			t.switches, ok = n, err == nil
		case "se.nr_migrations":
			t.moves = n
		}
	}
	return t, ok
}

// lastCore returns the core on which a thread ran last, by its stat file, whose 39th field it is;
// the second is the name, which may have spaces and parentheses.
func (m machine) lastCore(thread string) (core int, ok bool) {
	text := m.read("%s/stat", thread)
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	if len(fields) < 37 {
		return 0, false
	}
	core, err := strconv.Atoi(fields[36])
	return core, err == nil
}

// causes returns what interrupted the cores between two censuses, in the order of their names. A
// thread that moved between cores is left out.
func (m machine) causes(before, after census, cores []int) []Cause {
	counts := map[counted]int64{}
	add := func(key counted, n int64) {
		kind := ""
		if key.counter == Softirqs {
			kind = "softirq_noise"
		}
		key.name = formats.SourceName(kind, key.name)
		counts[key] += n
	}
	for key, n := range after.counts {
		add(key, n-before.counts[key])
	}
	for dir, t := range after.threads {
		was, ok := before.threads[dir]
		if !ok || was.name != t.name || was.moves != t.moves || was.switches >= t.switches {
			continue
		}
		if core, ok := m.lastCore(dir); ok {
			add(counted{Threads, t.name, core}, t.switches-was.switches)
		}
	}
	all := map[counted]Cause{}
	elapsed := after.at.Sub(before.at).Seconds()
	for key, n := range counts {
		i := slices.Index(cores, key.core)
		if i < 0 || n <= 0 {
			continue
		}
		key.core = 0 // a cause has the counts of all cores
		c, ok := all[key]
		if !ok {
			c = Cause{Counter: key.counter, Name: key.name, Rates: make([]float64, len(cores))}
		}
		c.Rates[i], c.Counts = float64(n)/elapsed, max(c.Counts, n)
		all[key] = c
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Cause) int {
		return cmp.Or(cmp.Compare(a.Counter, b.Counter), cmp.Compare(a.Name, b.Name))
	})
}
