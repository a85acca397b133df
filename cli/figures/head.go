package figures

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A head is the part of a page above its panels: title, legend and scale of colours.
type head struct {
	title  []string // lines
	note   []string // lines
	legend []entry
	rows   int // of the legend
	bar    *colorBar
	height vg.Length
}

func (p *page) head(width vg.Length) head {
	h := head{bar: p.bar}
	if !p.Untitled && p.title != "" {
		h.title = wrap(p.title, titleSize, width)
		for _, line := range p.Note {
			h.note = append(h.note, wrap(line, labelSize, width)...)
		}
	}
	h.legend, h.rows = layOut(p.legend, width)
	h.height = titleRow*vg.Length(len(h.title)) + lineRow*vg.Length(len(h.note)+h.rows)
	if h.bar != nil {
		h.height += barHeight
	}
	if h.height > 0 {
		h.height += gap
	}
	return h
}

func (h *head) draw(c draw.Canvas) {
	y := c.Max.Y
	for _, line := range h.title {
		c.FillText(textStyle(titleSize, black), vg.Point{X: c.Min.X, Y: y - titleRow/2}, line)
		y -= titleRow
	}
	for _, line := range h.note {
		c.FillText(textStyle(labelSize, grey), vg.Point{X: c.Min.X, Y: y - lineRow/2}, line)
		y -= lineRow
	}
	for i := range h.legend {
		e := &h.legend[i]
		e.draw(&c, vg.Point{X: c.Min.X + e.x, Y: y - lineRow*(vg.Length(e.row)+0.5)})
	}
	y -= lineRow * vg.Length(h.rows)
	if h.bar != nil {
		strip := c
		strip.Max.Y, strip.Min.Y = y-2, y-barHeight
		strip.Max.X = min(c.Max.X, c.Min.X+barLength)
		h.bar.draw(strip)
	}
}

// An entry of a legend is a mark with its meaning.
type entry struct {
	label string
	fill  *area
	line  draw.LineStyle
	glyph *draw.GlyphStyle

	lines []string  // of the label
	x     vg.Length // position within the row
	row   int
}

// swatch is the length of a mark.
const swatch = 22

// layOut returns the entries at their positions in rows of a width, and the number of rows. A
// label that is longer than a row takes several.
func layOut(legend []entry, width vg.Length) ([]entry, int) {
	x, row := vg.Length(0), 0
	var placed []entry
	for i, e := range legend {
		e.lines = wrap(e.label, labelSize, width-swatch-5)
		length := vg.Length(swatch + 5 + 12)
		for _, line := range e.lines {
			length = max(length, swatch+5+textStyle(labelSize, black).Width(line)+12)
		}
		if i > 0 && (x+length-12 > width || len(e.lines) > 1) {
			x, row = 0, row+1
		}
		e.x, e.row = x, row
		x += length
		if len(e.lines) > 1 {
			x, row = width, row+len(e.lines)-1
		}
		placed = append(placed, e)
	}
	if len(legend) == 0 {
		return nil, 0
	}
	return placed, row + 1
}

// draw draws the mark and its meaning.
func (e *entry) draw(c *draw.Canvas, at vg.Point) {
	if e.fill != nil {
		e.fill.rectangle(c, at.X, at.Y-4, at.X+swatch, at.Y+4)
	}
	if e.line.Width > 0 {
		c.StrokeLine2(e.line, at.X, at.Y, at.X+swatch, at.Y)
	}
	if e.glyph != nil {
		c.DrawGlyphNoClip(*e.glyph, vg.Point{X: at.X + swatch/2, Y: at.Y})
	}
	for i, line := range e.lines {
		place := vg.Point{X: at.X + swatch + 5, Y: at.Y - lineRow*vg.Length(i)}
		c.FillText(textStyle(labelSize, black), place, line)
	}
}
