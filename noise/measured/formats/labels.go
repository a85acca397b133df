package formats

import (
	"cmp"
	"slices"
	"strings"

	"jitterfly/noise"
)

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
		if log, only := recognise(bare); ok && f.Name != "ticks" && (!only || log.Name != f.Name) {
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
			return nil
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
