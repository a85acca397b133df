package figures

import (
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// raised are superscript characters, which fonts of PDF lack, and raisedAs what is drawn for each.
const (
	raised   = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
	raisedAs = "0123456789–"
)

// Superscripts are drawn smaller and higher than other text, by these shares of its size.
const (
	smaller = 0.68
	higher  = 0.36
	above   = 0.25 // room above them, to a tick or a map
)

// handler draws plain text with superscripts, in the same way in every format.
type handler struct{ text.Plain }

var _ text.Handler = handler{}

func newHandler() handler { return handler{text.Plain{Fonts: font.DefaultCache}} }

// A run is a part of a line that is drawn at once.
type run struct {
	text  string
	raise bool
}

// runs divides a line into text and superscripts.
func runs(line string) []run {
	var all []run
	for _, r := range line {
		raise := strings.ContainsRune(raised, r)
		if raise {
			r = []rune(raisedAs)[strings.Count(raised[:strings.IndexRune(raised, r)], "")-1]
		}
		if n := len(all); n > 0 && all[n-1].raise == raise {
			all[n-1].text += string(r)
		} else {
			all = append(all, run{string(r), raise})
		}
	}
	return all
}

func (r run) size(of vg.Length) vg.Length {
	if r.raise {
		return smaller * of
	}
	return of
}

// Box implements [text.Handler].
func (h handler) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box(line, f)
	top := height
	for _, r := range runs(line) {
		face := h.Fonts.Lookup(f, r.size(f.Size))
		width += face.Width(r.text)
		if r.raise {
			height = top + above*f.Size
		}
	}
	return width, height, depth
}

// Draw implements [text.Handler].
func (h handler) Draw(c vg.Canvas, words string, style text.Style, at vg.Point) {
	words = strings.TrimRight(words, "\n")
	if words == "" {
		return
	}
	c.SetColor(style.Color)
	c.Push()
	defer c.Pop()
	c.Translate(at)
	if style.Rotation != 0 {
		c.Rotate(style.Rotation)
	}
	lines := h.Lines(words)
	top := style.Height(words)*vg.Length(style.YAlign) - h.Extents(style.Font).Ascent
	for i, line := range lines {
		width, _, _ := h.Box(line, style.Font)
		x := vg.Length(style.XAlign) * width
		y := top + vg.Length(len(lines)-i)*style.Font.Size
		for _, r := range runs(line) {
			face := h.Fonts.Lookup(style.Font, r.size(style.Font.Size))
			up := y
			if r.raise {
				up += higher * style.Font.Size
			}
			c.FillString(face, vg.Point{X: x, Y: up}, r.text)
			x += face.Width(r.text)
		}
	}
}

// textStyle returns the style of text of that size [points].
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  draw.XLeft,
		YAlign:  draw.YCenter,
		Handler: newHandler(),
	}
}

// timesInText are the spaces between times and their units, where lines do not break.
var timesInText = regexp.MustCompile(`(\d) ((?:n|µ|m|)s\b)`)

// wrap returns words of that size in lines of at most a width, as far as the words allow.
func wrap(words string, size, width vg.Length) []string {
	const noBreak = "\u200b"
	fields := strings.Fields(timesInText.ReplaceAllString(words, "$1"+noBreak+"$2"))
	for i, word := range fields {
		fields[i] = strings.ReplaceAll(word, noBreak, " ")
	}
	return fill(fields, " ", size, width)
}

// wrapList returns a list in type of that size in lines of at most a width, which end at its commas as far
// as its items allow.
func wrapList(list string, size, width vg.Length) (lines []string) {
	for _, line := range fill(strings.Split(list, ", "), ", ", size, width) {
		lines = append(lines, wrap(line, size, width)...)
	}
	return lines
}

// fill puts items of that size, and what is between them, into lines of at most a width, as far as the items
// allow.
func fill(items []string, between string, size, width vg.Length) (lines []string) {
	style, line := textStyle(size, black), ""
	for _, item := range items {
		longer := item
		if line != "" {
			longer = line + between + item
		}
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line+strings.TrimSpace(between))
			longer = item
		}
		line = longer
	}
	return append(lines, line)
}
