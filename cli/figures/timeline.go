package figures

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/collectives"
	"jitterfly/internal/units"
)

// MostRanks are drawn in a timeline.
const MostRanks = 256

// shades are the colours of what ranks do.
var shades = [kinds]area{
	computing: {color: blue},
	detour:    {color: vermillion},
	waiting:   {color: paleGrey},
	held:      {color: orange},
	saved:     {color: color.NRGBA{}, hatched: true},
}

// Lines of messages.
var (
	wonLine  = draw.LineStyle{Color: green, Width: 0.6}
	critical = draw.LineStyle{Color: black, Width: 1.5}
	halo     = draw.LineStyle{Color: white, Width: 3}
)

// Timeline draws a trial: what each of its ranks does at each time, which redundant
// copies won, and the critical way.
func Timeline(title string, rec *collectives.Recording) Figure {
	does, copies := activities(rec)
	end := rec.Completion
	for _, does := range does {
		if n := len(does); n > 0 {
			end = math.Max(end, does[n-1].to)
		}
	}
	x := linear(units.Time, 0, end)
	x.top *= 1.005
	y := whole(-0.5, float64(len(does))-0.5)
	for i := range y.ticks { // rank 0 at the top
		y.ticks[i] = plot.Tick{Value: -y.ticks[i].Value, Label: strconv.Itoa(int(y.ticks[i].Value))}
	}
	y.low, y.top = -y.top, -y.low
	p := newPlot("", x, y)
	p.X.Label.Text, p.Y.Label.Text = "time since the launch", "rank"
	p.X.Padding, p.Y.Padding = 0, 0
	height := vg.Length(min(max(420/float64(len(does)), 2.6), 18))
	p.Add(&ranksInTime{does: does, copies: copies, way: rec.Critical().Points, gap: min(1.5, height/6)})
	pg := page{name: "timeline", title: title, width: 940, height: height*vg.Length(len(does)) + 45}
	present := [kinds]bool{}
	for _, does := range does {
		for _, a := range does {
			present[a.kind] = true
		}
	}
	for k := range kinds {
		if present[k] {
			pg.legend = append(pg.legend, entry{label: k.String(), fill: &shades[k]})
		}
	}
	if len(copies) > 0 {
		pg.legend = append(pg.legend, entry{label: "redundant copy that won", line: wonLine})
	}
	pg.legend = append(pg.legend, entry{label: "critical path", line: critical})
	return pg.figure([]*plot.Plot{p})
}

// ranksInTime are the bars of all ranks, and the messages between them.
type ranksInTime struct {
	does   [][]activity
	copies []message
	way    []collectives.Point
	gap    vg.Length // between bars
}

// Plot implements [plot.Plotter].
func (t *ranksInTime) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for r, does := range t.does {
		top, bottom := toY(-float64(r)+0.5)-t.gap/2, toY(-float64(r)-0.5)+t.gap/2
		for _, a := range does {
			shades[a.kind].rectangle(&c, toX(a.from), bottom, toX(a.to), top)
		}
	}
	at := func(p collectives.Point) vg.Point { return vg.Point{X: toX(p.Time), Y: toY(-float64(p.Rank))} }
	for _, m := range t.copies {
		c.StrokeLines(wonLine, []vg.Point{at(m.from), at(m.to)})
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: green, Radius: 1.6, Shape: draw.CircleGlyph{}}, at(m.to))
	}
	var way []vg.Point
	for _, point := range t.way {
		way = append(way, at(point))
	}
	c.StrokeLines(halo, way)
	c.StrokeLines(critical, way)
}
