package formats

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Read returns the measurement in the output of a tool. The format is the first of
// [All] whose sign is among the first 256 lines, or else the first 16384. Labels that
// mpirun, srun or a log put before each line are taken off. Negative lengths, and values that
// are not numbers, are skipped and counted.
//
// It fails if no format matches, if nothing was measured, or if the file exceeds
// [MaxLine], [MaxLines] or [MaxRecords]. An error is one line: the name of the file,
// the number of the line, what is wrong, and what to do.
func Read(r io.Reader, name string) (Measurement, error) {
	return newSource(r, name, defaults).measurement()
}

// ReadAfter is [Read] without the first repetitions of each run of a tool that gives the time of
// each. Below 0 it leaves out as many as Read does: netgauge's one_one begins runs of 1000 with
// 20 that are slower.
func ReadAfter(r io.Reader, name string, first int) (Measurement, error) {
	s := newSource(r, name, defaults)
	s.first = first
	return s.measurement()
}

func (s *source) measurement() (Measurement, error) {
	f, labels, ok := s.recognise()
	m := Measurement{}
	switch {
	case !ok:
		return m, s.err
	case labels != nil:
		s.parts(&m, labels)
	default:
		m.Format, m.Tool = f.Name, f.Tool
		f.parse(s, &m)
	}
	if s.err != nil {
		return Measurement{}, s.err
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
		return Measurement{}, s.useless
	}
	return m, nil
}

// recognise returns the format of the file, or the labels without which its lines have a known
// format. It fails if no format matches.
func (s *source) recognise() (f Format, labels []expression, ok bool) {
	var head []string
	for _, limit := range heads {
		head = s.peek(head, limit.lines, limit.bytes)
		if labels = unlabelled(head, startLabels, 0.5); labels == nil {
			labels = unlabelled(head, moreLabels, 0.9)
		}
		if labels != nil {
			return f, labels, true
		}
		if f, ok = recognise(head); !ok {
			labels = unlabelled(head, moreLabels, 0.5)
		}
		if labels != nil || ok && f.Name != "ticks" {
			return f, labels, true
		}
	}
	if !ok {
		s.unknown(head)
	}
	return f, nil, ok
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
		if !ok || f.Name == "ticks" || m.Format != "" && f.Name != m.Format {
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

// unknown fails for a file of no known format.
func (s *source) unknown(head []string) {
	i := slices.IndexFunc(head, func(line string) bool { return line != "" })
	switch {
	case s.err != nil:
	case i < 0:
		s.line = s.read
		s.fail("the file is empty; did the tool end with an error?")
	default:
		hint := nearest(head)
		if slices.ContainsFunc(strings.Fields(head[i]), commas.regexp().MatchString) {
			hint = ": " + withComma
		}
		s.err = fmt.Errorf("%s:%d: %q %w%s; jitterfly import --help lists all", s.name, i+1,
			printable(head[i], 60), ErrFormat, hint)
	}
}

// nearest returns the two formats whose readers use most of these lines, in words.
func nearest(head []string) string {
	var all []string
	uses := map[string]int{} // lines, by format
	text := strings.Join(head[:min(len(head), heads[0].lines)], "\n") + "\n"
	for _, f := range All {
		s, m := newSource(strings.NewReader(text), "", defaults), Measurement{}
		f.parse(s, &m)
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
