package figures

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/collectives/recording"
	"jitterfly/internal/units"
)

// So many are drawn in a timeline.
const (
	MaxRanks  = 256
	MaxTracks = 1024 // of all ranks
)

// A look is how a kind of activity is drawn, and what it is called.
type look struct {
	area
	name string
}

// looks are those of all activities. What takes long without need is warm, what flows
// green, and a processor's work otherwise blue or purple.
var looks = [recording.Kinds]look{
	recording.Computing: {area{color: blue}, "computing"},
	recording.Sending:   {area{color: purple}, "posting messages"},
	recording.Receiving: {area{color: skyBlue}, "receiving"},
	recording.Polling:   {area{color: yellow}, "polling all connections"},
	recording.Detour:    {area{color: vermillion}, "detour"},
	recording.Latency:   {area{color: middleGrey}, "first byte under way"},
	recording.Flowing:   {area{color: green}, "message at the full rate of its links"},
	recording.Sharing:   {area{color: paleGreen}, "message slowed by others"},
	recording.Waiting:   {area{color: paleGrey}, "waiting"},
	recording.Blocked:   {area{color: paleBlue}, "waiting for the processor, or the gap"},
	recording.Delayed:   {area{color: orange}, "waiting for a message that noise holds"},
	recording.Saved:     {area{hatched: true}, "spared by a redundant copy"},
}

// Lines of messages.
var (
	wonLine  = draw.LineStyle{Color: green, Width: 0.6}
	critical = draw.LineStyle{Color: black, Width: 1.5}
	halo     = draw.LineStyle{Color: white, Width: 3}
)

// Timeline draws a trial: what each of its ranks, or nodes, does at each time, which
// redundant copies won, and the critical way.
func Timeline(title string, rec *recording.Recording) Figure {
	lanes := len(rec.Tracks) / max(1, rec.Ranks) // of a rank
	end := rec.End.Time
	present := [recording.Kinds]bool{}
	for i := range rec.Tracks {
		end = math.Max(end, rec.Tracks[i].End())
		for _, a := range rec.Tracks[i].Activities {
			present[a.Kind] = true
		}
	}
	x := linear(units.Time, 0, end)
	x.top *= 1.005
	y := whole(-0.5, float64(rec.Ranks)-0.5)
	for i := range y.ticks { // rank 0 at the top
		y.ticks[i] = plot.Tick{Value: -y.ticks[i].Value, Label: strconv.Itoa(int(y.ticks[i].Value))}
	}
	y.low, y.top = -y.top, -y.low
	p := newPlot("", x, y)
	p.X.Label.Text, p.Y.Label.Text = "time since the launch", "rank"
	if lanes > 1 {
		p.Y.Label.Text = "node: what it sends, what it receives, its processor"
	}
	p.X.Padding, p.Y.Padding = 0, 0
	height := vg.Length(min(max(420/float64(rec.Ranks), 2.6), 18))
	if lanes > 1 {
		height = vg.Length(min(max(480/float64(rec.Ranks), 1.8*float64(lanes)), 8*float64(lanes)))
	}
	p.Add(&lanesInTime{Recording: rec, lanes: lanes, way: rec.CriticalPath().Points, gap: min(1.5, height/6)})
	pg := page{name: "timeline", title: title, width: 940, height: height*vg.Length(rec.Ranks) + 45}
	for k, l := range looks {
		if present[k] {
			pg.legend = append(pg.legend, entry{label: l.name, fill: &looks[k].area})
		}
	}
	if len(rec.Copies) > 0 {
		pg.legend = append(pg.legend, entry{label: "redundant copy that won", line: wonLine})
	}
	pg.legend = append(pg.legend, entry{label: "critical path", line: critical})
	return pg.figure([]*plot.Plot{p})
}

// lanesInTime are the bars of all ranks, and the messages between them.
type lanesInTime struct {
	*recording.Recording
	lanes int // of a rank
	way   []recording.Point
	gap   vg.Length // between the bars of ranks
}

// Plot implements [plot.Plotter].
func (t *lanesInTime) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	edges := func(lane int) (top, bottom vg.Length) {
		rank := float64(lane / t.lanes)
		top, bottom = toY(-rank+0.5)-t.gap/2, toY(-rank-0.5)+t.gap/2
		height := (top - bottom) / vg.Length(t.lanes)
		top -= height * vg.Length(lane%t.lanes)
		return top, top - height
	}
	for i := range t.Tracks {
		top, bottom := edges(i)
		for _, a := range t.Tracks[i].Activities {
			looks[a.Kind].rectangle(&c, toX(a.From), bottom, toX(a.To), top)
		}
	}
	at := func(p recording.Point) vg.Point {
		top, bottom := edges(p.Track)
		return vg.Point{X: toX(p.Time), Y: (top + bottom) / 2}
	}
	for _, m := range t.Copies {
		c.StrokeLines(wonLine, []vg.Point{at(m.From), at(m.To)})
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: green, Radius: 1.6, Shape: draw.CircleGlyph{}}, at(m.To))
	}
	var way []vg.Point
	for _, point := range t.way {
		way = append(way, at(point))
	}
	c.StrokeLines(halo, way)
	c.StrokeLines(critical, way)
}
