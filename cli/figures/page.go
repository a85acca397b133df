package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Layout is how figures are laid out. The zero value is for screens: panels have the size that
// suits them, and a figure is as wide as they need.
type Layout struct {
	// Width is the width of figures as they are printed, such as a column's, or 0. Texts have the same
	// size at every width.
	Width vg.Length
	// Untitled leaves out the titles and notes of figures, for those with a caption.
	Untitled bool
	// Note stands below the titles, a line or more: what the study assumes.
	Note []string
}

// ParseWidth reads the width of a figure, such as 85mm or 3.5in. It fails for widths that are too
// narrow for labels or wider than a page.
func ParseWidth(text string) (vg.Length, error) {
	const least, most = 50 * vg.Millimeter, 600 * vg.Millimeter
	width, err := vg.ParseLength(text)
	switch {
	case err != nil || !strings.ContainsAny(text, "mntp"):
		return 0, fmt.Errorf("%q is not a width; write for example 85mm, 3.5in or 240pt", text)
	case !(width >= least && width <= most):
		return 0, fmt.Errorf("%s is not from 50mm to 600mm", text)
	}
	return width, nil
}

// A page is a title over panels of one size, which share a legend and a scale of colours.
type page struct {
	Layout
	name, title string
	width       vg.Length                       // of a panel on a screen
	least       vg.Length                       // width of a panel beside others in print
	height      func(width vg.Length) vg.Length // of a panel of that width
	legend      []entry
	bar         *colorBar
	panels      []*plot.Plot
}

// shape returns a height in proportion to a width, as for a panel on a screen.
func shape(width, height vg.Length) func(vg.Length) vg.Length {
	return func(w vg.Length) vg.Length { return height * max(w/width, 0.55) }
}

// mostPanels is the largest number of panels of a page.
const mostPanels = 12

// Sizes of the parts of a page, in points.
const (
	margin    = 10
	titleRow  = 15
	gap       = 6
	lineRow   = 14
	barLength = 300  // at most
	barHeight = 38   // with its title and ticks
	wide      = 1150 // largest width of a row of panels on a screen
	tall      = 640  // largest height of the panels of a page in print
)

// edge returns the margin, which a printed page has already.
func (p *page) edge() vg.Length {
	if p.Width > 0 {
		return 2
	}
	return margin
}

func (p page) figures() []Figure {
	var figures []Figure
	across, panelWidth := p.columns()
	per := mostPanels
	if p.Width > 0 {
		down := max(1, int(tall/p.height(panelWidth)))
		per = min(mostPanels, across*down)
	}
	for panels := range slices.Chunk(p.panels, per) {
		one := p
		if n := len(figures); n > 0 {
			one.name = fmt.Sprintf("%s-%d", p.name, n+1)
		}
		figures = append(figures, one.lay(panels, across, panelWidth))
	}
	return figures
}

// columns returns into how many columns the panels fit, and their width.
func (p *page) columns() (across int, width vg.Length) {
	if p.Width == 0 {
		return max(1, int(wide/p.width)), p.width
	}
	room := p.Width - 2*p.edge()
	across = max(1, min(len(p.panels), int(room/p.least)))
	return across, room / vg.Length(across)
}

// lay returns a figure of panels of a width, in at most the given number of columns.
func (p page) lay(panels []*plot.Plot, across int, panelWidth vg.Length) Figure {
	across = max(1, min(len(panels), across))
	rows := (len(panels) + across - 1) / across
	if p.Width == 0 {
		across = (len(panels) + rows - 1) / rows
	}
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, across)
		copy(plots[i], panels[i*across:min(len(panels), (i+1)*across)])
	}
	panelHeight, titles := p.height(panelWidth), 0
	for _, panel := range panels {
		titles = max(titles, fit(panel, panelWidth, panelHeight))
	}
	panelHeight += labelSize * vg.Length(max(0, titles-1))
	edge := p.edge()
	width := panelWidth*vg.Length(across) + 2*edge
	h := p.head(width - 2*edge)
	f := Figure{
		Name: p.name, width: width, height: panelHeight*vg.Length(rows) + h.height + 2*edge,
		printed: p.Width > 0,
	}
	f.draw = func(c draw.Canvas) {
		h.draw(draw.Crop(c, edge, -edge, edge, -edge))
		body := draw.Crop(c, edge, -edge, edge, -edge-h.height)
		tiles := draw.Tiles{Rows: rows, Cols: across, PadX: 12, PadY: 10}
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

// fit wraps the title of a panel, and leaves only as many labels at its ticks as have room. It
// returns the number of lines of the title.
func fit(p *plot.Plot, width, height vg.Length) (titles int) {
	label := textStyle(tickSize, black)
	ticks := p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)
	left, lines := vg.Length(12), vg.Length(2)
	for _, t := range ticks {
		left = max(left, label.Width(t.Label)+12)
	}
	for _, text := range []string{p.X.Label.Text, p.Y.Label.Text} {
		if text != "" {
			lines++
		}
	}
	if p.Y.Label.Text != "" {
		left += labelSize + 4
	}
	if p.Title.Text != "" {
		lines := wrapList(p.Title.Text, labelSize, width-left)
		p.Title.Text, titles = strings.Join(lines, "\n"), len(lines)
	}
	p.Y.Tick.Marker = thin(ticks, (height-lines*12)/vg.Length(p.Y.Max-p.Y.Min),
		func(string) vg.Length { return tickSize })
	p.X.Tick.Marker = thin(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max),
		(width-left-8)/vg.Length(p.X.Max-p.X.Min), label.Width)
	return titles
}

// thin returns ticks of which every n-th label is left, for the smallest n at which those left do
// not touch. Of labels that are not as far from each other everywhere, which are at 1, 2 and 5
// times powers of ten, n is a multiple of three. A tick at v is at v times step on the axis, and
// its label extends over size.
func thin(ticks []plot.Tick, step vg.Length, size func(label string) vg.Length) plot.ConstantTicks {
	labelled, every := slices.DeleteFunc(slices.Clone(ticks), plot.Tick.IsMinor), 1
	for touching(labelled, every, step, size) {
		if every++; !even(labelled) {
			every = (every + 2) / 3 * 3
		}
	}
	thinned, n := slices.Clone(ticks), 0
	for i, t := range ticks {
		switch {
		case t.IsMinor():
			continue
		case n%every > 0:
			thinned[i].Label = ""
		}
		n++
	}
	return thinned
}

// touching reports whether any two neighbours of every n-th of these labels touch.
func touching(labelled []plot.Tick, n int, step vg.Length, size func(string) vg.Length) bool {
	const apart = 4
	for i := n; i < len(labelled); i += n {
		a, b := labelled[i-n], labelled[i]
		if step*vg.Length(b.Value-a.Value) < (size(a.Label)+size(b.Label))/2+apart {
			return true
		}
	}
	return false
}

// even reports whether all neighbours of these labels are as far from each other.
func even(labelled []plot.Tick) bool {
	for i := 2; i < len(labelled); i++ {
		first := labelled[1].Value - labelled[0].Value
		distance := labelled[i].Value - labelled[i-1].Value
		if math.Abs(distance-first) > 1e-6*first {
			return false
		}
	}
	return true
}

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

// An area is the fill of a surface: a colour, or hatching.
type area struct {
	color   color.NRGBA
	hatched bool
}

// missing marks cells without a value.
var missing = area{color: paleGrey, hatched: true}

// rectangle fills the rectangle between two opposite corners.
func (a *area) rectangle(c *draw.Canvas, x0, y0, x1, y1 vg.Length) {
	corners := []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	if !a.hatched {
		c.FillPolygon(a.color, corners)
		return
	}
	c.FillPolygon(white, corners)
	line := draw.LineStyle{Color: grey, Width: 0.4}
	const distance = 5
	for x := x0 - (y1 - y0); x < x1; x += distance { // from (x, y0) up to the right
		left, right := max(x, x0), min(x+y1-y0, x1)
		if left < right {
			c.StrokeLine2(line, left, y0+left-x, right, y0+right-x)
		}
	}
}

type colorBar struct {
	title string
	scale scale
	color func(share float64) color.NRGBA
	steps int  // number of colours in the drawn bar
	cells bool // each of them stands for a value of its own
}

// mostCells is the largest number of whole numbers that have colours of their own.
const mostCells = 24

// wholes sets the scale to whole numbers, each with a colour and a label of its own unless they are
// many.
func (b *colorBar) wholes(low, top float64) {
	b.scale = whole(low, top, mostTicks)
	if n := int(top-low) + 1; n <= mostCells {
		b.steps, b.cells = n, true
		b.scale = whole(low, top, mostCells)
		b.scale.low, b.scale.top = low-0.5, top+0.5
	}
}

func (b *colorBar) of(value float64) color.NRGBA {
	share := b.scale.share(value)
	if b.cells {
		share = b.step(int(share * float64(b.steps)))
	}
	return b.color(share)
}

// step returns the share whose colour the i-th step of the bar has. The first and the last value of
// cells have the colours of the ends.
func (b *colorBar) step(i int) float64 {
	if b.cells && b.steps > 1 {
		return float64(i) / float64(b.steps-1)
	}
	return (float64(i) + 0.5) / float64(b.steps)
}

// draw draws the bar: its title, its colours from left to right, and its ticks.
func (b *colorBar) draw(c draw.Canvas) {
	p := newPlot("", b.scale, scale{low: 0, top: 1})
	p.Y.Tick.Marker = plot.ConstantTicks(nil)
	p.Y.Width, p.Y.Padding, p.X.Padding = 0, 0, 0
	const room = 12 // for labels at the ends
	width := textStyle(tickSize, black).Width
	if b.cells {
		p.X.Width, p.X.Tick.Length = 0, 0
		cell := vg.Length(24)
		for _, tick := range b.scale.ticks {
			cell = max(cell, width(tick.Label)+4)
		}
		c.Max.X = min(c.Max.X, c.Min.X+2*room+cell*vg.Length(b.steps))
	}
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - labelSize/2}
	c.FillText(textStyle(labelSize, black), at, b.title)
	c.Max.Y -= labelSize + 4
	c.Min.X, c.Max.X = c.Min.X+room, c.Max.X-room
	p.X.Tick.Marker = thin(b.scale.ticks, (c.Max.X-c.Min.X)/vg.Length(b.scale.top-b.scale.low), width)
	p.Add(b)
	p.Draw(c)
}

// Plot implements [plot.Plotter].
func (b *colorBar) Plot(c draw.Canvas, _ *plot.Plot) {
	step, overlap := (c.Max.X-c.Min.X)/vg.Length(b.steps), vg.Length(1.2)
	if b.cells {
		overlap = 0.9
	}
	for i := range b.steps {
		x := c.Min.X + step*vg.Length(i)
		a := area{color: b.color(b.step(i))}
		a.rectangle(&c, x, c.Min.Y, min(c.Max.X, x+overlap*step), c.Max.Y)
	}
}
