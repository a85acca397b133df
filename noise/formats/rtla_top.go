package formats

import (
	"regexp"
	"strconv"
	"strings"
)

// rtla osnoise top and rtla hwnoise write, by osnoise_top.c, a row for each CPU,
//
//	                                         Operating System Noise
//	duration:   0 00:01:00 | time is in us
//	CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW          NMI          IRQ      Softirq       Thread
//	  0 #58         52200000         1031    99.99802          91           60           0            0        52285            0          101
//
// and rtla timerlat top, by timerlat_top.c, a row of the least, mean and longest delay
// of the timer's interrupt and of its thread:
//
//	  0 00:00:59   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)
//	CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max
//	  0 #58634     |        1         0         1        10 |       11         2        10        23
//
// Rows are printed again while the tool runs; the last of each CPU counts.
//
// The noise of osnoise is the sum of its detours, and the longest is told, but not how
// many there are: there is at most one for each interference that is counted, since some
// interferences are shorter than what is noise, and at most one for each microsecond,
// which is the shortest. Taken are the longest and that many of the mean of the others.

var (
	topHeader = regexp.MustCompile(`^CPU\s+Period\s+Runtime\s+Noise\b`)
	topNoise  = regexp.MustCompile(`^(\d+)\s+#\d+\s+(\d+)\s+(\d+)\s+[\d.]+\s+\d+\s+(\d+)((?:\s+\d+)+)$`)
	topTimer  = regexp.MustCompile(`^(\d+)\s+#(\d+)\s*(\|.*)$`)
	topTitles = regexp.MustCompile(`\b(IRQ|Thread|Ret user) Timer Latency \((us|ns)\)`)
)

func matchesRTLATop(head []string) bool {
	for _, line := range head {
		if topHeader.MatchString(line) || topTitles.MatchString(line) {
			return true
		}
	}
	return false
}

// A rtlaTop is the state of reading tables.
type rtlaTop struct {
	per    float64
	titles [][]string          // of timerlat
	rows   map[int][]Histogram // by CPU
	cpus   []int               // in the order of the file
}

// topKinds are what the parts of a row of timerlat hold.
var topKinds = map[string]Kind{"IRQ": Interrupts, "Thread": Wakeups, "Ret user": Returns}

func readRTLATop(s *source, m *Measurement) {
	r := rtlaTop{per: perMicro, rows: map[int][]Histogram{}}
	for s.scan() {
		line := s.text
		noise, timer := topNoise.FindStringSubmatch(line), topTimer.FindStringSubmatch(line)
		titles := topTitles.FindAllStringSubmatch(line, -1)
		switch {
		case line == "", topHeader.MatchString(line):
		case titles != nil:
			r.titles, r.per = titles, perMicro
			if titles[0][2] == "ns" {
				r.per = perNano
			}
		case strings.Contains(line, "time is in"):
			r.per = perMicro
			if strings.Contains(line, "time is in ns") {
				r.per = perNano
			}
		case noise != nil:
			r.noise(s, noise)
		case timer != nil && r.titles != nil:
			r.timer(s, timer)
		default:
			s.skip(notARow)
		}
	}
	for _, id := range r.cpus {
		m.Histograms = append(m.Histograms, r.rows[id]...)
	}
	r.remark(s, m)
}

// remark says what the tables do not tell.
func (r *rtlaTop) remark(s *source, m *Measurement) {
	if r.titles != nil {
		m.Instead = "it has a summary only; run rtla timerlat hist, for a histogram"
		return
	}
	s.remarkSums(m)
}

// remarkSums says how many detours a sum of noise may be.
func (s *source) remarkSums(m *Measurement) {
	most, least := int64(0), 0.0
	for _, h := range m.Histograms {
		most += h.Samples
		if h.Most > 0 {
			least += float64(h.Samples) * h.Mean / h.Most
		}
	}
	if most > 0 {
		s.note("the noise is told, but not the lengths: taken are %d detours, the shortest that "+
			"there may be, though as few as %.0f of the longest are as much noise; rtla osnoise "+
			"hist tells", most, least)
	}
}

const contradicts = "noise that contradicts the longest detour or the runtime"

// noise reads a row of osnoise: CPU, runtime, noise, the longest detour, and counts of
// interferences.
func (r *rtlaTop) noise(s *source, f []string) {
	id, why := count(f[1])
	span, why2 := whole(f[2], r.per)
	sum, why3 := whole(f[3], r.per)
	longest, why4 := whole(f[4], r.per)
	interferences := int64(0)
	for _, field := range strings.Fields(f[5]) {
		n, bad := count(field)
		why4 = first(why4, bad)
		interferences += n
	}
	why = first(why, why2, why3, why4)
	if why == "" && (longest > sum || sum > span || sum > 0 && longest == 0) {
		why = contradicts
	}
	if why != "" {
		s.skip(why)
		return
	}
	r.put(s, int(id), noiseOf(int(id), span, sum, longest, interferences))
}

// noiseOf returns the detours of a CPU of which the sum and the longest [s] are told, and
// the number of interferences in a span.
func noiseOf(id int, span, sum, longest float64, interferences int64) Histogram {
	h := Histogram{Core: id, Column: "CPU-" + strconv.Itoa(id), Kind: Detours, Span: span,
		Most: longest}
	if rest := sum - longest; sum > 0 {
		others := max(0, min(float64(interferences-1), rest*perMicro))
		others = float64(int64(max(others, rest/longest) + 0.999))
		if others > 0 && rest > 0 {
			mean := min(rest/others, longest)
			h.Bins = append(h.Bins, Bin{mean, mean, int64(others)})
			h.Samples = int64(others)
		}
		h.Bins = append(h.Bins, Bin{longest, longest, 1})
		h.Samples++
		h.Mean = sum / float64(h.Samples)
	}
	return h
}

// timer reads a row of timerlat: CPU, count, and for each title four delays, which are
// dashes where there is none.
func (r *rtlaTop) timer(s *source, f []string) {
	id, why := count(f[1])
	n, why2 := count(f[2])
	parts := strings.Split(f[3], "|")[1:]
	if why = first(why, why2); why == "" && len(parts) != len(r.titles) {
		why = notARow
	}
	var all []Histogram
	for i, part := range parts {
		v := strings.Fields(part)
		if why != "" || len(v) < 4 {
			s.skip(first(why, notARow))
			return
		}
		if v[1] == "-" {
			continue
		}
		least, why := whole(v[1], r.per)
		mean, why2 := whole(v[2], r.per)
		most, why3 := whole(v[3], r.per)
		if why = first(why, why2, why3); why != "" {
			s.skip(why)
			return
		}
		kind := topKinds[r.titles[i][1]]
		all = append(all, Histogram{Core: int(id), Column: r.titles[i][1] + "-" + f[1], Kind: kind,
			Samples: n, Least: least, Mean: mean, Most: most})
	}
	r.put(s, int(id), all...)
}

// put replaces the row of a CPU.
func (r *rtlaTop) put(s *source, id int, all ...Histogram) {
	if r.rows[id] == nil {
		r.cpus = append(r.cpus, id)
		s.record()
	}
	r.rows[id] = all
}
