package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Limits of a file. Beyond them [Read] fails, so that no file uses up the machine's memory. That
// number of detours takes some 400 MB while they are read, rows of other tables up to 2 GB.
const (
	MaxLine     = 1 << 20 // bytes of a line
	MaxLines    = 1 << 26 // lines
	MaxRecords  = 1 << 23 // detours, quanta, samples and bins
	maxUnpacked = 4 << 30 // bytes of a compressed file
)

type limits struct {
	line, lines, records int
	unpacked             int64
}

var defaults = limits{MaxLine, MaxLines, MaxRecords, maxUnpacked}

// A source reads the lines of a file one by one, without the spaces around them, and counts skipped
// lines.
type source struct {
	limits
	name string
	r    *bufio.Scanner
	rest *io.LimitedReader // what may yet be unpacked of a compressed file, else nil
	head []numbered        // lines that were read already, which scan returns
	text string            // the current line
	line int               // its number
	// useless is the error if nothing is measured; nil if no line said why.
	useless error

	fields []string // of the current line

	read    int // lines read, including the head
	records int
	skipped map[string]Skip
	unended bool  // whether the last line has no newline
	partial int   // the number of that line if it ends with a number, which may be cut off
	first   int   // repetitions of a run that are left out; below 0 as many as are usual
	left    int   // out of all runs
	lost    int64 // events that a tracer lost
	firsts  bool  // bins may begin at 0, where most detours are
	notes   []string
	// disagreements counts what the tool reports otherwise than what is read.
	disagreements int
	facts         []Fact
}

// The lengths of the head by which a format is recognised: the second if the first matches no
// format, since libraries print at length before a tool does.
var heads = []struct{ lines, bytes int }{{256, 1 << 16}, {1 << 14, 1 << 22}}

func newSource(r io.Reader, name string, bounds limits) *source {
	s := &source{limits: bounds, name: name, skipped: map[string]Skip{}, first: -1}
	text := s.unpack(bufio.NewReaderSize(r, 1<<16))
	s.r = bufio.NewScanner(text)
	s.r.Buffer(nil, bounds.line+1)
	s.r.Split(s.lineCutter(text))
	return s
}

// lineCutter returns the function that cuts lines, each with its end: carriage returns end them too, if
// the beginning of a text has these alone.
func (s *source) lineCutter(text *bufio.Reader) bufio.SplitFunc {
	ends := "\n"
	head, _ := text.Peek(1 << 12) // an error comes again where it is read
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		ends = "\r\n"
	}
	return func(data []byte, last bool) (int, []byte, error) {
		switch n := bytes.IndexAny(data, ends) + 1; {
		case n > 0:
			return n, data[:n], nil
		case last && len(data) > 0:
			s.unended = true
			return len(data), data, nil
		}
		return 0, nil, nil
	}
}

// peek returns the first lines, up to these limits. scan reads them again.
func (s *source) peek(lines, bytes int) (head []string) {
	for size := 0; len(head) < lines && size < bytes; size += len(head[len(head)-1]) {
		if len(head) == len(s.head) {
			line, ok := s.readLine()
			if !ok {
				break
			}
			s.head = append(s.head, numbered{line, s.read})
		}
		head = append(head, s.head[len(head)].text)
	}
	return head
}

// scan reads the next line that is not empty into text. It returns false at the end. A last line
// without a newline is skipped if it ends with a number.
func (s *source) scan() bool {
	for s.text = ""; s.text == ""; {
		var ok bool
		if len(s.head) > 0 {
			s.text, s.line, s.head = s.head[0].text, s.head[0].number, s.head[1:]
		} else if s.text, ok = s.readLine(); !ok {
			return false
		}
	}
	if s.line == s.partial {
		s.skip("the last line, whose number may be cut off; end it with a newline if it is not")
		return false
	}
	return true
}

// fail ends the reading with an error of the current line.
func (s *source) fail(format string, args ...any) { panic(failure{s.errorf(format, args...)}) }

func (s *source) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", s.name, max(s.line, 1), fmt.Errorf(format, args...))
}

// otherwise gives the error of the current line in case that nothing is measured. The first counts.
func (s *source) otherwise(format string, args ...any) {
	if s.useless == nil {
		s.useless = s.errorf(format, args...)
	}
}

// settled returns the times of a run's repetitions without the first, in which caches and
// connections warm up: as many as the user says, or else as are usual. It keeps none of a run
// that has no more.
func (s *source) settled(all []float64, usual int) []float64 {
	first := min(s.first, len(all))
	if s.first < 0 {
		first = usual
	}
	if s.left += first; first > 0 && first == len(all) {
		s.otherwise("all %d repetitions of a run are left out as its beginning; lower --skip", first)
	}
	return all[first:]
}

// readLine returns the next line of the file, whose number is then the current one, and whether there is
// one.
func (s *source) readLine() (string, bool) {
	ok := s.r.Scan()
	line, err := s.r.Bytes(), s.r.Err()
	long := errors.Is(err, bufio.ErrTooLong) || len(line) > s.limits.line
	switch {
	case err != nil && !long && (!ok || s.unended):
		panic(failure{s.unreadable(err)})
	case !ok && s.rest != nil && s.rest.N <= 0:
		panic(failure{fmt.Errorf("%s: it has more than 4 GiB when it is unpacked; cut it into several", s.name)})
	case !ok && !long:
		return "", false
	}
	s.read++
	s.line = s.read
	s.checkLine(line, long)
	if s.unended && bytes.ContainsAny(line[len(line)-1:], "0123456789.+-") {
		s.partial = s.read
	}
	if s.read == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if bytes.IndexByte(line, '\x1b') >= 0 {
		line = escapes.regexp().ReplaceAll(line, nil)
	}
	return string(bytes.TrimSpace(line)), true
}

// unreadable returns the error of a file that ends with this one.
func (s *source) unreadable(err error) error {
	if s.rest != nil {
		return s.damaged(err)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// damaged returns the error of a compressed file that cannot be unpacked.
func (s *source) damaged(err error) error {
	return fmt.Errorf("%s: it cannot be unpacked: %w; it may be cut off or damaged: copy it again", s.name, err)
}

// checkLine fails if a line, of which only the beginning is given if it is too long, cannot be read.
func (s *source) checkLine(line []byte, long bool) {
	switch {
	case long:
		s.fail("the line is longer than %d bytes; is this the output of a tool that measures?", s.limits.line)
	case s.read > s.lines:
		s.fail("the file has more than %d lines; cut it into several", s.lines)
	case s.read == 1 && (bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff"))):
		s.fail("the file is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8 first")
	case bytes.IndexByte(line, 0) >= 0:
		s.fail("there are zero bytes in the line; a measurement must be text")
	}
}

// escapes are what terminals take as colours and movements of the cursor.
const escapes expression = `\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][AB0]|[a-zA-Z=>])`

// record counts a value that is kept in memory, and fails if there are too many.
func (s *source) record() {
	if s.records++; s.records > s.limits.records {
		s.fail("the file has more than %d values to keep; cut it into several", s.limits.records)
	}
}

// put sets the value of a key, and fails if there are too many keys.
func put[K comparable, V any](s *source, m map[K]V, key K, x V) {
	if _, known := m[key]; !known {
		s.record()
	}
	m[key] = x
}

// keep adds a value to a list, and fails if there are too many.
func keep[T any](s *source, list *[]T, x T) {
	*list = append(*list, x)
	s.record()
}

// skip counts the current line, or a value in it, as not used, if there is a reason.
func (s *source) skip(reason string) {
	if reason == "" {
		return
	}
	k := s.skipped[reason]
	s.skipped[reason] = Skip{reason, k.Count + 1, cmp.Or(k.Line, s.line)}
}

// skips returns what was skipped, in the order of the first lines of each reason.
func (s *source) skips() []Skip {
	return slices.SortedFunc(maps.Values(s.skipped), func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Reason, b.Reason))
	})
}

// The number of notes and of facts that are kept at most.
const maxRemarks = 64

func (s *source) note(format string, args ...any) {
	if len(s.notes) < maxRemarks {
		s.notes = append(s.notes, fmt.Sprintf(format, args...))
	}
}

// fact adds an entry of a header, once.
func (s *source) fact(name, value string) {
	f := Fact{printable(strings.TrimSpace(name), 40), printable(strings.TrimSpace(value), 200)}
	if f.Value != "" && len(s.facts) < maxRemarks && !slices.Contains(s.facts, f) {
		s.facts = append(s.facts, f)
	}
}

// printable returns the beginning of a text without control characters.
func printable(text string, most int) string {
	shown := []rune(text)
	for i, c := range shown[:min(len(shown), most)] {
		switch {
		case c == '\t':
			shown[i] = ' '
		case !unicode.IsPrint(c):
			shown[i] = '?'
		}
	}
	if len(shown) > most {
		return string(shown[:most]) + "…"
	}
	return string(shown)
}

// maxWindow is how many bytes the windows of what unpacks a compressed file have at most.
const maxWindow = 128 << 20

// packings are ways to compress a file, which its first bytes show: these, the ending of its name, and
// what unpacks it.
var packings = []struct {
	magic, ending string
	open          func(io.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", ".gz", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"\xfd7zXZ\x00", ".xz", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
	{"BZh", ".bz2", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"\x28\xb5\x2f\xfd", ".zst", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}},
}

// Unpacked returns the name of a file without the ending by which it is known to be compressed.
func Unpacked(name string) string {
	for _, p := range packings {
		if short, ok := strings.CutSuffix(name, p.ending); ok {
			return short
		}
	}
	return name
}

// unpack returns the reader of what a compressed file has, or r if it is not compressed.
func (s *source) unpack(r *bufio.Reader) *bufio.Reader {
	head, _ := r.Peek(6) // an error comes again where it is read
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			unpacked, err := p.open(r)
			if err != nil {
				panic(failure{s.damaged(err)})
			}
			s.rest = &io.LimitedReader{R: unpacked, N: s.unpacked}
			return bufio.NewReaderSize(s.rest, 1<<16)
		}
	}
	return r
}
