package output

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Screen is what a command prints to: a terminal, a file or a pipe.
type Screen struct {
	io.Writer
	Width  int    // in characters
	Colour bool   // whether escape sequences of colours are understood
	rest   string // of the last write
}

// The widths of terminals that do not report theirs, and of output that is not a terminal.
const (
	terminalWidth = 80
	fileWidth     = 100
)

// minWidth is the smallest width that is believed.
const minWidth = 20

// NewScreen returns the screen of what w writes to. A terminal has its own width; elsewhere, and
// where a terminal does not report it, it is COLUMNS of the environment. Colours are for terminals
// unless the environment has NO_COLOR.
func NewScreen(w io.Writer, environ []string) *Screen {
	s := &Screen{Writer: w, Width: fileWidth}
	f, ok := w.(*os.File)
	terminal := ok && term.IsTerminal(int(f.Fd()))
	if terminal {
		s.Width = terminalWidth
		s.Colour = lookup(environ, "NO_COLOR") == "" && lookup(environ, "TERM") != "dumb"
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			s.Width = max(width, minWidth)
			return s
		}
	}
	if columns, err := strconv.Atoi(lookup(environ, "COLUMNS")); err == nil && columns >= minWidth {
		s.Width = columns
	}
	return s
}

// ScreenOf returns w if it is a screen, and otherwise a screen of no terminal.
func ScreenOf(w io.Writer) *Screen {
	if s, ok := w.(*Screen); ok {
		return s
	}
	return NewScreen(w, nil)
}

// lookup returns the value of a variable, the last that environ has.
func lookup(environ []string, name string) (value string) {
	for _, variable := range environ {
		if v, ok := strings.CutPrefix(variable, name+"="); ok {
			value = v
		}
	}
	return value
}

// Escape sequences (ECMA-48, select graphic rendition).
const (
	bold   = "\x1b[1m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// Bold returns a string in bold letters, each line by itself.
func (s *Screen) Bold(text string) string { return s.paint(bold, text) }

// Marks colours the marks ? and * of choices that are not certain, in cells and at the beginning of
// lines.
func (s *Screen) Marks(text string) string {
	var pairs []string
	for _, mark := range []string{"?", "*"} {
		for _, before := range []string{"×", "%", NoBound, "\n"} {
			pairs = append(pairs, before+mark, before+s.paint(yellow, mark))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// paint puts the sequence before what each line has besides spaces, and the reset after it.
func (s *Screen) paint(sequence, text string) string {
	if !s.Colour {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		inner := strings.TrimSpace(line)
		before, after, _ := strings.Cut(line, inner)
		if inner != "" {
			inner = sequence + inner + reset
		}
		b.WriteString(before + inner + after)
	}
	return b.String()
}

// Wrap breaks each line of a string at spaces into lines of at most the screen's width, as far as
// words allow, with the indentation of the original line.
func (s *Screen) Wrap(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content := strings.TrimLeft(line, " ")
		b.WriteString(s.Hang(strings.Repeat(" ", len(line)-len(content)), content))
	}
	return b.String()
}

// Lines returns strings as lines that are wrapped.
func (s *Screen) Lines(lines []string) string {
	text := ""
	for _, line := range lines {
		text += s.Wrap(line + "\n")
	}
	return text
}

// Hang returns a line that begins with a label. Words that do not fit continue in lines below,
// indented by the label's width.
func (s *Screen) Hang(label, text string) string {
	indent := utf8.RuneCountInString(label)
	lines := Fill(together(strings.Fields(text)), " ", func(line string) bool {
		return indent+utf8.RuneCountInString(line) <= s.Width
	})
	label += strings.Join(lines, "\n"+strings.Repeat(" ", indent))
	if strings.HasSuffix(text, "\n") {
		label += "\n"
	}
	return label
}

// Fill puts items, and what is between them, into lines that fit, as far as the items allow.
func Fill(items []string, between string, fits func(line string) bool) (lines []string) {
	line := ""
	for i, item := range items {
		longer := line + between + item
		switch {
		case i == 0:
			longer = item
		case !fits(longer):
			lines = append(lines, line+strings.TrimSpace(between))
			longer = item
		}
		line = longer
	}
	return append(lines, line)
}

// together joins words between which a line does not break: T = 0, and a flag with its value.
func together(words []string) []string {
	var joined []string
	before := ""
	for _, word := range words {
		flag := strings.HasPrefix(before, "--") && !strings.ContainsAny(before[len(before)-1:], ".,;:)")
		switch {
		case before == "=" || word == "=",
			flag && !strings.HasPrefix(word, "-") && strings.ContainsAny(word, "0123456789"):
			joined[len(joined)-1] += " " + word
		default:
			joined = append(joined, word)
		}
		before = word
	}
	return joined
}

// Remark prints a line that is not a result, after the program's name.
func Remark(w io.Writer, format string, args ...any) {
	line := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	_, _ = fmt.Fprintf(w, "jitterfly: %s\n", Plain(line))
}

// Plain escapes characters that a terminal does not print as in Go, such as \x1b for the start of
// escape sequences: names of files and keys may contain any. Ends of lines and tabs stay.
func Plain(text string) string {
	var b strings.Builder
	for _, char := range strings.Split(text, "") {
		if !strings.ContainsAny(char, "\n\t\"\\") { // which Quote would escape too
			char = strconv.Quote(char)
			char = char[1 : len(char)-1]
		}
		b.WriteString(char)
	}
	return b.String()
}

// escapers write control characters as [Plain] does, and all else as it is, by whether the colours of this
// package stay.
var escapers = map[bool]*strings.Replacer{false: escaper(), true: escaper(bold, yellow, reset)}

func escaper(but ...string) *strings.Replacer {
	var pairs []string
	for _, sequence := range but {
		pairs = append(pairs, sequence, sequence)
	}
	for r := range unicode.MaxLatin1 {
		if unicode.IsControl(r) {
			pairs = append(pairs, string(r), Plain(string(r)))
		}
	}
	return strings.NewReplacer(pairs...)
}

// c1 begins the control characters above ASCII in UTF-8, U+0080 to U+009F.
const c1 = 0xc2

// suspect reports whether a byte may be of a control character, other than an end of a line and a
// tab.
func suspect(b byte) bool { return b < ' ' && b != '\n' && b != '\t' || b == 0x7f || b == c1 }

// Write writes to the screen, with control characters as [Plain] writes them, except the colours of
// this package.
func (s *Screen) Write(content []byte) (int, error) {
	if s.rest == "" && !slices.ContainsFunc(content, suspect) { // nearly always, and three times as fast
		return s.Writer.Write(content)
	}
	text, split := strings.CutSuffix(s.rest+string(content), "\xc2")
	if s.rest = ""; split { // the next write may complete the character
		s.rest = "\xc2"
	}
	if _, err := io.WriteString(s.Writer, escapers[s.Colour].Replace(text)); err != nil {
		return 0, err
	}
	return len(content), nil
}
