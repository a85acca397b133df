package figures

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"jitterfly/internal/units"
)

// A Grid is a heat map of values over two axes with cells of one size, as in papers.
type Grid struct {
	Title string
	X, Y  Cells
	Z     string      // name of the values
	Value [][]float64 // by row, the lowest first, and column; NaN for none
	// Low and Top are the ends of the linear scale of colours; larger values are red. If
	// both are 0 the scale spans the values.
	Low, Top float64
	Whole    bool // the values are whole numbers
}

// Cells are an axis of a grid. Each cell has a label, which may be empty.
type Cells struct {
	Name   string
	Labels []string
}

func (c Cells) scale() scale {
	s := scale{at: identity, low: -0.5, top: float64(len(c.Labels)) - 0.5}
	for i, label := range c.Labels {
		if label != "" {
			s.ticks = append(s.ticks, plot.Tick{Value: float64(i), Label: label})
		}
	}
	return s
}

// Sizes of a grid, in points. A row has room for its label.
const (
	gridWidth = 270
	gridRow   = 13
)

// Figure returns the grid as a figure of that name.
func (g Grid) Figure(name string) Figure {
	all := slices.Concat(g.Value...)
	low, top := g.Low, g.Top
	if low == 0 && top == 0 {
		low, top = extent(all)
	}
	bar := colorBar{
		title: g.Z, scale: linear(units.Number, low, top), color: viridis, steps: 96,
		above: &vermillion,
	}
	if g.Whole {
		bar.wholes(low, top)
	}
	pg := page{
		name: name, title: g.Title, bar: &bar,
		width: gridWidth + 60, height: func(vg.Length) vg.Length {
			return max(70, gridRow*vg.Length(len(g.Value))) + 50
		},
	}
	if slices.ContainsFunc(all, func(v float64) bool { return !finite(v) }) {
		pg.legend = append(pg.legend, entry{label: "none", fill: &missing})
	}
	if _, most := extent(all); most > top {
		label := "more than " + units.Format(units.Number, top, 6)
		pg.legend = append(pg.legend, entry{label: label, fill: &area{color: vermillion}})
	}
	c := cells{bar: &bar, values: g.Value}
	p := c.panel("", g.X.scale(), g.Y.scale(), g.X.Name, g.Y.Name)
	return pg.figures([]*plot.Plot{p})[0]
}
