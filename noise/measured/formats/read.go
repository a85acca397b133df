package formats

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"jitterfly/noise"
)

// Read returns the measurement in the output of a tool. The format is the first of
// [All] whose sign is among the first 256 lines, or else the first 16384. Labels that
// mpirun, srun or a log put before each line are taken off. Negative lengths, and values that
// are not numbers, are skipped and counted.
//
// Of a tool that gives the time of each repetition, the first of each run are left out; if first is
// below 0, as many as are usual: netgauge's one_one begins runs of 1000 with 20 that are slower.
//
// It fails if no format matches, if nothing was measured, or if the file exceeds
// [MaxLine], [MaxLines] or [MaxRecords]. An error is one line: the name of the file,
// the number of the line, what is wrong, and what to do.
func Read(r io.Reader, name string, first int) (Measurement, error) {
	return read(r, name, defaults, first)
}

func read(r io.Reader, name string, bounds limits, first int) (m Measurement, err error) {
	err = failed(func() {
		s := newSource(r, name, bounds)
		s.first = first
		m = s.measurement()
	})
	return m, err
}

func (s *source) measurement() Measurement {
	m := Measurement{}
	if f, labels := s.recognise(); labels != nil {
		s.parts(&m, labels)
	} else {
		m.Format, m.Tool = f.Name, f.Tool
		f.parse(s, &m)
	}
	s.reported(&m)
	m.Lines, m.Skipped, m.Provenance = s.read, s.skips(), s.facts
	if s.unended {
		s.note("the last line has no end; the file may be cut off")
	}
	if s.left > 0 {
		s.note("%d repetitions that begin a run are left out", s.left)
	}
	if s.lost > 0 {
		s.note("the tracer lost %d events; make its buffer larger", s.lost)
	}
	m.Notes = s.notes
	if m.Trace.Cores == nil && m.Sources == nil && m.Bench == nil && len(m.Histograms) == 0 &&
		len(m.Curves) == 0 && len(m.LogGP) == 0 {
		s.line = s.read
		s.otherwise("nothing was measured in the %d lines of this %s output%s; is it complete?", s.read,
			m.Format, mostSkipped(m.Skipped))
		panic(failure{s.useless})
	}
	return m
}

// recognise returns the format of the file, or the labels without which its lines have a known
// format. It fails if no format matches.
func (s *source) recognise() (f Format, labels []expression) {
	var head []string
	for _, limit := range heads {
		head = s.peek(limit.lines, limit.bytes)
		if labels = unlabelled(head, startLabels, 0.5); labels == nil {
			labels = unlabelled(head, moreLabels, 0.9)
		}
		if labels != nil {
			return f, labels
		}
		f, ok := recognise(head)
		if !ok {
			labels = unlabelled(head, moreLabels, 0.5)
		}
		if ok || labels != nil {
			return f, labels
		}
	}
	s.unknown(head)
	return f, nil
}

// parts reads the lines of each label as a file of its own. One of no format is skipped.
func (s *source) parts(m *Measurement, labels []expression) {
	for _, part := range s.unlabel(labels) {
		var head []string
		for _, line := range part[:min(len(part), heads[1].lines)] {
			head = append(head, line.text)
		}
		s.head = part
		f, ok := recognise(head)
		if !ok || m.Format != "" && f.Name != m.Format {
			for s.scan() {
				s.skip("a line of a rank or host without a measurement")
			}
			continue
		}
		m.Format, m.Tool = f.Name, f.Tool
		of := Measurement{}
		f.parse(s, &of)
		m.append(of)
	}
}

func recognise(head []string) (Format, bool) {
	for _, f := range All {
		if f.signs.in(head) {
			return f, true
		}
	}
	return Format{}, false
}

// ErrFormat is the error of a file in a format that is not in [All].
var ErrFormat = errors.New("has no known format")

// Numbers alone, as FTQ and fwq write without a header, have no known unit.
const (
	oneNumber  expression = `^\d{1,18}$`
	twoNumbers expression = `^\d{1,18}\s+\d{1,18}$`
)

// unknown fails for a file of no known format.
func (s *source) unknown(head []string) {
	i := slices.IndexFunc(head, func(line string) bool { return line != "" })
	if i < 0 {
		s.fail("the file is empty; did the tool end with an error?")
	}
	row := firstRow(head, "")
	switch s.line = row + 1; {
	case row < 0:
	case oneNumber.regexp().MatchString(head[row]):
		s.fail("one number a line, of unknown unit; if these are cycles of fwq, add a first line " +
			"such as GHz 2.4, and if they are times or counts of FTQ, join both with paste " +
			"under a line # Ticks per ns: 2.4")
	case twoNumbers.regexp().MatchString(head[row]):
		s.fail("two numbers a line, of unknown unit; if these are of FTQ, add a first line such as # " +
			"Ticks per ns: 2.4, and if they are a trace of LogGOPSim, put a tab between them")
	}
	s.line = i + 1
	hint := s.nearest(head)
	if slices.ContainsFunc(strings.Fields(head[i]), commas.regexp().MatchString) {
		hint = ": " + withComma
	}
	s.fail("%q %w%s; jitterfly import --help lists all", printable(head[i], 60), ErrFormat, hint)
}

// nearest returns the two formats whose readers use most of these lines, in words.
func (s *source) nearest(head []string) string {
	var all []string
	uses := map[string]int{} // lines, by format
	text := strings.Join(head[:min(len(head), heads[0].lines)], "\n") + "\n"
	for _, f := range All {
		s := newSource(strings.NewReader(text), s.name, defaults)
		_ = failed(func() { f.parse(s, &Measurement{}) })
		used := s.read
		for _, skip := range s.skipped {
			used -= skip.Count
		}
		if used > 0 && s.records > 0 {
			all, uses[f.Name] = append(all, f.Name), used
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(uses[b], uses[a]) })
	switch len(all) {
	case 0:
		return ""
	case 1:
		return "; the nearest is " + all[0]
	}
	return "; the nearest are " + all[0] + " and " + all[1]
}

// mostSkipped returns the reason for which most lines were skipped, in brackets; "" if none was.
func mostSkipped(skips []Skip) string {
	if len(skips) == 0 {
		return ""
	}
	most := slices.MaxFunc(skips, func(a, b Skip) int { return cmp.Compare(a.Count, b.Count) })
	return " (mostly " + most.Reason + ")"
}

// Launchers and logging programs put a label before each line: the rank, the host, the time. Lines
// of several ranks or hosts are mixed in the order in which they came, and each of them is read as
// a file of its own.

// startLabels are the labels of mpirun --tag-output and --timestamp-output, srun --label, mpiexec
// -prepend-rank, and times of logs. The group in parentheses says which rank or host wrote the
// line.
var startLabels = []expression{
	`^(?:[A-Z]\w\w [A-Z]\w\w +\d+ [\d:.]+ \d{4})?(\[[^][<>]*\d+,\d+\])<std\w+>:? ?`,
	`^(\d{1,6}): ?`,
	`^(\[\d{1,6}\]) ?`,
	`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d| UTC)?[]:]* ?`,
	`^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?(?: \S+ [\w./-]+\[\d+\]:)? ?`,
}

// moreLabels may be part of a format, and so must be of nearly all lines, unless with them the file
// has no known format: labels of kubectl, streams and other words in brackets, labels of docker
// compose, of pdsh and clush, levels of logs, quotations in mail, and bars of literal blocks.
var moreLabels = slices.Concat(startLabels, []expression{
	`^\[(?i:stdout|stderr|output)\] ?`,
	`^(\[[A-Za-z][^][]{0,80}\]) ?`,
	`^([\w.-]+) +\| ?`,
	`^(?:\{[^}]*\} +)?-? ?(?:INFO|DEBUG|NOTICE|WARN(?:ING)?)\b[ :-]*`,
	`^([\w.-]*[a-z][\w.-]*): ?`,
	`^(?:> ?)+`,
	`^\| ?`,
})

type numbered struct {
	text   string
	number int
}

// unlabelled returns the most labels, at most three, without which the lines are of a known format.
// Each must be of at least this share of the lines, not counting lines of cyclictest -v. It returns
// nil if no labels are found, or if the lines without labels already are in that format: the others
// are then of a library, whose log is around the table of a tool.
func unlabelled(head []string, labels []expression, share float64) []expression {
	head = slices.DeleteFunc(slices.Clone(head), func(line string) bool { return line == "" })
	var found, best []expression
	var bare []string // the lines without any of the labels
	for range 3 {
		i := slices.IndexFunc(labels, func(label expression) bool {
			n, labelled, cycle := 0, label.regexp(), cyclicCycle.regexp()
			for _, line := range head {
				if labelled.MatchString(line) && !cycle.MatchString(line) {
					n++
				}
			}
			return n > 0 && float64(n) >= share*float64(len(head)) && !slices.Contains(found, label)
		})
		if i < 0 {
			break
		}
		found = append(found, labels[i])
		bare = bare[:0]
		for k, line := range head {
			if head[k], _ = cut(line, labels[i]); len(head[k]) == len(line) {
				bare = append(bare, line)
			}
		}
		f, ok := recognise(head)
		if log, only := recognise(bare); ok && (!only || log.Name != f.Name) {
			best = slices.Clone(found)
		}
	}
	return best
}

// cut returns a line without its label, and the rank or host that wrote it, "" if the label does
// not name one.
func cut(line string, label expression) (rest, of string) {
	at := label.regexp().FindStringSubmatchIndex(line)
	if at == nil {
		return line, ""
	}
	if len(at) > 2 && at[2] >= 0 {
		of = line[at[2]:at[3]]
	}
	return strings.TrimSpace(line[at[1]:]), of
}

// Limits of the bytes of a file with labels, and of JSON, which are kept in memory: in all,
// and for each line that a file may have.
const (
	maxLabelled = 1 << 28
	bytesALine  = 64
)

// unlabel reads all lines and returns them without their labels, the lines of each label together,
// in the order of their first lines. A line without a label belongs to the label before it.
func (s *source) unlabel(labels []expression) [][]numbered {
	var parts [][]numbered
	at := map[string]int{}
	last, bytes := "", 0
	for s.scan() {
		if bytes += len(s.text); bytes > min(maxLabelled, s.lines*bytesALine) {
			s.fail("the file is too large to take the labels before its lines apart; cut it into several")
		}
		line, all := s.text, ""
		for _, label := range labels {
			var of string
			line, of = cut(line, label)
			all += of
		}
		last = cmp.Or(all, last)
		i, ok := at[last]
		if !ok {
			i = len(parts)
			at[last] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], numbered{line, s.line})
	}
	return parts
}

func (m *Measurement) append(part Measurement) {
	m.Trace.Cores = append(m.Trace.Cores, part.Trace.Cores...)
	m.resolve(part.Trace.Resolution)
	m.Merged += part.Merged
	m.Sources = noise.Join(m.Sources, part.Sources)
	m.Histograms = append(m.Histograms, part.Histograms...)
	m.Curves = append(m.Curves, part.Curves...)
	m.LogGP = append(m.LogGP, part.LogGP...)
	m.Bench = cmp.Or(m.Bench, part.Bench)
	m.Caveats = append(m.Caveats, part.Caveats...)
	m.Instead = cmp.Or(m.Instead, part.Instead)
}
