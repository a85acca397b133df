package output

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// A Screen is what a command prints to: a terminal, a file or a pipe.
type Screen struct {
	io.Writer
	Width  int  // in characters
	Colour bool // whether escape sequences of colours are understood
	rest   []byte
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
