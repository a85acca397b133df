package output

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks each line of a string at spaces into lines of at most the screen's width, as far as
// words allow, with the indentation of the original line.
func (s *Screen) Wrap(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content := strings.TrimLeft(line, " ")
		b.WriteString(s.fill(strings.Repeat(" ", len(line)-len(content)), content, 0))
	}
	return b.String()
}

// Lines returns strings as lines that are wrapped.
func (s *Screen) Lines(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(s.Wrap(line + "\n"))
	}
	return b.String()
}

// Hang returns a line that begins with a label. Words that do not fit continue in lines below,
// indented by the label's width.
func (s *Screen) Hang(label, text string) string {
	return s.fill(label, text, utf8.RuneCountInString(label))
}

// fill returns the words of a text after begin, in lines of at most the width. All but the first
// begin with as many spaces as begin has.
func (s *Screen) fill(begin, text string, indent int) string {
	indent = max(indent, len(begin)-len(strings.TrimLeft(begin, " ")))
	var b strings.Builder
	b.WriteString(begin)
	at := utf8.RuneCountInString(begin)
	for i, word := range together(strings.Fields(text)) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > s.Width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	if strings.HasSuffix(text, "\n") {
		b.WriteString("\n")
	}
	return b.String()
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
