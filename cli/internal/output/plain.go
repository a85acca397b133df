package output

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Remark prints a line that is not a result, after the program's name.
func Remark(w io.Writer, format string, args ...any) {
	line := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	_, _ = fmt.Fprintf(w, "jitterfly: %s\n", Plain(line))
}

// Plain escapes characters that a terminal does not print as in Go, such as \x1b for the start of
// escape sequences: names of files and keys may contain any. Ends of lines and tabs stay.
func Plain(text string) string {
	var b strings.Builder
	for at, size := 0, 0; at < len(text); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// Write writes to the screen, with control characters as [Plain] writes them, except the colours of
// this package.
func (s *Screen) Write(content []byte) (int, error) {
	if len(s.rest) == 0 && !slices.ContainsFunc(content, suspect) {
		return s.Writer.Write(content)
	}
	text := string(append(s.rest, content...))
	s.rest = nil
	if n := len(text); n > 0 && text[n-1] == c1 { // the next write may complete the character
		text, s.rest = text[:n-1], []byte{c1}
	}
	if _, err := io.WriteString(s.Writer, s.control(text)); err != nil {
		return 0, err
	}
	return len(content), nil
}

// c1 begins the control characters above ASCII in UTF-8, U+0080 to U+009F.
const c1 = 0xc2

// suspect reports whether a byte may be of a control character, other than an end of a line and a
// tab.
func suspect(b byte) bool { return b < ' ' && b != '\n' && b != '\t' || b == 0x7f || b == c1 }

// control returns the text with control characters as [Plain] writes them. All else stays as it is.
func (s *Screen) control(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		written := text[:size]
		if n := s.colours(text); n > 0 {
			size, written = n, text[:n]
		} else if unicode.IsControl(r) {
			written = Plain(written)
		}
		b.WriteString(written)
		text = text[size:]
	}
	return b.String()
}

// colours returns the length of the sequence of a colour that begins a text, 0 if none does.
func (s *Screen) colours(text string) int {
	for _, sequence := range []string{bold, yellow, reset} {
		if s.Colour && strings.HasPrefix(text, sequence) {
			return len(sequence)
		}
	}
	return 0
}
