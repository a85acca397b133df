package measured

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
	for key, n := range after.counts {
		counts[key] = n - before.counts[key]
	}
	for dir, t := range after.threads {
		was, ok := before.threads[dir]
		if !ok || was.name != t.name || was.moves != t.moves || was.switches >= t.switches {
			continue
		}
		if core, ok := m.lastCore(dir); ok {
			counts[counted{Threads, t.name, core}] += t.switches - was.switches
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
