package figures

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// A grid is pale lines at the labelled ticks.
type grid struct{}

// Plot implements [plot.Plotter].
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	line := draw.LineStyle{Color: paleGrey, Width: 0.4}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if x := toX(t.Value); t.Label != "" && c.ContainsX(x) {
			c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := toY(t.Value); t.Label != "" && c.ContainsY(y) {
			c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
		}
	}
}
