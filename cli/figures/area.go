package figures

import (
	"image/color"

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

// A colorBar is a scale of colours with its title.
type colorBar struct {
	title string
	scale scale
	color func(share float64) color.NRGBA
	steps int          // number of colours in the drawn bar
	above *color.NRGBA // of values above the scale; nil for that of its top
}

// share returns the position of a value on the scale, from 0 at its low end to 1 at its top.
func (b *colorBar) share(value float64) float64 {
	return (b.scale.at(value) - b.scale.low) / (b.scale.top - b.scale.low)
}

// of returns the colour of a value.
func (b *colorBar) of(value float64) color.NRGBA {
	share := b.share(value)
	if b.above != nil && share > 1 {
		return *b.above
	}
	return b.color(share)
}

// plot returns a plot of the bar alone.
func (b *colorBar) plot() *plot.Plot {
	p := newPlot("", scale{low: 0, top: 1}, b.scale)
	p.X.Tick.Marker = plot.ConstantTicks(nil)
	p.X.Width = 0
	p.X.Padding, p.Y.Padding = 0, 0
	p.Title.Text = b.title
	p.Add(b)
	return p
}

// Plot implements [plot.Plotter].
func (b *colorBar) Plot(c draw.Canvas, _ *plot.Plot) {
	step := (c.Max.Y - c.Min.Y) / vg.Length(b.steps)
	for i := range b.steps {
		y := c.Min.Y + step*vg.Length(i)
		a := area{color: b.color((float64(i) + 0.5) / float64(b.steps))}
		a.rectangle(&c, c.Min.X, y, c.Max.X, min(c.Max.Y, y+1.2*step))
	}
}
