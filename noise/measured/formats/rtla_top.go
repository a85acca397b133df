package formats

import (
	"fmt"
	"math"
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
// The noise of osnoise is the sum of its detours, and the longest is printed, but not their number:
// there is at most one for each interference that is counted, since some interferences are shorter
// than what is noise, and at most one for each microsecond, which is the shortest. Taken are the
// longest and that many of the mean of the others.

const (
	topHeader expression = `^CPU\s+Period\s+Runtime\s+Noise\b`
	topTitles expression = `\b(IRQ|Thread|Ret user) Timer Latency \((us|ns)\)`
)

// cpuShare matches the share of the CPU, the only number of a row with a point.
const cpuShare expression = `\s(\d+\.\d+)\s`

type rtlaTop struct {
	per    float64
	titles [][]string          // of timerlat
	rows   map[int][]Histogram // by CPU
	cpus   []int               // in the order of the file
}

func readRTLATop(s *source, m *Measurement) {
	r := rtlaTop{per: perMicro, rows: map[int][]Histogram{}}
	unit := func(text, nano string) {
		if r.per = perMicro; strings.Contains(text, nano) {
			r.per = perNano
		}
	}
	s.each(
		rule{topHeader, pass},
		rule{topTitles, func(s *source) {
			r.titles = topTitles.regexp().FindAllStringSubmatch(s.text, -1)
			unit(s.fields[2], "ns")
		}},
		rule{`time is in`, func(s *source) { unit(s.text, "time is in ns") }},
		rule{`^(\d+)\s+#\d+\s+(\d+)\s+(\d+)\s+[\d.]+\s+\d+\s+(\d+)((?:\s+\d+)+)$`, r.noise},
		rule{`^(\d+)\s+#(\d+)\s*(\|.*)$`, r.timer},
		rule{anyLine, ignoring(notARow)},
	)
	for _, id := range r.cpus {
		m.Histograms = append(m.Histograms, r.rows[id]...)
	}
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
		s.note("sums of noise without lengths: assuming %d short detours, where %.0f of the longest "+
			"would be as much; use rtla osnoise hist for the lengths", most, least)
	}
}

const contradicts = "noise that contradicts the longest detour or the runtime"

// noise reads a row of osnoise: CPU, runtime, noise, the longest detour, and counts of
// interferences.
func (r *rtlaTop) noise(s *source) {
	id, n := int(s.count(1)), s.cpuNoise(2, r.per)
	if s.ok() {
		r.put(s, id, n.histogram(id))
	}
}

type cpuNoise struct {
	span, sum, longest float64 // [s]
	interferences      int64
}

// cpuNoise returns the runtime, the noise, the longest detour, in units of which there are per
// in a second, and counts of interferences that are in the fields from this one on.
func (s *source) cpuNoise(from int, per float64) cpuNoise {
	n := cpuNoise{span: s.whole(from, per), sum: s.whole(from+1, per), longest: s.whole(from+2, per)}
	for _, interferences := range s.counts(strings.Fields(s.fields[from+3])) {
		n.interferences += interferences
	}
	if f := cpuShare.regexp().FindStringSubmatch(s.text); f != nil && n.span > 0 {
		share, _ := value(f[1])
		if got := 100 * (1 - n.sum/n.span); math.Abs(got-share) > 0.006 {
			s.disagree("CPU-"+s.fields[1], "a share", f[1]+"% of the CPU", fmt.Sprintf("%.5g%%", got))
		}
	}
	if n.longest > n.sum || n.sum > n.span || n.sum > 0 && n.longest == 0 {
		s.refuse(contradicts)
	}
	return n
}

// histogram returns the detours of a CPU of which the sum and the longest are known.
func (n cpuNoise) histogram(id int) Histogram {
	h := Histogram{Core: id, Column: "CPU-" + strconv.Itoa(id), Kind: Detours, Span: n.span,
		Most: n.longest}
	if rest := n.sum - n.longest; n.sum > 0 {
		others := max(0, min(float64(n.interferences-1), rest*perMicro))
		others = float64(int64(max(others, rest/n.longest) + 0.999))
		if others > 0 && rest > 0 {
			mean := min(rest/others, n.longest)
			h.Bins = append(h.Bins, Bin{mean, mean, int64(others)})
			h.Samples = int64(others)
		}
		h.Bins = append(h.Bins, Bin{n.longest, n.longest, 1})
		h.Samples++
		h.Mean = n.sum / float64(h.Samples)
	}
	return h
}

// timer reads a row of timerlat: CPU, count, and for each title four delays, which are dashes if
// missing.
func (r *rtlaTop) timer(s *source) {
	if r.titles == nil {
		s.refuse(notARow)
		return
	}
	cpu, id, n := s.fields[1], int(s.count(1)), s.count(2)
	parts := strings.Split(s.fields[3], "|")[1:]
	if len(parts) != len(r.titles) {
		s.refuse(notARow)
	}
	var all []Histogram
	for i, part := range parts {
		if s.fields = strings.Fields(part); len(s.fields) < 4 {
			s.refuse(notARow)
		}
		if !s.ok() {
			return
		}
		if s.fields[1] == "-" {
			continue
		}
		title := r.titles[i][1]
		all = append(all, Histogram{Core: id, Column: title + "-" + cpu, Kind: timerKinds[title],
			Samples: n, Least: s.whole(1, r.per), Mean: s.whole(2, r.per), Most: s.whole(3, r.per)})
	}
	if s.ok() {
		r.put(s, id, all...)
	}
}

func (r *rtlaTop) put(s *source, id int, all ...Histogram) {
	if r.rows[id] == nil {
		keep(s, &r.cpus, id)
	}
	r.rows[id] = all
}
