package figures

import (
	"image/color"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/internal/output"
	"jitterfly/internal/vector"
)

// The colours of lines and areas. Those with names of their own are by Okabe and Ito
// ("Color universal design", 2008), which readers with colour blindness can distinguish.
var (
	black      = color.NRGBA{A: 255}
	grey       = color.NRGBA{R: 110, G: 110, B: 110, A: 255}
	paleGrey   = color.NRGBA{R: 226, G: 226, B: 226, A: 255}
	middleGrey = color.NRGBA{R: 150, G: 150, B: 150, A: 255}
	paleRed    = color.NRGBA{R: 240, G: 176, B: 140, A: 255}
	paleGreen  = color.NRGBA{R: 150, G: 214, B: 195, A: 255}
	paleBlue   = color.NRGBA{R: 196, G: 214, B: 230, A: 255}
	white      = color.NRGBA{R: 255, G: 255, B: 255, A: 255}
	blue       = color.NRGBA{R: 0, G: 114, B: 178, A: 255}
	green      = color.NRGBA{R: 0, G: 158, B: 115, A: 255}
	vermillion = color.NRGBA{R: 213, G: 94, B: 0, A: 255}
	orange     = color.NRGBA{R: 230, G: 159, B: 0, A: 255}
	skyBlue    = color.NRGBA{R: 86, G: 180, B: 233, A: 255}
	yellow     = color.NRGBA{R: 240, G: 228, B: 66, A: 255}
	purple     = color.NRGBA{R: 204, G: 121, B: 167, A: 255}
)

func translucent(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// Sizes of text, in points.
const (
	titleSize = 11
	labelSize = 9
	tickSize  = 8
)

// newPlot returns an empty plot in the style of the package with these scales.
func newPlot(title string, x, y scale) *plot.Plot {
	p := plot.New()
	p.TextHandler = newHandler()
	p.Title.Text = title
	p.Title.Padding = 4
	for s, size := range map[*text.Style]vg.Length{
		&p.Title.TextStyle:   labelSize,
		&p.X.Label.TextStyle: labelSize, &p.Y.Label.TextStyle: labelSize,
		&p.X.Tick.Label: tickSize, &p.Y.Tick.Label: tickSize,
	} {
		s.Font, s.Handler = textStyle(size, black).Font, newHandler()
	}
	for axis, s := range map[*plot.Axis]scale{&p.X: x, &p.Y: y} {
		axis.Min, axis.Max = s.low, s.top
		axis.Tick.Marker = plot.ConstantTicks(s.ticks)
		axis.Padding = 2
		axis.Width = 0.5
		axis.Tick.Width = 0.5
		axis.Tick.Length = 4
	}
	return p
}

// gridLine is the style of lines at the labelled ticks.
var gridLine = draw.LineStyle{Color: paleGrey, Width: 0.4}

// anchors are colours of viridis by van der Walt and Smith ("mpl colormaps", 2015; in the
// public domain), whose lightness grows evenly, also for readers with colour blindness and
// in print.
var anchors = [...]color.NRGBA{
	{68, 1, 84, 255}, {72, 40, 120, 255}, {62, 73, 137, 255}, {49, 104, 142, 255},
	{38, 130, 142, 255}, {31, 158, 137, 255}, {53, 183, 121, 255}, {110, 206, 88, 255},
	{181, 222, 43, 255}, {253, 231, 37, 255},
}

// viridis returns the colour at a share from 0 to 1 of the scale.
func viridis(share float64) color.NRGBA {
	at := min(max(share, 0), 1) * float64(len(anchors)-1)
	i := min(int(at), len(anchors)-2)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (float64(b)-float64(a))*(at-float64(i))))
	}
	a, b := anchors[i], anchors[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// luminance returns the luminance of a colour, from 0 to 1 (ITU-R BT.709).
func luminance(c color.NRGBA) float64 {
	return (0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)) / 255
}

func readable(ground color.NRGBA) color.NRGBA {
	if luminance(ground) > 0.45 {
		return black
	}
	return white
}

// raised are superscript characters, which fonts of PDF lack, and what is drawn for each.
var raised = map[rune]rune{'⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6',
	'⁷': '7', '⁸': '8', '⁹': '9', '⁻': '–'}

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
		drawn, raise := raised[r]
		if raise {
			r = drawn
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
	shown := func(word string) string { return strings.ReplaceAll(word, noBreak, " ") }
	return fill(vector.Each(fields, shown), " ", size, width)
}

// wrapList returns a list in type of that size in lines of at most a width, which end at its commas as far
// as its items allow.
func wrapList(list string, size, width vg.Length) []string {
	lines := fill(strings.Split(list, ", "), ", ", size, width)
	return slices.Concat(vector.Each(lines, func(line string) []string { return wrap(line, size, width) })...)
}

// fill puts items of that size, and what is between them, into lines of at most a width.
func fill(items []string, between string, size, width vg.Length) []string {
	style := textStyle(size, black)
	return output.Fill(items, between, func(line string) bool { return style.Width(line) <= width })
}
