package formats

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// cyclictest and oslat of rt-tests write, with --json, an object with one of each thread,
//
//	{"cmdline:": "cyclictest -h 400 --json=…", "rt_test_version:": "2.60", "resolution_in_ns": 0,
//	  "thread": {"0": {"histogram": {"2": 9000, "3": 900}, "cycles": 9901,
//	    "min": 2, "max": 40, "avg": 2.09, "cpu": 3, "node": 0}}}
//
// by write_stats in cyclictest.c and write_summary_json in oslat.c. Lengths are in microseconds,
// and in nanoseconds if the resolution is 1. The least and the longest of oslat are in nanoseconds
// if its bins have digits after the point. cyclictest counts cycles beyond its bins in no bin;
// oslat counts them in the last.

type jsonRun struct {
	Command string                                      `json:"cmdline:"`
	Version string                                      `json:"rt_test_version:"`
	Nano    int                                         `json:"resolution_in_ns"`
	System  struct{ Nodename, Release, Machine string } `json:"sysinfo"`
	Threads map[string]jsonThread                       `json:"thread"`
}

type jsonThread struct {
	Histogram      map[string]int64
	Cycles, CPU    int64
	Min, Max, Freq float64
	Avg            json.Number // with its digits
	Duration       float64     // [s], of oslat
}

func readJSON(s *source, m *Measurement) {
	var text strings.Builder
	lines := 0
	s.raw = true // brackets show whether it is complete
	for s.scan() {
		lines++
		if text.WriteString(s.text + "\n"); text.Len() > maxLabelled {
			s.fail("the JSON has more than %d bytes; is it the output of one run?", maxLabelled)
			return
		}
	}
	if s.err != nil {
		return
	}
	d := json.NewDecoder(strings.NewReader(text.String()))
	for d.More() {
		var run jsonRun
		if err := d.Decode(&run); err != nil {
			at := int64(text.Len()) - 1 // where it ends too early
			if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
				at = syntax.Offset
			}
			s.line -= lines - 1 - strings.Count(text.String()[:min(at, int64(text.Len()))], "\n")
			s.fail("it is not JSON of cyclictest or oslat: %s; is the file complete?",
				printable(err.Error(), 100))
			return
		}
		run.add(s, m)
	}
	s.unended = false // which the brackets show
}

func (run *jsonRun) add(s *source, m *Measurement) {
	s.fact("version", run.Version)
	s.fact("nodename", run.System.Nodename)
	s.fact("release", run.System.Release)
	s.fact("machine", run.System.Machine)
	ids := slices.SortedFunc(maps.Keys(run.Threads), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	tool, _, _ := strings.Cut(run.Command, " ")
	if tool = path.Base(tool); tool == "." { // not in the file
		tool = "cyclictest"
		if len(ids) > 0 && run.Threads[ids[0]].Duration > 0 {
			tool = "oslat"
		}
	}
	switch tool {
	case "cyclictest":
		for _, id := range ids {
			run.cyclictest(s, m, id, run.Threads[id])
		}
	case "oslat":
		run.oslat(s, m, ids)
	default:
		s.fail("the JSON was written by %s; import reads the JSON of cyclictest and oslat", printable(tool, 40))
	}
}

func (run *jsonRun) cyclictest(s *source, m *Measurement, id string, t jsonThread) {
	per := perMicro
	if run.Nano == 1 {
		per = perNano
	}
	mean, _ := value(t.Avg.String())
	r := columns{hists: []Histogram{{Core: int(t.CPU), Column: "thread " + printable(id, 20), Kind: Wakeups,
		Least: length(t.Min, per), Mean: length(mean, per), Digit: lastDigit(t.Avg.String(), per),
		Most: length(t.Max, per)}}}
	h := &r.hists[0]
	sum := int64(0)
	for _, b := range s.bins(t.Histogram) {
		r.row(s, b.From/per, []int64{b.Count})
		sum += b.Count
	}
	switch {
	case t.Cycles > MaxCount:
	case sum > 0:
		h.Over = max(0, t.Cycles-sum)
	case t.Cycles > 0:
		h.Samples = t.Cycles
		m.Histograms = append(m.Histograms, *h)
		m.Instead = onlySummary
		return
	}
	r.finish(m, 1, per)
}

// oslat adds the tables of all threads, as of the text.
func (run *jsonRun) oslat(s *source, m *Measurement, ids []string) {
	rows, digits := map[float64][]int64{}, false
	for i, id := range ids {
		for _, b := range s.bins(run.Threads[id].Histogram) {
			digits = digits || b.From != math.Trunc(b.From)
			if rows[b.From] == nil {
				rows[b.From] = make([]int64, len(ids))
				for range ids {
					s.record()
				}
			}
			rows[b.From][i] = b.Count
		}
	}
	per := perMicro
	if digits {
		per = perNano
	}
	r := oslat{rounded: !digits, digit: 1e-12} // averages in µs have six digits
	for _, id := range ids {
		t := run.Threads[id]
		mean, _ := value(t.Avg.String())
		h := Histogram{Core: int(t.CPU), Column: "core " + strconv.FormatInt(t.CPU, 10), Kind: Detours,
			Least: length(t.Min, per), Mean: length(mean, perMicro), Most: length(t.Max, per)}
		if h.Span = t.Duration; !(h.Span > 0 && h.Span < maxTime) {
			h.Span = 0
		}
		r.hists = append(r.hists, h)
	}
	for _, end := range slices.Sorted(maps.Keys(rows)) {
		r.columns.row(s, end/perMicro, rows[end])
		r.ends = append(r.ends, end)
		r.over = make([]int64, len(ids))
		for i, h := range r.hists {
			if h.Most > end/perMicro { // so that the last of the rows has longer ones too
				r.over[i] = rows[end][i]
			}
		}
	}
	r.ended = true
	if s.err == nil {
		r.close(s, m)
	}
}

// bins returns the bins with samples of a histogram, without their ends, in ascending order.
func (s *source) bins(histogram map[string]int64) []Bin {
	var all []Bin
	for name, n := range histogram {
		at, why := value(name)
		switch {
		case why != "":
		case at/perMicro > MaxLength, n > MaxCount:
			why = beyond
		case n < 0:
			why = negative
		case n > 0:
			all = append(all, Bin{From: at, Count: n})
		}
		if why != "" {
			s.skip(why)
		}
	}
	slices.SortFunc(all, func(a, b Bin) int { return cmp.Compare(a.From, b.From) })
	return all
}

// length returns a length in seconds, 0 if it is out of range.
func length(x, per float64) float64 {
	if x /= per; x >= 0 && x <= MaxLength {
		return x
	}
	return 0
}
