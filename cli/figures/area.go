package figures

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
	n := int(top-low) + 1
	if n > mostCells {
		b.scale = whole(low, top)
		return
	}
	b.steps, b.cells = n, true
	b.scale = scale{at: identity, low: low - 0.5, top: top + 0.5}
	for i := range n {
		value := low + float64(i)
		label := strconv.FormatFloat(value, 'f', 0, 64)
		b.scale.ticks = append(b.scale.ticks, plot.Tick{Value: value, Label: label})
	}
}

// share returns the position of a value on the scale, from 0 at its low end to 1 at its top.
func (b *colorBar) share(value float64) float64 {
	return (b.scale.at(value) - b.scale.low) / (b.scale.top - b.scale.low)
}

func (b *colorBar) of(value float64) color.NRGBA {
	share := b.share(value)
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
	if b.cells {
		p.X.Width, p.X.Tick.Length = 0, 0
		c.Max.X = min(c.Max.X, c.Min.X+24*vg.Length(b.steps))
	}
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - labelSize/2}
	c.FillText(textStyle(labelSize, black), at, b.title)
	c.Max.Y -= labelSize + 4
	const room = 12 // for labels at the ends
	c.Min.X, c.Max.X = c.Min.X+room, c.Max.X-room
	p.X.Tick.Marker = thin(b.scale.ticks, (c.Max.X-c.Min.X)/vg.Length(b.scale.top-b.scale.low),
		textStyle(tickSize, black).Width)
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
