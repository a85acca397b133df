package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A page is a title over panels of one size, which share a legend and a scale of colours.
type page struct {
	name, title   string
	width, height vg.Length // of a panel
	legend        []entry
	bar           *colorBar
}

// mostPanels is the largest number of panels of a page.
const mostPanels = 12

// Sizes of the parts of a page, in points.
const (
	margin   = 10
	titleRow = 18
	gap      = 6
	lineRow  = 16
	barWidth = 70
	longest  = 420  // length of a colour bar
	wide     = 1150 // largest width of a row of panels
)

// figures returns as many figures as the panels need.
func (p page) figures(panels []*plot.Plot) []Figure {
	var figures []Figure
	for _, panel := range panels { // make room for their titles
		p.width = max(p.width, 1.15*panel.Title.TextStyle.Width(panel.Title.Text)+20)
	}
	for n := 0; len(panels) > 0; n++ {
		some := panels[:min(mostPanels, len(panels))]
		panels = panels[len(some):]
		one := p
		if n > 0 {
			one.name = fmt.Sprintf("%s-%d", p.name, n+1)
		}
		figures = append(figures, one.figure(some))
	}
	return figures
}

// figure returns a figure with all of the panels.
func (p page) figure(panels []*plot.Plot) Figure {
	most := max(1, min(len(panels), int(wide/p.width)))
	rows := (len(panels) + most - 1) / most
	columns := (len(panels) + rows - 1) / rows
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
		copy(plots[i], panels[i*columns:min(len(panels), (i+1)*columns)])
	}
	width := p.width*vg.Length(columns) + 2*margin
	if p.bar != nil {
		width += barWidth
	}
	lines := p.layOut(width - 2*margin)
	head := titleRow + lineRow*vg.Length(lines) + gap
	f := Figure{Name: p.name, width: width, height: p.height*vg.Length(rows) + head + 2*margin}
	f.draw = func(c draw.Canvas) {
		at := vg.Point{X: margin, Y: f.height - margin - titleRow/2}
		c.FillText(textStyle(titleSize, black), at, p.title)
		for _, e := range p.legend {
			y := f.height - margin - titleRow - lineRow*(vg.Length(e.row)+0.5)
			e.draw(&c, vg.Point{X: margin + e.x, Y: y})
		}
		body := draw.Crop(c, margin, -margin, margin, -margin-head)
		if p.bar != nil {
			left, below := body.Max.X-body.Min.X-barWidth+14, body.Max.Y-body.Min.Y-longest
			strip := draw.Crop(body, left, 0, max(0, below), 0)
			p.bar.plot().Draw(strip)
			body = draw.Crop(body, 0, -barWidth, 0, 0)
		}
		tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 12, PadY: 10}
		for j, row := range plot.Align(plots, tiles, body) {
			for i, place := range row {
				if plots[j][i] != nil {
					plots[j][i].Draw(place)
				}
			}
		}
	}
	return f
}

// An entry of a legend is a mark with its meaning.
type entry struct {
	label string
	fill  *area
	line  draw.LineStyle
	glyph *draw.GlyphStyle

	x   vg.Length // position within the row
	row int
}

// swatch is the length of a mark.
const swatch = 22

// layOut sets the positions of the legend's entries in rows of a width, and returns the number
// of rows.
func (p *page) layOut(width vg.Length) int {
	x, row := vg.Length(0), 0
	for i := range p.legend {
		e := &p.legend[i]
		text := 1.2 * textStyle(labelSize, black).Width(e.label) // other fonts are wider
		length := swatch + 5 + text + 8
		if x > 0 && x+length > width {
			x, row = 0, row+1
		}
		e.x, e.row = x, row
		x += length
	}
	if len(p.legend) == 0 {
		return 0
	}
	return row + 1
}

// draw draws the mark and its meaning.
func (e *entry) draw(c *draw.Canvas, at vg.Point) {
	if e.fill != nil {
		e.fill.rectangle(c, at.X, at.Y-5, at.X+swatch, at.Y+5)
	}
	if e.line.Width > 0 {
		c.StrokeLine2(e.line, at.X, at.Y, at.X+swatch, at.Y)
	}
	if e.glyph != nil {
		c.DrawGlyphNoClip(*e.glyph, vg.Point{X: at.X + swatch/2, Y: at.Y})
	}
	c.FillText(textStyle(labelSize, black), vg.Point{X: at.X + swatch + 5, Y: at.Y}, e.label)
}
