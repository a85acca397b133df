package figures

import (
	"fmt"
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
